//! Where the uniform state becomes unstable, and the grid of inverse temperatures built on it.

use ndarray::Array1;

use super::{Cost, Graph};
use crate::annealing::CheckedParams;
use crate::error::Result;
use crate::linear::largest_eigenpair;
use crate::workers::Context;

/// The grid starts at this fraction of the critical inverse temperature ...
const START: f64 = 0.8;
/// ... and ends at this multiple of it, where even nearly free empty clusters are decided.
const CAP: f64 = 1e4;

/// First critical inverse temperature (section 3); infinite where nothing ever splits.
///
/// The uniform state q = 1/K, disturbed by v (e_1 - e_2), answers with M v: beta_c = K / lambda_max(M).
/// Exact for the quadratic costs, up to O(1/N) for the others.
pub fn critical_beta(graph: &Graph<'_>, n_clusters: usize, context: Context<'_>) -> Result<f64> {
    let (n, k) = (graph.len(), n_clusters as f64);
    if n_clusters < 2 || n < 2 {
        return Ok(f64::INFINITY);
    }
    let response = Response::new(graph, k);
    let pair = largest_eigenpair(n, |v| response.apply(graph, v, context))?;
    let scale = response.scale(graph);
    // Below rounding there is nothing to find: an all-zero or a constant similarity.
    let real = pair.value > 1e-12 * scale && pair.value.is_finite();
    Ok(if real { k / pair.value } else { f64::INFINITY })
}

/// The linear response M v = s S v + t (d (1.v) + 1 (d.v)) + r d (d.v) + u 1 (1.v).
struct Response {
    field: f64,
    crossed: f64,
    degrees: f64,
    ones: f64,
    /// Only disturbances that keep the cluster sizes.
    balanced: bool,
}

impl Response {
    fn new(graph: &Graph<'_>, k: f64) -> Self {
        let n = graph.len() as f64;
        let total: f64 = graph.degrees().iter().sum();
        let plain = Self { field: 1.0, crossed: 0.0, degrees: 0.0, ones: 0.0, balanced: false };
        match graph.cost() {
            Cost::Correlation => plain,
            Cost::MaxCut => Self { field: -1.0, ..plain },
            // K/N C S C with the centering matrix C.
            Cost::Pairwise => {
                Self { field: k / n, crossed: -k / (n * n), ones: k * total / (n * n * n), ..plain }
            }
            // 2K/D (S - d d^T / D), the modularity matrix; without edges there is nothing.
            Cost::NormalizedCut if total <= 0.0 => Self { field: 0.0, ..plain },
            Cost::NormalizedCut => {
                Self { field: 2.0 * k / total, degrees: -2.0 * k / (total * total), ..plain }
            }
            Cost::RatioCut => Self::ratio_cut(2.0, k, n, total),
            Cost::AdaptiveRatioCut(p) => Self::ratio_cut(p, k, n, total),
        }
    }

    /// With phi and its derivatives at equal sizes n = N/K: phi_1 = -phi/(2n),
    /// phi_12 = phi (p-2)/(p-1) / (4 n^2), phi_11 = phi/n^2 - phi_12,
    /// M v = phi S v - (K-2)/K phi_1 (d (1.v) + 1 (d.v)) - D/K^2 ((K-1) phi_11 - phi_12) 1 (1.v).
    fn ratio_cut(p: f64, k: f64, n_objects: f64, total: f64) -> Self {
        let size = n_objects / k;
        let phi = super::phi(p, size, size);
        let first = -phi / (2.0 * size);
        // Near the Cheeger limit unequal sizes cost almost infinitely much.
        let balanced = p < 1.05;
        let mixed = if balanced { 0.0 } else { phi * (p - 2.0) / (p - 1.0) / (4.0 * size * size) };
        let second = phi / (size * size) - mixed;
        Self {
            field: phi,
            crossed: -(k - 2.0) / k * first,
            degrees: 0.0,
            ones: -total / (k * k) * ((k - 1.0) * second - mixed),
            balanced,
        }
    }

    fn scale(&self, graph: &Graph<'_>) -> f64 {
        let largest = graph.degrees().iter().fold(0.0, |top: f64, d| top.max(d.abs()));
        self.field.abs() * largest
    }

    fn apply(
        &self,
        graph: &Graph<'_>,
        v: &Array1<f64>,
        context: Context<'_>,
    ) -> Result<Array1<f64>> {
        context.control.tick()?;
        let n = v.len() as f64;
        let v = if self.balanced { v - v.sum() / n } else { v.clone() };
        let column = v.view().insert_axis(ndarray::Axis(1));
        let mut out = graph.product(column, context)?.column(0).to_owned();
        let degrees = Array1::from_vec(graph.degrees().to_vec());
        let (sum, along) = (v.sum(), degrees.dot(&v));
        out *= self.field;
        out.scaled_add(self.crossed * sum + self.degrees * along, &degrees);
        out += self.crossed * along + self.ones * sum;
        if self.balanced {
            out -= out.sum() / n;
        }
        Ok(out)
    }
}

/// Geometric grid of inverse temperatures, rising, from 0.8 beta_c to the cap.
pub fn grid(params: &CheckedParams, critical: f64) -> Vec<f64> {
    if !critical.is_finite() {
        return vec![params.stop.or(params.start).unwrap_or(1.0)];
    }
    let first = params.start.unwrap_or(START * critical);
    let last = params.stop.unwrap_or((CAP * critical).max(first));
    let first = first.min(last);
    if params.n_steps == 1 {
        return vec![last];
    }
    let ratio = (last / first).powf(1.0 / (params.n_steps - 1) as f64);
    (0..params.n_steps).map(|t| first * ratio.powi(t as i32)).collect()
}
