//! How one object chooses its next label: the two transition laws, as pure functions.

use crate::error::{Error, Result};

/// Which transition an object makes when it is visited; both leave p(c) ∝ exp(−β R(c)) invariant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// Propose one of the other K−1 labels uniformly, accept with min(1, exp(−β ΔR)): O(D).
    Metropolis,
    /// Draw the label from its exact conditional law ∝ exp(−β ΔR): O(K D).
    Gibbs,
}

impl Kernel {
    /// The kernel called `name`: "metropolis" or "gibbs".
    pub fn parse(name: &str) -> Result<Self> {
        match name {
            "metropolis" => Ok(Self::Metropolis),
            "gibbs" => Ok(Self::Gibbs),
            other => Err(Error::invalid(
                "kernel",
                format!("is unknown: got '{other}'"),
                "choose 'metropolis' or 'gibbs'",
            )),
        }
    }

    /// The law of the next label of one object whose label is `current`, written into `law`.
    ///
    /// `deltas[b]` is the cost change ΔR of moving it to label b, 0 for `current`; `beta` is β.
    /// Metropolis: min(1, exp(−β ΔR)) / (K−1) for b ≠ current, the rest stays.
    /// Gibbs: exp(−β ΔR) / Σ exp(−β ΔR).
    pub fn law(self, beta: f64, current: usize, deltas: &[f64], law: &mut [f64]) {
        match self {
            Self::Metropolis => metropolis_law(beta, current, deltas, law),
            Self::Gibbs => gibbs_law(beta, deltas, law),
        }
    }

    /// How many clusters one visit has to measure its object against.
    pub(super) fn reach(self, k: usize) -> usize {
        match self {
            Self::Metropolis => k.min(2),
            Self::Gibbs => k,
        }
    }
}

/// Metropolis' probability of accepting a move that changes the cost by `delta`.
pub fn acceptance(beta: f64, delta: f64) -> f64 {
    (-beta * delta).exp().min(1.0)
}

fn metropolis_law(beta: f64, current: usize, deltas: &[f64], law: &mut [f64]) {
    let others = deltas.len().saturating_sub(1).max(1) as f64;
    let mut leaving = 0.0;
    for (b, (slot, &delta)) in law.iter_mut().zip(deltas).enumerate() {
        *slot = if b == current { 0.0 } else { acceptance(beta, delta) / others };
        leaving += *slot;
    }
    law[current] = 1.0 - leaving;
}

fn gibbs_law(beta: f64, deltas: &[f64], law: &mut [f64]) {
    // Measured from the cheapest label every exponent is at most 0: nothing overflows.
    let lowest = deltas.iter().copied().fold(f64::INFINITY, f64::min);
    let mut total = 0.0;
    for (slot, &delta) in law.iter_mut().zip(deltas) {
        *slot = (-beta * (delta - lowest)).exp();
        total += *slot;
    }
    for slot in law {
        *slot /= total;
    }
}

/// The label at which the cumulated `law` passes `u` in [0, 1); never one of probability 0.
pub(super) fn pick(law: &[f64], u: f64) -> usize {
    let mut rest = u;
    let mut last = 0;
    for (b, &probability) in law.iter().enumerate() {
        if probability > 0.0 {
            last = b;
        }
        rest -= probability;
        if rest < 0.0 {
            return b;
        }
    }
    // The probabilities may add up to slightly less than 1.
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_add_up_to_one_even_for_huge_costs() {
        for kernel in [Kernel::Metropolis, Kernel::Gibbs] {
            let mut law = [0.0; 3];
            kernel.law(1e3, 1, &[-1e9, 0.0, 1e9], &mut law);
            assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-15, "{law:?}");
            assert!(law[2].abs() < 1e-300, "{law:?}");
        }
    }

    #[test]
    fn a_single_label_stays() {
        for kernel in [Kernel::Metropolis, Kernel::Gibbs] {
            let mut law = [0.0];
            kernel.law(2.0, 0, &[0.0], &mut law);
            assert!((law[0] - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn pick_skips_labels_of_probability_zero() {
        assert_eq!(pick(&[0.0, 0.25, 0.75, 0.0], 0.0), 1);
        assert_eq!(pick(&[0.0, 0.25, 0.75, 0.0], 0.25), 2);
        // Rounding left the sum a little below 1: the last possible label takes the rest.
        assert_eq!(pick(&[0.5, 0.499_999, 0.0], 0.999_999_9), 1);
    }

    #[test]
    fn names_are_read_and_unknown_ones_refused() {
        assert_eq!(Kernel::parse("gibbs"), Ok(Kernel::Gibbs));
        assert_eq!(Kernel::parse("metropolis"), Ok(Kernel::Metropolis));
        assert!(Kernel::parse("heat bath").unwrap_err().to_string().contains("'heat bath'"));
    }
}
