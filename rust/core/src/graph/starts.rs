//! Where a run begins: the kinds of starts of section 3.

use std::sync::Arc;

use ndarray::Array2;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::run::State;
use super::{Graph, one_hot};

/// A late start waits for an inverse temperature between this and thrice this many beta_c.
const LATE: f64 = 1.0;
/// Share of a warm start that is spread over all clusters, so that the empty one can fill.
const SPREAD: f64 = 0.02;

/// How a run begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// Uniform, at the first temperature.
    Cold,
    /// Rows drawn from Dirichlet(1), at a temperature between one and three beta_c.
    Late,
    /// A known labeling, at the last temperature.
    Warm(Arc<[usize]>),
    /// The K - 1 objects of lowest degree alone, at the last temperature.
    Singletons,
}

/// A start at its place in the grid. From `pivot` the run goes up to hard assignments, and down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// How it begins.
    pub start: Start,
    /// Number that selects the random numbers of the run.
    pub restart: u64,
    /// Index of the first temperature.
    pub pivot: usize,
}

impl Plan {
    /// Restart number `restart`: cold and late in turn.
    pub fn alternating(restart: u64, betas: &[f64], critical: f64, rng: &mut ChaCha8Rng) -> Self {
        if restart.is_multiple_of(2) {
            return Self { start: Start::Cold, restart, pivot: 0 };
        }
        let wanted = LATE * (1.0 + 2.0 * rng.random::<f64>()) * critical;
        let pivot = betas.iter().position(|&b| b >= wanted).unwrap_or(betas.len() - 1);
        Self { start: Start::Late, restart, pivot }
    }

    /// Whether entries are disturbed before every temperature.
    pub(super) fn is_noisy(&self) -> bool {
        self.start != Start::Singletons
    }

    /// The state before the first temperature.
    pub(super) fn initial(&self, graph: &Graph<'_>, k: usize, rng: &mut ChaCha8Rng) -> State {
        let n = graph.len();
        let q = match &self.start {
            Start::Cold => Array2::from_elem((n, k), 1.0 / k as f64),
            Start::Late => dirichlet(n, k, rng),
            Start::Warm(labels) => {
                one_hot(labels, k) * (1.0 - SPREAD) + Array2::from_elem((n, k), SPREAD / k as f64)
            }
            // Not spread: a share of all others would make a cluster of a single object large.
            Start::Singletons => one_hot(&singletons(graph, k), k),
        };
        State { log_q: q.ln(), q, chain: None }
    }
}

/// Rows drawn uniformly from the simplex: normalized exponential numbers.
fn dirichlet(n: usize, k: usize, rng: &mut ChaCha8Rng) -> Array2<f64> {
    let mut q = Array2::from_shape_simple_fn((n, k), || {
        // 1 - u lies in (0, 1]; the tiny term keeps a row of zeros impossible.
        -(1.0 - rng.random::<f64>()).ln() + f64::MIN_POSITIVE
    });
    for mut row in q.rows_mut() {
        let total = row.sum();
        row /= total;
    }
    q
}

/// The K - 1 objects of lowest degree in clusters of their own, all others in the last one.
fn singletons(graph: &Graph<'_>, k: usize) -> Vec<usize> {
    let degrees = graph.degrees();
    let mut order: Vec<usize> = (0..degrees.len()).collect();
    order.sort_by(|&a, &b| degrees[a].total_cmp(&degrees[b]));
    let mut labels = vec![k - 1; degrees.len()];
    order.iter().take(k - 1).enumerate().for_each(|(label, &i)| labels[i] = label);
    labels
}
