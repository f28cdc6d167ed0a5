//! Infection and immunization dynamics: one strategy at a time, O(N) per move.
//!
//! The strategy whose payoff is farthest from the average either invades (if better) or is driven
//! out (if worse), by the share that is best for it. Equilibria are those of the replicator dynamics
//! that are stable; far fewer products with X are needed (Rota Bulo, Pelillo, Bomze 2011).

use ndarray::{Array2, ArrayView1, Axis};

use super::Game;
use super::peeling::TIED;
use crate::error::Result;
use crate::similarity::Fields;
use crate::workers::Context;

/// Squared distance from equilibrium, in units of the cohesion, at which the dynamics ends.
const SETTLED: f64 = 1e-20;

/// How columns of X are had.
enum Columns<'a> {
    /// Rows of S are at hand: read the fields of a unit vector, O(N).
    Stored { fields: Box<dyn Fields + 'a>, unit: Array2<f64> },
    /// Products with a unit vector cost little: low-rank, sparse, tree.
    Product { unit: Array2<f64> },
}

impl<'a> Columns<'a> {
    fn new(game: Game<'a>, rows_at_hand: bool, context: Context<'_>) -> Result<Self> {
        let unit = Array2::zeros((game.len(), 1));
        if rows_at_hand {
            return Ok(Self::Stored {
                fields: game.similarity().fields(unit.view(), context)?,
                unit,
            });
        }
        Ok(Self::Product { unit })
    }

    /// Write X e_i to `out` where `rest` holds.
    fn read(
        &mut self,
        game: Game<'_>,
        i: usize,
        rest: &[bool],
        out: &mut [f64],
        context: Context<'_>,
    ) -> Result<()> {
        match self {
            Self::Product { unit } => {
                unit[[i, 0]] = 1.0;
                let column = game.payoffs(unit.view(), context)?;
                unit[[i, 0]] = 0.0;
                out.iter_mut().zip(&column).for_each(|(slot, value)| *slot = *value);
            }
            Self::Stored { fields, unit } => {
                context.control.tick()?;
                unit[[i, 0]] = 1.0;
                fields.moved(i, &[1.0]);
                for (j, slot) in out.iter_mut().enumerate().filter(|(j, _)| rest[*j]) {
                    fields.field(j, unit.view(), std::slice::from_mut(slot));
                    *slot = (*slot + game.shift()).max(0.0);
                }
                // 0 + s - s is 0 exactly: the next column starts clean.
                fields.moved(i, &[-1.0]);
                unit[[i, 0]] = 0.0;
                out[i] = game.own().max(0.0);
            }
        }
        Ok(())
    }
}

/// A population on the way to equilibrium.
struct Population<'v> {
    v: &'v mut [f64],
    payoff: Vec<f64>,
}

/// The move that comes next.
struct Move {
    strategy: usize,
    /// v <- v + share (e_i - v).
    share: f64,
}

impl Population<'_> {
    fn renew(&mut self, game: Game<'_>, context: Context<'_>) -> Result<()> {
        let total: f64 = self.v.iter().sum();
        self.v.iter_mut().for_each(|v| *v /= total);
        let column = ArrayView1::from(&*self.v).insert_axis(Axis(1));
        self.payoff = game.payoffs(column, context)?.into_raw_vec_and_offset().0;
        Ok(())
    }

    fn cohesion(&self) -> f64 {
        self.v.iter().zip(&self.payoff).map(|(v, payoff)| v * payoff).sum()
    }

    /// The strategy farthest from the average and its best share; None in equilibrium.
    fn next(&self, rest: &[bool], own: f64) -> Option<Move> {
        let cohesion = self.cohesion();
        if cohesion <= 0.0 {
            return None;
        }
        let (mut error, mut best) = (0.0, (0.0, None));
        for (i, (&v, &payoff)) in self.v.iter().zip(&self.payoff).enumerate() {
            let gap = payoff - cohesion;
            if !rest[i] {
                continue;
            }
            error += v.min(-gap / cohesion).powi(2);
            if (gap > 0.0 || v > 0.0) && gap.abs() > best.0 * (1.0 + TIED) {
                best = (gap.abs(), Some(i));
            }
        }
        let strategy = best.1.filter(|_| error >= SETTLED)?;
        let (v, gap) = (self.v[strategy], self.payoff[strategy] - cohesion);
        // A worse strategy is driven out by its opposite, v_i / (v_i - 1) (e_i - v).
        let factor = if gap > 0.0 { 1.0 } else { v / (v - 1.0) };
        let curvature = factor * factor * (own - 2.0 * self.payoff[strategy] + cohesion);
        let part = if curvature < 0.0 { (factor * gap / -curvature).min(1.0) } else { 1.0 };
        Some(Move { strategy, share: part * factor })
    }

    fn make(&mut self, step: &Move, column: &[f64]) {
        let keep = 1.0 - step.share;
        self.v.iter_mut().for_each(|v| *v *= keep);
        // Rounding must not leave a strategy that was driven out below zero.
        let own = self.v[step.strategy] + step.share;
        self.v[step.strategy] = if own < 1e-16 { 0.0 } else { own };
        for (payoff, new) in self.payoff.iter_mut().zip(column) {
            *payoff = keep * *payoff + step.share * new;
        }
    }
}

/// Let `v`, which is zero outside `rest`, settle; returns the moves made and whether it settled.
///
/// As many moves are made as one product with a stored X costs, then payoffs are computed afresh; at
/// most `max_steps` times. `rows_at_hand`: whether S has rows that cost O(N) to read.
pub fn infect(
    game: Game<'_>,
    v: &mut [f64],
    rest: &[bool],
    max_steps: usize,
    rows_at_hand: bool,
    context: Context<'_>,
) -> Result<(usize, bool)> {
    let mut columns = Columns::new(game, rows_at_hand, context)?;
    let mut column = vec![0.0; game.len()];
    let (mut population, mut moves) = (Population { v, payoff: Vec::new() }, 0);
    for _ in 0..max_steps {
        population.renew(game, context)?;
        for _ in 0..game.len().max(1) {
            let Some(step) = population.next(rest, game.own()) else {
                return Ok((moves, true));
            };
            columns.read(game, step.strategy, rest, &mut column, context)?;
            population.make(&step, &column);
            moves += 1;
        }
    }
    population.renew(game, context)?;
    Ok((moves, population.next(rest, game.own()).is_none()))
}
