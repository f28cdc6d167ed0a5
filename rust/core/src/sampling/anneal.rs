//! Simulated annealing: the collapsed chain, cooled until the cheapest assignment is left.
//!
//! T = 1/β falls geometrically, one sweep per temperature, from 2 tr(C), C the covariance of the data
//! (with 1/N), which no cluster survives (the first split is at 2 λmax(C)), to 0.1 W. W is the
//! variance within clusters per column, R/(N D), of the assignment that a short greedy descent
//! from the run's own random start reaches: cheap, and too large rather than too small. At the
//! end every object moves to its cheapest cluster until no single move lowers the cost.

use ndarray::{Array2, ArrayView2};

use super::collapsed::{CollapsedState, Start};
use super::kernel::Kernel;
use super::{check_count, rng};
use crate::control::Control;
use crate::error::Result;
use crate::workers::Workers;

/// First temperature over the total variance.
const HOT: f64 = 2.0;
/// Last temperature over the variance within clusters, per column.
const COLD: f64 = 0.1;
/// The last temperature is never below this fraction of the first: duplicates have W = 0.
const FLOOR: f64 = 1e-6;
/// Greedy passes that estimate the variance within clusters.
const QUICK_PASSES: usize = 10;
/// Greedy passes at the end: a bound against cycles made by rounding, far above any need.
const LAST_PASSES: usize = 10_000;

/// How to anneal; [`AnnealParams::check`] turns it into something that can run.
#[derive(Debug, Clone, PartialEq)]
pub struct AnnealParams {
    /// Number of clusters K.
    pub n_clusters: usize,
    /// Temperatures, with one sweep each; 600 or more find the best assignment of easy data.
    pub n_sweeps: usize,
    /// The transition law.
    pub kernel: Kernel,
    /// Independent runs, of which the cheapest is kept.
    pub n_init: usize,
    /// Run r draws from stream r of this seed.
    pub seed: u64,
}

/// Parameters that [`AnnealParams::check`] found sound.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedAnnealParams(AnnealParams);

impl AnnealParams {
    /// Four runs of 600 sweeps of Metropolis for `n_clusters` clusters.
    pub fn new(n_clusters: usize) -> Self {
        Self { n_clusters, n_sweeps: 600, kernel: Kernel::Metropolis, n_init: 4, seed: 0 }
    }

    /// Check everything that does not depend on the data.
    pub fn check(self) -> Result<CheckedAnnealParams> {
        check_count("n_clusters", self.n_clusters)?;
        check_count("n_sweeps", self.n_sweeps)?;
        check_count("n_init", self.n_init)?;
        Ok(CheckedAnnealParams(self))
    }
}

/// The cheapest run of [`simulated_annealing`].
#[derive(Debug, Clone, PartialEq)]
pub struct Annealed {
    /// Label of every object.
    pub labels: Vec<u32>,
    /// Cost R of these labels.
    pub cost: f64,
    /// Cluster means, K x D.
    pub centroids: Array2<f64>,
    /// Temperature of every sweep, falling.
    pub temperatures: Vec<f64>,
    /// Cost after every sweep, before the final descent.
    pub costs: Vec<f64>,
    /// Whether the final descent ended where no single move lowers the cost.
    pub converged: bool,
    /// Final cost of every run.
    pub run_costs: Vec<f64>,
    /// Which run was kept.
    pub run: usize,
}

/// Search the cheapest assignment of the rows of `x`; progress counts sweeps.
///
/// Run r uses the random stream (seed, r) alone. Among equal costs the first run is kept.
pub fn simulated_annealing(
    x: ArrayView2<'_, f64>,
    params: &CheckedAnnealParams,
    control: &Control,
    workers: &Workers,
) -> Result<Annealed> {
    let p = &params.0;
    control.set_total(p.n_sweeps as u64 * p.n_init as u64);
    let mut runs = workers.map(p.n_init, |run| cool(x, p, run, control))?;
    let run_costs: Vec<f64> = runs.iter().map(|run| run.cost).collect();
    let run =
        (1..runs.len()).fold(0, |best, r| if run_costs[r] < run_costs[best] { r } else { best });
    Ok(Annealed { run_costs, ..runs.swap_remove(run) })
}

/// One run: estimate the schedule, cool, descend.
fn cool(
    x: ArrayView2<'_, f64>,
    p: &AnnealParams,
    run: usize,
    control: &Control,
) -> Result<Annealed> {
    let mut rng = rng::stream(p.seed, &[run as u64]);
    let mut state = CollapsedState::new(x, Start::Random, p.n_clusters, &mut rng, control)?;
    let temperatures = schedule(&state, p.n_sweeps, control)?;
    let mut costs = Vec::with_capacity(p.n_sweeps);
    for &temperature in &temperatures {
        if temperature > 0.0 {
            state.sweep(p.kernel, 1.0 / temperature, &mut rng, control)?;
        }
        costs.push(state.cost());
        control.advance(1.0 / temperature, state.cost());
    }
    let converged = state.descend(LAST_PASSES, control)?;
    Ok(Annealed {
        labels: state.labels().to_vec(),
        cost: state.cost(),
        centroids: state.centroids(),
        temperatures,
        costs,
        converged,
        run_costs: Vec::new(),
        run,
    })
}

/// Temperatures from 2 tr(C) down to 0.1 W; all 0 where all objects coincide.
fn schedule(state: &CollapsedState<'_>, n_sweeps: usize, control: &Control) -> Result<Vec<f64>> {
    let mut greedy = state.clone();
    let hot = HOT * greedy.total_variance(control)?;
    if hot <= 0.0 {
        return Ok(vec![0.0; n_sweeps]);
    }
    greedy.descend(QUICK_PASSES, control)?;
    let within = greedy.cost() / greedy.size() as f64;
    let cold = (COLD * within).clamp(FLOOR * hot, hot);
    let last = (n_sweeps - 1).max(1) as f64;
    Ok((0..n_sweeps).map(|t| hot * (cold / hot).powf(t as f64 / last)).collect())
}
