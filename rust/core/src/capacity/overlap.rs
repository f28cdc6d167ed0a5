//! How far the weights of two instances overlap at one temperature, without holding any N x K matrix.

use ndarray::{Array1, Array2};

use super::assignment::best_assignment;
use super::pair::PairData;
use crate::annealing::pass::{Weights, probabilities};
use crate::error::{Error, Result};
use crate::model::Components;
use crate::numeric::{SoftmaxRows, log_sum_exp};
use crate::workers::Context;

/// What is compared: clusters one to one, or groups of coincident clusters.
#[derive(Debug, Clone, Copy)]
pub enum Matching<'a> {
    /// Cluster by cluster.
    Clusters,
    /// Groups of each instance (group number per cluster), their probabilities summed.
    Groups([&'a [usize]; 2]),
}

/// Agreement of two instances at one temperature.
#[derive(Debug, Clone)]
pub struct Overlap {
    /// (1/N) sum_i log2 sum_s P1_is P2_is over aligned slots s; bits per object.
    pub agreement: f64,
    /// Entropy in bits of the slots' masses, averaged over both instances.
    pub entropy: f64,
    /// (1/N) sum_i sum_k P1_ik h_k(x2_i) (Eq. 94); NaN in different spaces.
    pub transfer_cost: f64,
    /// Slot of every cluster, for the first and the second instance.
    pub slots: [Vec<usize>; 2],
}

/// Align the clusters (or groups) of two models at `beta` and measure their agreement.
pub fn measure(
    data: &PairData<'_>,
    models: [&Components; 2],
    beta: f64,
    matching: Matching<'_>,
    context: Context<'_>,
) -> Result<Overlap> {
    let n = data.first.n_objects() as f64;
    let (contingency, transfer) = contingency(data, models, beta, context)?;
    let (groups, size) = match matching {
        Matching::Clusters => {
            let k = models[0].len().max(models[1].len());
            ([(0..models[0].len()).collect(), (0..models[1].len()).collect()], k)
        }
        Matching::Groups(given) => {
            let count = |g: &[usize]| g.iter().max().map_or(0, |last| last + 1);
            ([given[0].to_vec(), given[1].to_vec()], count(given[0]).max(count(given[1])))
        }
    };
    let mut table = Array2::zeros((size, size));
    for ((a, b), value) in contingency.indexed_iter() {
        table[[groups[0][a], groups[1][b]]] += value;
    }
    if !table.iter().all(|cell: &f64| cell.is_finite()) {
        let found = format!("gives no finite probabilities at beta = {beta:.3e}");
        return Err(Error::invalid("X", found, "rescale the columns, or stop at a smaller beta"));
    }
    let partner = best_assignment(table.view());
    let mut slot_of = vec![0; size];
    partner.iter().enumerate().for_each(|(slot, &group)| slot_of[group] = slot);
    let slots = [groups[0].clone(), groups[1].iter().map(|&g| slot_of[g]).collect()];
    let agreement = agreement(data, models, beta, &slots, size, context)? / n;
    // Rows of the table sum to the first instance's masses, columns to the second's.
    let first = table.sum_axis(ndarray::Axis(1));
    let second = table.sum_axis(ndarray::Axis(0));
    let masses = (0..size).map(|s| (first[s] + second[partner[s]]) / (2.0 * n));
    let entropy = masses.filter(|p| *p > 0.0).map(|p| -p * p.log2()).sum();
    let transfer_cost = if data.same_space { transfer / n } else { f64::NAN };
    Ok(Overlap { agreement, entropy, transfer_cost, slots })
}

/// P1^T P2 (K1 x K2) and sum_i sum_k P1_ik h_k(x2_i).
fn contingency(
    data: &PairData<'_>,
    models: [&Components; 2],
    beta: f64,
    context: Context<'_>,
) -> Result<(Array2<f64>, f64)> {
    let blocks = data.first.blocks(models[0].len());
    let weights = Weights::equal(beta);
    let parts = context.workers.map(blocks.len(), |b| {
        context.control.tick()?;
        let (x1, x2) = (data.first.block(blocks[b].clone()), data.second.block(blocks[b].clone()));
        let p1 = probabilities(models[0], &x1, weights);
        let p2 = probabilities(models[1], &x2, weights);
        let transfer = if data.same_space {
            let h = models[0].potentials(&x2);
            p1.iter().zip(&h).map(|(p, h)| p * h).sum()
        } else {
            0.0
        };
        Ok((p1.dot(&p2.t()), transfer))
    })?;
    let zero = (Array2::zeros((models[0].len(), models[1].len())), 0.0);
    Ok(parts.into_iter().fold(zero, |(table, cost), (t, c)| (table + t, cost + c)))
}

/// sum_i log2 sum_s P1_is P2_is, every term in log space: an object on which the instances disagree
/// may have an overlap far below the smallest float.
fn agreement(
    data: &PairData<'_>,
    models: [&Components; 2],
    beta: f64,
    slots: &[Vec<usize>; 2],
    size: usize,
    context: Context<'_>,
) -> Result<f64> {
    let blocks = data.first.blocks(models[0].len());
    let parts = context.workers.map(blocks.len(), |b| {
        context.control.tick()?;
        let mut joint = Array2::zeros((size, blocks[b].len()));
        let mut alone = Array1::<f64>::zeros(blocks[b].len());
        for (instance, side) in [&data.first, &data.second].into_iter().enumerate() {
            let x = side.block(blocks[b].clone());
            let scored = models[instance].scores(&x, beta, None);
            let mut rows = SoftmaxRows::default();
            log_sum_exp(scored.as_slice().unwrap_or(&[]), x.ncols(), &mut rows);
            alone.iter_mut().enumerate().for_each(|(r, sum)| *sum += rows.log_sum(r));
            joint += &slot_scores(&scored, &slots[instance], size);
        }
        let mut rows = SoftmaxRows::default();
        log_sum_exp(joint.as_slice().unwrap_or(&[]), blocks[b].len(), &mut rows);
        Ok(alone.iter().enumerate().map(|(r, sum)| rows.log_sum(r) - sum).sum::<f64>())
    })?;
    Ok(parts.into_iter().sum::<f64>() / std::f64::consts::LN_2)
}

/// ln sum of the weights of all clusters in a slot, for every slot and object.
fn slot_scores(scores: &Array2<f64>, slots: &[usize], size: usize) -> Array2<f64> {
    let mut out = Array2::from_elem((size, scores.ncols()), f64::NEG_INFINITY);
    for (line, &slot) in scores.outer_iter().zip(slots) {
        for (held, &value) in out.row_mut(slot).iter_mut().zip(line) {
            let (high, low) = if value > *held { (value, *held) } else { (*held, value) };
            // ln(e^high + e^low); an empty slot takes the value as it is.
            *held = if low > f64::NEG_INFINITY { high + (low - high).exp().ln_1p() } else { high };
        }
    }
    out
}
