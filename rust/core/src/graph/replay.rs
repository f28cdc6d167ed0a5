//! A run visited in the order of rising beta, whichever way it was computed.
//!
//! Runs that begin in the middle or at the end of the grid are heated from there, but two instances
//! can only be compared at equal temperature. The heated part is computed twice: once to leave
//! every sqrt(T)-th state behind, and once more from these, so that at most 2 sqrt(T) states are
//! ever held.

use super::run::Task;
use super::{Plan, State, Step};
use crate::error::Result;
use crate::workers::Context;

/// Temperature after temperature of one run, lowest beta first.
///
/// It holds states only, so that it can outlive a loan of the graph: every call is given the task.
pub struct Replay {
    plan: Plan,
    /// Number of the temperature that comes next.
    next: usize,
    pivot: (State, Step),
    /// States to heat from, lowest temperature number last.
    marks: Vec<(usize, State)>,
    /// States of the current stretch, lowest temperature number last.
    stretch: Vec<(State, Step)>,
    current: State,
}

impl Replay {
    /// Settle at the pivot and heat from there.
    pub fn start(task: &Task<'_>, plan: Plan, context: Context<'_>) -> Result<Self> {
        let mut state = task.initial(&plan);
        let step = task.settle(&plan, &mut state, plan.pivot, context)?;
        let pivot = (state.clone(), step);
        let length = ((plan.pivot as f64).sqrt().ceil() as usize).max(1);
        let lowest = plan.pivot - length * (plan.pivot.saturating_sub(1) / length);
        let mut marks = Vec::new();
        for t in (0..plan.pivot).rev() {
            if (plan.pivot - 1 - t).is_multiple_of(length) {
                marks.push((t + 1, state.clone()));
            }
            // The last stretch is computed once, from its mark.
            if t >= lowest {
                task.settle(&plan, &mut state, t, context)?;
            }
        }
        Ok(Self { plan, next: 0, pivot, marks, stretch: Vec::new(), current: state })
    }

    /// Whether the run is over after `step`, which [`Replay::advance`] returned last.
    ///
    /// Before the pivot a run is heated, hard or not.
    pub fn ends(&self, task: &Task<'_>, step: &Step) -> bool {
        self.next >= task.betas.len() || (self.next > self.plan.pivot && task.ends(step))
    }

    /// Move on to the next temperature.
    pub fn advance(&mut self, task: &Task<'_>, context: Context<'_>) -> Result<Step> {
        let t = self.next;
        self.next += 1;
        if t < self.plan.pivot {
            if self.stretch.is_empty() {
                self.heat(task, t, context)?;
            }
            if let Some((state, step)) = self.stretch.pop() {
                self.current = state;
                return Ok(step);
            }
        }
        if t == self.plan.pivot {
            self.current = self.pivot.0.clone();
            return Ok(self.pivot.1.clone());
        }
        task.settle(&self.plan, &mut self.current, t, context)
    }

    /// Compute the stretch whose lowest temperature number is `to`.
    fn heat(&mut self, task: &Task<'_>, to: usize, context: Context<'_>) -> Result<()> {
        if let Some((from, mut state)) = self.marks.pop() {
            for t in (to..from).rev() {
                let step = task.settle(&self.plan, &mut state, t, context)?;
                self.stretch.push((state.clone(), step));
            }
        }
        Ok(())
    }

    /// The state at the temperature reached last.
    pub fn state(&self) -> &State {
        &self.current
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ndarray::Array2;

    use super::*;
    use crate::Control;
    use crate::annealing::{AnnealParams, Solver};
    use crate::graph::{Cost, Graph, Start};
    use crate::similarity::Dense;
    use crate::workers::Workers;

    /// The records of a run in the order in which they are computed, and its last state.
    fn directly(task: Task<'_>, plan: &Plan, context: Context<'_>) -> (Vec<Step>, Array2<f64>) {
        let mut state = task.initial(plan);
        let mut steps = vec![task.settle(plan, &mut state, plan.pivot, context).unwrap()];
        let mut warmer = state.clone();
        for t in plan.pivot + 1..task.betas.len() {
            steps.push(task.settle(plan, &mut state, t, context).unwrap());
        }
        for t in (0..plan.pivot).rev() {
            steps.insert(0, task.settle(plan, &mut warmer, t, context).unwrap());
        }
        (steps, state.q)
    }

    #[test]
    fn replays_are_the_runs_they_repeat() {
        let (workers, control) = (Workers::new(1).unwrap(), Control::default());
        let context = Context { workers: &workers, control: &control };
        let s = Array2::from_shape_fn((12, 12), |(i, j)| if i % 3 == j % 3 { 1.0 } else { 0.2 });
        let similarity = Dense::new(s.view()).unwrap();
        let graph = Graph::new(&similarity, Cost::RatioCut, 0.0, context).unwrap();
        let betas: Vec<f64> = (0..14).map(|t| 0.05 * 1.4f64.powi(t)).collect();
        for solver in [Solver::MeanField, Solver::Gibbs] {
            let params = AnnealParams { n_clusters: 3, solver, ..Default::default() };
            let params = params.check().unwrap();
            let task = Task {
                graph: &graph,
                params: &params,
                betas: &betas,
                critical: 0.1,
                seed: 5,
                instance: 1,
            };
            let labels: Arc<[usize]> = (0..12).map(|i| i % 2).collect();
            for start in [Start::Cold, Start::Late, Start::Warm(labels), Start::Singletons] {
                for pivot in 0..14 {
                    let plan = Plan { start: start.clone(), restart: 2, pivot };
                    let (expected, last) = directly(task, &plan, context);
                    let mut replay = Replay::start(&task, plan, context).unwrap();
                    let found: Vec<Step> =
                        (0..14).map(|_| replay.advance(&task, context).unwrap()).collect();
                    assert_eq!(found, expected, "{start:?} {pivot}");
                    assert_eq!(replay.state().q, last);
                }
            }
        }
    }
}
