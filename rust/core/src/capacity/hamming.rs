//! Capacity of two hard labelings under Hamming weights (Eq. 87).

use ndarray::Array2;

use crate::capacity::assignment::best_assignment;
use crate::capacity::probabilities::entropy;
use crate::error::{Error, Result};

/// Eq. 87 and its ingredients.
#[derive(Debug, Clone, PartialEq)]
pub struct Hamming {
    /// H + (1-d) log2(1-d) + d log2(d/(K-1)), in bits per object; may be negative.
    pub bits: f64,
    /// H, the mean of both label entropies in bits.
    pub entropy: f64,
    /// d, the fraction of objects that disagree after optimal relabeling.
    pub disagreement: f64,
    /// Label `assignment[k]` of the second labeling is what label k of the first is.
    pub assignment: Vec<usize>,
}

/// Compare labelings with values 0..K, each in the order of its own coding.
///
/// `n_clusters` is K; without it K is the larger number of labels of the two. The contingency
/// table is padded with zeros, so objects in unmatched clusters count as disagreements.
pub fn hamming(first: &[usize], second: &[usize], n_clusters: Option<usize>) -> Result<Hamming> {
    let n = first.len();
    if n == 0 || n != second.len() {
        return Err(Error::invalid(
            "labels2",
            format!("must label the objects of labels1: got {} and {n} labels", second.len()),
            "pass two non-empty labelings of the same objects",
        ));
    }
    let used = 1 + first.iter().chain(second).copied().max().unwrap_or(0);
    let size = n_clusters.unwrap_or(used);
    if size < used {
        return Err(Error::invalid(
            "n_clusters",
            format!("must be at least the number of labels: got {size} for {used} labels"),
            format!("choose {used} or more, or leave it out"),
        ));
    }
    let mut table = Array2::<f64>::zeros((used, used));
    first.iter().zip(second).for_each(|(&k, &l)| table[[k, l]] += 1.0);
    let assignment = best_assignment(table.view());
    let agreeing: f64 = assignment.iter().enumerate().map(|(k, &l)| table[[k, l]]).sum();
    let disagreement = (n as f64 - agreeing) / n as f64;
    let entropy = 0.5
        * (entropy(&table.sum_axis(ndarray::Axis(0)).to_vec())
            + entropy(&table.sum_axis(ndarray::Axis(1)).to_vec()));
    let bits = entropy - symmetric_noise(disagreement, size);
    Ok(Hamming { bits, entropy, disagreement, assignment })
}

/// -(1-d) log2(1-d) - d log2(d/(K-1)): bits lost to errors spread evenly over K - 1 other labels.
///
/// An optimal relabeling agrees on at least N/K objects; d is limited to 1 - 1/K beyond which
/// (87) would rise again although beta = 0 is the best inverse temperature.
fn symmetric_noise(disagreement: f64, size: usize) -> f64 {
    if size <= 1 {
        return 0.0;
    }
    let d = disagreement.min(1.0 - 1.0 / size as f64);
    let xlog2 = |x: f64, y: f64| if x == 0.0 { 0.0 } else { x * y.log2() };
    0.0 - xlog2(1.0 - d, 1.0 - d) - xlog2(d, d / (size - 1) as f64)
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // exact answers are asked for where they are exact
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_labelings_up_to_names_carry_their_entropy() {
        let found = hamming(&[0, 0, 1, 1, 2, 2], &[2, 2, 0, 0, 1, 1], None).unwrap();
        assert_eq!(found.disagreement, 0.0);
        assert_eq!(found.assignment, [2, 0, 1]);
        assert!((found.bits - 3f64.log2()).abs() < 1e-15);
    }

    #[test]
    fn one_cluster_carries_nothing() {
        let found = hamming(&[0; 5], &[0; 5], None).unwrap();
        assert_eq!((found.bits, found.entropy, found.disagreement), (0.0, 0.0, 0.0));
    }

    #[test]
    fn unmatched_clusters_count_as_disagreement() {
        // K = 2 because the first labeling has two labels; the second puts all in one.
        let found = hamming(&[0, 0, 0, 1], &[0; 4], None).unwrap();
        assert_eq!(found.disagreement, 0.25);
        let h = 0.5 * entropy(&[3.0, 1.0]);
        let expected = h + 0.75 * 0.75f64.log2() + 0.25 * 0.25f64.log2();
        assert!((found.bits - expected).abs() < 1e-15);
        assert!(found.bits < 0.0);
    }

    #[test]
    fn wrong_shapes_and_too_few_clusters_are_refused() {
        assert!(hamming(&[], &[], None).is_err());
        assert!(hamming(&[0], &[0, 0], None).is_err());
        let error = hamming(&[0, 1, 2], &[0, 1, 2], Some(2)).unwrap_err();
        assert!(error.to_string().contains("got 2 for 3 labels"), "{error}");
    }

    #[test]
    fn the_closed_form_is_the_maximum_of_equation_86() {
        // Two draws from weights exp(-beta [k != c]) differ with probability d2, which falls from
        // 1 - 1/K to 0 as beta rises: J = H + (1-d) log2(1-d2) + d log2(d2/(K-1)).
        for size in [2usize, 3, 7] {
            for d in [0.01, 0.1, 0.3, 0.45] {
                let others = (size - 1) as f64;
                let best = (1..200_000)
                    .map(|step| {
                        let d2 = f64::from(step) / 200_000.0 * others / (others + 1.0);
                        (1.0 - d) * (1.0 - d2).log2() + d * (d2 / others).log2()
                    })
                    .fold(f64::NEG_INFINITY, f64::max);
                // Grid of 5e-6 in d2 around a smooth maximum: error of order 1e-9.
                assert!((best + symmetric_noise(d, size)).abs() < 1e-8);
            }
        }
    }

    proptest! {
        #[test]
        fn disagreement_stays_in_range_and_order_is_irrelevant(
            labels in proptest::collection::vec((0usize..4, 0usize..4), 1..40),
        ) {
            let (first, second): (Vec<_>, Vec<_>) = labels.iter().copied().unzip();
            let found = hamming(&first, &second, Some(4)).unwrap();
            prop_assert!(found.disagreement <= 0.75);
            let turned = hamming(&second, &first, Some(4)).unwrap();
            prop_assert!((found.bits - turned.bits).abs() < 1e-12);
            prop_assert!(found.bits <= found.entropy);
            let renamed: Vec<_> = second.iter().map(|l| 3 - l).collect();
            let other = hamming(&first, &renamed, Some(4)).unwrap();
            prop_assert!((found.bits - other.bits).abs() < 1e-12);
        }
    }
}
