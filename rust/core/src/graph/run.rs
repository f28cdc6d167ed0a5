//! One run through the temperatures.

use ndarray::Array2;
use rand_chacha::ChaCha8Rng;

use super::mean_field::{Settling, settle};
use super::{Graph, Plan, Step, gibbs};
use crate::annealing::{CheckedParams, HARD, Solver};
use crate::error::Result;
use crate::rng::stream;
use crate::workers::Context;

/// Separates these streams from everyone else's.
const STREAM: u64 = 0x0067_7261_7068;
/// Places in the stream of what happens at no temperature: the choice of a start, the start itself,
/// and the local search in the end.
pub(super) const CHOICE: u64 = u64::MAX - 2;
const BEFORE: u64 = u64::MAX;
pub(super) const AFTER: u64 = u64::MAX - 1;

/// An instance on its way through the temperatures.
#[derive(Debug, Clone)]
pub struct State {
    /// Assignment probabilities (N x K).
    pub q: Array2<f64>,
    /// Their logarithms: finite where q has underflowed to 0.
    pub log_q: Array2<f64>,
    /// The hard assignment of a sampler.
    pub chain: Option<Array2<f64>>,
}

/// What all runs on one instance share.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The graph.
    pub graph: &'a Graph<'a>,
    /// Settings.
    pub params: &'a CheckedParams,
    /// Rising inverse temperatures.
    pub betas: &'a [f64],
    /// The critical one.
    pub critical: f64,
    /// Key of everything random.
    pub seed: u64,
    /// Number of the instance; its random numbers differ from those of all others.
    pub instance: u64,
}

impl Task<'_> {
    /// The generator for one place of one restart.
    pub(super) fn rng(&self, restart: u64, place: u64) -> ChaCha8Rng {
        stream(self.seed, &[STREAM, self.instance, restart, place])
    }

    /// The state before the first temperature of `plan`.
    pub(super) fn initial(&self, plan: &Plan) -> State {
        plan.initial(self.graph, self.params.n_clusters, &mut self.rng(plan.restart, BEFORE))
    }

    /// Settle `state` at temperature number `t`.
    pub(super) fn settle(
        &self,
        plan: &Plan,
        state: &mut State,
        t: usize,
        context: Context<'_>,
    ) -> Result<Step> {
        let (params, beta) = (self.params, self.betas[t]);
        let mut rng = self.rng(plan.restart, t as u64);
        let settled = if params.solver == Solver::MeanField {
            let noise = if plan.is_noisy() { params.noise } else { 0.0 };
            let settling = Settling { noise, tol: params.tol, max_sweeps: params.max_iter };
            settle(self.graph, state, beta, settling, &mut rng, context)?
        } else {
            let sweeps = (params.burn_in, params.keep);
            gibbs::settle(self.graph, state, beta, sweeps, &mut rng, context)?
        };
        context.control.advance(beta, settled.cost);
        Ok(Step::new(beta, state.q.view(), settled))
    }

    /// Whether a run ends at `step`.
    pub(super) fn ends(&self, step: &Step) -> bool {
        self.params.stops_when_hard() && step.softness < HARD
    }

    /// Go up from temperature number `t`, which `state` has not seen, to the end of the run.
    ///
    /// Every step goes to `each`; the number of the last temperature is returned.
    pub(super) fn ascend(
        &self,
        plan: &Plan,
        state: &mut State,
        from: usize,
        context: Context<'_>,
        mut each: impl FnMut(Step),
    ) -> Result<usize> {
        for t in from..self.betas.len() {
            let step = self.settle(plan, state, t, context)?;
            let ends = self.ends(&step);
            each(step);
            if ends {
                return Ok(t);
            }
        }
        Ok(self.betas.len() - 1)
    }
}
