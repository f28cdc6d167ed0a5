//! Where annealing starts, and the grid of inverse temperatures it visits.

use super::params::CheckedParams;
use crate::model::Shape;

/// The default grid starts at this fraction of the critical inverse temperature ...
const START: f64 = 0.9;
/// ... and ends at this multiple of it, where nothing that matters is soft any more.
const CAP: f64 = 50.0;
/// Free covariances are heated from beta = 1 down to this.
const HEATED: f64 = 0.02;
/// Assignments are hard when the mean over objects of 1 - max_k P_ik is below this.
pub const HARD: f64 = 1e-3;

/// First critical inverse temperature: `beta_c` = 1 / (2 a lambda) for h = a |x - mu|^2.
///
/// With all centroids at the mean the linearized update multiplies a deviation by 2 a beta C, which
/// grows once beta exceeds this. Free covariances whiten the data: their critical value is exactly 1.
pub fn critical_beta(shape: Shape, largest_variance: f64) -> f64 {
    if shape.is_free() { 1.0 } else { 1.0 / (2.0 * shape.scale() * largest_variance) }
}

/// Geometric grid of inverse temperatures, rising.
///
/// Free covariances end at beta = 1: beyond it -beta ln N is no density's cost any more.
pub fn grid(params: &CheckedParams, critical: f64) -> Vec<f64> {
    let (first, last) = if params.shape.is_free() {
        (params.start.unwrap_or(HEATED).min(1.0), params.stop.unwrap_or(1.0).min(1.0))
    } else {
        let first = params.start.unwrap_or(START * critical);
        (first, params.stop.unwrap_or((CAP * critical).max(first)))
    };
    // A last temperature above the default first one: nothing splits on the way, but grids rise.
    let first = first.min(last);
    if params.n_steps == 1 {
        return vec![last];
    }
    let ratio = (last / first).powf(1.0 / (params.n_steps - 1) as f64);
    (0..params.n_steps).map(|t| first * ratio.powi(t as i32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annealing::AnnealParams;

    #[test]
    fn default_grid_is_the_one_of_the_specification() {
        let params = AnnealParams::default().check().unwrap();
        let betas = grid(&params, 2.0);
        assert_eq!(betas.len(), 60);
        assert!((betas[0] - 1.8).abs() < 1e-12);
        assert!((betas[59] - 100.0).abs() < 1e-9);
        assert!((betas[1] / betas[0] - 1.07).abs() < 0.002);
    }

    #[test]
    fn free_covariances_stop_at_one() {
        let params = AnnealParams { shape: Shape::Full, ..Default::default() }.check().unwrap();
        let betas = grid(&params, 123.0);
        assert!((betas.last().unwrap() - 1.0).abs() < 1e-12);
    }
}
