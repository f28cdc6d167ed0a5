//! Mass-constrained annealing: centroids carry weights, split when unstable, merge when they meet.
//!
//! For fitting only. With weights in the weights the capacity keeps rising beyond the true number of
//! clusters, so `capacity` refuses this variant.

use ndarray::{Array1, Array2, Axis};

use super::annealer::Run;
use super::params::CheckedParams;
use super::pass::{Assignment, Weights, all_probabilities};
use crate::error::Result;
use crate::linear::{EigenPair, largest_eigenpair};
use crate::model::{Components, EMPTY_MASS};

/// The two halves of a split start this far apart, in standard deviations along the axis.
const SPLIT_STEP: f64 = 0.1;
/// Centroids closer than this many sqrt(T) are merged.
const MERGE: f64 = 0.02;

/// Weights p_k of the centroids; weight 0 marks a slot that waits for a split.
#[derive(Debug, Clone)]
pub struct Codebook {
    log_weights: Vec<f64>,
}

impl Codebook {
    /// One centroid with all the mass, the other slots free.
    pub fn new(k: usize) -> Self {
        let mut log_weights = vec![f64::NEG_INFINITY; k];
        log_weights[0] = 0.0;
        Self { log_weights }
    }

    /// ln p_k.
    pub fn log_weights(&self) -> &[f64] {
        &self.log_weights
    }

    fn is_active(&self, k: usize) -> bool {
        self.log_weights[k] > f64::NEG_INFINITY
    }

    /// Converge, then split what is unstable, until nothing splits; then merge.
    ///
    /// Converging *before* the test matters: near a critical temperature centroids creep, and a
    /// half-converged covariance suggests splits that are not there.
    pub fn settle(
        &mut self,
        model: &mut Components,
        params: &CheckedParams,
        radius: f64,
        run: &Run<'_, '_>,
    ) -> Result<(usize, bool)> {
        let mut total = 0;
        let mut converged;
        loop {
            let (iterations, met) = self.converge(model, params, radius, run)?;
            total += iterations;
            converged = met;
            if !self.split(model, run)? {
                break;
            }
        }
        self.merge(model, run.beta);
        self.park(model);
        Ok((total, converged))
    }

    /// P_ik ~ p_k exp(-beta h_ik), mu_k = sum P x / sum P, p_k = mean P.
    fn converge(
        &mut self,
        model: &mut Components,
        params: &CheckedParams,
        radius: f64,
        run: &Run<'_, '_>,
    ) -> Result<(usize, bool)> {
        for iteration in 1..=params.max_iter {
            let seen = run.pass(model, Some(&self.log_weights), &Assignment::Soft)?;
            let n = run.data.n_objects() as f64;
            for (weight, &mass) in self.log_weights.iter_mut().zip(&seen.masses) {
                *weight = if mass < EMPTY_MASS { f64::NEG_INFINITY } else { (mass / n).ln() };
            }
            if model.update(&seen) <= params.tol * radius {
                return Ok((iteration, true));
            }
        }
        Ok((params.max_iter, false))
    }

    /// Split every centroid whose covariance exceeds the temperature: 2 a lambda_max(C_k) > T.
    fn split(&mut self, model: &mut Components, run: &Run<'_, '_>) -> Result<bool> {
        let mut free: Vec<usize> = (0..model.len()).filter(|&k| !self.is_active(k)).collect();
        if free.is_empty() {
            return Ok(false);
        }
        let weights = Weights { beta: run.beta, log_weights: Some(&self.log_weights) };
        let p = all_probabilities(run.data, model, weights, run.context)?;
        let mut any = false;
        for k in (0..model.len()).filter(|&k| self.is_active(k)).collect::<Vec<_>>() {
            // The slot that waits nearest: it has shared the history of this cluster.
            let gap = |slot: usize| model.squared_distance(k, slot);
            let nearest = (0..free.len()).min_by(|&a, &b| gap(free[a]).total_cmp(&gap(free[b])));
            let Some(nearest) = nearest else { break };
            let axis = cluster_axis(model, &p, k, run)?;
            if 2.0 * model.shape().scale() * axis.value * run.beta <= 1.0 {
                continue;
            }
            let slot = free.remove(nearest);
            let shift = SPLIT_STEP * axis.value.sqrt() * &axis.vector;
            let half = self.log_weights[k] - std::f64::consts::LN_2;
            (self.log_weights[k], self.log_weights[slot]) = (half, half);
            let center = model.means().row(k).to_owned();
            model.means_mut().row_mut(slot).assign(&(&center + &shift));
            model.means_mut().row_mut(k).assign(&(&center - &shift));
            any = true;
        }
        Ok(any)
    }

    /// Join centroids that are closer than 0.02 sqrt(T).
    fn merge(&mut self, model: &Components, beta: f64) {
        let limit = MERGE * MERGE / (model.shape().scale() * beta);
        for a in 0..model.len() {
            for b in a + 1..model.len() {
                let both = self.is_active(a) && self.is_active(b);
                if both && model.squared_distance(a, b) < limit {
                    let joined = self.log_weights[a].exp() + self.log_weights[b].exp();
                    self.log_weights[a] = joined.ln();
                    self.log_weights[b] = f64::NEG_INFINITY;
                }
            }
        }
    }

    /// Slots without weight wait at the nearest centroid that has some: anywhere else they would
    /// look like clusters of their own, or link clusters that are apart.
    fn park(&self, model: &mut Components) {
        for slot in (0..model.len()).filter(|&k| !self.is_active(k)) {
            let gap = |k: usize| model.squared_distance(k, slot);
            let active = (0..model.len()).filter(|&k| self.is_active(k));
            if let Some(home) = active.min_by(|&a, &b| gap(a).total_cmp(&gap(b))) {
                let center = model.means().row(home).to_owned();
                model.means_mut().row_mut(slot).assign(&center);
            }
        }
    }
}

/// Top eigenpair of cluster `k`'s covariance sum_i P_ik (x - mu)(x - mu)^T / n_k, without the matrix.
fn cluster_axis(
    model: &Components,
    p: &Array2<f64>,
    k: usize,
    run: &Run<'_, '_>,
) -> Result<EigenPair> {
    let mean = model.means().row(k);
    let mass = p.column(k).sum();
    let blocks = run.data.blocks(model.len());
    largest_eigenpair(run.data.n_features(), |v| {
        let parts = run.context.workers.map(blocks.len(), |b| {
            run.context.control.tick()?;
            let mut x = run.data.block(blocks[b].clone());
            x -= &mean.insert_axis(Axis(1));
            let mut along = x.t().dot(v);
            along.iter_mut().zip(blocks[b].clone()).for_each(|(value, i)| *value *= p[[i, k]]);
            Ok(x.dot(&along))
        })?;
        let total: Array1<f64> =
            parts.into_iter().fold(Array1::zeros(v.len()), |total, part| total + part);
        Ok(total / mass)
    })
}
