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
pub struct Replay<'a> {
    task: Task<'a>,
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

impl<'a> Replay<'a> {
    /// Settle at the pivot and heat from there.
    pub fn start(task: Task<'a>, plan: Plan, context: Context<'_>) -> Result<Self> {
        let mut state = task.initial(&plan);
        let step = task.settle(&plan, &mut state, plan.pivot, context)?;
        let pivot = (state.clone(), step);
        let length = (plan.pivot as f64).sqrt().ceil() as usize;
        let mut marks = Vec::new();
        for t in (0..plan.pivot).rev() {
            if (plan.pivot - 1 - t) % length == 0 {
                marks.push((t + 1, state.clone()));
            }
            // The last stretch is computed from its mark alone.
            if t >= length {
                task.settle(&plan, &mut state, t, context)?;
            }
        }
        Ok(Self { task, plan, next: 0, pivot, marks, stretch: Vec::new(), current: state })
    }

    /// Move on to the next temperature.
    pub fn advance(&mut self, context: Context<'_>) -> Result<Step> {
        let t = self.next;
        self.next += 1;
        if t < self.plan.pivot {
            if self.stretch.is_empty() {
                self.heat(t, context)?;
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
        self.task.settle(&self.plan, &mut self.current, t, context)
    }

    /// Compute the stretch whose lowest temperature number is `to`.
    fn heat(&mut self, to: usize, context: Context<'_>) -> Result<()> {
        if let Some((from, mut state)) = self.marks.pop() {
            for t in (to..from).rev() {
                let step = self.task.settle(&self.plan, &mut state, t, context)?;
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
