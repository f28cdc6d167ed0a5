//! What annealing leaves behind: one record per temperature, and their columns as arrays.

use ndarray::{Array1, Array2, Array3, Axis};

use super::grouping::{count_groups, group};
use super::pass::Pass;
use crate::model::Components;

/// The state reached at one temperature.
#[derive(Debug, Clone)]
pub struct Step {
    /// Inverse temperature.
    pub beta: f64,
    /// F = -(1/beta) sum_i ln sum_k exp(-beta h_ik).
    pub free_energy: f64,
    /// sum_i sum_k P_ik h_ik.
    pub cost: f64,
    /// Mean over objects of 1 - max_k P_ik.
    pub softness: f64,
    /// Mean over objects of P_ik.
    pub masses: Vec<f64>,
    /// Group number of each centroid.
    pub groups: Vec<usize>,
    /// Effective number of clusters.
    pub n_clusters: usize,
    /// Iterations or sweeps spent.
    pub iterations: usize,
    /// Whether the tolerance was met (always true for samplers).
    pub converged: bool,
    /// The parameters themselves.
    pub model: Components,
}

impl Step {
    /// The record of `model` at `beta`, given the pass made with it.
    pub fn new(
        beta: f64,
        model: Components,
        seen: &Pass,
        iterations: usize,
        converged: bool,
    ) -> Self {
        let n = seen.statistics.masses.sum();
        let counts = seen.statistics.masses.to_vec();
        let groups = group(&model, beta);
        Self {
            beta,
            free_energy: -seen.log_partition / beta,
            cost: seen.cost,
            softness: seen.softness / n,
            n_clusters: count_groups(&groups, &counts),
            masses: counts.iter().map(|c| c / n).collect(),
            groups,
            iterations,
            converged,
            model,
        }
    }
}

/// A whole run, columns instead of records, rising in beta.
#[derive(Debug, Clone)]
pub struct Trajectory {
    /// Inverse temperatures (T).
    pub betas: Array1<f64>,
    /// Free energies (T).
    pub free_energies: Array1<f64>,
    /// Expected costs (T).
    pub costs: Array1<f64>,
    /// Effective clusters (T).
    pub n_clusters: Array1<i64>,
    /// Softness (T).
    pub softness: Array1<f64>,
    /// Cluster masses (T x K).
    pub masses: Array2<f64>,
    /// Group numbers (T x K).
    pub groups: Array2<i64>,
    /// Centroids in the data's own coordinates (T x K x D).
    pub centroids: Array3<f64>,
    /// Free covariances, flattened per component (T x K x size); size 0 where fixed.
    pub covariances: Array3<f64>,
    /// Iterations (T).
    pub n_iter: Array1<i64>,
    /// Convergence (T).
    pub converged: Array1<bool>,
}

impl Trajectory {
    /// Columns of `steps`, sorted by beta; `offset` brings centroids back to the data's coordinates.
    pub fn new(mut steps: Vec<Step>, offset: &Array1<f64>) -> Self {
        steps.sort_by(|a, b| a.beta.total_cmp(&b.beta));
        let (k, d) = steps.first().map_or((0, offset.len()), |s| s.model.means().dim());
        let size = steps.first().map_or(0, |s| s.model.shape().covariance_size(d));
        let t = steps.len();
        let mut out = Self {
            betas: steps.iter().map(|s| s.beta).collect(),
            free_energies: steps.iter().map(|s| s.free_energy).collect(),
            costs: steps.iter().map(|s| s.cost).collect(),
            n_clusters: steps.iter().map(|s| s.n_clusters as i64).collect(),
            softness: steps.iter().map(|s| s.softness).collect(),
            masses: Array2::from_shape_fn((t, k), |(s, c)| steps[s].masses[c]),
            groups: Array2::from_shape_fn((t, k), |(s, c)| steps[s].groups[c] as i64),
            centroids: Array3::zeros((t, k, d)),
            covariances: Array3::zeros((t, k, size)),
            n_iter: steps.iter().map(|s| s.iterations as i64).collect(),
            converged: steps.iter().map(|s| s.converged).collect(),
        };
        for (s, step) in steps.iter().enumerate() {
            let mut centroids = out.centroids.index_axis_mut(Axis(0), s);
            centroids.assign(step.model.means());
            centroids += offset;
            if let Some(covariances) = step.model.covariances() {
                out.covariances.index_axis_mut(Axis(0), s).assign(covariances);
            }
        }
        out
    }
}
