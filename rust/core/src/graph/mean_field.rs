//! Sequential mean field at one temperature: q_ik = exp(-beta h_ik) / sum_l exp(-beta h_il) (Eq. 75).
//!
//! Objects are visited one at a time in random order. All at once would oscillate as soon as beta
//! exceeds K / |lambda_min|, which a negative shift makes small (section 3).

use ndarray::Array2;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::sweep::Sweeper;
use super::{Graph, State};
use crate::error::Result;
use crate::workers::Context;

/// Rows that move by less than this fraction of the tolerance count as converged.
const LAZY: f64 = 0.02;

/// How a state is brought to self-consistency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settling {
    /// Entries are multiplied by 1 + noise (U - 1/2) beforehand.
    pub noise: f64,
    /// Converged when no entry moves by more than this in a sweep.
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
    perturb(&mut state.q, settings.noise, rng);
    let mut sweeper = Sweeper::new(graph, state.q.view(), LAZY * settings.tol, context)?;
    let State { q, log_q, .. } = state;
    let (mut sweeps, mut converged) = (0, false);
    while sweeps < settings.max_sweeps && !converged {
        let largest = sweeper.sweep(q, rng, context, |i, h, row| {
            let log_row = log_q.row_mut(i).into_slice();
            if let Some(log_row) = log_row {
                soften(h, beta, row, log_row);
            }
        })?;
        sweeps += 1;
        converged = largest < settings.tol;
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
