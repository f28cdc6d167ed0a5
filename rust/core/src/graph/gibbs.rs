//! Annealed Gibbs sampling on the potentials of mean field.
//!
//! On hard assignments the potentials are exact, so that a visit draws the object's label from its
//! conditional law p(c_i = k | rest) ~ exp(-beta h_ik) and p(c) ~ exp(-beta R(c)) stays invariant.

use ndarray::Array2;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::mean_field::{Settled, soften};
use super::sweep::Sweeper;
use super::{Graph, State};
use crate::error::Result;
use crate::workers::Context;

/// Run `burn_in` + `keep` sweeps over the hard assignment `chain` (one-hot rows) at `beta`.
///
/// `seen(sweep, i, h, chosen)` hears of every visit after the burn-in.
pub fn sample(
    graph: &Graph<'_>,
    chain: &mut Array2<f64>,
    beta: f64,
    (burn_in, keep): (usize, usize),
    rng: &mut ChaCha8Rng,
    context: Context<'_>,
    mut seen: impl FnMut(usize, usize, &[f64], usize),
) -> Result<()> {
    let mut sweeper = Sweeper::new(graph, chain.view(), 0.0, context)?;
    let mut log_row = vec![0.0; chain.ncols()];
    // The order of visits and the draws come from two generators: the sweep holds the first one.
    let mut draws = crate::rng::stream(rng.random::<u64>(), &[1]);
    for sweep in 0..burn_in + keep {
        sweeper.sweep(chain, rng, context, |i, h, row| {
            soften(h, beta, row, &mut log_row);
            let chosen = draw(row, draws.random::<f64>());
            row.fill(0.0);
            row[chosen] = 1.0;
            if sweep >= burn_in {
                seen(sweep - burn_in, i, h, chosen);
            }
        })?;
    }
    Ok(())
}

fn draw(law: &[f64], u: f64) -> usize {
    let mut rest = u;
    for (label, probability) in law.iter().enumerate() {
        rest -= probability;
        if rest < 0.0 {
            return label;
        }
    }
    // Rounding may leave a little over: the likeliest label takes it.
    (0..law.len()).max_by(|&a, &b| law[a].total_cmp(&law[b])).unwrap_or(0)
}

/// Sample at `beta` and let q be the mean-field law of the average potentials (section 8, item 7).
pub(super) fn settle(
    graph: &Graph<'_>,
    state: &mut State,
    beta: f64,
    (burn_in, keep): (usize, usize),
    rng: &mut ChaCha8Rng,
    context: Context<'_>,
) -> Result<Settled> {
    let State { q, log_q, chain } = state;
    let chain = chain.get_or_insert_with(|| hard_draw(q, rng));
    let mut sums = Array2::zeros(q.dim());
    sample(graph, chain, beta, (burn_in, keep), rng, context, |_, i, h, _| {
        // Potentials of different sweeps share no constant; their differences over k are what counts.
        let base = h[0];
        sums.row_mut(i).iter_mut().zip(h).for_each(|(sum, value)| *sum += value - base);
    })?;
    sums /= keep as f64;
    for (i, mean) in sums.rows().into_iter().enumerate() {
        let slots = (q.row_mut(i).into_slice(), log_q.row_mut(i).into_slice());
        if let (Some(h), (Some(row), Some(log_row))) = (mean.to_slice(), slots) {
            soften(h, beta, row, log_row);
        }
    }
    let cost = graph.cost_of(q.view(), context)?;
    Ok(Settled { sweeps: burn_in + keep, converged: true, cost })
}

/// A hard assignment drawn from the rows of `q`.
fn hard_draw(q: &Array2<f64>, rng: &mut ChaCha8Rng) -> Array2<f64> {
    let mut chain = Array2::zeros(q.dim());
    for (i, row) in q.rows().into_iter().enumerate() {
        chain[[i, draw(&row.to_vec(), rng.random::<f64>())]] = 1.0;
    }
    chain
}
