//! Whole runs: from the first temperature to the last, and the best of several.

use super::annealer::{Annealer, Place, Scale};
use super::params::CheckedParams;
use super::schedule::HARD;
use super::trajectory::Step;
use crate::data::Data;
use crate::error::Result;
use crate::workers::{Context, Workers};

/// From this many objects on, one restart alone keeps all threads busy.
const LARGE: usize = 20_000;

/// Anneal over `betas` (rising), handing every step to `each`; ends early when assignments are hard.
///
/// Free covariances are followed from the last temperature to the first, all others from the first
/// to the last.
pub fn run(
    annealer: &mut Annealer,
    data: &Data<'_>,
    betas: &[f64],
    context: Context<'_>,
    mut each: impl FnMut(Step),
) -> Result<()> {
    let free = annealer.params().shape.is_free();
    let stop_when_hard = annealer.params().stops_when_hard();
    for t in 0..betas.len() {
        let beta = if free { betas[betas.len() - 1 - t] } else { betas[t] };
        let step = annealer.step(data, beta, context)?;
        let hard = step.softness < HARD;
        context.control.advance(beta, step.cost);
        each(step);
        if hard && stop_when_hard {
            break;
        }
    }
    Ok(())
}

/// The restart whose final state is best, with the final costs of all.
///
/// Only costs are kept: the winner is annealed again from its number.
pub fn best_restart(
    data: &Data<'_>,
    scale: &Scale,
    params: &CheckedParams,
    betas: &[f64],
    place: Place,
    n_init: usize,
    context: Context<'_>,
) -> Result<(u64, Vec<f64>)> {
    if n_init <= 1 {
        return Ok((place.restart, Vec::new()));
    }
    let alone = Workers::new(1)?;
    let large = data.n_objects() >= LARGE;
    let (outer, inner) = if large { (&alone, context.workers) } else { (context.workers, &alone) };
    let inner = Context { workers: inner, ..context };
    let costs = outer.map(n_init, |restart| {
        let place = Place { restart: restart as u64, ..place };
        let mut annealer = Annealer::start(data, scale, params, place, inner)?;
        let mut first = None;
        let mut last = f64::INFINITY;
        run(&mut annealer, data, betas, inner, |step| {
            first.get_or_insert(step.free_energy);
            last = step.cost;
        })?;
        // Free covariances meet beta = 1 first: their free energy there is the negative likelihood.
        Ok(if params.shape.is_free() { first.unwrap_or(last) } else { last })
    })?;
    let best = (0..costs.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or(0);
    Ok((best as u64, costs))
}
