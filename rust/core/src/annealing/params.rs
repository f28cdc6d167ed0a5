//! What an annealing run needs to know, checked once.

use std::ops::Deref;

use crate::error::{Error, Result};
use crate::model::Shape;
use crate::sampling::Kernel;

/// How the state at one temperature is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solver {
    /// Deterministic annealing: assignments and centroids iterated to self-consistency.
    MeanField,
    /// Annealed Gibbs sampling of assignments, centroids at the members' mean.
    Gibbs,
    /// Collapsed sampling: centroids eliminated, assignments visited one at a time.
    Collapsed(Kernel),
}

/// Settings of an annealing run; `check` turns them into [`CheckedParams`].
#[derive(Debug, Clone, PartialEq)]
pub struct AnnealParams {
    /// Number of centroids K.
    pub n_clusters: usize,
    /// Cost of an object in a cluster.
    pub shape: Shape,
    /// How the state at one temperature is found.
    pub solver: Solver,
    /// Most iterations at one temperature.
    pub max_iter: usize,
    /// Converged when no coordinate moves by more than `tol` times the rms radius.
    pub tol: f64,
    /// Perturbation at every temperature, in mean standard deviations.
    pub noise: f64,
    /// Sweeps thrown away at each temperature (Gibbs).
    pub burn_in: usize,
    /// Sweeps averaged at each temperature (Gibbs).
    pub keep: usize,
    /// Whether Gibbs draws mu ~ N(mean, I / (2 beta n_k)); only safe while D K / (2 N) << 1.
    pub sample_means: bool,
    /// Cluster weights p_k enter the weights: for fitting, never for capacities.
    pub mass_constrained: bool,
    /// Added to free covariances, as a fraction of the mean variance.
    pub floor: f64,
    /// First inverse temperature; None: 0.9 of the critical one.
    pub start: Option<f64>,
    /// Last inverse temperature; None: hard assignments, at most 50 times the critical one.
    pub stop: Option<f64>,
    /// Temperatures from first to last.
    pub n_steps: usize,
}

impl Default for AnnealParams {
    fn default() -> Self {
        Self {
            n_clusters: 2,
            shape: Shape::Distance,
            solver: Solver::MeanField,
            max_iter: 100,
            tol: 1e-4,
            noise: 1e-2,
            burn_in: 10,
            keep: 10,
            sample_means: false,
            mass_constrained: false,
            floor: 1e-6,
            start: None,
            stop: None,
            n_steps: 60,
        }
    }
}

/// [`AnnealParams`] that a run can start from.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedParams(AnnealParams);

impl Deref for CheckedParams {
    type Target = AnnealParams;

    fn deref(&self) -> &AnnealParams {
        &self.0
    }
}

impl CheckedParams {
    /// Whether runs end as soon as assignments are hard.
    ///
    /// Free covariances end at beta = 1. With cluster weights one centroid alone is hard from the
    /// start, and hard assignments to few centroids say nothing about splits still to come.
    pub fn stops_when_hard(&self) -> bool {
        self.stop.is_none() && !self.shape.is_free() && !self.mass_constrained
    }
}

impl AnnealParams {
    /// Refuse settings that no run could use.
    pub fn check(self) -> Result<CheckedParams> {
        let positive = |name, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(Error::invalid(name, format!("is {value}"), "a positive number is needed"))
            }
        };
        let at_least_one = |name, value: usize| {
            if value >= 1 {
                Ok(())
            } else {
                Err(Error::invalid(name, "is 0", "at least 1 is needed"))
            }
        };
        at_least_one("n_clusters", self.n_clusters)?;
        at_least_one("max_iter", self.max_iter)?;
        at_least_one("keep", self.keep)?;
        at_least_one("n_steps", self.n_steps)?;
        positive("tol", self.tol)?;
        if let Shape::Fixed(variance) = self.shape {
            positive("variance", variance)?;
        }
        for (name, value) in [("noise", self.noise), ("reg_covar", self.floor)] {
            if !(value >= 0.0 && value.is_finite()) {
                let remedy = "zero or a positive number is needed";
                return Err(Error::invalid(name, format!("is {value}"), remedy));
            }
        }
        self.check_range(positive)?;
        if matches!(self.solver, Solver::Collapsed(_)) && self.shape.is_free() {
            let remedy = "use solver='mean_field' or 'gibbs' with free covariances";
            return Err(Error::invalid("solver", "eliminates centroids only", remedy));
        }
        if self.mass_constrained && (self.shape.is_free() || self.solver != Solver::MeanField) {
            let remedy = "use covariance='fixed' and solver='mean_field' with it";
            return Err(Error::invalid("mass_constrained", "is set", remedy));
        }
        Ok(CheckedParams(self))
    }

    fn check_range(&self, positive: impl Fn(&'static str, f64) -> Result<()>) -> Result<()> {
        for (name, given) in [("start", self.start), ("stop", self.stop)] {
            given.map_or(Ok(()), |value| positive(name, value))?;
        }
        match (self.start, self.stop) {
            (Some(start), Some(stop)) if stop < start => {
                let found = format!("is {stop}, below start = {start}");
                Err(Error::invalid("stop", found, "choose stop at or above start"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusable_settings_are_named() {
        let broken = [
            (AnnealParams { n_clusters: 0, ..Default::default() }, "n_clusters"),
            (AnnealParams { tol: 0.0, ..Default::default() }, "tol"),
            (AnnealParams { noise: f64::NAN, ..Default::default() }, "noise"),
            (AnnealParams { start: Some(2.0), stop: Some(1.0), ..Default::default() }, "stop"),
            (AnnealParams { shape: Shape::Fixed(-1.0), ..Default::default() }, "variance"),
            (
                AnnealParams { mass_constrained: true, shape: Shape::Full, ..Default::default() },
                "mass_constrained",
            ),
        ];
        for (params, name) in broken {
            let message = params.check().unwrap_err().to_string();
            assert!(message.starts_with(name), "{message}");
        }
        assert!(AnnealParams::default().check().is_ok());
    }
}
