//! Vectorized exponentials and the softmax over clusters.
//!
//! Blocks are stored cluster-major (`K x rows`): every inner loop then runs along objects, which the
//! compiler turns into vector code for the instruction set found at run time.

use pulp::Arch;

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
#[allow(clippy::inline_always)] // must be inlined into the code compiled for wide vectors
pub fn exp_nonpositive(x: f64) -> f64 {
    let kept = if x > LOWEST { x } else { LOWEST };
    let shifted = kept * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (kept - n * LN2_HIGH) - n * LN2_LOW;
    let mut sum = INVERSE_FACTORIALS[0];
    for &coefficient in &INVERSE_FACTORIALS[1..] {
        sum = sum * r + coefficient;
    }
    let mantissa = (sum * r + 1.0) * r + 1.0;
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
    /// sum_k exp(score_k - peak) (score_k - peak), for the expected score.
    pub moment: Vec<f64>,
}

impl SoftmaxRows {
    /// ln sum_k exp(score_k) of object `row`.
    pub fn log_sum(&self, row: usize) -> f64 {
        self.peak[row] + self.total[row].ln()
    }
}

/// Turn the scores of a block (`K x rows`, contiguous) into probabilities over K, in place.
pub fn softmax(scores: &mut [f64], rows: usize, out: &mut SoftmaxRows) {
    Arch::new().dispatch(|| {
        row_peaks(scores, rows, out);
        out.total.clear();
        out.total.resize(rows, 0.0);
        out.moment.clear();
        out.moment.resize(rows, 0.0);
        for line in scores.chunks_exact_mut(rows.max(1)) {
            exponentiate(line, &out.peak, &mut out.total, &mut out.moment);
        }
        for total in &mut out.total {
            *total = 1.0 / *total;
        }
        for line in scores.chunks_exact_mut(rows.max(1)) {
            for (value, inverse) in line.iter_mut().zip(&out.total) {
                *value *= inverse;
            }
        }
        for total in &mut out.total {
            *total = 1.0 / *total;
        }
    });
}

/// peak and total of the scores of a block, the scores themselves left as they are.
pub fn log_sum_exp(scores: &[f64], rows: usize, out: &mut SoftmaxRows) {
    Arch::new().dispatch(|| {
        row_peaks(scores, rows, out);
        out.total.clear();
        out.total.resize(rows, 0.0);
        for line in scores.chunks_exact(rows.max(1)) {
            for ((value, peak), total) in line.iter().zip(&out.peak).zip(&mut out.total) {
                *total += exp_nonpositive(value - peak);
            }
        }
    });
}

/// scores <- offset_k - beta * scores, cluster by cluster.
pub fn scale_scores(scores: &mut [f64], rows: usize, beta: f64, offsets: Option<&[f64]>) {
    Arch::new().dispatch(|| {
        for (k, line) in scores.chunks_exact_mut(rows.max(1)).enumerate() {
            let offset = offsets.map_or(0.0, |given| given[k]);
            for value in line {
                *value = offset - beta * *value;
            }
        }
    });
}

#[inline(always)]
#[allow(clippy::inline_always)]
fn row_peaks(scores: &[f64], rows: usize, out: &mut SoftmaxRows) {
    out.peak.clear();
    out.peak.resize(rows, f64::NEG_INFINITY);
    for line in scores.chunks_exact(rows.max(1)) {
        for (peak, &value) in out.peak.iter_mut().zip(line) {
            *peak = if value > *peak { value } else { *peak };
        }
    }
}

#[inline(always)]
#[allow(clippy::inline_always)]
fn exponentiate(line: &mut [f64], peak: &[f64], total: &mut [f64], moment: &mut [f64]) {
    let rest = peak.iter().zip(total).zip(moment);
    for (value, ((peak, total), moment)) in line.iter_mut().zip(rest) {
        let gap = *value - peak;
        let weight = exp_nonpositive(gap);
        // A weight of 0 with a gap of -infinity must add 0, not NaN.
        let finite = if gap > LOWEST { gap } else { 0.0 };
        *total += weight;
        *moment += weight * finite;
        *value = weight;
    }
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
            softmax(&mut scores, 5, &mut rows);
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
}
