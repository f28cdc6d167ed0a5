//! Discrete replicator dynamics: what earns more than the average grows.

/// Shares below this are set to zero: they would leave the range in which floats are fast.
const EXTINCT: f64 = 1e-290;

/// What one step of the dynamics did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Cohesion v^T X v before the step.
    pub cohesion: f64,
    /// |v(t+1) - v(t)|_1.
    pub change: f64,
}

/// v_i <- v_i (X v)_i / v^T X v, with `payoff` = X v (Eq. 129).
///
/// `v` stays as it is where its cohesion is not positive. Dividing by the sum of the new shares,
/// which is the cohesion itself, keeps `v` on the simplex.
pub fn replicate(v: &mut [f64], payoff: impl Iterator<Item = f64> + Clone) -> Step {
    let cohesion: f64 = v.iter().zip(payoff.clone()).map(|(v, payoff)| v * payoff).sum();
    if cohesion <= 0.0 {
        return Step { cohesion, change: 0.0 };
    }
    let mut change = 0.0;
    for (v, payoff) in v.iter_mut().zip(payoff) {
        let next = *v * (payoff / cohesion);
        change += (next - *v).abs();
        *v = if next < EXTINCT { 0.0 } else { next };
    }
    Step { cohesion, change }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_their_payoffs() {
        let mut v = [0.5, 0.25, 0.25];
        let step = replicate(&mut v, [2.0, 1.0, 0.0].into_iter());
        // 0.5 * 2 + 0.25 * 1 = 1.25: shares 1 / 1.25 and 0.25 / 1.25, exact in decimals.
        assert!((step.cohesion - 1.25).abs() < 1e-15);
        assert!((v[0] - 0.8).abs() < 1e-15 && (v[1] - 0.2).abs() < 1e-15 && v[2] == 0.0);
        assert!((step.change - 0.6).abs() < 1e-15);
    }

    #[test]
    fn nothing_moves_without_cohesion() {
        let mut v = [0.5, 0.5];
        let step = replicate(&mut v, [0.0, 0.0].into_iter());
        assert_eq!((step.cohesion, step.change, v), (0.0, 0.0, [0.5, 0.5]));
    }

    #[test]
    fn vanishing_shares_become_zero() {
        let mut v = [1.0, 1e-280];
        replicate(&mut v, [1.0, 1e-20].into_iter());
        assert_eq!(v, [1.0, 0.0]);
    }
}
