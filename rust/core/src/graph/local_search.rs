//! Greedy descent on hard assignments: zero temperature, strict improvements only.

use ndarray::{Array2, ArrayView2};
use rand_chacha::ChaCha8Rng;

use super::Graph;
use super::sweep::Sweeper;
use crate::error::Result;
use crate::workers::Context;

/// Sweeps after which a descent is called off; every one improves, and few are ever needed.
const MAX_SWEEPS: usize = 1_000;

/// Move objects, in random order, to the cluster of lowest potential until none gains by it.
pub fn descend(
    graph: &Graph<'_>,
    labels: &mut [usize],
    n_clusters: usize,
    rng: &mut ChaCha8Rng,
    context: Context<'_>,
) -> Result<()> {
    let mut q = one_hot(labels, n_clusters);
    let mut sweeper = Sweeper::new(graph, q.view(), 0.0, context)?;
    for _ in 0..MAX_SWEEPS {
        let largest = sweeper.sweep(&mut q, rng, context, |i, h, row| {
            let now = labels[i];
            let best = (0..h.len()).min_by(|&a, &b| h[a].total_cmp(&h[b])).unwrap_or(now);
            // Gains within rounding are ties, and ties stay.
            if h[best] < h[now] - 1e-12 * h[best].abs().max(h[now].abs()) {
                row[now] = 0.0;
                row[best] = 1.0;
                labels[i] = best;
            }
        })?;
        if largest == 0.0 {
            break;
        }
    }
    Ok(())
}

/// The likeliest cluster of every object; the lowest number among equals.
pub fn labels_of(q: ArrayView2<'_, f64>) -> Vec<usize> {
    let likeliest = |row: ndarray::ArrayView1<'_, f64>| {
        (0..row.len()).fold(0, |best, k| if row[k] > row[best] { k } else { best })
    };
    q.rows().into_iter().map(likeliest).collect()
}

/// Rows with a single 1.
pub fn one_hot(labels: &[usize], n_clusters: usize) -> Array2<f64> {
    let mut q = Array2::zeros((labels.len(), n_clusters));
    labels.iter().enumerate().for_each(|(i, &k)| q[[i, k]] = 1.0);
    q
}
