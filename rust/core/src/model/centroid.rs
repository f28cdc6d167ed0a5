//! Costs with a fixed, isotropic covariance: k-means and its Gaussian twin.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2};

use super::{EMPTY_MASS, Shape, Statistics};

/// h_ik = |x_i - mu_k|^2, or -ln N(x_i | mu_k, variance I), cluster-major (K x rows).
pub fn potentials(means: ArrayView2<'_, f64>, shape: Shape, x: ArrayView2<'_, f64>) -> Array2<f64> {
    let (k, rows) = (means.nrows(), x.nrows());
    let scale = shape.scale();
    let constant = match shape {
        Shape::Fixed(variance) => 0.5 * x.ncols() as f64 * (std::f64::consts::TAU * variance).ln(),
        _ => 0.0,
    };
    let norms: Vec<f64> = x.outer_iter().map(|row| scale * row.dot(&row) + constant).collect();
    let mut h = Array2::zeros((k, rows));
    for (mut line, mean) in h.outer_iter_mut().zip(means.outer_iter()) {
        let own = scale * mean.dot(&mean);
        line.iter_mut().zip(&norms).for_each(|(value, norm)| *value = norm + own);
    }
    // |x - mu|^2 = |x|^2 + |mu|^2 - 2 mu.x: one matrix product per block.
    general_mat_mul(-2.0 * scale, &means, &x.t(), 1.0, &mut h);
    h
}

/// mu_k = sum_i P_ik x_i / sum_i P_ik; returns the largest move of a coordinate.
pub fn update_means(means: &mut Array2<f64>, statistics: &Statistics) -> f64 {
    let mut moved: f64 = 0.0;
    for (k, mut mean) in means.outer_iter_mut().enumerate() {
        let mass = statistics.masses[k];
        if mass < EMPTY_MASS {
            continue;
        }
        for (value, sum) in mean.iter_mut().zip(statistics.sums.row(k)) {
            let next = sum / mass;
            moved = moved.max((next - *value).abs());
            *value = next;
        }
    }
    moved
}
