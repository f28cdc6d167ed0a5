//! Sender and receiver for real: random transformations as a code, decoded by overlap of weights.
//!
//! The sender picks one of M random transformations tau and applies it to the second instance; the
//! receiver knows the codebook and the first instance, and decodes by the largest overlap
//! `k_tau` = `sum_c` P1(tau^-1 c) P2(c), where P(c) is the product of `P_i,c(i)` over the objects.
// Array views are borrows: handing them over by value costs nothing and reads best.
#![allow(clippy::needless_pass_by_value)]

use ndarray::{Array2, ArrayView2, ArrayView3, Axis};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::capacity::probabilities::log_overlap;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::rng::stream;
use crate::workers::Workers;

mod mean_overlap;

pub use mean_overlap::log_mean_overlap;

/// Codeword entries drawn between two looks at the switches: a few milliseconds of work.
const BLOCK_ENTRIES: usize = 1 << 18;

/// Overlaps this close (relative) are equal up to the rounding of their sums: a tie is an error.
const TIE: f64 = 1e-10;

/// Most entries that the tables of all pairs may have together (256 MB).
const MAX_TABLE: usize = 1 << 25;

/// Which transformations make up the codebook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transformations {
    /// Every object's labels turned cyclically by a number of its own: `K^N` transformations.
    Relabeling,
    /// The objects permuted: N! transformations.
    Permutation,
}

impl Transformations {
    /// The group called "relabeling" or "permutation".
    pub fn new(name: &str) -> Result<Self> {
        match name {
            "relabeling" => Ok(Self::Relabeling),
            "permutation" => Ok(Self::Permutation),
            _ => Err(Error::invalid(
                "transformations",
                format!("must be a group of transformations: got {name:?}"),
                "choose 'relabeling' or 'permutation'",
            )),
        }
    }

    /// A random element: the turn of every object, or the place where every object goes.
    fn draw(self, rng: &mut ChaCha8Rng, n_labels: u32, codeword: &mut [u32]) {
        match self {
            Self::Relabeling => {
                codeword.fill_with(|| rng.random_range(0..n_labels));
            }
            Self::Permutation => {
                codeword.iter_mut().zip(0..).for_each(|(place, i)| *place = i);
                for last in (1..codeword.len()).rev() {
                    codeword.swap(last, rng.random_range(0..=last));
                }
            }
        }
    }
}

/// What to simulate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Experiment {
    /// The group the codewords are drawn from.
    pub transformations: Transformations,
    /// M, the number of codewords.
    pub n_codewords: u64,
    /// Number of messages sent; message t uses pair t modulo the number of pairs.
    pub n_trials: usize,
    /// Seed of all codebooks and messages.
    pub seed: u64,
}

/// What came out.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Messages decoded wrongly; a tie counts as wrong.
    pub n_errors: usize,
    /// ln k, the log overlap under the transformation that was sent, for every pair.
    pub log_overlaps: Vec<f64>,
    /// ln `E_tau` `k_tau`, the log mean overlap over the whole group, for every pair.
    pub log_means: Vec<f64>,
}

/// Send `n_trials` messages, a fresh codebook each, over the pairs (rows: objects, columns: labels).
pub fn transmit(
    (first, second): (ArrayView3<f64>, ArrayView3<f64>),
    experiment: Experiment,
    workers: &Workers,
    control: &Control,
) -> Result<Outcome> {
    let (n_pairs, n, k) = first.dim();
    check_sizes(first, second, experiment.transformations)?;
    control.set_total(experiment.n_trials as u64 + n_pairs as u64);
    let pair = |q: usize| (first.index_axis(Axis(0), q), second.index_axis(Axis(0), q));
    let log_means = workers.map(n_pairs, |q| {
        let mean = log_mean_overlap(pair(q), experiment.transformations, control)?;
        control.advance(f64::NAN, f64::NAN);
        Ok(mean)
    })?;
    let tables = workers.map(n_pairs, |q| {
        control.tick()?;
        Ok(Table::new(pair(q), experiment.transformations))
    })?;
    let wrong = workers.map(experiment.n_trials, |trial| {
        let codebook = Codebook { experiment, trial: trial as u64, n, n_labels: k as u32 };
        let wrong = codebook.send(&tables[trial % n_pairs], control)?;
        control.advance(f64::NAN, f64::NAN);
        Ok(wrong)
    })?;
    let log_overlaps = tables.iter().map(|table| table.true_overlap).collect();
    Ok(Outcome { n_errors: wrong.iter().filter(|&&w| w).count(), log_overlaps, log_means })
}

fn check_sizes(
    first: ArrayView3<f64>,
    second: ArrayView3<f64>,
    group: Transformations,
) -> Result<()> {
    let (n_pairs, n, k) = first.dim();
    if first.dim() != second.dim() || first.is_empty() {
        return Err(Error::invalid(
            "P2",
            format!("must have the shape of P1: got {:?} and {:?}", second.dim(), first.dim()),
            "pass two solutions for the same objects",
        ));
    }
    let width = if group == Transformations::Permutation { n } else { k };
    if n_pairs.saturating_mul(n).saturating_mul(width) > MAX_TABLE {
        return Err(Error::invalid(
            "P1",
            format!("is too large for this experiment: {n_pairs} pairs of {n} objects"),
            "use fewer objects or pairs",
        ));
    }
    Ok(())
}

/// Logs of the overlaps of single objects, from which every overlap of codewords is a sum.
struct Table {
    /// Relabeling: (i, t) -> ln `sum_k` `P1_ik` `P2_i,k+t`. Permutation: (i, j) -> ln `sum_k` `P1_ik` `P2_jk`.
    logs: Array2<f64>,
    /// ln k of the identity.
    true_overlap: f64,
    group: Transformations,
}

impl Table {
    fn new((first, second): (ArrayView2<f64>, ArrayView2<f64>), group: Transformations) -> Self {
        let (n, k) = first.dim();
        let width = if group == Transformations::Permutation { n } else { k };
        let logs = Array2::from_shape_fn((n, width), |(i, at)| match group {
            Transformations::Relabeling => {
                log_overlap((0..k).map(|v| (first[[i, v]], second[[i, (v + at) % k]])))
            }
            Transformations::Permutation => {
                log_overlap((0..k).map(|v| (first[[i, v]], second[[at, v]])))
            }
        });
        let true_overlap = match group {
            Transformations::Relabeling => logs.column(0).sum(),
            Transformations::Permutation => logs.diag().sum(),
        };
        Self { logs, true_overlap, group }
    }

    /// ln of the overlap of the first instance under `guess` with the second under `sent`.
    fn overlap(&self, guess: &[u32], sent: &[u32]) -> f64 {
        let k = self.logs.ncols();
        let pairs = guess.iter().zip(sent).map(|(&g, &s)| (g as usize, s as usize));
        match self.group {
            Transformations::Relabeling => self
                .logs
                .rows()
                .into_iter()
                .zip(pairs)
                .map(|(row, (g, s))| row[(g + k - s) % k])
                .sum(),
            Transformations::Permutation => pairs.map(|(g, s)| self.logs[[g, s]]).sum(),
        }
    }
}

/// The codebook of one trial, drawn block by block from streams of its own instead of being stored.
struct Codebook {
    experiment: Experiment,
    trial: u64,
    n: usize,
    n_labels: u32,
}

impl Codebook {
    /// Codewords per block.
    fn block_size(&self) -> u64 {
        (BLOCK_ENTRIES / self.n).max(1) as u64
    }

    /// Call `visit` with the index and the word of every codeword of `block` until it returns true.
    fn visit(&self, block: u64, mut visit: impl FnMut(u64, &[u32]) -> bool) -> bool {
        let start = block * self.block_size();
        let end = (start + self.block_size()).min(self.experiment.n_codewords);
        let mut rng = stream(self.experiment.seed, &[self.trial, 1, block]);
        let mut codeword = vec![0; self.n];
        (start..end).any(|index| {
            self.experiment.transformations.draw(&mut rng, self.n_labels, &mut codeword);
            visit(index, &codeword)
        })
    }

    /// Send one random message; whether the receiver gets it wrong.
    fn send(&self, table: &Table, control: &Control) -> Result<bool> {
        let n_codewords = self.experiment.n_codewords;
        let message = stream(self.experiment.seed, &[self.trial, 0]).random_range(0..n_codewords);
        let mut sent = Vec::new();
        self.visit(message / self.block_size(), |index, word| {
            sent = word.to_vec();
            index == message
        });
        let mut own = table.true_overlap;
        own -= if own.is_finite() { TIE * own.abs().max(1.0) } else { 0.0 };
        for block in 0..n_codewords.div_ceil(self.block_size()) {
            control.tick()?;
            let beaten =
                |index, word: &[u32]| index != message && table.overlap(word, &sent) >= own;
            if self.visit(block, beaten) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array3;

    use super::*;

    pub(super) fn random_rows(n: usize, k: usize, seed: u64) -> Array2<f64> {
        let mut rng = stream(seed, &[]);
        let mut rows = Array2::from_shape_fn((n, k), |_| rng.random::<f64>().powi(3) + 1e-3);
        for mut row in rows.rows_mut() {
            let sum = row.sum();
            row /= sum;
        }
        rows
    }

    fn pairs(n_pairs: usize, n: usize, k: usize, seed: u64) -> Array3<f64> {
        let rows = random_rows(n_pairs * n, k, seed);
        rows.into_shape_with_order((n_pairs, n, k)).unwrap()
    }

    fn experiment(
        transformations: Transformations,
        n_codewords: u64,
        n_trials: usize,
    ) -> Experiment {
        Experiment { transformations, n_codewords, n_trials, seed: 5 }
    }

    fn run(first: &Array3<f64>, second: &Array3<f64>, what: Experiment, threads: usize) -> Outcome {
        let workers = Workers::new(threads).unwrap();
        transmit((first.view(), second.view()), what, &workers, &Control::default()).unwrap()
    }

    const GROUPS: [Transformations; 2] =
        [Transformations::Relabeling, Transformations::Permutation];

    #[test]
    fn overlaps_of_codewords_are_those_of_transformed_instances() {
        let (n, k) = (5, 3);
        let (first, second) = (random_rows(n, k, 1), random_rows(n, k, 2));
        let mut rng = stream(3, &[]);
        let (mut guess, mut sent) = (vec![0; n], vec![0; n]);
        for group in GROUPS {
            group.draw(&mut rng, k as u32, &mut guess);
            group.draw(&mut rng, k as u32, &mut sent);
            let apply = |p: &Array2<f64>, word: &[u32]| {
                Array2::from_shape_fn((n, k), |(i, c)| match group {
                    Transformations::Relabeling => p[[i, (c + k - word[i] as usize) % k]],
                    Transformations::Permutation => p[[word[i] as usize, c]],
                })
            };
            let naive = (&apply(&first, &guess) * &apply(&second, &sent)).sum_axis(Axis(1));
            let table = Table::new((first.view(), second.view()), group);
            let expected = naive.mapv(f64::ln).sum();
            assert!((table.overlap(&guess, &sent) - expected).abs() < 1e-12);
            assert!((table.overlap(&sent, &sent) - table.true_overlap).abs() < 1e-12);
        }
    }

    #[test]
    fn codewords_are_uniform() {
        let mut rng = stream(4, &[]);
        let (mut word, mut turns, mut orders) = (vec![0; 3], [0.0; 27], [0.0; 27]);
        let draws = 27_000;
        let place = |w: &[u32]| (w[0] + 3 * w[1] + 9 * w[2]) as usize;
        for _ in 0..draws {
            Transformations::Relabeling.draw(&mut rng, 3, &mut word);
            turns[place(&word)] += 1.0;
            Transformations::Permutation.draw(&mut rng, 3, &mut word);
            orders[place(&word)] += 1.0;
        }
        // Five standard deviations of a binomial count of mean 1000 (4500).
        assert!(turns.iter().all(|count| (count - 1000.0f64).abs() < 160.0));
        let seen: Vec<f64> = orders.into_iter().filter(|&count| count > 0.0).collect();
        assert_eq!(seen.len(), 6);
        assert!(seen.iter().all(|count| (count - 4500.0f64).abs() < 310.0));
    }

    #[test]
    fn threads_change_nothing_and_the_bound_holds() {
        let (first, noise) = (pairs(3, 12, 2, 6), pairs(3, 12, 2, 7));
        let second = &first * 0.5 + &noise * 0.5;
        for group in GROUPS {
            let what = experiment(group, 16, 600);
            let outcome = run(&first, &second, what, 1);
            assert_eq!(outcome, run(&first, &second, what, 2));
            let bound = (0..3)
                .map(|q| (15.0 * (outcome.log_means[q] - outcome.log_overlaps[q]).exp()).min(1.0))
                .sum::<f64>()
                / 3.0;
            let rate = outcome.n_errors as f64 / 600.0;
            // Five standard errors of 600 messages.
            assert!(rate <= bound + 5.0 * (bound * (1.0 - bound) / 600.0).sqrt(), "{rate} {bound}");
            assert!(outcome.n_errors > 0, "a bound on nothing is no test");
        }
    }

    #[test]
    fn a_single_codeword_is_always_understood_and_ties_never() {
        let first = pairs(1, 4, 2, 8);
        let flat = Array3::from_elem((1, 4, 2), 0.5);
        for group in GROUPS {
            assert_eq!(run(&first, &first, experiment(group, 1, 50), 1).n_errors, 0);
            assert_eq!(run(&flat, &flat, experiment(group, 2, 50), 1).n_errors, 50);
        }
    }

    #[test]
    fn hard_labels_of_distinct_objects_fail_only_by_repeated_codewords() {
        // n = 10, K = 2, one codeword besides the sent one: equal with probability 2^-10.
        let hard = Array3::from_shape_fn((1, 10, 2), |(_, i, c)| f64::from(u8::from(i % 2 == c)));
        let outcome = run(&hard, &hard, experiment(Transformations::Relabeling, 2, 20_000), 2);
        // Mean 19.5 errors; 5 and 45 are more than three and a half standard deviations away on the
        // lower and five on the upper side.
        assert!((5..45).contains(&outcome.n_errors), "{}", outcome.n_errors);
    }

    #[test]
    fn an_impossible_object_is_an_error_unless_there_is_no_choice() {
        let first = Array3::from_shape_fn((1, 2, 2), |(_, _, c)| [1.0, 0.0][c]);
        let second = Array3::from_shape_fn((1, 2, 2), |(_, _, c)| [0.0, 1.0][c]);
        let what = experiment(Transformations::Relabeling, 2, 20);
        assert_eq!(run(&first, &second, what, 1).n_errors, 20);
        assert_eq!(run(&first, &second, what, 1).log_overlaps, [f64::NEG_INFINITY]);
    }

    #[test]
    fn wrong_input_and_cancel() {
        assert!(Transformations::new("rotation").unwrap_err().to_string().contains("permutation"));
        let (first, second) = (pairs(1, 3, 2, 1), pairs(1, 4, 2, 1));
        let workers = Workers::new(1).unwrap();
        let what = experiment(Transformations::Relabeling, 2, 2);
        let control = Control::default();
        let views = (first.view(), second.view());
        assert!(matches!(transmit(views, what, &workers, &control), Err(Error::Invalid { .. })));
        control.cancel();
        let views = (first.view(), first.view());
        assert_eq!(transmit(views, what, &workers, &control), Err(Error::Cancelled));
    }
}
