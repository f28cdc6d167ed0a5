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

/// Geometric grid of inverse temperatures, rising, for instances with these critical values.
///
/// It starts before the first instance can split and ends 50 times beyond the point at which the
/// last one can. `n_steps` is the number of temperatures for equal instances; unequal ones get more,
/// at the same ratio. Free covariances end at beta = 1: beyond it -beta ln N is no density's cost.
pub fn grid(params: &CheckedParams, critical: [f64; 2]) -> Vec<f64> {
    let (first, last) = if params.shape.is_free() {
        (params.start.unwrap_or(HEATED).min(1.0), params.stop.unwrap_or(1.0).min(1.0))
    } else {
        let first = params.start.unwrap_or(START * critical[0].min(critical[1]));
        (first, params.stop.unwrap_or((CAP * critical[0].max(critical[1])).max(first)))
    };
    // A last temperature above the default first one: nothing splits on the way, but grids rise.
    let first = first.min(last);
    if params.n_steps == 1 {
        return vec![last];
    }
    let mut steps = params.n_steps - 1;
    if params.start.is_none() && params.stop.is_none() && !params.shape.is_free() {
        let usual = (CAP / START).ln() / steps as f64;
        steps = steps.max(((last / first).ln() / usual - 1e-9).ceil() as usize);
    }
    let ratio = (last / first).powf(1.0 / steps as f64);
    (0..=steps).map(|t| first * ratio.powi(t as i32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::annealing::AnnealParams;

    #[test]
    fn default_grid_is_the_one_of_the_specification() {
        let params = AnnealParams::default().check().unwrap();
        let betas = grid(&params, [2.0, 2.0]);
        assert_eq!(betas.len(), 60);
        assert!((betas[0] - 1.8).abs() < 1e-12);
        assert!((betas[59] - 100.0).abs() < 1e-9);
        assert!((betas[1] / betas[0] - 1.07).abs() < 0.002);
    }

    #[test]
    fn unequal_instances_get_more_temperatures_at_the_same_ratio() {
        let params = AnnealParams::default().check().unwrap();
        let betas = grid(&params, [200.0, 2.0]);
        assert!((betas[0] - 1.8).abs() < 1e-12);
        assert!((betas[betas.len() - 1] - 10_000.0).abs() < 1e-6);
        let usual = grid(&params, [2.0, 2.0]);
        assert!(betas[1] / betas[0] <= usual[1] / usual[0] + 1e-12);
    }

    #[test]
    fn free_covariances_stop_at_one() {
        let params = AnnealParams { shape: Shape::Full, ..Default::default() }.check().unwrap();
        let betas = grid(&params, [123.0, 123.0]);
        assert!((betas.last().unwrap() - 1.0).abs() < 1e-12);
    }
}
