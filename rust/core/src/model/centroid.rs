//! Costs with a fixed, isotropic covariance: k-means and its Gaussian twin.

use ndarray::{Array2, ArrayView2};

use super::{EMPTY_MASS, Shape, Statistics};
use crate::numeric::affine;

/// -beta h_ik up to a constant per object: 2 beta a mu_k.x_i - beta a |mu_k|^2 (+ log weight).
///
/// With h = a |x - mu|^2 the term a |x|^2 is the same for all clusters; see [`object_cost`].
pub fn scores(
    means: &Array2<f64>,
    shape: Shape,
    x: &Array2<f64>,
    beta: f64,
    log_weights: Option<&[f64]>,
) -> Array2<f64> {
    let scale = beta * shape.scale();
    let bias: Vec<f64> = means
        .outer_iter()
        .enumerate()
        .map(|(k, mean)| log_weights.map_or(0.0, |w| w[k]) - scale * mean.dot(&mean))
        .collect();
    affine(&(means * (2.0 * scale)), &bias, x)
}

/// What [`scores`] leaves out of h, for one object: a |x|^2 + D/2 ln(2 pi variance).
pub fn object_cost(shape: Shape, x: ArrayView2<'_, f64>) -> Vec<f64> {
    let constant = match shape {
        Shape::Fixed(variance) => 0.5 * x.nrows() as f64 * (std::f64::consts::TAU * variance).ln(),
        _ => 0.0,
    };
    let mut costs = vec![constant; x.ncols()];
    for feature in x.outer_iter() {
        for (cost, value) in costs.iter_mut().zip(feature) {
            *cost += shape.scale() * value * value;
        }
    }
    costs
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
