//! Clustering of pairwise similarities: cost functions, annealing, sampling and their capacities.
//!
//! q is N x K with rows on the simplex; S a symmetric similarity, known only through products and
//! through the fields g_ik = sum_{j != i} S_ij q_jk; every pair sum runs over unordered pairs. The
//! numbers of sections refer to the specification of the graph models, equations to the thesis
//! "Information-theoretic validation of clustering algorithms" (2013).

mod critical;
mod gibbs;
mod local_search;
mod mean_field;
mod normalized_cut;
pub mod pair;
mod pairwise;
mod quadratic;
mod ratio_cut;
mod replay;
mod restarts;
mod run;
mod search;
mod starts;
mod step;
mod sweep;
mod totals;
mod twins;

use ndarray::{Array1, Array2, ArrayView2, Axis};

pub use critical::{critical_beta, grid};
pub use gibbs::sample;
pub use local_search::{descend, labels_of, one_hot};
pub use mean_field::{Settled, Settling, settle};
pub use ratio_cut::phi;
pub use replay::Replay;
pub use restarts::{Fitted, Winner, best_plan, fit};
pub use run::{State, Task};
pub use search::{Found, search, search_from};
pub use starts::{Plan, Start};
pub use step::{Columns, Step};
pub use totals::{Object, Totals};

use crate::error::{Error, Result};
use crate::similarity::Similarity;
use crate::workers::Context;

/// A cost function on similarities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cost {
    /// Correlation clustering, equal to Min Cut and Max Cor up to a constant.
    Correlation,
    /// The negative of [`Cost::Correlation`].
    MaxCut,
    /// -1/2 sum_k A_k / n_k.
    Pairwise,
    /// K - sum_k A_k / V_k.
    NormalizedCut,
    /// sum_k (V_k - A_k) / n_k.
    RatioCut,
    /// sum_{u<v} L_uv phi_p(n_u, n_v) with this p >= 1.
    AdaptiveRatioCut(f64),
}

impl Cost {
    /// The cost function called `name`; `p` is read by "adaptive_ratio_cut" only.
    pub fn parse(name: &str, p: f64) -> Result<Self> {
        match name {
            "correlation" => Ok(Self::Correlation),
            "max_cut" => Ok(Self::MaxCut),
            "pairwise" => Ok(Self::Pairwise),
            "normalized_cut" => Ok(Self::NormalizedCut),
            "adaptive_ratio_cut" if p.is_nan() || p < 1.0 || p.is_infinite() => {
                Err(Error::invalid("p", format!("is {p}"), "choose a number of at least 1"))
            }
            // p = 2 is Ratio Cut, which needs O(K) per object instead of O(K^2).
            "adaptive_ratio_cut" if p == 2.0 => Ok(Self::RatioCut),
            "adaptive_ratio_cut" => Ok(Self::AdaptiveRatioCut(p)),
            other => {
                let remedy = "use 'correlation', 'max_cut', 'pairwise', 'normalized_cut' or \
                              'adaptive_ratio_cut'";
                Err(Error::invalid("cost", format!("is '{other}'"), remedy))
            }
        }
    }

    /// Whether the diagonal of S plays no part, so that a shift does not touch it either.
    pub fn ignores_diagonal(self) -> bool {
        matches!(self, Self::Correlation | Self::MaxCut)
    }

    /// Whether solutions with isolated objects may have the lowest cost (section 3).
    pub fn favors_singletons(self) -> bool {
        matches!(self, Self::NormalizedCut | Self::RatioCut | Self::AdaptiveRatioCut(_))
    }

    fn needs_links(self) -> bool {
        matches!(self, Self::AdaptiveRatioCut(_))
    }

    /// R from its sums.
    pub fn value(self, totals: &Totals) -> f64 {
        match self {
            Self::Correlation => quadratic::cost(totals, 1.0),
            Self::MaxCut => quadratic::cost(totals, -1.0),
            Self::Pairwise => pairwise::cost(totals),
            Self::NormalizedCut => normalized_cut::cost(totals),
            Self::RatioCut => ratio_cut::ratio_cost(totals),
            Self::AdaptiveRatioCut(p) => ratio_cut::adaptive_cost(totals, p),
        }
    }

    /// h_ik = R(q with row i := e_k) up to a constant over k; `rest` are the sums without object i.
    pub fn potentials(self, rest: &Totals, object: Object<'_>, out: &mut [f64]) {
        match self {
            Self::Correlation => quadratic::potentials(object, 1.0, out),
            Self::MaxCut => quadratic::potentials(object, -1.0, out),
            Self::Pairwise => pairwise::potentials(rest, object, out),
            Self::NormalizedCut => normalized_cut::potentials(rest, object, out),
            Self::RatioCut => ratio_cut::ratio_potentials(rest, object, out),
            Self::AdaptiveRatioCut(p) => ratio_cut::adaptive_potentials(rest, object, p, out),
        }
    }
}

/// A similarity with its shift, under a cost function.
///
/// The shift is a rank-one term: off the diagonal where the cost ignores it, everywhere otherwise.
pub struct Graph<'a> {
    similarity: &'a dyn Similarity,
    cost: Cost,
    shift: f64,
    own: Vec<f64>,
    degrees: Vec<f64>,
}

impl<'a> Graph<'a> {
    /// Measure diagonal and degrees of the shifted similarity.
    pub fn new(
        similarity: &'a dyn Similarity,
        cost: Cost,
        shift: f64,
        context: Context<'_>,
    ) -> Result<Self> {
        if similarity.is_empty() {
            return Err(Error::invalid("S", "has no objects", "give at least one"));
        }
        if !shift.is_finite() {
            return Err(Error::invalid("shift", format!("is {shift}"), "choose a finite number"));
        }
        let own = similarity.diagonal().iter();
        let own =
            own.map(|a| if cost.ignores_diagonal() { 0.0 } else { a + shift }).collect::<Vec<_>>();
        let mut graph = Self { similarity, cost, shift, own, degrees: Vec::new() };
        let ones = Array2::ones((similarity.len(), 1));
        graph.degrees = graph.product(ones.view(), context)?.into_iter().collect();
        graph.check_degrees()?;
        Ok(graph)
    }

    fn check_degrees(&self) -> Result<()> {
        let scale = self.degrees.iter().fold(0.0, |top: f64, d| top.max(d.abs()));
        let negative = self.degrees.iter().position(|&d| d < -1e-9 * scale);
        match negative {
            Some(i) if self.cost == Cost::NormalizedCut => {
                let found =
                    format!("has a negative degree: object {i} sums to {}", self.degrees[i]);
                let remedy = "raise the shift, or leave it at 'auto'";
                Err(Error::invalid("S", found, remedy))
            }
            _ => Ok(()),
        }
    }

    /// Number of objects N.
    pub fn len(&self) -> usize {
        self.own.len()
    }

    /// Whether there are no objects; never true of a graph that was made.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// The cost function.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// The degrees d_i, shift included.
    pub fn degrees(&self) -> &[f64] {
        &self.degrees
    }

    /// S q of the similarity as the cost function sees it.
    pub fn product(&self, q: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Array2<f64>> {
        let mut product = self.similarity.matmul(q, context)?;
        let sizes: Array1<f64> = q.sum_axis(Axis(0));
        for (i, (mut out, row)) in product.rows_mut().into_iter().zip(q.rows()).enumerate() {
            let excess = self.own[i] - self.similarity.diagonal()[i] - self.shift;
            for ((value, &share), size) in out.iter_mut().zip(row).zip(&sizes) {
                *value += self.shift * size + excess * share;
            }
        }
        Ok(product)
    }

    /// The sums of `q`.
    pub fn totals(&self, q: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Totals> {
        let product = self.product(q, context)?;
        Ok(Totals::new(q, &product, &self.degrees, self.cost.needs_links()))
    }

    /// R of a soft assignment (plug-in) or, with one-hot rows, of a hard one.
    pub fn cost_of(&self, q: ArrayView2<'_, f64>, context: Context<'_>) -> Result<f64> {
        Ok(self.cost.value(&self.totals(q, context)?))
    }

    /// h_ik of every object with all others held fixed (N x K), up to a constant per row.
    pub fn potentials(&self, q: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Array2<f64>> {
        let product = self.product(q, context)?;
        let totals = Totals::new(q, &product, &self.degrees, self.cost.needs_links());
        let mut out = Array2::zeros(q.dim());
        let mut rest = totals.clone();
        for (i, mut h) in out.rows_mut().into_iter().enumerate() {
            let row = q.row(i).to_vec();
            let own = self.own[i];
            let field: Vec<f64> =
                product.row(i).iter().zip(&row).map(|(sum, share)| sum - own * share).collect();
            let object = Object { field: &field, own, degree: self.degrees[i] };
            rest.copy_from(&totals);
            rest.remove(&row, object);
            if let Some(h) = h.as_slice_mut() {
                self.cost.potentials(&rest, object, h);
            }
        }
        Ok(out)
    }
}
