//! Vectorized exponentials and the softmax over clusters.
//!
//! Blocks are stored cluster-major (`K x rows`): every inner loop then runs along objects, which the
//! compiler turns into vector code for the instruction set found at run time.

#![allow(clippy::inline_always)] // see the note on instruction sets below

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2};
use pulp::{Arch, Simd};

/// 1.5 * 2^52: adding it rounds a small float to the nearest integer in the low mantissa bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Below this the result would be subnormal; it is set to zero, which no sum here can notice.
const LOWEST: f64 = -708.0;
/// 1/n! for n = 13 .. 2: the Taylor remainder on |r| <= ln(2)/2 is below 4e-18.
const INVERSE_FACTORIALS: [f64; 12] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    1.0 / 2.0,
];

/// exp(x) for x <= 0, branch-free, to about one unit in the last place.
#[inline(always)]
pub fn exp_nonpositive(x: f64) -> f64 {
    let kept = if x > LOWEST { x } else { LOWEST };
    let shifted = kept.mul_add(std::f64::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = n.mul_add(-LN2_LOW, n.mul_add(-LN2_HIGH, kept));
    let mut sum = INVERSE_FACTORIALS[0];
    for &coefficient in &INVERSE_FACTORIALS[1..] {
        sum = sum.mul_add(r, coefficient);
    }
    let mantissa = sum.mul_add(r, 1.0).mul_add(r, 1.0);
    let scaled = f64::from_bits(mantissa.to_bits().wrapping_add(shifted.to_bits() << 52));
    if x > LOWEST { scaled } else { 0.0 }
}

/// What the softmax of one block leaves behind, one entry per object.
#[derive(Debug, Default, Clone)]
pub struct SoftmaxRows {
    /// Largest score.
    pub peak: Vec<f64>,
    /// sum_k exp(score_k - peak), at least 1.
    pub total: Vec<f64>,
}

impl SoftmaxRows {
    fn reset(&mut self, rows: usize) {
        self.peak.clear();
        self.peak.resize(rows, f64::NEG_INFINITY);
        self.total.clear();
        self.total.resize(rows, 0.0);
    }

    /// ln sum_k exp(score_k) of object `row`.
    pub fn log_sum(&self, row: usize) -> f64 {
        self.peak[row] + self.total[row].ln()
    }

    /// sum over objects of ln sum_k exp(score_k).
    pub fn log_sums(&self) -> f64 {
        (0..self.peak.len()).map(|row| self.log_sum(row)).sum()
    }
}

/// Replace the scores of a block (`K x rows`, contiguous) by exp(score - peak of the object).
pub fn exponentiate(scores: &mut [f64], rows: usize, out: &mut SoftmaxRows) {
    out.reset(rows);
    raise_peaks(scores, &mut out.peak);
    exponentiate_lines(scores, &out.peak, &mut out.total);
}

/// peak and total of the scores of a block, the scores themselves left as they are.
pub fn log_sum_exp(scores: &[f64], rows: usize, out: &mut SoftmaxRows) {
    out.reset(rows);
    raise_peaks(scores, &mut out.peak);
    add_exponentials(scores, &out.peak, &mut out.total);
}

/// Divide what [`exponentiate`] left by the objects' totals: probabilities over K.
pub fn normalize(weights: &mut [f64], totals: &[f64]) {
    let inverses: Vec<f64> = totals.iter().map(|total| 1.0 / total).collect();
    multiply_lines(weights, &inverses);
}

// The functions below are compiled once per instruction set; the right one is chosen at run time.
// Everything they call must be inlined into them, or it would be compiled for the oldest set.

#[pulp::with_simd(raise_peaks = Arch::new())]
#[inline(always)]
fn raise_peaks_with<'a, S: Simd>(_simd: S, scores: &'a [f64], peaks: &'a mut [f64]) {
    for line in scores.chunks_exact(peaks.len().max(1)) {
        for (peak, &value) in peaks.iter_mut().zip(line) {
            *peak = if value > *peak { value } else { *peak };
        }
    }
}

#[pulp::with_simd(exponentiate_lines = Arch::new())]
#[inline(always)]
fn exponentiate_lines_with<'a, S: Simd>(
    _simd: S,
    scores: &'a mut [f64],
    peaks: &'a [f64],
    totals: &'a mut [f64],
) {
    for line in scores.chunks_exact_mut(peaks.len().max(1)) {
        for ((value, peak), total) in line.iter_mut().zip(peaks).zip(totals.iter_mut()) {
            *value = exp_nonpositive(*value - peak);
            *total += *value;
        }
    }
}

#[pulp::with_simd(add_exponentials = Arch::new())]
#[inline(always)]
fn add_exponentials_with<'a, S: Simd>(
    _simd: S,
    scores: &'a [f64],
    peaks: &'a [f64],
    totals: &'a mut [f64],
) {
    for line in scores.chunks_exact(peaks.len().max(1)) {
        for ((value, peak), total) in line.iter().zip(peaks).zip(totals.iter_mut()) {
            *total += exp_nonpositive(value - peak);
        }
    }
}

#[pulp::with_simd(multiply_lines = Arch::new())]
#[inline(always)]
fn multiply_lines_with<'a, S: Simd>(_simd: S, weights: &'a mut [f64], factors: &'a [f64]) {
    for line in weights.chunks_exact_mut(factors.len().max(1)) {
        for (value, factor) in line.iter_mut().zip(factors) {
            *value *= factor;
        }
    }
}

/// line <- line - factor (feature - center)^2.
#[pulp::with_simd(subtract_squares = Arch::new())]
#[inline(always)]
pub fn subtract_squares_with<'a, S: Simd>(
    _simd: S,
    line: &'a mut [f64],
    feature: &'a [f64],
    center: f64,
    factor: f64,
) {
    for (value, x) in line.iter_mut().zip(feature) {
        let gap = x - center;
        *value = (-factor * gap).mul_add(gap, *value);
    }
}

/// line <- line + factor * feature, for every line k and feature d.
#[pulp::with_simd(add_products = Arch::new())]
#[inline(always)]
fn add_products_with<'a, S: Simd>(
    _simd: S,
    out: &'a mut [f64],
    factors: &'a [f64],
    x: &'a [f64],
    rows: usize,
) {
    let features = x.len() / rows.max(1);
    for (line, own) in out.chunks_exact_mut(rows.max(1)).zip(factors.chunks_exact(features.max(1)))
    {
        for (feature, &factor) in x.chunks_exact(rows.max(1)).zip(own) {
            for (value, &given) in line.iter_mut().zip(feature) {
                *value = factor.mul_add(given, *value);
            }
        }
    }
}

/// out[k, d] = sum over objects of w_k y_d.
#[pulp::with_simd(dot_products = Arch::new())]
#[inline(always)]
fn dot_products_with<'a, S: Simd>(
    _simd: S,
    w: &'a [f64],
    y: &'a [f64],
    rows: usize,
    out: &'a mut [f64],
) {
    let mut cells = out.iter_mut();
    for weights in w.chunks_exact(rows.max(1)) {
        for (feature, cell) in y.chunks_exact(rows.max(1)).zip(&mut cells) {
            *cell = dot(weights, feature);
        }
    }
}

/// Up to this many features plain loops beat a packed matrix product.
const FEW_FEATURES: usize = 8;

/// bias_k + sum_d a_kd x_d for every object: `a` is K x D, `x` is D x rows, both contiguous.
pub fn affine(a: &Array2<f64>, bias: &[f64], x: &Array2<f64>) -> Array2<f64> {
    let (k, rows) = (a.nrows(), x.ncols());
    let mut out = Array2::zeros((k, rows));
    for (mut line, &start) in out.outer_iter_mut().zip(bias) {
        line.fill(start);
    }
    match (a.as_slice(), x.as_slice(), out.as_slice_mut()) {
        (Some(a), Some(x), Some(out)) if x.len() <= FEW_FEATURES * rows => {
            add_products(out, a, x, rows);
        }
        _ => general_mat_mul(1.0, a, x, 1.0, &mut out),
    }
    out
}

/// sum over objects of w_k y_d: `w` is K x rows, `y` is D x rows, the result K x D.
pub fn weighted_sums(w: ArrayView2<'_, f64>, y: &Array2<f64>) -> Array2<f64> {
    let mut out = Array2::zeros((w.nrows(), y.nrows()));
    match (w.as_slice(), y.as_slice(), out.as_slice_mut()) {
        (Some(w), Some(cells), Some(out)) if y.nrows() <= FEW_FEATURES => {
            dot_products(w, cells, y.ncols(), out);
        }
        _ => general_mat_mul(1.0, &w, &y.t(), 0.0, &mut out),
    }
    out
}

/// Inner product in eight lanes, so that it vectorizes in a fixed order.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let (left, right) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = left.remainder().iter().zip(right.remainder()).map(|(p, q)| p * q).sum();
    for (p, q) in left.zip(right) {
        for lane in 0..8 {
            lanes[lane] = p[lane].mul_add(q[lane], lanes[lane]);
        }
    }
    lanes.iter().sum::<f64>() + tail
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn exponential_is_accurate_over_the_whole_range() {
        for step in 0..708_000 {
            let x = -f64::from(step) * 1e-3;
            let error = (exp_nonpositive(x) - x.exp()).abs() / x.exp();
            assert!(error < 5e-16, "exp({x}) off by {error}");
        }
        assert_eq!(exp_nonpositive(0.0), 1.0);
        assert_eq!(exp_nonpositive(-1e4), 0.0);
        assert_eq!(exp_nonpositive(f64::NEG_INFINITY), 0.0);
    }

    proptest! {
        #[test]
        fn softmax_agrees_with_its_definition(
            values in prop::collection::vec(-800.0..800.0f64, 3 * 5),
        ) {
            let mut scores = values.clone();
            let mut rows = SoftmaxRows::default();
            exponentiate(&mut scores, 5, &mut rows);
            normalize(&mut scores, &rows.total);
            for r in 0..5 {
                let column: Vec<f64> = (0..3).map(|k| values[k * 5 + r]).collect();
                let peak = column.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let total: f64 = column.iter().map(|v| (v - peak).exp()).sum();
                for k in 0..3 {
                    let expected = (column[k] - peak).exp() / total;
                    prop_assert!((scores[k * 5 + r] - expected).abs() < 1e-14);
                }
                prop_assert!((rows.log_sum(r) - (peak + total.ln())).abs() < 1e-12 * peak.abs().max(1.0));
            }
        }
    }

    #[test]
    fn few_and_many_features_agree_with_plain_loops() {
        for d in [1, 3, 8, 9, 20] {
            let a = Array2::from_shape_fn((4, d), |(i, j)| (i * 7 + j) as f64 * 0.1 - 1.0);
            let x = Array2::from_shape_fn((d, 37), |(i, j)| ((i * 31 + j * 17) % 13) as f64 - 6.0);
            let bias = [0.5, -1.0, 2.0, 0.0];
            let (found, sums) = (affine(&a, &bias, &x), weighted_sums(a.dot(&x).view(), &x));
            let expected = a.dot(&x);
            for ((k, r), value) in expected.indexed_iter() {
                assert!((found[[k, r]] - value - bias[k]).abs() < 1e-10);
            }
            let wanted = expected.dot(&x.t());
            assert!(sums.iter().zip(&wanted).all(|(s, w)| (s - w).abs() < 1e-9 * w.abs().max(1.0)));
        }
    }
}
