//! The little linear algebra the core needs: extreme eigenpairs without a matrix, small Cholesky factors.

use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2};

use crate::error::Result;
use crate::rng;

/// Steps after which the Lanczos basis is as good as it gets for our tolerances.
const MAX_LANCZOS: usize = 80;

/// An eigenvalue with its unit eigenvector.
#[derive(Debug, Clone)]
pub struct EigenPair {
    /// The eigenvalue.
    pub value: f64,
    /// The eigenvector, of length one.
    pub vector: Array1<f64>,
}

/// Largest eigenvalue of a symmetric operator of size `n`, known only through `apply`.
///
/// Lanczos with full reorthogonalization; exact after `n` steps, and stopped when the residual
/// bound |beta_m s_m| falls below 1e-9 of the value.
pub fn largest_eigenpair(
    n: usize,
    mut apply: impl FnMut(&Array1<f64>) -> Result<Array1<f64>>,
) -> Result<EigenPair> {
    let mut start = Array1::zeros(n);
    rng::fill_normal(&mut rng::stream(n as u64, &[0x6c61_6e63]), &mut start);
    start /= start.dot(&start).sqrt();
    let (mut basis, mut diagonal, mut off) = (vec![start], Vec::new(), Vec::new());
    loop {
        let last = &basis[basis.len() - 1];
        let mut next = apply(last)?;
        diagonal.push(last.dot(&next));
        for _ in 0..2 {
            for v in &basis {
                let overlap = v.dot(&next);
                next.scaled_add(-overlap, v);
            }
        }
        let length = next.dot(&next).sqrt();
        let (value, weights) = largest_of_tridiagonal(&diagonal, &off);
        let residual = length * weights[weights.len() - 1].abs();
        let full = basis.len() == n.min(MAX_LANCZOS);
        if full || residual <= 1e-9 * value.abs() || length <= f64::MIN_POSITIVE {
            let mut vector = Array1::zeros(n);
            for (v, &w) in basis.iter().zip(&weights) {
                vector.scaled_add(w, v);
            }
            let norm = vector.dot(&vector).sqrt();
            return Ok(EigenPair { value, vector: vector / norm });
        }
        off.push(length);
        basis.push(next / length);
    }
}

/// Largest eigenpair of a symmetric tridiagonal matrix: bisection, then inverse iteration.
fn largest_of_tridiagonal(diagonal: &[f64], off: &[f64]) -> (f64, Vec<f64>) {
    let m = diagonal.len();
    let radius = |i: usize| {
        (if i > 0 { off[i - 1].abs() } else { 0.0 }) + off.get(i).map_or(0.0, |v| v.abs())
    };
    let mut low = diagonal.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut high = (0..m).map(|i| diagonal[i] + radius(i)).fold(f64::NEG_INFINITY, f64::max);
    // Sturm count: no negative pivot of (x - T) means that every eigenvalue lies below x.
    let above_all = |x: f64| {
        let mut pivot = 1.0;
        (0..m).all(|i| {
            let coupling = if i > 0 { off[i - 1] * off[i - 1] / pivot } else { 0.0 };
            pivot = x - diagonal[i] - coupling;
            pivot > 0.0
        })
    };
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if above_all(middle) { high = middle } else { low = middle }
    }
    (high, tridiagonal_vector(diagonal, off, high))
}

/// Eigenvector for an eigenvalue just below `shift`, by three inverse iterations.
fn tridiagonal_vector(diagonal: &[f64], off: &[f64], shift: f64) -> Vec<f64> {
    let m = diagonal.len();
    let nudge = shift.abs().max(f64::MIN_POSITIVE) * 1e-14;
    let mut vector = vec![1.0 / (m as f64).sqrt(); m];
    for _ in 0..3 {
        // Thomas algorithm on (shift + nudge - T), positive definite by construction.
        let mut pivots = vec![0.0; m];
        for i in 0..m {
            let (lower, carried) =
                if i > 0 { (off[i - 1] / pivots[i - 1], vector[i - 1]) } else { (0.0, 0.0) };
            let coupling = if i > 0 { lower * off[i - 1] } else { 0.0 };
            pivots[i] = (shift + nudge - diagonal[i] - coupling).max(nudge);
            vector[i] += lower * carried;
        }
        for i in (0..m).rev() {
            let ahead = if i + 1 < m { off[i] * vector[i + 1] } else { 0.0 };
            vector[i] = (vector[i] + ahead) / pivots[i];
        }
        let norm = vector.iter().map(|v| v * v).sum::<f64>().sqrt();
        for value in &mut vector {
            *value /= norm;
        }
    }
    vector
}

/// Lower Cholesky factor of a symmetric matrix, or None where it is not positive definite.
pub fn cholesky(matrix: ArrayView2<'_, f64>) -> Option<Array2<f64>> {
    let n = matrix.nrows();
    let mut factor = Array2::zeros((n, n));
    for i in 0..n {
        for j in 0..=i {
            let partial: f64 = (0..j).map(|l| factor[[i, l]] * factor[[j, l]]).sum();
            let rest = matrix[[i, j]] - partial;
            if i == j {
                if rest <= 0.0 || !rest.is_finite() {
                    return None;
                }
                factor[[i, i]] = rest.sqrt();
            } else {
                factor[[i, j]] = rest / factor[[j, j]];
            }
        }
    }
    Some(factor)
}

/// Write the inverse of the lower triangular `factor`, transposed, to `out`.
///
/// With covariance C = F F^T this is the matrix L with C^-1 = L L^T.
pub fn inverse_transposed(factor: &Array2<f64>, mut out: ArrayViewMut2<'_, f64>) {
    let n = factor.nrows();
    out.fill(0.0);
    for column in 0..n {
        // Forward substitution F y = e_column; y is a column of F^-1, a row of its transpose.
        for i in column..n {
            let unit = if i == column { 1.0 } else { 0.0 };
            let partial: f64 = (column..i).map(|l| factor[[i, l]] * out[[column, l]]).sum();
            out[[column, i]] = (unit - partial) / factor[[i, i]];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn lanczos_finds_the_top_of_a_known_spectrum() {
        // Second difference matrix: eigenvalues 2 - 2 cos(pi j / (n + 1)).
        let n = 60;
        let pair = largest_eigenpair(n, |v| {
            Ok(Array1::from_shape_fn(n, |i| {
                let left = if i > 0 { v[i - 1] } else { 0.0 };
                let right = if i + 1 < n { v[i + 1] } else { 0.0 };
                2.0 * v[i] - left - right
            }))
        })
        .unwrap();
        let expected = 2.0 - 2.0 * (std::f64::consts::PI * 60.0 / 61.0).cos();
        assert!((pair.value - expected).abs() < 1e-8, "{} {expected}", pair.value);
    }

    #[test]
    fn eigenvector_solves_its_equation() {
        let matrix = array![[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 1.0]];
        let pair = largest_eigenpair(3, |v| Ok(matrix.dot(v))).unwrap();
        let residual = matrix.dot(&pair.vector) - pair.value * &pair.vector;
        assert!(residual.dot(&residual).sqrt() < 1e-9);
    }

    #[test]
    fn a_zero_operator_has_eigenvalue_zero() {
        let pair = largest_eigenpair(4, |v| Ok(v * 0.0)).unwrap();
        assert_eq!(pair.value, 0.0);
    }

    #[test]
    fn cholesky_inverse_reproduces_the_precision() {
        let covariance = array![[2.0, 0.3], [0.3, 0.7]];
        let factor = cholesky(covariance.view()).unwrap();
        let mut root = Array2::zeros((2, 2));
        inverse_transposed(&factor, root.view_mut());
        let identity = root.dot(&root.t()).dot(&covariance);
        let difference = identity - Array2::<f64>::eye(2);
        assert!(difference.iter().all(|v: &f64| v.abs() < 1e-12));
        assert!(cholesky(array![[1.0, 2.0], [2.0, 1.0]].view()).is_none());
    }
}
