//! Temperatures handed out one by one while two instances are compared.

use std::sync::{Mutex, PoisonError};

use ndarray::Array2;

/// What is known of one temperature as soon as it is done.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveStep {
    /// Inverse temperature.
    pub beta: f64,
    /// (1/N) sum_i log2 sum_k P1_ik P2_ik, bits per object.
    pub agreement: f64,
    /// Entropy of the aligned mean masses in bits: where the last temperature decides, a first guess.
    pub entropy: f64,
    /// Effective clusters of the first instance.
    pub n_clusters: usize,
    /// Mean over objects of the first instance's P_ik.
    pub masses: Vec<f64>,
    /// Group number of each of its clusters.
    pub groups: Vec<usize>,
    /// Its centroids in the data's own coordinates, where there are any.
    pub centroids: Option<Array2<f64>>,
    /// Its assignment probabilities (N x K), where they were asked for.
    pub probabilities: Option<Array2<f64>>,
}

/// Steps on their way from a kernel to whoever waits for it, in the order in which they were made.
#[derive(Debug, Default)]
pub struct Live {
    probabilities: bool,
    waiting: Mutex<Vec<LiveStep>>,
}

impl Live {
    /// An empty queue; `probabilities` asks for N x K values with every step.
    pub fn new(probabilities: bool) -> Self {
        Self { probabilities, waiting: Mutex::default() }
    }

    /// Whether steps shall carry assignment probabilities.
    pub fn wants_probabilities(&self) -> bool {
        self.probabilities
    }

    /// One more step is done.
    pub fn push(&self, step: LiveStep) {
        self.lock().push(step);
    }

    /// Everything that was not taken yet.
    pub fn take(&self) -> Vec<LiveStep> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<LiveStep>> {
        // A push or a take cannot panic halfway: what a poisoned lock guards is whole.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(beta: f64) -> LiveStep {
        LiveStep {
            beta,
            agreement: -1.0,
            entropy: 1.0,
            n_clusters: 2,
            masses: vec![0.5, 0.5],
            groups: vec![0, 1],
            centroids: None,
            probabilities: None,
        }
    }

    #[test]
    fn every_step_is_taken_once_and_in_order() {
        let live = Live::new(false);
        assert!(live.take().is_empty());
        live.push(step(1.0));
        live.push(step(2.0));
        assert_eq!(live.take(), vec![step(1.0), step(2.0)]);
        live.push(step(3.0));
        assert_eq!(live.take(), vec![step(3.0)]);
    }

    #[test]
    fn steps_pushed_while_others_are_taken_are_not_lost() {
        let live = Live::new(true);
        let mut seen = Vec::new();
        std::thread::scope(|scope| {
            let pushing = scope.spawn(|| (0..1000).for_each(|t| live.push(step(f64::from(t)))));
            while !pushing.is_finished() {
                seen.extend(live.take());
            }
        });
        seen.extend(live.take());
        let betas: Vec<f64> = seen.iter().map(|s| s.beta).collect();
        assert_eq!(betas, (0..1000).map(f64::from).collect::<Vec<_>>());
    }
}
