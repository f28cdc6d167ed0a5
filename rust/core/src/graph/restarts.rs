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

/// Paths differ if beta F does, by this many nats per object and temperature.
const APART: f64 = 1e-3;

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
    let last = tried[best_of(&tried, task)].winner.last;
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
    let costs = tried.iter().map(|one| one.winner.cost).collect();
    let best = best_of(&tried, task);
    Ok(Winner { costs, ..tried.swap_remove(best).winner })
}

/// A start as it was followed.
struct Tried {
    winner: Winner,
    /// Free energies from the pivot up.
    energies: Vec<f64>,
}

impl Tried {
    /// Sum of beta F over the temperatures that both have seen, less that of `other`.
    fn excess(&self, other: &Self, betas: &[f64]) -> f64 {
        let ends = [self, other].map(|one| (one.winner.plan.pivot, one.winner.last));
        let from = ends[0].0.max(ends[1].0);
        (from..=ends[0].1.min(ends[1].1))
            .map(|t| {
                let energy = |one: &Self| one.energies[t - one.winner.plan.pivot];
                betas[t] * (energy(self) - energy(other))
            })
            .sum()
    }
}

/// The first of the cheapest: costs that differ by rounding only are equal.
///
/// Of equal ones that which came down the better path. Cooling may follow a wrong branch down to
/// temperatures where the capacity is long lost, and still end in the best partition.
fn best_of(tried: &[Tried], task: &Task<'_>) -> usize {
    (1..tried.len()).fold(0, |best, one| {
        let (now, new) = (&tried[best], &tried[one]);
        let margin = ROUNDING * now.winner.cost.abs();
        let gain = now.winner.cost - new.winner.cost;
        let apart = APART * (task.graph.len() * new.energies.len()) as f64;
        let better = gain > margin || (gain >= -margin && new.excess(now, task.betas) < -apart);
        if better { one } else { best }
    })
}

/// One start, followed up to hard assignments and finished by local search.
fn attempt(task: &Task<'_>, plan: Plan, context: Context<'_>) -> Result<Tried> {
    let mut state = task.initial(&plan);
    let mut energies = Vec::new();
    let last = task
        .ascend(&plan, &mut state, plan.pivot, context, |step| energies.push(step.free_energy))?;
    let (labels, cost) = finish(task, &plan, &state, context)?;
    Ok(Tried { winner: Winner { plan, labels, cost, last, costs: Vec::new() }, energies })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Control;
    use crate::annealing::AnnealParams;
    use crate::graph::{Cost, Graph};
    use crate::similarity::Dense;

    fn tried(cost: f64, pivot: usize, energies: &[f64]) -> Tried {
        let plan = Plan { start: Start::Cold, restart: 0, pivot };
        let last = pivot + energies.len() - 1;
        let winner = Winner { plan, labels: vec![], cost, last, costs: vec![] };
        Tried { winner, energies: energies.to_vec() }
    }

    #[test]
    fn cost_decides_and_then_the_path() {
        let (workers, control) = (Workers::new(1).unwrap(), Control::default());
        let context = Context { workers: &workers, control: &control };
        let s = Array2::ones((2, 2));
        let similarity = Dense::new(s.view()).unwrap();
        let graph = Graph::new(&similarity, Cost::Correlation, 0.0, context).unwrap();
        let params = AnnealParams::default().check().unwrap();
        let betas = [1.0, 2.0, 4.0, 8.0];
        let task = Task {
            graph: &graph,
            params: &params,
            betas: &betas,
            critical: 1.0,
            seed: 0,
            instance: 0,
        };
        let wrong = || tried(-5.0, 0, &[-9.0, -3.0, -3.0, -5.0]);
        let right = || tried(-5.0, 1, &[-4.0, -5.0, -5.0]);
        assert_eq!(best_of(&[wrong(), right()], &task), 1);
        assert_eq!(best_of(&[right(), wrong()], &task), 0);
        // Only temperatures that both have seen count: 2 (1) + 4 (2) + 8 (0).
        assert!((wrong().excess(&right(), &betas) - 10.0).abs() < 1e-12);
        // No path makes up for a higher cost, and of paths that are alike the first is taken.
        let dearer = tried(-4.9, 0, &[-99.0; 4]);
        assert_eq!(best_of(&[wrong(), dearer], &task), 0);
        let alike = tried(-5.0 + 1e-14, 1, &[-4.0 - 1e-4, -5.0, -5.0]);
        assert_eq!(best_of(&[right(), alike], &task), 0);
    }
}
