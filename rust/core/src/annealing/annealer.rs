//! One instance of data on its way through temperatures.

use ndarray::{Array1, Array2};

use super::mass_constrained::Codebook;
use super::params::{CheckedParams, Solver};
use super::pass::{
    Assignment, Weights, all_probabilities, full_pass, statistics_under, update_pass,
};
use super::schedule::{HARD, critical_beta, grid};
use super::trajectory::Step;
use crate::data::Data;
use crate::error::{Error, Result};
use crate::model::{Components, Shape, Statistics};
use crate::rng::{fill_normal, stream};
use crate::sampling::{CollapsedState, Kernel, Start};
use crate::workers::Context;

/// Variances beyond these leave no room for squares and inverse temperatures in a float.
const SMALLEST: f64 = 1e-140;
const LARGEST: f64 = 1e140;

/// Lengths that a data set suggests.
#[derive(Debug, Clone)]
pub struct Scale {
    /// Variance of every feature.
    pub variances: Array1<f64>,
    /// Largest eigenvalue of the covariance (1/N).
    pub largest_variance: f64,
}

impl Scale {
    /// Measure `data`.
    pub fn measure(data: &Data<'_>, context: Context<'_>) -> Result<Self> {
        let variances = data.variances(context)?;
        let largest_variance =
            if variances.sum() > 0.0 { data.principal_axis(context)?.value } else { 0.0 };
        if largest_variance != 0.0 && !(SMALLEST..=LARGEST).contains(&largest_variance) {
            let found = format!("has a largest variance of {largest_variance:.1e}");
            let remedy = "rescale the columns, for example to unit variance";
            return Err(Error::invalid("X", found, remedy));
        }
        Ok(Self { variances, largest_variance })
    }

    /// Mean standard deviation of the features.
    fn spread(&self) -> f64 {
        self.variances.mapv(f64::sqrt).mean().unwrap_or(0.0)
    }

    /// Root of the mean squared distance from the mean.
    fn radius(&self) -> f64 {
        self.variances.sum().sqrt()
    }
}

/// Where in a computation an annealer stands; names its random streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The user's seed.
    pub seed: u64,
    /// Restart number.
    pub restart: u64,
    /// 0 for the first, 1 for the second instance.
    pub instance: u64,
}

/// Tags that keep the streams of different purposes apart.
const PERTURB: u64 = 1;
const SWEEP: u64 = 2;
const DRAW_MEANS: u64 = 3;
const COLLAPSED: u64 = 4;

/// The state of one instance between temperatures.
#[derive(Debug, Clone)]
pub struct Annealer {
    params: CheckedParams,
    scale: Scale,
    place: Place,
    state: Components,
    codebook: Option<Codebook>,
    /// Where a collapsed sampler stands; None before its first temperature or after a fresh start.
    labels: Option<Vec<u32>>,
    steps: u64,
}

impl Annealer {
    /// All centroids at the mean; free covariances start from a finished k-means annealing.
    pub fn start(
        data: &Data<'_>,
        scale: &Scale,
        params: &CheckedParams,
        place: Place,
        context: Context<'_>,
    ) -> Result<Self> {
        let means = Array2::zeros((params.n_clusters, data.n_features()));
        let shape = if params.shape.is_free() { Shape::Distance } else { params.shape };
        let mut annealer = Self {
            params: params.clone(),
            scale: scale.clone(),
            place,
            state: Components::fixed(means, shape),
            codebook: params.mass_constrained.then(|| Codebook::new(params.n_clusters)),
            labels: None,
            steps: 0,
        };
        if params.shape.is_free() {
            annealer.prepare_free(data, context)?;
        }
        Ok(annealer)
    }

    /// Free covariances: cool the k-means cost to hard assignments, then take their moments.
    ///
    /// Cooling the mixture itself would not split: with covariances that whiten the data the first
    /// critical inverse temperature is exactly 1, the end of the meaningful range. So the solution
    /// is found at beta = 1 and followed upwards in temperature.
    fn prepare_free(&mut self, data: &Data<'_>, context: Context<'_>) -> Result<()> {
        let shape = self.params.shape;
        let mut plain = (*self.params).clone();
        (plain.shape, plain.start, plain.stop) = (Shape::Distance, None, None);
        plain.solver = Solver::MeanField;
        let plain = plain.check()?;
        let free_params = std::mem::replace(&mut self.params, plain);
        let floor = free_params.floor * self.scale.variances.mean().unwrap_or(0.0);
        let floor = floor.max(f64::MIN_POSITIVE.sqrt());
        let mut beta = 1.0;
        if self.scale.largest_variance > 0.0 {
            let critical = critical_beta(Shape::Distance, self.scale.largest_variance);
            for next in grid(&self.params, [critical; 2]) {
                beta = next;
                if self.step(data, beta, context)?.softness < HARD {
                    break;
                }
            }
        }
        self.params = free_params;
        let means = self.state.means().clone();
        let mut model = Components::free(means, shape, &self.scale.variances, floor);
        let hard = self.state.clone();
        let weights = Weights::equal(beta);
        let moments = statistics_under(data, &hard, weights, data, &model, context)?;
        model.update(&moments);
        self.state = model;
        Ok(())
    }

    /// The parameters as they stand.
    pub fn model(&self) -> &Components {
        &self.state
    }

    /// Go on from another run's parameters.
    pub fn start_from(&mut self, model: &Components) {
        self.state = model.clone();
        self.labels = None;
    }

    /// The settings.
    pub fn params(&self) -> &CheckedParams {
        &self.params
    }

    /// Settle at inverse temperature `beta` and describe the state reached.
    pub fn step(&mut self, data: &Data<'_>, beta: f64, context: Context<'_>) -> Result<Step> {
        let run = Run { data, beta, context };
        let (reported, iterations, converged) = match (self.params.solver, &mut self.codebook) {
            (Solver::MeanField, Some(codebook)) => {
                let (iterations, converged) =
                    codebook.settle(&mut self.state, &self.params, self.scale.radius(), &run)?;
                (self.state.clone(), iterations, converged)
            }
            (Solver::MeanField, None) => {
                let (iterations, converged) = self.settle(&run)?;
                (self.state.clone(), iterations, converged)
            }
            (Solver::Collapsed(kernel), _) => {
                let sweeps = self.params.burn_in + self.params.keep;
                (self.collapsed_sweeps(kernel, &run)?, sweeps, true)
            }
            (Solver::Gibbs, _) => {
                (self.sweeps(&run)?, self.params.burn_in + self.params.keep, true)
            }
        };
        self.steps += 1;
        let log_weights = self.codebook.as_ref().map(Codebook::log_weights);
        let weights = Weights { beta, log_weights };
        let seen = full_pass(data, &reported, weights, context)?;
        if !(seen.cost.is_finite() && seen.log_partition.is_finite()) {
            let found = format!("cannot be annealed: costs overflow at beta = {beta:.3e}");
            let remedy = "rescale the columns, or choose a smaller stop or noise";
            return Err(Error::invalid("X", found, remedy));
        }
        Ok(Step::new(beta, reported, &seen, iterations, converged))
    }

    /// Deterministic annealing at one temperature (section 2.1 of the specification).
    fn settle(&mut self, run: &Run<'_, '_>) -> Result<(usize, bool)> {
        if !self.params.shape.is_free() || !self.state.shape().is_free() {
            self.perturb();
        }
        let limit = self.params.tol * self.scale.radius();
        for iteration in 1..=self.params.max_iter {
            let seen = run.pass(&self.state, None, &Assignment::Soft)?;
            if self.state.update(&seen) <= limit {
                return Ok((iteration, true));
            }
        }
        Ok((self.params.max_iter, false))
    }

    /// Fresh noise for every centroid: lets coincident centroids leave an unstable state.
    fn perturb(&mut self) {
        let size = self.params.noise * self.scale.spread();
        let mut rng = self.stream(PERTURB, &[]);
        let mut noise = Array2::zeros(self.state.means().dim());
        fill_normal(&mut rng, &mut noise);
        self.state.means_mut().scaled_add(size, &noise);
    }

    /// Annealed Gibbs sampling at one temperature (section 2.2): the average of the kept sweeps.
    fn sweeps(&mut self, run: &Run<'_, '_>) -> Result<Components> {
        let mut kept = Vec::with_capacity(self.params.keep);
        for sweep in 0..(self.params.burn_in + self.params.keep) as u64 {
            let generator = |block: usize| self.stream(SWEEP, &[sweep, block as u64]);
            let seen = run.pass(&self.state, None, &Assignment::Sampled(&generator))?;
            let masses = seen.masses.clone();
            self.state.update(&seen);
            if self.params.sample_means && !self.state.shape().is_free() {
                self.draw_means(sweep, &masses, run.beta);
            }
            if sweep >= self.params.burn_in as u64 {
                kept.push(self.state.clone());
            }
        }
        Ok(Components::average(&kept).unwrap_or_else(|| self.state.clone()))
    }

    /// Collapsed sampling at one temperature: the average of the kept sweeps' centroids.
    fn collapsed_sweeps(&mut self, kernel: Kernel, run: &Run<'_, '_>) -> Result<Components> {
        let (data, control) = (run.data, run.context.control);
        let mut rng = self.stream(COLLAPSED, &[]);
        let k = self.params.n_clusters;
        let given = match self.labels.take() {
            None if self.steps > 0 => Some(self.likeliest_labels(run)?),
            known => known,
        };
        let start = given.as_deref().map_or(Start::Random, Start::Labels);
        let mut chain = CollapsedState::new(data.raw(), start, k, &mut rng, control)?;
        // The sampler's cost is |x - mu|^2; the shape's scale belongs to beta.
        let beta = run.beta * self.state.shape().scale();
        let (burn_in, keep) = (self.params.burn_in, self.params.keep);
        let average = chain.sweeps(kernel, beta, burn_in, keep, &mut rng, control)?;
        self.labels = Some(chain.labels().to_vec());
        let means = &average.centroids - data.offset();
        self.state = Components::fixed(means, self.state.shape());
        Ok(self.state.clone())
    }

    /// The likeliest cluster of every object under the present parameters.
    fn likeliest_labels(&self, run: &Run<'_, '_>) -> Result<Vec<u32>> {
        let weights = Weights::equal(run.beta);
        let p = all_probabilities(run.data, &self.state, weights, run.context)?;
        let best = |row: ndarray::ArrayView1<'_, f64>| {
            (0..row.len()).max_by(|&a, &b| row[a].total_cmp(&row[b]).then(b.cmp(&a))).unwrap_or(0)
        };
        Ok(p.outer_iter().map(|row| best(row) as u32).collect())
    }

    /// mu_k += N(0, I / (2 a beta n_k)), the exact conditional law of a centroid.
    fn draw_means(&mut self, sweep: u64, masses: &Array1<f64>, beta: f64) {
        let mut noise = Array2::zeros(self.state.means().dim());
        fill_normal(&mut self.stream(DRAW_MEANS, &[sweep]), &mut noise);
        let precision = 2.0 * self.state.shape().scale() * beta;
        for (k, mut line) in noise.outer_iter_mut().enumerate() {
            let size = if masses[k] > 0.0 { (precision * masses[k]).sqrt().recip() } else { 0.0 };
            line *= size;
        }
        *self.state.means_mut() += &noise;
    }

    fn stream(&self, purpose: u64, rest: &[u64]) -> rand_chacha::ChaCha8Rng {
        let Place { seed, restart, instance } = self.place;
        let head = [restart, instance, purpose, self.steps];
        stream(seed, &[&head, rest].concat())
    }
}

/// What stays the same while one temperature is worked on.
pub(super) struct Run<'a, 'd> {
    pub data: &'a Data<'d>,
    pub beta: f64,
    pub context: Context<'a>,
}

impl Run<'_, '_> {
    pub fn pass(
        &self,
        model: &Components,
        log_weights: Option<&[f64]>,
        assignment: &Assignment<'_>,
    ) -> Result<Statistics> {
        let weights = Weights { beta: self.beta, log_weights };
        update_pass(self.data, model, weights, assignment, self.context)
    }
}
