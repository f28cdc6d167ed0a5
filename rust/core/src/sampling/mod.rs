//! Sampling assignments from p(c) ∝ exp(−β R(c)), R the k-means cost with centroids eliminated.
//!
//! [`collapsed`] holds the state of one chain, [`kernel`] its transition laws, [`anneal`] the
//! search for the cheapest assignment. [`sample`] runs chains at a fixed temperature.

// Array views are Copy, which this lint does not see.
#![allow(clippy::needless_pass_by_value)]

pub mod anneal;
pub mod collapsed;
pub mod kernel;

use ndarray::{Array2, Array3, ArrayView2};

pub use anneal::{AnnealParams, Annealed, CheckedAnnealParams, simulated_annealing};
pub use collapsed::{Average, CollapsedState, Start};
pub use kernel::Kernel;

use crate::control::Control;
use crate::error::{Error, Result};
use crate::rng;
use crate::workers::Workers;

/// What to sample; [`SampleParams::check`] turns it into something that can run.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleParams {
    /// Number of clusters K.
    pub n_clusters: usize,
    /// Inverse temperature β, in 1 / cost.
    pub beta: f64,
    /// The transition law.
    pub kernel: Kernel,
    /// Independent chains.
    pub n_chains: usize,
    /// Assignments recorded per chain.
    pub n_draws: usize,
    /// Sweeps before the first of them.
    pub burn_in: usize,
    /// Sweeps from one to the next.
    pub thin: usize,
    /// Chain c draws from stream c of this seed.
    pub seed: u64,
    /// Labels that every chain starts from; random ones without.
    pub start: Option<Vec<u32>>,
}

/// Parameters that [`SampleParams::check`] found sound.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedSampleParams(SampleParams);

impl SampleParams {
    /// Gibbs sampling of `n_clusters` clusters at `beta`: one chain, 100 sweeps of burn-in, 1000 draws.
    pub fn new(n_clusters: usize, beta: f64) -> Self {
        Self {
            n_clusters,
            beta,
            kernel: Kernel::Gibbs,
            n_chains: 1,
            n_draws: 1000,
            burn_in: 100,
            thin: 1,
            seed: 0,
            start: None,
        }
    }

    /// Check everything that does not depend on the data.
    pub fn check(self) -> Result<CheckedSampleParams> {
        check_beta(self.beta)?;
        for (name, value) in [
            ("n_clusters", self.n_clusters),
            ("n_chains", self.n_chains),
            ("n_draws", self.n_draws),
            ("thin", self.thin),
        ] {
            check_count(name, value)?;
        }
        Ok(CheckedSampleParams(self))
    }
}

/// Assignments drawn by [`sample`].
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    /// Labels, (chains, draws, objects).
    pub labels: Array3<u32>,
    /// Cost R of every draw, (chains, draws).
    pub costs: Array2<f64>,
}

/// Draw assignments of the rows of `x`; progress counts sweeps.
///
/// Chain c uses the random stream (seed, c) alone: neither the number of chains nor that of
/// threads changes what it draws.
pub fn sample(
    x: ArrayView2<'_, f64>,
    params: &CheckedSampleParams,
    control: &Control,
    workers: &Workers,
) -> Result<Samples> {
    let p = &params.0;
    let n = x.nrows();
    let sweeps = p.thin.checked_mul(p.n_draws).and_then(|kept| kept.checked_add(p.burn_in));
    let size = p.n_draws.checked_mul(n).and_then(|labels| labels.checked_mul(p.n_chains));
    let (Some(sweeps), Some(_)) = (sweeps, size) else {
        return Err(Error::invalid("n_draws", "asks for more than can be counted", "use less"));
    };
    control.set_total(sweeps as u64 * p.n_chains as u64);
    let mut chains = workers.map(p.n_chains, |chain| run_chain(x, p, chain as u64, control))?;
    let costs = chains.iter().flat_map(|chain| chain.1.iter().copied()).collect();
    // A single chain's draws are moved, not copied.
    let labels = if chains.len() == 1 {
        chains.swap_remove(0).0
    } else {
        chains.iter().flat_map(|chain| chain.0.iter().copied()).collect()
    };
    Ok(Samples {
        labels: Array3::from_shape_vec((p.n_chains, p.n_draws, n), labels).map_err(shape_error)?,
        costs: Array2::from_shape_vec((p.n_chains, p.n_draws), costs).map_err(shape_error)?,
    })
}

/// The draws of one chain: labels (draws x objects) and costs.
fn run_chain(
    x: ArrayView2<'_, f64>,
    p: &SampleParams,
    chain: u64,
    control: &Control,
) -> Result<(Vec<u32>, Vec<f64>)> {
    let mut rng = rng::stream(p.seed, &[chain]);
    let start = p.start.as_deref().map_or(Start::Random, Start::Labels);
    let mut state = CollapsedState::new(x, start, p.n_clusters, &mut rng, control)?;
    let mut labels = Vec::with_capacity(p.n_draws * x.nrows());
    let mut costs = Vec::with_capacity(p.n_draws);
    for sweep in 1..=p.burn_in + p.n_draws * p.thin {
        state.sweep(p.kernel, p.beta, &mut rng, control)?;
        control.advance(p.beta, state.cost());
        if sweep > p.burn_in && (sweep - p.burn_in).is_multiple_of(p.thin) {
            labels.extend_from_slice(state.labels());
            costs.push(state.cost());
        }
    }
    Ok((labels, costs))
}

fn shape_error(error: ndarray::ShapeError) -> Error {
    Error::invalid("n_draws", format!("does not fit into memory: {error}"), "use fewer draws")
}

fn check_beta(beta: f64) -> Result<()> {
    if beta.is_finite() && beta >= 0.0 {
        return Ok(());
    }
    Err(Error::invalid(
        "beta",
        format!("must be finite and at least 0: got {beta}"),
        "use simulated annealing for the limit of zero temperature",
    ))
}

fn check_count(name: &'static str, value: usize) -> Result<()> {
    if value > 0 {
        return Ok(());
    }
    Err(Error::invalid(name, "must be positive: got 0", "use 1 or more"))
}
