//! Sequential mean field at one temperature: q_ik = exp(-beta h_ik) / sum_l exp(-beta h_il) (Eq. 75).
//!
//! Objects are visited one at a time in random order. All at once would oscillate as soon as beta
//! exceeds K / |lambda_min|, which a negative shift makes small (section 3).

use ndarray::Array2;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::sweep::Sweeper;
use super::twins::{Drift, Twins};
use super::{Graph, State};
use crate::error::Result;
use crate::workers::Context;

/// Rows that move by less than this fraction of the tolerance count as converged.
const LAZY: f64 = 0.02;

/// Sweeps that equal columns get at least: noise is spread over all N modes, of which the one that
/// tears the columns apart holds a share of 1/N, and must first outgrow the others.
const PATIENCE: usize = 5;

/// How a state is brought to self-consistency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settling {
    /// Entries are multiplied by 1 + noise (U - 1/2) beforehand.
    pub noise: f64,
    /// Converged when no entry moves by more than this in a sweep, nor by more than in the last one,
    /// and columns that are still equal are not drifting apart.
    pub tol: f64,
    /// Most sweeps.
    pub max_sweeps: usize,
}

/// What settling took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settled {
    /// Sweeps made.
    pub sweeps: usize,
    /// Whether the tolerance was met (always true for samplers).
    pub converged: bool,
    /// R(q) in the end.
    pub cost: f64,
}

/// Settle `state` at `beta`.
pub fn settle(
    graph: &Graph<'_>,
    state: &mut State,
    beta: f64,
    settings: Settling,
    rng: &mut ChaCha8Rng,
    context: Context<'_>,
) -> Result<Settled> {
    let mut twins = Twins::new(state.q.view());
    perturb(&mut state.q, settings.noise, rng);
    // A split begins with changes far below the tolerance: no row may be left behind.
    let lazy = if twins.is_some() { 0.0 } else { LAZY * settings.tol };
    let mut sweeper = Sweeper::new(graph, state.q.view(), lazy, context)?;
    let State { q, log_q, .. } = state;
    let (mut sweeps, mut converged, mut before) = (0, false, f64::INFINITY);
    while sweeps < settings.max_sweeps && !converged {
        let largest = sweeper.sweep(q, rng, context, |i, h, row| {
            let log_row = log_q.row_mut(i).into_slice();
            if let Some(log_row) = log_row {
                soften(h, beta, row, log_row);
            }
        })?;
        sweeps += 1;
        let drift = twins.as_mut().map_or(Drift::None, |twins| twins.look(q));
        if drift == Drift::Steady {
            sweeper = Sweeper::new(graph, q.view(), lazy, context)?;
        }
        let calm = twins.is_none() || (drift == Drift::None && sweeps >= PATIENCE);
        converged = largest < settings.tol && largest <= before && calm;
        before = largest;
    }
    Ok(Settled { sweeps, converged, cost: sweeper.cost() })
}

/// `row` = exp(-beta h) / Z, and its logarithm, which does not underflow.
pub(super) fn soften(h: &[f64], beta: f64, row: &mut [f64], log_row: &mut [f64]) {
    let lowest = h.iter().copied().fold(f64::INFINITY, f64::min);
    let mut total = 0.0;
    for ((slot, log), &value) in row.iter_mut().zip(log_row.iter_mut()).zip(h) {
        *log = -beta * (value - lowest);
        *slot = log.exp();
        total += *slot;
    }
    let log_total = total.ln();
    for (slot, log) in row.iter_mut().zip(log_row) {
        *slot /= total;
        *log -= log_total;
    }
}

/// Multiply entries by 1 + noise (U - 1/2) and normalize rows.
fn perturb(q: &mut Array2<f64>, noise: f64, rng: &mut ChaCha8Rng) {
    if noise == 0.0 {
        return;
    }
    for mut row in q.rows_mut() {
        row.iter_mut().for_each(|value| *value *= 1.0 + noise * (rng.random::<f64>() - 0.5));
        let total = row.sum();
        row /= total;
    }
}
