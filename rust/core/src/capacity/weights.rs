//! Weights over solution spaces small enough to enumerate, and the information they carry.
//!
//! Everything is a natural logarithm until the last line: w = exp(log weight), largest weight 1.

use std::f64::consts::LN_2;

use ndarray::{ArrayView1, ArrayView2};

use crate::capacity::probabilities::log_sum_exp;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::workers::Workers;

/// A rule that turns costs into weights; lower cost never has lower weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Weights {
    /// exp(-beta (R - Rmin)).
    Boltzmann {
        /// Inverse temperature.
        beta: f64,
    },
    /// 1 / (1 + exp(beta (R - Rmin - gamma))), scaled to a largest weight of 1.
    Fermi {
        /// Steepness of the step.
        beta: f64,
        /// Where the step is, above the least cost.
        gamma: f64,
    },
    /// 1 where R <= Rmin + gamma, else 0.
    ZeroOne {
        /// Largest accepted distance from the least cost.
        gamma: f64,
    },
}

impl Weights {
    /// The rule called `kind`: "boltzmann", "fermi" or "`zero_one`".
    pub fn new(kind: &str, beta: f64, gamma: f64) -> Result<Self> {
        match kind {
            "boltzmann" => Ok(Self::Boltzmann { beta }),
            "fermi" => Ok(Self::Fermi { beta, gamma }),
            "zero_one" => Ok(Self::ZeroOne { gamma }),
            _ => Err(Error::invalid(
                "kind",
                format!("must be a kind of weights: got {kind:?}"),
                "choose 'boltzmann', 'fermi' or 'zero_one'",
            )),
        }
    }

    /// One rule per row (beta, gamma) of `parameters`.
    pub fn table(kind: &str, parameters: ArrayView2<f64>) -> Result<Vec<Self>> {
        parameters.rows().into_iter().map(|row| Self::new(kind, row[0], row[1])).collect()
    }

    /// Log weight of a solution whose cost lies `excess` above the least cost.
    fn log_weight(self, excess: f64) -> f64 {
        match self {
            Self::Boltzmann { beta } => 0.0 - beta * excess,
            // The second term is the log weight of the best solution: it scales the maximum to 1.
            Self::Fermi { beta, gamma } => {
                softplus(-beta * gamma) - softplus(beta * (excess - gamma))
            }
            Self::ZeroOne { gamma } if excess <= gamma => 0.0,
            Self::ZeroOne { .. } => f64::NEG_INFINITY,
        }
    }

    /// Log weights of all solutions; the best one has 0.
    pub fn log_weights(self, costs: ArrayView1<f64>) -> Vec<f64> {
        excess(costs).into_iter().map(|above| self.log_weight(above)).collect()
    }
}

/// ln(1 + exp(x)) without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// I = (1/n) log2(|T| Z12 / (Z1 Z2)) in bits per object.
///
/// `log_group_size` is ln |T|. -inf where no solution has weight on both instances.
pub fn information(first: &[f64], second: &[f64], log_group_size: f64, n_objects: usize) -> f64 {
    let joint = log_sum_exp(first.iter().zip(second).map(|(a, b)| a + b));
    let separate = log_sum_exp(first.iter().copied()) + log_sum_exp(second.iter().copied());
    (log_group_size + joint - separate) / (n_objects as f64 * LN_2)
}

/// Information under each of `rules`, averaged over pairs of instances (rows of `first`, `second`).
///
/// The mean is inside: the capacity is the maximum over rules of this average (Eq. 46).
pub fn mean_information(
    (first, second): (ArrayView2<f64>, ArrayView2<f64>),
    rules: &[Weights],
    log_group_size: f64,
    n_objects: usize,
    workers: &Workers,
    control: &Control,
) -> Result<Vec<f64>> {
    if let Some(gammas) = thresholds(rules) {
        let scale = (log_group_size, n_objects as f64 * LN_2);
        return sets_information((first, second), &gammas, scale, workers, control);
    }
    control.set_total(rules.len() as u64);
    workers.map(rules.len(), |index| {
        let mut total = 0.0;
        for (ours, theirs) in first.rows().into_iter().zip(second.rows()) {
            control.tick()?;
            let weights = (rules[index].log_weights(ours), rules[index].log_weights(theirs));
            total += information(&weights.0, &weights.1, log_group_size, n_objects);
        }
        control.advance(f64::NAN, f64::NAN);
        Ok(total / first.nrows() as f64)
    })
}

/// The thresholds, if all `rules` are 0/1 weights.
fn thresholds(rules: &[Weights]) -> Option<Vec<f64>> {
    rules
        .iter()
        .map(|rule| if let Weights::ZeroOne { gamma } = rule { Some(*gamma) } else { None })
        .collect()
}

/// [`mean_information`] of 0/1 weights: Z1, Z2 and Z12 count solutions, so that sorting the costs
/// once per pair serves every threshold. `scale` holds ln |T| and n ln 2.
fn sets_information(
    (first, second): (ArrayView2<f64>, ArrayView2<f64>),
    gammas: &[f64],
    scale: (f64, f64),
    workers: &Workers,
    control: &Control,
) -> Result<Vec<f64>> {
    control.set_total(first.nrows() as u64);
    let per_pair = workers.map(first.nrows(), |pair| {
        control.tick()?;
        let (ours, theirs) = (excess(first.row(pair)), excess(second.row(pair)));
        // A solution belongs to both sets from the larger of its two thresholds on.
        let both: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| a.max(*b)).collect();
        let sorted = [ours, theirs, both].map(|mut list| {
            list.sort_unstable_by(f64::total_cmp);
            list
        });
        let bits = |gamma: &f64| {
            let [z1, z2, z12] =
                sorted.each_ref().map(|list| (list.partition_point(|e| e <= gamma) as f64).ln());
            (scale.0 + z12 - z1 - z2) / scale.1
        };
        control.advance(f64::NAN, f64::NAN);
        Ok(gammas.iter().map(bits).collect::<Vec<f64>>())
    })?;
    let mean = |g: usize| per_pair.iter().map(|bits| bits[g]).sum::<f64>() / first.nrows() as f64;
    Ok((0..gammas.len()).map(mean).collect())
}

/// Costs above the least cost.
fn excess(costs: ArrayView1<f64>) -> Vec<f64> {
    let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
    costs.iter().map(|cost| cost - least).collect()
}

/// Whether no solution has a lower weight than one of strictly higher cost.
///
/// Agreement between instances cannot tell: weights in reversed order agree as well.
pub fn respects_order(costs: &[f64], log_weights: &[f64]) -> bool {
    let mut order: Vec<usize> = (0..costs.len().min(log_weights.len())).collect();
    order.sort_by(|&a, &b| costs[a].total_cmp(&costs[b]));
    // Least weight among strictly lower costs, and among the run of equal costs being read.
    let (mut below, mut here) = (f64::INFINITY, f64::INFINITY);
    let mut current = f64::NEG_INFINITY;
    for index in order {
        if costs[index] > current {
            below = below.min(here);
            here = f64::INFINITY;
            current = costs[index];
        }
        let weight = log_weights[index];
        // Rounding of logarithms may turn equal weights around in the last digits.
        let slack = if weight.is_finite() { 1e-12 * weight.abs().max(1.0) } else { 0.0 };
        if weight - slack > below {
            return false;
        }
        here = here.min(weight);
    }
    true
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // exact answers are asked for where they are exact
mod tests {
    use ndarray::{Array1, Array2};
    use proptest::prelude::*;

    use super::*;
    use crate::rng::{fill_normal, stream};
    use crate::testing::all_assignments;

    fn rules() -> [Weights; 3] {
        [
            Weights::Boltzmann { beta: 0.7 },
            Weights::Fermi { beta: 1.3, gamma: 0.9 },
            Weights::ZeroOne { gamma: 1.5 },
        ]
    }

    #[test]
    fn weights_by_hand() {
        let costs = Array1::from(vec![3.0, 2.0, 5.0]);
        let boltzmann = Weights::Boltzmann { beta: 2.0 }.log_weights(costs.view());
        assert_eq!(boltzmann, [-2.0, 0.0, -6.0]);
        let fermi = Weights::Fermi { beta: 1.0, gamma: 1.0 }.log_weights(costs.view());
        let top = 1.0 / (1.0 + (-1f64).exp());
        for (found, excess) in fermi.iter().zip([1.0f64, 0.0, 3.0]) {
            let expected = (1.0 / (1.0 + (excess - 1.0).exp()) / top).ln();
            assert!((found - expected).abs() < 1e-14);
        }
        let set = Weights::ZeroOne { gamma: 1.0 }.log_weights(costs.view());
        assert_eq!(set, [0.0, 0.0, f64::NEG_INFINITY]);
    }

    #[test]
    fn steep_weights_do_not_overflow() {
        let costs = Array1::from(vec![0.0, 1e6]);
        let fermi = Weights::Fermi { beta: 1e6, gamma: 1.0 }.log_weights(costs.view());
        assert_eq!(fermi[0], 0.0);
        assert!(fermi[1] < -1e11 && fermi[1].is_finite());
    }

    #[test]
    fn disjoint_sets_have_no_information_at_all() {
        let none = f64::NEG_INFINITY;
        assert_eq!(information(&[0.0, none], &[none, 0.0], 1.0, 2), none);
        // One common solution of two, |T| = 2: I = log2(2 * 1 / (1 * 1)).
        assert!((information(&[0.0, none], &[0.0, none], LN_2, 1) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_reversed_order_is_seen() {
        let costs = [2.0, 0.0, 1.0, 1.0];
        assert!(respects_order(&costs, &[-3.0, 0.0, -1.0, -2.0]));
        assert!(!respects_order(&costs, &[0.0, -3.0, -1.0, -1.0]));
        assert!(!respects_order(&costs, &[-1.5, 0.0, -1.0, -2.0]));
        assert!(respects_order(&costs, &[0.0; 4]));
        assert!(!respects_order(&costs, &[0.0, f64::NEG_INFINITY, 0.0, 0.0]));
        assert!(respects_order(&[], &[]));
    }

    #[test]
    fn factorized_boltzmann_sums_equal_the_enumeration() {
        // R(c) = sum_i h_i,c(i), |T| = K^n: I = log2 K + mean_i log2 sum_k P1 P2 (Eq. 65).
        let (n, k, beta) = (5usize, 3usize, 0.8);
        let mut h = vec![0.0; 2 * n * k];
        fill_normal(&mut stream(5, &[]), &mut h);
        let cost = |c: &Vec<usize>, at: usize| {
            c.iter().enumerate().map(|(i, v)| h[at * n * k + i * k + v]).sum::<f64>()
        };
        let solutions = all_assignments(n, k);
        let rule = Weights::Boltzmann { beta };
        let weights: Vec<Vec<f64>> = (0..2)
            .map(|q| {
                rule.log_weights(solutions.iter().map(|c| cost(c, q)).collect::<Array1<_>>().view())
            })
            .collect();
        let found = information(&weights[0], &weights[1], n as f64 * (k as f64).ln(), n);
        let mut expected = (k as f64).log2();
        for i in 0..n {
            let row = |q: usize| (0..k).map(move |v| q * n * k + i * k + v);
            let w = |slot: usize| (-beta * h[slot]).exp();
            let z1: f64 = row(0).map(w).sum();
            let z2: f64 = row(1).map(w).sum();
            let z12: f64 = row(0).zip(row(1)).map(|(a, b)| w(a) * w(b)).sum();
            expected += (z12 / (z1 * z2)).log2() / n as f64;
        }
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn the_mean_is_the_same_for_any_number_of_threads() {
        let mut numbers = vec![0.0; 2 * 3 * 16];
        fill_normal(&mut stream(9, &[]), &mut numbers);
        let costs = Array2::from_shape_vec((6, 16), numbers).unwrap();
        let (first, second) = costs.view().split_at(ndarray::Axis(0), 3);
        let run = |threads| {
            let workers = Workers::new(threads).unwrap();
            mean_information((first, second), &rules(), 2.0, 4, &workers, &Control::default())
                .unwrap()
        };
        assert_eq!(run(1), run(2));
        let boltzmann: f64 = (0..3)
            .map(|q| {
                let weights = |c: &ArrayView2<f64>| rules()[0].log_weights(c.row(q));
                information(&weights(&first), &weights(&second), 2.0, 4)
            })
            .sum();
        assert!((run(1)[0] - boltzmann / 3.0).abs() < 1e-15);
    }

    #[test]
    fn counting_sets_equals_summing_their_weights() {
        let mut numbers = vec![0.0; 2 * 3 * 40];
        fill_normal(&mut stream(11, &[]), &mut numbers);
        let costs = Array2::from_shape_vec((6, 40), numbers).unwrap();
        let (first, second) = costs.view().split_at(ndarray::Axis(0), 3);
        let mut gammas = excess(first.row(1));
        gammas.extend([0.0, 0.5, 2.0, 100.0]);
        let rules: Vec<_> = gammas.iter().map(|&gamma| Weights::ZeroOne { gamma }).collect();
        let workers = Workers::new(1).unwrap();
        let found =
            mean_information((first, second), &rules, 3.0, 5, &workers, &Control::default())
                .unwrap();
        for (bits, rule) in found.iter().zip(&rules) {
            let weights = |c: ArrayView2<f64>, q: usize| rule.log_weights(c.row(q));
            let sum: f64 =
                (0..3).map(|q| information(&weights(first, q), &weights(second, q), 3.0, 5)).sum();
            assert!(*bits == sum / 3.0 || (bits - sum / 3.0).abs() < 1e-12, "{bits} {sum}");
        }
        assert!(found.iter().any(|bits| bits.is_finite()));
    }

    #[test]
    fn unknown_kinds_are_named() {
        let error = Weights::new("bose", 1.0, 0.0).unwrap_err().to_string();
        assert!(error.contains("\"bose\"") && error.contains("fermi"), "{error}");
        assert_eq!(Weights::new("fermi", 1.3, 0.9).unwrap(), rules()[1]);
    }

    proptest! {
        #[test]
        fn every_rule_keeps_the_order(costs in proptest::collection::vec(-50.0f64..50.0, 1..40)) {
            for rule in rules() {
                let weights = rule.log_weights(Array1::from(costs.clone()).view());
                prop_assert!(respects_order(&costs, &weights));
                let top = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                prop_assert!(top.abs() < 1e-12);
            }
        }
    }
}
