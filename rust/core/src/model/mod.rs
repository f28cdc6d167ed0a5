//! Models whose weights factorize over objects: a cost per object and cluster, and the update of its parameters.

mod centroid;
mod mixture;

use ndarray::{Array1, Array2, ArrayView2, Axis, Slice};

use crate::error::{Error, Result};
use crate::numeric::weighted_sums;

pub use mixture::FreeCovariance;

/// How the covariance of a component is treated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shape {
    /// Squared distances: h = |x - mu|^2.
    Distance,
    /// -ln N(x | mu, variance I) with a given variance.
    Fixed(f64),
    /// -ln N(x | mu, variance_k I).
    Spherical,
    /// -ln N(x | mu, diag(variances_k)).
    Diagonal,
    /// -ln N(x | mu, covariance_k).
    Full,
}

impl Shape {
    /// Whether covariances are estimated along with the means.
    pub fn is_free(self) -> bool {
        matches!(self, Self::Spherical | Self::Diagonal | Self::Full)
    }

    /// Numbers that describe one component's covariance in `d` dimensions.
    pub fn covariance_size(self, d: usize) -> usize {
        match self {
            Self::Distance | Self::Fixed(_) => 0,
            Self::Spherical => 1,
            Self::Diagonal => d,
            Self::Full => d * d,
        }
    }

    /// Factor a in h = a |x - mu|^2 + const of the shapes with fixed covariance.
    ///
    /// Mahalanobis distances of the free shapes carry the 1/2 of the Gaussian.
    pub fn scale(self) -> f64 {
        match self {
            Self::Distance => 1.0,
            Self::Fixed(variance) => 0.5 / variance,
            _ => 0.5,
        }
    }
}

/// K components: their means and, where free, their covariances.
#[derive(Debug, Clone)]
pub struct Components {
    means: Array2<f64>,
    shape: Shape,
    free: Option<FreeCovariance>,
}

/// Weighted sums over objects from which parameters are updated.
#[derive(Debug, Clone)]
pub struct Statistics {
    /// n_k = sum_i P_ik.
    pub masses: Array1<f64>,
    /// sum_i P_ik x_i.
    pub sums: Array2<f64>,
    /// Second moments sum_i P_ik x_i x_i^T, reduced to what the shape needs (K x size).
    pub seconds: Array2<f64>,
}

impl Statistics {
    /// Add another block's sums.
    pub fn add(&mut self, other: &Self) {
        self.masses += &other.masses;
        self.sums += &other.sums;
        self.seconds += &other.seconds;
    }
}

/// A cluster whose mass is below this keeps its old parameters.
pub const EMPTY_MASS: f64 = 1e-12;

impl Components {
    /// Components of a fixed shape at the given means.
    pub fn fixed(means: Array2<f64>, shape: Shape) -> Self {
        Self { means, shape, free: None }
    }

    /// Components with free covariances, all starting from the diagonal `variances`.
    pub fn free(means: Array2<f64>, shape: Shape, variances: &Array1<f64>, floor: f64) -> Self {
        let free = FreeCovariance::uniform(shape, means.nrows(), variances, floor);
        Self { means, shape, free: Some(free) }
    }

    /// Components with known parameters, as an earlier run reported them.
    ///
    /// `covariances` holds one row per component, of the size the shape asks for; `offset` is what
    /// the data will be centered by.
    pub fn known(
        means: ArrayView2<'_, f64>,
        shape: Shape,
        covariances: ArrayView2<'_, f64>,
        offset: &Array1<f64>,
    ) -> Result<Self> {
        let (k, d) = means.dim();
        let expected = (k, shape.covariance_size(d));
        if covariances.dim() != expected || offset.len() != d {
            let found =
                format!("has shape {:?} for {k} components in {d} columns", covariances.dim());
            return Err(Error::invalid("covariances", found, format!("give {expected:?}")));
        }
        let free = shape.is_free().then(|| FreeCovariance::known(shape, covariances, d));
        Ok(Self { means: &means - offset, shape, free })
    }

    /// Number of components K.
    pub fn len(&self) -> usize {
        self.means.nrows()
    }

    /// Whether there is no component at all.
    pub fn is_empty(&self) -> bool {
        self.means.nrows() == 0
    }

    /// Their means, relative to the data's offset (K x D).
    pub fn means(&self) -> &Array2<f64> {
        &self.means
    }

    /// The means, to be moved.
    pub fn means_mut(&mut self) -> &mut Array2<f64> {
        &mut self.means
    }

    /// How covariances are treated.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Free covariances, one row per component; None for fixed shapes.
    pub fn covariances(&self) -> Option<&Array2<f64>> {
        self.free.as_ref().map(FreeCovariance::covariances)
    }

    /// ln w_ik = -beta h_ik (+ log weight) of a block (D x rows), cluster-major (K x rows).
    ///
    /// A constant per object is left out where it costs time: [`Components::object_costs`] has it.
    pub fn scores(&self, x: &Array2<f64>, beta: f64, log_weights: Option<&[f64]>) -> Array2<f64> {
        match &self.free {
            None => centroid::scores(&self.means, self.shape, x, beta, log_weights),
            Some(free) => free.scores(self.means.view(), x, beta, log_weights),
        }
    }

    /// What [`Components::scores`] leaves out of every object's cost.
    pub fn object_costs(&self, x: &Array2<f64>) -> Vec<f64> {
        match &self.free {
            None => centroid::object_cost(self.shape, x.view()),
            Some(_) => vec![0.0; x.ncols()],
        }
    }

    /// Potentials h_ik of a block (D x rows), cluster-major (K x rows).
    pub fn potentials(&self, x: &Array2<f64>) -> Array2<f64> {
        let mut h = -self.scores(x, 1.0, None);
        h += &Array1::from(self.object_costs(x));
        h
    }

    /// Sums of a block (D x rows) weighted with probabilities `p` (K x rows).
    pub fn statistics(&self, x: &Array2<f64>, p: ArrayView2<'_, f64>) -> Statistics {
        let seconds = match &self.free {
            None => Array2::zeros((self.len(), 0)),
            Some(_) => mixture::second_moments(self.shape, x, p),
        };
        Statistics { masses: p.sum_axis(Axis(1)), sums: weighted_sums(p, x), seconds }
    }

    /// [`Components::statistics`] for weights that are not yet divided by the objects' `totals`.
    ///
    /// Dividing the D features instead of the K weights is less work, and one more row of ones
    /// gives the masses; only fixed shapes can use it.
    pub fn statistics_of_weights(
        &self,
        x: &Array2<f64>,
        weights: ArrayView2<'_, f64>,
        totals: &[f64],
    ) -> Statistics {
        let (d, rows) = x.dim();
        let mut scaled = Array2::ones((d + 1, rows));
        scaled.slice_axis_mut(Axis(0), Slice::from(0..d)).assign(x);
        let inverses: Array1<f64> = totals.iter().map(|total| 1.0 / total).collect();
        scaled *= &inverses;
        let sums = weighted_sums(weights, &scaled);
        let (sums, masses) = sums.view().split_at(Axis(1), d);
        let (sums, masses) = (sums.to_owned(), masses.column(0).to_owned());
        Statistics { masses, sums, seconds: Array2::zeros((self.len(), 0)) }
    }

    /// Maximize the expected weight: mu_k = sum P x / sum P, covariances likewise.
    ///
    /// Returns the largest move of a coordinate. Empty components stay where they are.
    pub fn update(&mut self, statistics: &Statistics) -> f64 {
        let moved = centroid::update_means(&mut self.means, statistics);
        if let Some(free) = &mut self.free {
            free.update(self.means.view(), statistics);
        }
        moved
    }

    /// Replace parameters by the average of `states` (kept sweeps of a sampler).
    pub fn average(states: &[Self]) -> Option<Self> {
        let mut mean = states.first()?.clone();
        for state in &states[1..] {
            mean.means += &state.means;
        }
        mean.means /= states.len() as f64;
        if let Some(free) = &mut mean.free {
            free.average(states.iter().filter_map(|s| s.free.as_ref()));
        }
        Some(mean)
    }

    /// Squared distance of two components, in units in which h = scale * distance.
    pub fn squared_distance(&self, a: usize, b: usize) -> f64 {
        let gap = &self.means.row(a) - &self.means.row(b);
        match &self.free {
            None => gap.dot(&gap),
            Some(free) => free.squared_distance(a, b, &gap),
        }
    }
}
