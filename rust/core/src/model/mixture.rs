//! Gaussian costs -ln N(x | mu_k, C_k) with covariances that are estimated along with the means.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView2, Axis};

use super::{EMPTY_MASS, Shape, Statistics};
use crate::linear::{cholesky, inverse_transposed};
use crate::numeric::{subtract_squares, weighted_sums};

/// Covariances of K components and the factors that potentials are computed from.
#[derive(Debug, Clone)]
pub struct FreeCovariance {
    shape: Shape,
    /// K x size of the shape: variance, variances, or the matrix row by row.
    covariances: Array2<f64>,
    /// Square roots L of the precisions, C^-1 = L L^T: K x 1, K x D, or K x D x D flattened.
    roots: Array2<f64>,
    /// (D ln 2 pi + ln det C_k) / 2.
    constants: Array1<f64>,
    /// Added to every variance, so that a component on few points stays a density.
    floor: f64,
    dimension: usize,
}

impl FreeCovariance {
    /// `k` components that all have the diagonal covariance `variances`.
    pub fn uniform(shape: Shape, k: usize, variances: &Array1<f64>, floor: f64) -> Self {
        let d = variances.len();
        let row: Array1<f64> = match shape {
            Shape::Spherical => Array1::from_elem(1, variances.mean().unwrap_or(1.0) + floor),
            Shape::Diagonal => variances + floor,
            _ => {
                let full = Array2::from_diag(&(variances + floor));
                full.into_shape_with_order(d * d).unwrap_or_else(|_| Array1::zeros(d * d))
            }
        };
        let covariances = Array2::from_shape_fn((k, row.len()), |(_, j)| row[j]);
        Self::from_rows(shape, covariances, floor, d)
    }

    /// Covariances that an earlier run reported, one row per component, in `d` dimensions.
    pub fn known(shape: Shape, covariances: ArrayView2<'_, f64>, d: usize) -> Self {
        Self::from_rows(shape, covariances.to_owned(), 0.0, d)
    }

    fn from_rows(shape: Shape, covariances: Array2<f64>, floor: f64, dimension: usize) -> Self {
        let k = covariances.nrows();
        let (roots, constants) = (covariances.clone(), Array1::zeros(k));
        let mut made = Self { shape, covariances, roots, constants, floor, dimension };
        (0..k).for_each(|component| made.factorize(component));
        made
    }

    /// One row per component, as the shape asks.
    pub fn covariances(&self) -> &Array2<f64> {
        &self.covariances
    }

    /// Recompute root and constant of one component.
    fn factorize(&mut self, k: usize) {
        let d = self.dimension;
        let mut log_det = 0.0;
        if self.shape == Shape::Full {
            let (factor, ridge) = self.factor_with_ridge(k);
            let mut matrix = self.covariances.row_mut(k);
            (0..d).for_each(|j| matrix[j * d + j] += ridge);
            log_det = 2.0 * factor.diag().iter().map(|v| v.ln()).sum::<f64>();
            let mut root = Array2::zeros((d, d));
            inverse_transposed(&factor, root.view_mut());
            self.roots.row_mut(k).iter_mut().zip(root.iter()).for_each(|(to, from)| *to = *from);
        } else {
            let repeats = if self.shape == Shape::Spherical { d as f64 } else { 1.0 };
            let (covariances, mut roots) = (self.covariances.row(k), self.roots.row_mut(k));
            for (root, &variance) in roots.iter_mut().zip(covariances) {
                *root = 1.0 / variance.sqrt();
                log_det += repeats * variance.ln();
            }
        }
        self.constants[k] = 0.5 * (d as f64 * std::f64::consts::TAU.ln() + log_det);
    }

    /// Cholesky factor of component `k`, with the smallest ridge that makes one possible.
    fn factor_with_ridge(&self, k: usize) -> (Array2<f64>, f64) {
        let d = self.dimension;
        let row = self.covariances.row(k);
        let mut ridge: f64 = 0.0;
        while ridge.is_finite() {
            let matrix = Array2::from_shape_fn((d, d), |(i, j)| {
                row[i * d + j] + if i == j { ridge } else { 0.0 }
            });
            if let Some(factor) = cholesky(matrix.view()) {
                return (factor, ridge);
            }
            ridge = if ridge == 0.0 { self.floor.max(f64::MIN_POSITIVE) } else { 10.0 * ridge };
        }
        // Only entries that are no numbers get here; the run ends with an error at its next pass.
        (Array2::eye(d), 0.0)
    }

    /// -beta h_ik with h_ik = (|L_k^T (x_i - mu_k)|^2 + D ln 2 pi + ln det C_k) / 2, cluster-major.
    pub fn scores(
        &self,
        means: ArrayView2<'_, f64>,
        x: &Array2<f64>,
        beta: f64,
        log_weights: Option<&[f64]>,
    ) -> Array2<f64> {
        let (d, rows) = x.dim();
        let mut out = Array2::zeros((means.nrows(), rows));
        let mut white = Array2::zeros((d, rows));
        let lines = out.as_slice_mut().unwrap_or_default().chunks_exact_mut(rows.max(1));
        for (k, line) in lines.enumerate() {
            let bias = log_weights.map_or(0.0, |w| w[k]) - beta * self.constants[k];
            line.fill(bias);
            match self.roots.row(k).into_shape_with_order((d, d)) {
                Ok(root) if self.shape == Shape::Full => {
                    let shift = -means.row(k).dot(&root);
                    for (mut feature, start) in white.outer_iter_mut().zip(&shift) {
                        feature.fill(*start);
                    }
                    general_mat_mul(1.0, &root.t(), x, 1.0, &mut white);
                    for feature in white.as_slice().unwrap_or_default().chunks_exact(rows.max(1)) {
                        subtract_squares(line, feature, 0.0, 0.5 * beta);
                    }
                }
                _ => {
                    let roots = self.roots.row(k);
                    let features = x.as_slice().unwrap_or_default().chunks_exact(rows.max(1));
                    for (j, feature) in features.enumerate() {
                        let root = roots[if roots.len() == 1 { 0 } else { j }];
                        let factor = 0.5 * beta * root * root;
                        subtract_squares(line, feature, means[[k, j]], factor);
                    }
                }
            }
        }
        out
    }

    /// C_k = sum_i P_ik x x^T / n_k - mu_k mu_k^T + floor.
    pub fn update(&mut self, means: ArrayView2<'_, f64>, statistics: &Statistics) {
        let d = self.dimension;
        for k in 0..means.nrows() {
            let mass = statistics.masses[k];
            if mass < EMPTY_MASS {
                continue;
            }
            let (mean, second) = (means.row(k), statistics.seconds.row(k));
            let mut covariance = self.covariances.row_mut(k);
            match self.shape {
                Shape::Spherical => {
                    let variance = (second[0] / mass - mean.dot(&mean)) / d as f64;
                    covariance[0] = variance.max(0.0) + self.floor;
                }
                Shape::Diagonal => {
                    for j in 0..d {
                        let variance = second[j] / mass - mean[j] * mean[j];
                        covariance[j] = variance.max(0.0) + self.floor;
                    }
                }
                _ => {
                    for (cell, value) in covariance.iter_mut().enumerate() {
                        let (i, j) = (cell / d, cell % d);
                        let ridge = if i == j { self.floor } else { 0.0 };
                        *value = second[cell] / mass - mean[i] * mean[j] + ridge;
                    }
                }
            }
            self.factorize(k);
        }
    }

    /// Replace by the mean of `states`, factors included.
    pub fn average<'a>(&mut self, states: impl Iterator<Item = &'a Self>) {
        let (mut total, mut count) = (Array2::zeros(self.covariances.dim()), 0.0);
        for state in states {
            total += &state.covariances;
            count += 1.0;
        }
        self.covariances = total / f64::max(count, 1.0);
        (0..self.covariances.nrows()).for_each(|k| self.factorize(k));
    }

    /// Squared Mahalanobis distance `gap` of two components: mean of both metrics.
    pub fn squared_distance(&self, a: usize, b: usize, gap: &Array1<f64>) -> f64 {
        let d = self.dimension;
        let under = |k: usize| {
            let root = self.roots.row(k);
            let white = match root.into_shape_with_order((d, d)) {
                Ok(matrix) if self.shape == Shape::Full => gap.dot(&matrix),
                _ => gap * &root.broadcast(d).unwrap_or(root),
            };
            white.dot(&white)
        };
        0.5 * (under(a) + under(b))
    }
}

/// sum_i P_ik x_i x_i^T of a block (D x rows), reduced to what `shape` needs (K x size).
pub fn second_moments(shape: Shape, x: &Array2<f64>, p: ArrayView2<'_, f64>) -> Array2<f64> {
    let (k, d) = (p.nrows(), x.nrows());
    match shape {
        Shape::Spherical => {
            let norms = (x * x).sum_axis(Axis(0)).insert_axis(Axis(0));
            weighted_sums(p, &norms)
        }
        Shape::Diagonal => weighted_sums(p, &(x * x)),
        _ => {
            let mut all = Array2::zeros((k, d * d));
            let mut weighted = Array2::zeros(x.dim());
            for (weights, mut out) in p.outer_iter().zip(all.outer_iter_mut()) {
                weighted.assign(x);
                weighted *= &weights;
                let product = weighted.dot(&x.t());
                out.iter_mut().zip(&product).for_each(|(to, from)| *to = *from);
            }
            all
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Components;
    use super::*;
    use ndarray::array;

    fn sample() -> Array2<f64> {
        array![[0.5, 1.0], [-0.3, 0.2], [1.7, -0.9], [0.1, 0.4], [-2.0, 0.3]]
    }

    #[test]
    fn update_gives_weighted_moments_for_every_shape() {
        let x = sample();
        let p = array![[1.0, 0.5, 0.2, 0.9, 0.1]];
        let n = p.sum();
        let mean = p.dot(&x) / n;
        for shape in [Shape::Spherical, Shape::Diagonal, Shape::Full] {
            let start = Array2::zeros((1, 2));
            let mut model = Components::free(start, shape, &array![1.0, 1.0], 0.0);
            let statistics = model.statistics(&x.t().as_standard_layout().into_owned(), p.view());
            model.update(&statistics);
            let mut expected = Array2::<f64>::zeros((2, 2));
            for (row, weight) in x.outer_iter().zip(p.iter()) {
                let gap = &row - &mean.row(0);
                for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    expected[[i, j]] += weight * gap[i] * gap[j] / n;
                }
            }
            let found = model.covariances().unwrap().row(0).to_vec();
            let wanted = match shape {
                Shape::Spherical => vec![0.5 * (expected[[0, 0]] + expected[[1, 1]])],
                Shape::Diagonal => vec![expected[[0, 0]], expected[[1, 1]]],
                _ => expected.iter().copied().collect(),
            };
            for (a, b) in found.iter().zip(&wanted) {
                assert!((a - b).abs() < 1e-12, "{shape:?}: {found:?} {wanted:?}");
            }
        }
    }

    #[test]
    fn potentials_are_negative_log_densities() {
        let x = sample();
        let p = array![[1.0, 0.5, 0.2, 0.9, 0.1]];
        let mut model =
            Components::free(Array2::zeros((1, 2)), Shape::Full, &array![1.0, 1.0], 0.0);
        let statistics = model.statistics(&x.t().as_standard_layout().into_owned(), p.view());
        model.update(&statistics);
        let c = model.covariances().unwrap().row(0).to_vec();
        let det = c[0] * c[3] - c[1] * c[2];
        let h = model.potentials(&x.t().as_standard_layout().into_owned());
        for (i, row) in x.outer_iter().enumerate() {
            let (u, v) = (row[0] - model.means()[[0, 0]], row[1] - model.means()[[0, 1]]);
            let squared = (c[3] * u * u - 2.0 * c[1] * u * v + c[0] * v * v) / det;
            let expected = 0.5 * squared + 0.5 * det.ln() + std::f64::consts::TAU.ln();
            assert!((h[[0, i]] - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_component_on_one_point_stays_a_density() {
        let x = array![[1.0, 2.0], [5.0, 5.0]];
        let p = array![[1.0, 0.0]];
        let mut model =
            Components::free(Array2::zeros((1, 2)), Shape::Full, &array![1.0, 1.0], 1e-6);
        let statistics = model.statistics(&x.t().as_standard_layout().into_owned(), p.view());
        model.update(&statistics);
        assert!(
            model
                .potentials(&x.t().as_standard_layout().into_owned())
                .iter()
                .all(|h| h.is_finite())
        );
    }
}
