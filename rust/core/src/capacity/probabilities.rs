//! Agreement of two soft clusterings: J = H + (1/N) `sum_i` log2 `sum_k` `P1_ik` `P2_i,pi(k)` (Eq. 65).
//!
//! `first` is P1 and `second` P2, one row per object. Where they have different numbers of columns
//! the narrower one is read as if padded with columns of zeros.

use std::f64::consts::LN_2;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, linalg::general_mat_mul};

use crate::capacity::assignment::best_assignment;
use crate::control::Control;
use crate::error::{Error, Result};

/// Rows handled between two looks at the switches: a few milliseconds of work.
const BLOCK: usize = 4096;

/// Below this a sum of products of probabilities may have lost digits to underflow.
const SAFE: f64 = 1e-280;

/// The two terms of the capacity at one temperature, and how the columns were matched.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// (1/N) `sum_i` log2 `sum_k` `P1_ik` `P2_i,pi(k)`, in bits per object; -inf is possible.
    pub agreement: f64,
    /// Mean column masses of P1 and the aligned P2.
    pub masses: Vec<f64>,
    /// Column `assignment[k]` of P2 is what column k of P1 is.
    pub assignment: Vec<usize>,
}

/// P1^T P2, squared off with zeros: entry (k, l) is the expected number of objects in k and in l.
pub fn contingency(first: ArrayView2<f64>, second: ArrayView2<f64>) -> Array2<f64> {
    let size = first.ncols().max(second.ncols());
    let mut table = Array2::zeros((size, size));
    add_contingency(&mut table, first, second);
    table
}

fn add_contingency(table: &mut Array2<f64>, first: ArrayView2<f64>, second: ArrayView2<f64>) {
    let (rows, _) = table.view_mut().split_at(Axis(0), first.ncols());
    let (mut corner, _) = rows.split_at(Axis(1), second.ncols());
    general_mat_mul(1.0, &first.t(), &second, 1.0, &mut corner);
}

/// Columns of `second` that best match the columns of `first`: optimal assignment on P1^T P2.
pub fn align(first: ArrayView2<f64>, second: ArrayView2<f64>) -> Vec<usize> {
    best_assignment(contingency(first, second).view())
}

/// (1/N) `sum_i` log2 `sum_k` `P1_ik` `P2_i,pi(k)`, in bits per object.
///
/// -inf when an object's two rows have no cluster in common: J is not bounded below.
pub fn agreement(first: ArrayView2<f64>, second: ArrayView2<f64>, assignment: &[usize]) -> f64 {
    sum_of_logs(first, second, assignment) / (first.nrows() as f64 * LN_2)
}

/// [`agreement`] from log-probabilities, for temperatures where probabilities underflow.
pub fn log_agreement(first: ArrayView2<f64>, second: ArrayView2<f64>, assignment: &[usize]) -> f64 {
    let rows = first.rows().into_iter().zip(second.rows());
    let total: f64 = rows
        .map(|(a, b)| log_sum_exp(matched(a, b, assignment).map(|(log_p, log_q)| log_p + log_q)))
        .sum();
    total / (first.nrows() as f64 * LN_2)
}

/// Mean over both instances of the column masses, in the order of `first`'s columns.
pub fn aligned_masses(
    first: ArrayView2<f64>,
    second: ArrayView2<f64>,
    assignment: &[usize],
) -> Vec<f64> {
    let scale = 0.5 / first.nrows() as f64;
    let ours = first.sum_axis(Axis(0));
    let theirs = second.sum_axis(Axis(0));
    let mass = |sums: ArrayView1<f64>, column: usize| sums.get(column).copied().unwrap_or(0.0);
    (0..assignment.len())
        .map(|k| scale * (mass(ours.view(), k) + mass(theirs.view(), assignment[k])))
        .collect()
}

/// -`sum_k` `p_k` log2 `p_k` of `masses` scaled to sum to 1; empty clusters contribute nothing.
pub fn entropy(masses: &[f64]) -> f64 {
    let total: f64 = masses.iter().sum();
    let plogp = |mass: &f64| mass / total * (mass / total).log2();
    // 0 - x rather than -x: one cluster has entropy 0, not -0.
    0.0 - masses.iter().filter(|&&mass| mass > 0.0).map(plogp).sum::<f64>()
}

/// Align (if `aligned` is not set, column k is taken to be column k) and measure, block by block.
pub fn measure(
    first: ArrayView2<f64>,
    second: ArrayView2<f64>,
    aligned: bool,
    control: &Control,
) -> Result<Agreement> {
    check_same_objects(first, second)?;
    let size = first.ncols().max(second.ncols());
    let blocks = || {
        let chunks = second.axis_chunks_iter(Axis(0), BLOCK);
        first.axis_chunks_iter(Axis(0), BLOCK).zip(chunks)
    };
    control.set_total(2 * first.nrows().div_ceil(BLOCK) as u64);
    let mut table = Array2::zeros((size, size));
    for (ours, theirs) in blocks() {
        control.tick()?;
        if !aligned {
            add_contingency(&mut table, ours, theirs);
        }
        control.advance(f64::NAN, f64::NAN);
    }
    let assignment = if aligned { (0..size).collect() } else { best_assignment(table.view()) };
    let mut total = 0.0;
    for (ours, theirs) in blocks() {
        control.tick()?;
        total += sum_of_logs(ours, theirs, &assignment);
        control.advance(f64::NAN, f64::NAN);
    }
    let masses = aligned_masses(first, second, &assignment);
    Ok(Agreement { agreement: total / (first.nrows() as f64 * LN_2), masses, assignment })
}

fn check_same_objects(first: ArrayView2<f64>, second: ArrayView2<f64>) -> Result<()> {
    if first.nrows() == second.nrows() && first.nrows() > 0 {
        return Ok(());
    }
    Err(Error::invalid(
        "P2",
        format!("must have one row per object of P1: got {} and {}", second.nrows(), first.nrows()),
        "pass two solutions for the same objects",
    ))
}

/// `sum_i` ln `sum_k` `P1_ik` `P2_i,pi(k)` in nats.
fn sum_of_logs(first: ArrayView2<f64>, second: ArrayView2<f64>, assignment: &[usize]) -> f64 {
    let rows = first.rows().into_iter().zip(second.rows());
    rows.map(|(a, b)| log_overlap(matched(a, b, assignment))).sum()
}

/// Pairs of entries that the assignment puts together; padding drops out.
fn matched<'a>(
    first: ArrayView1<'a, f64>,
    second: ArrayView1<'a, f64>,
    assignment: &'a [usize],
) -> impl Iterator<Item = (f64, f64)> + Clone + 'a {
    (0..first.len())
        .zip(assignment)
        .filter(move |&(_, &l)| l < second.len())
        .map(move |(k, &l)| (first[k], second[l]))
}

/// ln `sum_k` `p_k` `q_k`; products that may underflow are summed in log space.
pub(crate) fn log_overlap(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let sum: f64 = pairs.clone().map(|(p, q)| p * q).sum();
    if sum > SAFE { sum.ln() } else { log_sum_exp(pairs.map(|(p, q)| p.ln() + q.ln())) }
}

/// ln sum exp, -inf for an empty sum or one of zeros.
pub(crate) fn log_sum_exp(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + terms.map(|term| (term - largest).exp()).sum::<f64>().ln()
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // exact answers are asked for where they are exact
mod tests {
    use ndarray::array;
    use proptest::prelude::*;
    use rand::RngExt;

    use super::*;
    use crate::rng::stream;

    fn random_rows(n: usize, k: usize, seed: u64) -> Array2<f64> {
        let mut rng = stream(seed, &[]);
        let mut rows = Array2::from_shape_fn((n, k), |_| rng.random::<f64>() + 1e-3);
        rows.rows_mut().into_iter().for_each(|mut row| {
            let sum = row.sum();
            row /= sum;
        });
        rows
    }

    fn naive(first: &Array2<f64>, second: &Array2<f64>, assignment: &[usize]) -> f64 {
        let n = first.nrows();
        let mut total = 0.0;
        for i in 0..n {
            let mut sum = 0.0;
            for k in 0..first.ncols() {
                if assignment[k] < second.ncols() {
                    sum += first[[i, k]] * second[[i, assignment[k]]];
                }
            }
            total += sum.log2();
        }
        total / n as f64
    }

    #[test]
    fn one_object_without_overlap_gives_minus_infinity() {
        let first = array![[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        let second = array![[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]];
        assert_eq!(agreement(first.view(), second.view(), &[0, 1]), f64::NEG_INFINITY);
    }

    #[test]
    fn tiny_overlaps_do_not_underflow() {
        let first = array![[1.0, 1e-200]];
        let second = array![[1e-200, 1e-250]];
        let expected = (1e-200f64).log2();
        let found = agreement(first.view(), second.view(), &[0, 1]);
        assert!((found - expected).abs() < 1e-9, "{found}");
        // 1e-200 * 1e-200 is zero in double precision; its logarithm is not.
        let found = agreement(array![[0.0, 1e-200]].view(), array![[0.3, 1e-200]].view(), &[0, 1]);
        assert!((found - 2.0 * expected).abs() < 1e-9, "{found}");
    }

    #[test]
    fn logs_and_probabilities_agree() {
        let (first, second) = (random_rows(40, 5, 1), random_rows(40, 5, 2));
        let order = [3, 1, 0, 4, 2];
        let by_log = log_agreement(first.ln().view(), second.ln().view(), &order);
        assert!((by_log - agreement(first.view(), second.view(), &order)).abs() < 1e-12);
    }

    #[test]
    fn padding_with_zero_columns_changes_nothing() {
        let (first, second) = (random_rows(30, 4, 3), random_rows(30, 2, 4));
        let padded =
            Array2::from_shape_fn((30, 4), |(i, k)| if k < 2 { second[[i, k]] } else { 0.0 });
        let narrow = measure(first.view(), second.view(), false, &Control::default()).unwrap();
        let wide = measure(first.view(), padded.view(), false, &Control::default()).unwrap();
        assert_eq!(narrow, wide);
        let turned = measure(second.view(), first.view(), false, &Control::default()).unwrap();
        assert!((turned.agreement - narrow.agreement).abs() < 1e-12);
        assert_eq!(turned.masses.len(), 4);
    }

    #[test]
    fn blocks_add_up_to_the_whole() {
        let n = 2 * BLOCK + 17;
        let (first, second) = (random_rows(n, 3, 5), random_rows(n, 3, 6));
        let found = measure(first.view(), second.view(), false, &Control::default()).unwrap();
        assert_eq!(found.assignment, align(first.view(), second.view()));
        let whole = agreement(first.view(), second.view(), &found.assignment);
        // Different order of 8,000 additions: relative rounding near 1e-13.
        assert!((found.agreement - whole).abs() < 1e-11);
    }

    #[test]
    fn entropy_of_even_and_empty_masses() {
        assert!((entropy(&[0.25; 4]) - 2.0).abs() < 1e-15);
        assert!((entropy(&[3.0, 3.0, 0.0]) - 1.0).abs() < 1e-15);
        assert_eq!(entropy(&[1.0]).to_bits(), 0.0f64.to_bits());
    }

    #[test]
    fn different_objects_are_refused_and_cancel_is_heard() {
        let (first, second) = (random_rows(3, 2, 7), random_rows(4, 2, 8));
        let error = measure(first.view(), second.view(), false, &Control::default());
        assert!(matches!(error, Err(Error::Invalid { argument: "P2", .. })));
        let control = Control::default();
        control.cancel();
        let error = measure(first.view(), first.view(), false, &control);
        assert_eq!(error, Err(Error::Cancelled));
    }

    proptest! {
        #[test]
        fn equals_the_naive_sum(n in 1usize..20, k1 in 1usize..6, k2 in 1usize..6, seed in 0u64..1000) {
            let (first, second) = (random_rows(n, k1, seed), random_rows(n, k2, seed + 1000));
            let found = measure(first.view(), second.view(), false, &Control::default()).unwrap();
            let expected = naive(&first, &second, &found.assignment);
            prop_assert!(found.agreement == expected || (found.agreement - expected).abs() < 1e-12);
            prop_assert!((found.masses.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }

        #[test]
        fn order_of_clusters_does_not_matter(n in 2usize..20, k in 2usize..6, seed in 0u64..1000) {
            let (first, second) = (random_rows(n, k, seed), random_rows(n, k, seed + 1000));
            let turned = Array2::from_shape_fn((n, k), |(i, c)| second[[i, (c + 1) % k]]);
            let plain = measure(first.view(), second.view(), false, &Control::default()).unwrap();
            let moved = measure(first.view(), turned.view(), false, &Control::default()).unwrap();
            prop_assert!((plain.agreement - moved.agreement).abs() < 1e-12);
        }
    }
}
