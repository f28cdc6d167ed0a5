//! One pass over the data: assignment probabilities block by block, and the sums they weight.

use ndarray::{Array1, Array2};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::data::Data;
use crate::error::Result;
use crate::model::{Components, Statistics};
use crate::numeric::{SoftmaxRows, exponentiate, normalize};
use crate::workers::Context;

/// What the weights of a pass are made of: exp(-beta h_ik + `log_weights`_k).
#[derive(Debug, Clone, Copy)]
pub struct Weights<'a> {
    /// Inverse temperature.
    pub beta: f64,
    /// Logarithms of cluster weights; None: all equal to 1.
    pub log_weights: Option<&'a [f64]>,
}

impl Weights<'_> {
    /// Equal cluster weights at inverse temperature `beta`.
    pub fn equal(beta: f64) -> Self {
        Self { beta, log_weights: None }
    }
}

/// How probabilities enter the sums.
pub enum Assignment<'a> {
    /// As they are.
    Soft,
    /// One label drawn per object; the function gives each block its generator.
    Sampled(&'a (dyn Fn(usize) -> ChaCha8Rng + Sync)),
}

/// Sums over all objects at fixed parameters.
#[derive(Debug, Clone)]
pub struct Pass {
    /// Sums that update the parameters.
    pub statistics: Statistics,
    /// sum_i ln sum_k exp(-beta h_ik) (Eq. 62).
    pub log_partition: f64,
    /// sum_i sum_k P_ik h_ik.
    pub cost: f64,
    /// sum_i (1 - max_k P_ik).
    pub softness: f64,
}

/// Probabilities P_ik = exp(-beta h_ik) / sum_k' exp(-beta h_ik') of a block, cluster-major.
pub fn probabilities(model: &Components, x: &Array2<f64>, weights: Weights<'_>) -> Array2<f64> {
    let mut rows = SoftmaxRows::default();
    let mut p = model.scores(x, weights.beta, weights.log_weights);
    if let Some(cells) = p.as_slice_mut() {
        exponentiate(cells, x.ncols(), &mut rows);
        normalize(cells, &rows.total);
    }
    p
}

/// Sums that update the parameters; blocks in parallel, their sums added in block order.
pub fn update_pass(
    data: &Data<'_>,
    model: &Components,
    weights: Weights<'_>,
    assignment: &Assignment<'_>,
    context: Context<'_>,
) -> Result<Statistics> {
    let blocks = data.blocks(model.len());
    let parts = context.workers.map(blocks.len(), |b| {
        context.control.tick()?;
        let x = data.block(blocks[b].clone());
        if matches!(assignment, Assignment::Soft) && !model.shape().is_free() {
            let mut rows = SoftmaxRows::default();
            let mut w = model.scores(&x, weights.beta, weights.log_weights);
            exponentiate(w.as_slice_mut().unwrap_or(&mut []), x.ncols(), &mut rows);
            return Ok(model.statistics_of_weights(&x, w.view(), &rows.total));
        }
        let mut p = probabilities(model, &x, weights);
        if let Assignment::Sampled(generator) = assignment {
            draw_labels(&mut p, &mut generator(b));
        }
        Ok(model.statistics(&x, p.view()))
    })?;
    Ok(total(parts, model))
}

/// Everything that describes the state at fixed parameters.
pub fn full_pass(
    data: &Data<'_>,
    model: &Components,
    weights: Weights<'_>,
    context: Context<'_>,
) -> Result<Pass> {
    let blocks = data.blocks(model.len());
    let parts = context.workers.map(blocks.len(), |b| {
        context.control.tick()?;
        let x = data.block(blocks[b].clone());
        let scores = model.scores(&x, weights.beta, weights.log_weights);
        let mut p = scores.clone();
        let mut rows = SoftmaxRows::default();
        if let Some(cells) = p.as_slice_mut() {
            exponentiate(cells, x.ncols(), &mut rows);
            normalize(cells, &rows.total);
        }
        let left_out: f64 = model.object_costs(&x).iter().sum();
        let expected = p.iter().zip(&scores).filter(|(p, _)| **p > 0.0).map(|(p, s)| p * s);
        Ok(Pass {
            statistics: model.statistics(&x, p.view()),
            log_partition: rows.log_sums() - weights.beta * left_out,
            cost: left_out - expected.sum::<f64>() / weights.beta,
            softness: rows.total.iter().map(|total| 1.0 - 1.0 / total).sum(),
        })
    })?;
    let (log_partition, softness) =
        (parts.iter().map(|p| p.log_partition).sum(), parts.iter().map(|p| p.softness).sum());
    let mut cost: f64 = parts.iter().map(|part| part.cost).sum();
    let statistics = total(parts.into_iter().map(|part| part.statistics).collect(), model);
    if let Some(log_weights) = weights.log_weights {
        // The scores hold the cluster weights too; the cost does not.
        let masses = statistics.masses.iter().zip(log_weights);
        let priors: f64 = masses.filter(|(m, _)| **m > 0.0).map(|(m, w)| m * w).sum();
        cost += priors / weights.beta;
    }
    Ok(Pass { statistics, log_partition, cost, softness })
}

/// Sums of all blocks, added in their order.
fn total(parts: Vec<Statistics>, model: &Components) -> Statistics {
    let (k, d) = model.means().dim();
    let seconds = Array2::zeros((k, model.shape().covariance_size(d)));
    let zero = Statistics { masses: Array1::zeros(k), sums: Array2::zeros((k, d)), seconds };
    parts.into_iter().fold(zero, |mut total, part| {
        total.add(&part);
        total
    })
}

/// Sums for `target` on `data`, weighted with the probabilities that `source` gives to `source_data`.
///
/// Row i of both data sets is the same object; this is the M-step with another instance's P.
pub fn statistics_under(
    source_data: &Data<'_>,
    source: &Components,
    weights: Weights<'_>,
    data: &Data<'_>,
    target: &Components,
    context: Context<'_>,
) -> Result<Statistics> {
    let blocks = data.blocks(source.len());
    let parts = context.workers.map(blocks.len(), |b| {
        context.control.tick()?;
        let x = source_data.block(blocks[b].clone());
        let p = probabilities(source, &x, weights);
        Ok(target.statistics(&data.block(blocks[b].clone()), p.view()))
    })?;
    Ok(total(parts, target))
}

/// Replace each object's probabilities by an indicator of one label drawn from them.
fn draw_labels(p: &mut Array2<f64>, rng: &mut ChaCha8Rng) {
    for mut column in p.columns_mut() {
        let target: f64 = rng.random();
        let (mut reached, mut chosen) = (0.0, 0);
        for (k, &value) in column.iter().enumerate() {
            // Only possible labels are taken: where rounding leaves the sum below the target,
            // the last possible one stays chosen.
            if value > 0.0 {
                chosen = k;
                reached += value;
            }
            if reached > target {
                break;
            }
        }
        column.fill(0.0);
        column[chosen] = 1.0;
    }
}

/// Probabilities of all objects, object-major (N x K).
pub fn all_probabilities(
    data: &Data<'_>,
    model: &Components,
    weights: Weights<'_>,
    context: Context<'_>,
) -> Result<Array2<f64>> {
    let blocks = data.blocks(model.len());
    let parts = context.workers.map(blocks.len(), |b| {
        context.control.tick()?;
        let x = data.block(blocks[b].clone());
        Ok(probabilities(model, &x, weights).reversed_axes())
    })?;
    let mut all = Array2::zeros((data.n_objects(), model.len()));
    for (range, part) in blocks.iter().zip(&parts) {
        let slice = ndarray::Slice::from(range.clone());
        all.slice_axis_mut(ndarray::Axis(0), slice).assign(part);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Control;
    use crate::model::Shape;
    use crate::rng::stream;
    use crate::workers::Workers;
    use ndarray::array;

    fn setting() -> (Array2<f64>, Components) {
        let x = array![[0.0, 0.1], [1.0, -0.4], [2.5, 0.3], [-1.0, 0.9]];
        let means = array![[0.2, 0.0], [1.5, 0.5], [-0.7, 0.2]];
        (x, Components::fixed(means, Shape::Distance))
    }

    #[test]
    fn sums_equal_their_definition() {
        let (x, model) = setting();
        let data = Data::new(x.view(), Array1::zeros(2)).unwrap();
        let workers = Workers::new(1).unwrap();
        let beta = 0.8;
        let control = Control::default();
        let context = Context { workers: &workers, control: &control };
        let seen = full_pass(&data, &model, Weights::equal(beta), context).unwrap();
        let soft = Assignment::Soft;
        let quick = update_pass(&data, &model, Weights::equal(beta), &soft, context).unwrap();
        let gap = &quick.sums - &seen.statistics.sums;
        assert!(gap.iter().all(|v| v.abs() < 1e-12));
        let (mut log_partition, mut cost, mut softness) = (0.0, 0.0, 0.0);
        for row in x.outer_iter() {
            let h: Vec<f64> =
                model.means().outer_iter().map(|m| (&row - &m).mapv(|v| v * v).sum()).collect();
            let w: Vec<f64> = h.iter().map(|h| (-beta * h).exp()).collect();
            let z: f64 = w.iter().sum();
            log_partition += z.ln();
            cost += h.iter().zip(&w).map(|(h, w)| h * w / z).sum::<f64>();
            softness += 1.0 - w.iter().copied().fold(0.0, f64::max) / z;
        }
        assert!((seen.log_partition - log_partition).abs() < 1e-12);
        assert!((seen.cost - cost).abs() < 1e-12);
        assert!((seen.softness - softness).abs() < 1e-12);
        assert!((seen.statistics.masses.sum() - 4.0).abs() < 1e-12);
    }

    #[test]
    fn drawn_labels_follow_the_probabilities() {
        let mut counts = [0.0; 3];
        let mut rng = stream(5, &[]);
        let n = 30_000;
        for _ in 0..n {
            let mut p = array![[0.2], [0.0], [0.8]];
            draw_labels(&mut p, &mut rng);
            assert_eq!(p.sum(), 1.0);
            for k in 0..3 {
                counts[k] += p[[k, 0]];
            }
        }
        assert_eq!(counts[1], 0.0);
        // Five standard deviations of a binomial count.
        let spread = (f64::from(n) * 0.16).sqrt();
        assert!((counts[0] - 0.2 * f64::from(n)).abs() < 5.0 * spread);
    }
}
