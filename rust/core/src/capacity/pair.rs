//! Two instances annealed in lock step: J(beta) = H + (1/N) sum_i log2 sum_k P1_ik P2_ik (Eq. 65).

use ndarray::{Array1, ArrayView2};

use super::overlap::{self, Matching, Overlap};
use crate::annealing::pass::{Weights, all_probabilities, statistics_under};
use crate::annealing::{Annealer, CheckedParams, HARD, Place, Scale, Step, best_restart};
use crate::data::{Data, pooled_mean};
use crate::error::{Error, Result};
use crate::live::{Live, LiveStep};
use crate::workers::Context;

/// How the second run is tied to the first (section 2.3 of the specification).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coupling {
    /// At each temperature the second run starts from the first one's centroids.
    Centroids,
    /// Independent runs; coincident centroids are merged before comparing.
    Merge,
    /// The second run starts from the M-step with the first one's probabilities.
    Responsibilities,
    /// Independent runs, labels aligned.
    Independent,
}

/// Hard assignments still gain agreement while they harden: go on until a step adds less, in bits.
const PLATEAU: f64 = 1e-4;

/// Two measurements of the same objects.
pub struct PairData<'a> {
    /// First instance.
    pub first: Data<'a>,
    /// Second instance.
    pub second: Data<'a>,
    /// Both live in one vector space.
    pub same_space: bool,
}

impl<'a> PairData<'a> {
    /// Row i of `first` and row i of `second` are one object; in one space both share an offset.
    pub fn new(
        first: ArrayView2<'a, f64>,
        second: ArrayView2<'a, f64>,
        same_space: bool,
    ) -> Result<Self> {
        if first.nrows() != second.nrows() {
            let found = format!("has {} rows, the first {}", second.nrows(), first.nrows());
            let remedy = "give one row per object, in the same order in both";
            return Err(Error::invalid("second instance", found, remedy));
        }
        if same_space && first.ncols() == second.ncols() {
            let offset = pooled_mean(first, second);
            let (first, second) = (Data::new(first, offset.clone())?, Data::new(second, offset)?);
            return Ok(Self { first, second, same_space: true });
        }
        let (first, second) = (Data::centered(first)?, Data::centered(second)?);
        Ok(Self { first, second, same_space: false })
    }
}

/// Both instances and their agreement at one temperature.
#[derive(Debug, Clone)]
pub struct PairStep {
    /// First instance.
    pub first: Step,
    /// Second instance.
    pub second: Step,
    /// How their clusters correspond, and how far they agree.
    pub overlap: Overlap,
}

/// Both instances between temperatures.
pub struct PairAnnealer {
    first: Annealer,
    second: Annealer,
    coupling: Coupling,
}

impl PairAnnealer {
    /// Place both at the start; `scales` were measured on the two instances.
    pub fn start(
        data: &PairData<'_>,
        scales: &[Scale; 2],
        params: &CheckedParams,
        coupling: Coupling,
        places: [Place; 2],
        context: Context<'_>,
    ) -> Result<Self> {
        if params.mass_constrained {
            let remedy = "fit with it, but measure capacities without cluster weights";
            return Err(Error::invalid("mass_constrained", "makes capacities too large", remedy));
        }
        if coupling == Coupling::Centroids && !data.same_space {
            let found = "is 'centroids', but the instances have different columns";
            return Err(Error::invalid("coupling", found, "use 'merge'"));
        }
        let first = Annealer::start(&data.first, &scales[0], params, places[0], context)?;
        let second = Annealer::start(&data.second, &scales[1], params, places[1], context)?;
        Ok(Self { first, second, coupling })
    }

    /// Settle both at `beta`, align their labels, measure their agreement.
    pub fn step(
        &mut self,
        data: &PairData<'_>,
        beta: f64,
        context: Context<'_>,
    ) -> Result<PairStep> {
        let first = self.first.step(&data.first, beta, context)?;
        match self.coupling {
            Coupling::Centroids => self.second.start_from(&first.model),
            Coupling::Responsibilities => {
                let mut model = self.second.model().clone();
                let weights = Weights::equal(beta);
                let (from, to) = (&data.first, &data.second);
                let moments = statistics_under(from, &first.model, weights, to, &model, context)?;
                model.update(&moments);
                self.second.start_from(&model);
            }
            Coupling::Merge | Coupling::Independent => {}
        }
        let second = self.second.step(&data.second, beta, context)?;
        let matching = if self.coupling == Coupling::Merge {
            Matching::Groups([&first.groups, &second.groups])
        } else {
            Matching::Clusters
        };
        let overlap =
            overlap::measure(data, [&first.model, &second.model], beta, matching, context)?;
        Ok(PairStep { first, second, overlap })
    }
}

/// Everything measured along the way, rising in beta.
pub struct PairRun {
    /// Steps of both instances.
    pub steps: Vec<PairStep>,
    /// The restarts that won, one per instance.
    pub restarts: [u64; 2],
}

/// Choose the best restarts, then anneal both in lock step over `betas` (rising).
pub fn run(
    data: &PairData<'_>,
    params: &CheckedParams,
    coupling: Coupling,
    betas: &[f64],
    seed: u64,
    n_init: usize,
    context: Context<'_>,
) -> Result<PairRun> {
    let scales = [Scale::measure(&data.first, context)?, Scale::measure(&data.second, context)?];
    let mut places = [0, 1].map(|instance| Place { seed, restart: 0, instance });
    let both = [&data.first, &data.second];
    // A coupled second run has no life of its own to restart.
    let own = matches!(coupling, Coupling::Merge | Coupling::Independent);
    let starts = if n_init > 1 { n_init * (1 + usize::from(own)) } else { 0 };
    context.control.set_total((betas.len() * (starts + 1)) as u64);
    for instance in 0..2 {
        if instance == 0 || own {
            let (one, scale) = (both[instance], &scales[instance]);
            let place = places[instance];
            places[instance].restart =
                best_restart(one, scale, params, betas, place, n_init, context)?.0;
        }
    }
    let mut annealer = PairAnnealer::start(data, &scales, params, coupling, places, context)?;
    let free = params.shape.is_free();
    let mut steps = Vec::with_capacity(betas.len());
    for t in 0..betas.len() {
        let beta = if free { betas[betas.len() - 1 - t] } else { betas[t] };
        let step = annealer.step(data, beta, context)?;
        context.control.advance(beta, step.first.cost);
        if let Some(live) = context.control.live() {
            live.push(observed(data, &step, live, context)?);
        }
        let hard = step.first.softness < HARD && step.second.softness < HARD;
        let before = steps.last().map_or(f64::NEG_INFINITY, |s: &PairStep| s.overlap.agreement);
        let settled = hard && step.overlap.agreement - before < PLATEAU;
        steps.push(step);
        if settled && params.stops_when_hard() {
            break;
        }
    }
    if free {
        steps.reverse();
    }
    Ok(PairRun { steps, restarts: places.map(|place| place.restart) })
}

/// What a watcher sees of `step`.
fn observed(
    data: &PairData<'_>,
    step: &PairStep,
    live: &Live,
    context: Context<'_>,
) -> Result<LiveStep> {
    let one = &step.first;
    let weights = Weights::equal(one.beta);
    let probabilities = live
        .wants_probabilities()
        .then(|| all_probabilities(&data.first, &one.model, weights, context))
        .transpose()?;
    Ok(LiveStep {
        beta: one.beta,
        agreement: step.overlap.agreement,
        entropy: step.overlap.entropy,
        n_clusters: one.n_clusters,
        masses: one.masses.clone(),
        groups: one.groups.clone(),
        centroids: Some(one.model.means() + data.first.offset()),
        probabilities,
    })
}

/// Columns of a run: what the capacity curve is made of.
pub struct PairCurve {
    /// Inverse temperatures.
    pub betas: Array1<f64>,
    /// (1/N) sum_i log2 sum_k P1 P2, bits per object.
    pub agreement: Array1<f64>,
    /// Entropy of the aligned mean masses at the same temperature, bits.
    pub entropy: Array1<f64>,
    /// Mean over objects of the second instance's cost under the first one's solution.
    pub transfer_cost: Array1<f64>,
    /// Slot of each of the second instance's clusters at every temperature (T x K).
    pub slots: ndarray::Array2<i64>,
}

impl PairRun {
    /// The columns of the curve.
    pub fn curve(&self) -> PairCurve {
        let steps = &self.steps;
        let k = steps.first().map_or(0, |s| s.overlap.slots[1].len());
        PairCurve {
            betas: steps.iter().map(|s| s.first.beta).collect(),
            agreement: steps.iter().map(|s| s.overlap.agreement).collect(),
            entropy: steps.iter().map(|s| s.overlap.entropy).collect(),
            transfer_cost: steps.iter().map(|s| s.overlap.transfer_cost).collect(),
            slots: ndarray::Array2::from_shape_fn((steps.len(), k), |(t, c)| {
                steps[t].overlap.slots[1][c] as i64
            }),
        }
    }
}
