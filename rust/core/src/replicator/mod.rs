//! Dominant sets: clusters as equilibria of an evolutionary game (spec: graph, section 6).
//!
//! Objects are pure strategies, similarities are payoffs, and a cluster is the support of a mixed
//! strategy v that the dynamics has settled on. Clusters are peeled off one after the other.

pub mod dynamics;
pub mod infection;
pub mod peeling;

pub use dynamics::{Step, replicate};
pub use infection::infect;
pub use peeling::{Method, Peeling, Plan, Termination, peel};

use ndarray::{Array2, ArrayView2, Axis};

use crate::error::{Error, Result};
use crate::similarity::Similarity;
use crate::workers::Context;

/// The payoffs X of the game: similarities without their diagonal, shifted.
#[derive(Clone, Copy)]
pub struct Game<'a> {
    similarity: &'a dyn Similarity,
    shift: f64,
    shift_diagonal: bool,
}

impl<'a> Game<'a> {
    /// X_ij = S_ij + `shift` for i != j, and X_ii = `shift` if `shift_diagonal`, else 0.
    ///
    /// A shift of every entry changes no equilibrium (Eq. 131); one that spares the diagonal makes
    /// clusters coarser.
    pub fn new(similarity: &'a dyn Similarity, shift: f64, shift_diagonal: bool) -> Result<Self> {
        if !shift.is_finite() {
            return Err(Error::invalid("shift", format!("is {shift}"), "give a finite number"));
        }
        Ok(Self { similarity, shift, shift_diagonal })
    }

    /// The same game among the objects of another similarity.
    pub fn among<'b>(&self, similarity: &'b dyn Similarity) -> Game<'b> {
        Game { similarity, shift: self.shift, shift_diagonal: self.shift_diagonal }
    }

    /// Number of objects N.
    pub fn len(&self) -> usize {
        self.similarity.len()
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.similarity.is_empty()
    }

    /// The similarities behind the payoffs.
    pub fn similarity(&self) -> &'a dyn Similarity {
        self.similarity
    }

    /// X_ii, the same for every object.
    pub fn own(&self) -> f64 {
        if self.shift_diagonal { self.shift } else { 0.0 }
    }

    /// The constant that is part of every payoff between different objects.
    pub fn shift(&self) -> f64 {
        self.shift
    }

    /// The product X v for every column of `v`.
    ///
    /// X is never negative: what rounding leaves below zero is set to zero.
    pub fn payoffs(&self, v: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Array2<f64>> {
        let mut out = self.similarity.matmul(v, context)?;
        let totals = v.sum_axis(Axis(0)) * self.shift;
        let own = self.own() - self.shift;
        let lines = out.outer_iter_mut().zip(v.outer_iter()).zip(self.similarity.diagonal());
        for ((mut line, v), diagonal) in lines {
            for ((slot, v), total) in line.iter_mut().zip(v).zip(&totals) {
                *slot = (*slot + total + (own - diagonal) * v).max(0.0);
            }
        }
        Ok(out)
    }
}
