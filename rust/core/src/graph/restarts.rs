//! The best of several starts, by hard cost after local search.

use std::sync::Arc;

use ndarray::Array2;

use super::run::{AFTER, CHOICE, Task};
use super::{Plan, Start, State, Step, descend, labels_of, one_hot};
use crate::error::Result;
use crate::workers::{Context, Workers};

/// From this many objects on, one restart alone keeps all threads busy.
const LARGE: usize = 20_000;

/// Relative rounding of costs: the same partition under other labels sums in another order.
const ROUNDING: f64 = 1e-12;

/// The start that won on one instance.
#[derive(Debug, Clone)]
pub struct Winner {
    /// How to run it again.
    pub plan: Plan,
    /// Its labels after local search.
    pub labels: Vec<usize>,
    /// Their cost.
    pub cost: f64,
    /// Number of the last temperature it needed.
    pub last: usize,
    /// Costs of all starts.
    pub costs: Vec<f64>,
}

/// Try `n_init` starts, cold and late in turn, then the ones that begin at the last temperature.
///
/// `warm` is a labeling with fewer clusters (section 3). Only labels and costs are kept.
pub fn best_plan(
    task: &Task<'_>,
    n_init: usize,
    warm: Option<&[usize]>,
    context: Context<'_>,
) -> Result<Winner> {
    let alone = Workers::new(1)?;
    let large = task.graph.len() >= LARGE;
    let (outer, inner) = if large { (&alone, context.workers) } else { (context.workers, &alone) };
    let inner = Context { workers: inner, ..context };
    let mut tried = outer.map(n_init.max(1), |restart| {
        let mut rng = task.rng(restart as u64, CHOICE);
        let plan = Plan::alternating(restart as u64, task.betas, task.critical, &mut rng);
        attempt(task, plan, inner)
    })?;
    let last = tried[best_of(&tried)].last;
    let mut late = Vec::new();
    if let Some(labels) = warm {
        late.push(Start::Warm(Arc::from(labels)));
    }
    if task.graph.cost().favors_singletons() && task.params.n_clusters > 1 {
        late.push(Start::Singletons);
    }
    for start in late {
        let plan = Plan { start, restart: tried.len() as u64, pivot: last };
        tried.push(attempt(task, plan, context)?);
    }
    let costs = tried.iter().map(|one| one.cost).collect();
    let best = best_of(&tried);
    Ok(Winner { costs, ..tried.swap_remove(best) })
}

/// The first of the cheapest: costs that differ by rounding only are equal.
fn best_of(tried: &[Winner]) -> usize {
    (1..tried.len()).fold(0, |best, one| {
        let margin = ROUNDING * tried[best].cost.abs();
        if tried[one].cost < tried[best].cost - margin { one } else { best }
    })
}

/// One start, followed up to hard assignments and finished by local search.
fn attempt(task: &Task<'_>, plan: Plan, context: Context<'_>) -> Result<Winner> {
    let mut state = task.initial(&plan);
    let last = task.ascend(&plan, &mut state, plan.pivot, context, drop)?;
    let (labels, cost) = finish(task, &plan, &state, context)?;
    Ok(Winner { plan, labels, cost, last, costs: Vec::new() })
}

/// Local search from the likeliest labels: the labels it ends with, and their cost.
fn finish(
    task: &Task<'_>,
    plan: &Plan,
    state: &State,
    context: Context<'_>,
) -> Result<(Vec<usize>, f64)> {
    let k = task.params.n_clusters;
    let mut labels = labels_of(state.q.view());
    descend(task.graph, &mut labels, k, &mut task.rng(plan.restart, AFTER), context)?;
    let cost = task.graph.cost_of(one_hot(&labels, k).view(), context)?;
    Ok((labels, cost))
}

/// A finished annealing of one instance.
pub struct Fitted {
    /// The winning start with labels and costs.
    pub winner: Winner,
    /// Assignment probabilities at the last temperature.
    pub q: Array2<f64>,
    /// One record per temperature.
    pub steps: Vec<Step>,
}

/// Choose the best start, then follow it through all temperatures.
pub fn fit(
    task: &Task<'_>,
    n_init: usize,
    warm: Option<&[usize]>,
    context: Context<'_>,
) -> Result<Fitted> {
    let winner = best_plan(task, n_init, warm, context)?;
    let plan = &winner.plan;
    let mut state = task.initial(plan);
    let mut steps = vec![task.settle(plan, &mut state, plan.pivot, context)?];
    let mut warmer = (plan.pivot > 0).then(|| state.clone());
    if !task.ends(&steps[0]) && plan.pivot + 1 < task.betas.len() {
        task.ascend(plan, &mut state, plan.pivot + 1, context, |step| steps.push(step))?;
    }
    if let Some(state) = &mut warmer {
        for t in (0..plan.pivot).rev() {
            steps.push(task.settle(plan, state, t, context)?);
        }
    }
    Ok(Fitted { q: state.q, steps, winner })
}
