//! The mean overlap of two instances over all transformations, which bounds the error of the code.

use ndarray::ArrayView2;

use super::Transformations;
use crate::capacity::probabilities::log_sum_exp;
use crate::control::Control;
use crate::error::{Error, Result};

/// Most steps of the recursion over cluster sizes that [`log_mean_overlap`] takes (seconds).
const MAX_STEPS: f64 = 1e9;

/// ln `E_tau` `k_tau` over the whole group, exactly.
///
/// Relabeling: `K^-N`. Permutations: `sum_m` f1(m) f2(m) / multinomial(m) over cluster sizes m, where
/// f is the law of the sizes when every object draws its label from its row. The recursion takes
/// `N (N+1)^(K-1)` steps for each instance and is refused beyond 10^9 / K.
pub fn log_mean_overlap(
    (first, second): (ArrayView2<f64>, ArrayView2<f64>),
    group: Transformations,
    control: &Control,
) -> Result<f64> {
    let (n, k) = first.dim();
    if group == Transformations::Relabeling {
        return Ok(-(n as f64) * (k as f64).ln());
    }
    let steps = (n * k) as f64 * ((n + 1) as f64).powf(k as f64 - 1.0);
    if steps > MAX_STEPS {
        return Err(Error::invalid(
            "transformations",
            format!(
                "'permutation' would sum over too many cluster sizes: {n} objects, {k} clusters"
            ),
            "use fewer objects or clusters, or 'relabeling'",
        ));
    }
    let sizes = Sizes { n, k };
    let (f1, f2) = (sizes.log_law(first, control)?, sizes.log_law(second, control)?);
    let log_factorial: Vec<f64> = std::iter::once(0.0)
        .chain((1..=n).scan(0.0, |sum, i| {
            *sum += (i as f64).ln();
            Some(*sum)
        }))
        .collect();
    let terms = (0..f1.len()).filter_map(|cell| {
        let counts = sizes.counts(cell)?;
        let ways = log_factorial[n] - counts.iter().map(|&m| log_factorial[m]).sum::<f64>();
        Some(f1[cell] + f2[cell] - ways)
    });
    Ok(log_sum_exp(terms))
}

/// Cells of the table of cluster sizes: digits to base N + 1 of the first K - 1 sizes.
struct Sizes {
    n: usize,
    k: usize,
}

impl Sizes {
    fn cells(&self) -> usize {
        (self.n + 1).pow(self.k as u32 - 1)
    }

    /// All K sizes of a cell, or None where they would exceed N in sum.
    fn counts(&self, cell: usize) -> Option<Vec<usize>> {
        let base = self.n + 1;
        let mut counts: Vec<usize> = (0..self.k - 1)
            .scan(cell, |rest, _| {
                let digit = *rest % base;
                *rest /= base;
                Some(digit)
            })
            .collect();
        counts.push(self.n.checked_sub(counts.iter().sum())?);
        Some(counts)
    }

    /// ln of the law of the cluster sizes: the recursion of the Poisson-multinomial law, one object
    /// at a time and in place, which is why cells are visited from the top.
    fn log_law(&self, rows: ArrayView2<f64>, control: &Control) -> Result<Vec<f64>> {
        let cells = self.cells();
        let totals: Vec<usize> = (0..cells)
            .map(|cell| self.counts(cell).map_or(usize::MAX, |c| self.n - c[self.k - 1]))
            .collect();
        let mut law = vec![f64::NEG_INFINITY; cells];
        law[0] = 0.0;
        for (seen, row) in rows.rows().into_iter().enumerate() {
            control.tick()?;
            let logs: Vec<f64> = row.iter().map(|p| p.ln()).collect();
            for cell in (0..cells).rev().filter(|&cell| totals[cell] <= seen + 1) {
                if cell.is_multiple_of(65_536) {
                    control.tick()?;
                }
                law[cell] = self.with_one_more(&law, cell, &logs);
            }
        }
        Ok(law)
    }

    /// ln `sum_k` `P_k` f(m - `e_k`); the last cluster's size is implied, so its term stays in the cell.
    fn with_one_more(&self, law: &[f64], cell: usize, logs: &[f64]) -> f64 {
        let base = self.n + 1;
        let mut sum = law[cell] + logs[self.k - 1];
        let (mut stride, mut rest) = (1, cell);
        for log_p in &logs[..self.k - 1] {
            if rest % base > 0 {
                sum = log_add(sum, law[cell - stride] + log_p);
            }
            rest /= base;
            stride *= base;
        }
        sum
    }
}

/// ln(exp(a) + exp(b)).
fn log_add(a: f64, b: f64) -> f64 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // exact answers are asked for where they are exact
mod tests {
    use ndarray::{Array2, array};
    use proptest::prelude::*;

    use super::super::tests::random_rows;
    use super::*;

    /// Visit all orders of 0..n (Heap's algorithm).
    fn permutations(n: usize, visit: &mut impl FnMut(&[usize])) {
        fn heap(size: usize, order: &mut Vec<usize>, visit: &mut impl FnMut(&[usize])) {
            if size <= 1 {
                return visit(order);
            }
            for i in 0..size {
                heap(size - 1, order, visit);
                order.swap(if size.is_multiple_of(2) { i } else { 0 }, size - 1);
            }
        }
        heap(n, &mut (0..n).collect(), visit);
    }

    fn brute_force(first: &Array2<f64>, second: &Array2<f64>) -> f64 {
        let (mut total, mut count) = (0.0, 0.0);
        permutations(first.nrows(), &mut |order| {
            count += 1.0;
            total += order
                .iter()
                .enumerate()
                .map(|(i, &j)| first.row(i).dot(&second.row(j)))
                .product::<f64>();
        });
        (total / count).ln()
    }

    fn mean(first: &Array2<f64>, second: &Array2<f64>, group: Transformations) -> f64 {
        log_mean_overlap((first.view(), second.view()), group, &Control::default()).unwrap()
    }

    #[test]
    fn relabelings_have_a_closed_form() {
        let (first, second) = (random_rows(5, 3, 1), random_rows(5, 3, 2));
        // Average over all turns, object by object: the mean of a product of independent factors.
        let exact: f64 = (0..5)
            .map(|i| {
                let turn = |t: usize| {
                    (0..3).map(|v| first[[i, v]] * second[[i, (v + t) % 3]]).sum::<f64>()
                };
                ((0..3).map(turn).sum::<f64>() / 3.0).ln()
            })
            .sum();
        assert!((mean(&first, &second, Transformations::Relabeling) - exact).abs() < 1e-12);
    }

    #[test]
    fn one_cluster_overlaps_fully() {
        let ones = Array2::ones((4, 1));
        assert!(mean(&ones, &ones, Transformations::Permutation).abs() < 1e-15);
    }

    #[test]
    fn balanced_hard_labels_give_one_over_the_multinomial() {
        // Of the C(4, 2) = 6 places of the two ones, one matches.
        let hard = array![[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]];
        let found = mean(&hard, &hard, Transformations::Permutation);
        assert!((found + 6f64.ln()).abs() < 1e-12);
        // Sizes that differ can never match.
        let other = array![[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 1.0]];
        assert_eq!(mean(&hard, &other, Transformations::Permutation), f64::NEG_INFINITY);
    }

    #[test]
    fn identical_objects_give_powers_far_below_the_smallest_double() {
        // All orders are the same: E k = (p.q)^n exactly, here e^-900 and less.
        let n = 600;
        let first = Array2::from_shape_fn((n, 2), |(_, c)| [0.99, 0.01][c]);
        let second = Array2::from_shape_fn((n, 2), |(_, c)| [0.2, 0.8][c]);
        let expected = n as f64 * (0.99f64 * 0.2 + 0.01 * 0.8).ln();
        let found = mean(&first, &second, Transformations::Permutation);
        assert!((found - expected).abs() < 1e-8 * expected.abs(), "{found} {expected}");
    }

    #[test]
    fn too_many_cluster_sizes_are_refused_and_cancel_is_heard() {
        let large = Array2::from_elem((500, 6), 1.0 / 6.0);
        let views = (large.view(), large.view());
        let error =
            log_mean_overlap(views, Transformations::Permutation, &Control::default()).unwrap_err();
        assert!(error.to_string().contains("500 objects, 6 clusters"), "{error}");
        let control = Control::default();
        control.cancel();
        let small = random_rows(3, 2, 3);
        let views = (small.view(), small.view());
        let outcome = log_mean_overlap(views, Transformations::Permutation, &control);
        assert_eq!(outcome, Err(Error::Cancelled));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn equals_the_mean_over_all_permutations(n in 1usize..7, k in 1usize..5, seed in 0u64..1000) {
            let (first, second) = (random_rows(n, k, seed), random_rows(n, k, seed + 1000));
            let found = mean(&first, &second, Transformations::Permutation);
            prop_assert!((found - brute_force(&first, &second)).abs() < 1e-10);
        }
    }
}
