//! Two instances: J(beta) = H + (1/N) sum_i log2 sum_k q1_ik q2_i,pi(k) (section 4).

use std::sync::Mutex;

use ndarray::{Array1, Array2, Array3, Axis};

use super::{Columns, Graph, Plan, Replay, State, Step, Task, Winner, best_plan, one_hot};
use crate::annealing::{CheckedParams, HARD};
use crate::capacity::probabilities::{align, aligned_masses, entropy, log_agreement};
use crate::error::{Error, Result};
use crate::live::LiveStep;
use crate::workers::{Context, Workers};

/// Hard assignments still gain agreement while they harden: go on until a step adds less, in bits.
const PLATEAU: f64 = 1e-4;

/// Two graphs on the same objects, with everything their runs share.
#[derive(Clone, Copy)]
pub struct PairTask<'a> {
    /// The graphs.
    pub graphs: [&'a Graph<'a>; 2],
    /// Settings.
    pub params: &'a CheckedParams,
    /// Common rising grid of inverse temperatures.
    pub betas: &'a [f64],
    /// The smaller of the critical ones.
    pub critical: f64,
    /// Key of everything random.
    pub seed: u64,
}

impl<'a> PairTask<'a> {
    fn task(&self, instance: usize) -> Task<'a> {
        Task {
            graph: self.graphs[instance],
            params: self.params,
            betas: self.betas,
            critical: self.critical,
            seed: self.seed,
            instance: instance as u64,
        }
    }

    fn check(&self) -> Result<()> {
        let [first, second] = self.graphs.map(Graph::len);
        if first == second {
            return Ok(());
        }
        let found = format!("has {second} objects, the first {first}");
        Err(Error::invalid("second instance", found, "objects must correspond one to one"))
    }
}

/// Everything measured on a pair.
#[derive(Debug, Clone)]
pub struct PairRun {
    /// Records of both instances, on the same temperatures.
    pub columns: [Columns; 2],
    /// (1/N) sum_i log2 sum_k q1 q2, bits per object (T).
    pub agreement: Array1<f64>,
    /// Entropy of the mean hard cluster sizes after local search, bits.
    pub entropy: f64,
    /// Column of the first instance that each column of the second stands for (T x K).
    pub slots: Array2<i64>,
    /// The starts that won.
    pub winners: [Winner; 2],
}

/// Choose the best starts on both instances, then compare them temperature by temperature.
pub fn run(
    pair: PairTask<'_>,
    n_init: usize,
    warm: [Option<&[usize]>; 2],
    context: Context<'_>,
) -> Result<PairRun> {
    pair.check()?;
    let first = best_plan(&pair.task(0), n_init, warm[0], context)?;
    let second = best_plan(&pair.task(1), n_init, warm[1], context)?;
    follow(pair, [first, second], context)
}

/// Compare two starts that won before, temperature by temperature.
pub fn follow(pair: PairTask<'_>, winners: [Winner; 2], context: Context<'_>) -> Result<PairRun> {
    pair.check()?;
    let [first, second] = &winners;
    let hard = [first, second].map(|w| one_hot(&w.labels, pair.params.n_clusters));
    let last = align(hard[0].view(), hard[1].view());
    let bits = entropy(&aligned_masses(hard[0].view(), hard[1].view(), &last));
    let (mut steps, mut agreement, mut slots) = ([vec![], vec![]], vec![], vec![]);
    let plans = [&first.plan, &second.plan];
    compare(pair, plans, context, |_, states, seen| {
        let order = best_order(states, &last);
        let shared = log_agreement(states[0].log_q.view(), states[1].log_q.view(), &order);
        if let Some(live) = context.control.live() {
            let kept = live.wants_probabilities().then(|| states[0].q.clone());
            live.push(observed(&seen[0], shared, bits, kept));
        }
        let before = agreement.last().copied().unwrap_or(f64::NEG_INFINITY);
        let [one, two] = seen;
        let hard = one.softness < HARD && two.softness < HARD;
        let settled = hard && shared - before < PLATEAU && pair.params.stops_when_hard();
        agreement.push(shared);
        slots.push(inverse(&order));
        steps[0].push(one);
        steps[1].push(two);
        !settled
    })?;
    let k = pair.params.n_clusters;
    let slots = Array2::from_shape_fn((slots.len(), k), |(t, c)| slots[t][c] as i64);
    let columns = steps.map(Columns::new);
    Ok(PairRun { columns, agreement: agreement.into(), entropy: bits, slots, winners })
}

/// What a watcher sees of one temperature of the first instance.
fn observed(step: &Step, agreement: f64, entropy: f64, q: Option<Array2<f64>>) -> LiveStep {
    LiveStep {
        beta: step.beta,
        agreement,
        entropy,
        n_clusters: step.n_clusters,
        masses: step.masses.clone(),
        groups: step.groups.clone(),
        centroids: None,
        probabilities: q,
    }
}

/// Assignments of both instances (steps x N x K each) at the given, rising temperature numbers.
pub fn probabilities(
    pair: PairTask<'_>,
    plans: [&Plan; 2],
    wanted: &[usize],
    context: Context<'_>,
) -> Result<[Array3<f64>; 2]> {
    pair.check()?;
    let shape = (wanted.len(), pair.graphs[0].len(), pair.params.n_clusters);
    let mut out = [Array3::zeros(shape), Array3::zeros(shape)];
    let mut found = 0;
    compare(pair, plans, context, |t, states, _| {
        while wanted.get(found) == Some(&t) {
            for (kept, state) in out.iter_mut().zip(states) {
                kept.index_axis_mut(Axis(0), found).assign(&state.q);
            }
            found += 1;
        }
        found < wanted.len()
    })?;
    Ok(out)
}

/// Replay both runs side by side until `each` returns false or the grid ends.
fn compare(
    pair: PairTask<'_>,
    plans: [&Plan; 2],
    context: Context<'_>,
    mut each: impl FnMut(usize, [&State; 2], [Step; 2]) -> bool,
) -> Result<()> {
    let alone = Workers::new(1)?;
    let inner = Context { workers: &alone, ..context };
    let runs = context.workers.map(2, |instance| {
        let plan = plans[instance].clone();
        Ok(Mutex::new(Replay::start(&pair.task(instance), plan, inner)?))
    })?;
    for t in 0..pair.betas.len() {
        let mut steps = context
            .workers
            .map(2, |instance| lock(&runs[instance]).advance(&pair.task(instance), inner))?;
        let (Some(second), Some(first)) = (steps.pop(), steps.pop()) else { break };
        let held = [lock(&runs[0]), lock(&runs[1])];
        if !each(t, [held[0].state(), held[1].state()], [first, second]) {
            break;
        }
    }
    Ok(())
}

fn lock(run: &Mutex<Replay>) -> std::sync::MutexGuard<'_, Replay> {
    // A poisoned lock means that a worker panicked, and that panic is already on its way up.
    run.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The better in J of the final alignment and the optimal one at this temperature.
fn best_order(states: [&State; 2], last: &[usize]) -> Vec<usize> {
    let now = align(states[0].q.view(), states[1].q.view());
    let logs = states.map(|state| state.log_q.view());
    let better = now != last
        && log_agreement(logs[0], logs[1], &now) > log_agreement(logs[0], logs[1], last);
    if better { now } else { last.to_vec() }
}

/// order[k] = l becomes inverse[l] = k.
fn inverse(order: &[usize]) -> Vec<usize> {
    let mut out = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &l)| out[l] = k);
    out
}
