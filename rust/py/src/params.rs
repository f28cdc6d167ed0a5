//! Settings of an annealing run as a Python value, checked when it is made.

use gencap_core::Error;
use gencap_core::annealing::{self, CheckedParams, Solver};
use gencap_core::capacity::pair::Coupling;
use gencap_core::model::Shape;
use gencap_core::sampling::Kernel;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::to_py;

/// Checked settings; the keyword names are those of `gencap_core::annealing::AnnealParams`.
#[pyclass(name = "AnnealParams", module = "gencap._core", frozen)]
pub struct PyParams {
    pub checked: CheckedParams,
}

#[pymethods]
impl PyParams {
    #[new]
    #[pyo3(signature = (**settings))]
    fn new(settings: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut params = annealing::AnnealParams::default();
        let mut variance = 1.0;
        let mut shape = String::from("distance");
        for (key, value) in settings.into_iter().flatten() {
            match key.extract::<String>()?.as_str() {
                "n_clusters" => params.n_clusters = value.extract()?,
                "shape" => shape = value.extract()?,
                "variance" => variance = value.extract()?,
                "solver" => params.solver = parse_solver(&value.extract::<String>()?)?,
                "max_iter" => params.max_iter = value.extract()?,
                "tol" => params.tol = value.extract()?,
                "noise" => params.noise = value.extract()?,
                "burn_in" => params.burn_in = value.extract()?,
                "keep" => params.keep = value.extract()?,
                "sample_means" => params.sample_means = value.extract()?,
                "mass_constrained" => params.mass_constrained = value.extract()?,
                "reg_covar" => params.floor = value.extract()?,
                "start" => params.start = value.extract()?,
                "stop" => params.stop = value.extract()?,
                "n_steps" => params.n_steps = value.extract()?,
                other => return Err(unknown("setting", other, "see gencap.Annealing")),
            }
        }
        params.shape = parse_shape(&shape, variance)?;
        Ok(Self { checked: params.check().map_err(to_py)? })
    }

    /// Whether runs end as soon as assignments are hard.
    #[getter]
    fn stops_when_hard(&self) -> bool {
        self.checked.stops_when_hard()
    }
}

fn unknown(what: &'static str, found: &str, remedy: &str) -> PyErr {
    to_py(Error::invalid(what, format!("is '{found}'"), remedy))
}

fn parse_solver(name: &str) -> PyResult<Solver> {
    match name {
        "mean_field" => Ok(Solver::MeanField),
        "gibbs" => Ok(Solver::Gibbs),
        "metropolis" => Ok(Solver::Collapsed(Kernel::Metropolis)),
        "collapsed_gibbs" => Ok(Solver::Collapsed(Kernel::Gibbs)),
        other => Err(unknown(
            "solver",
            other,
            "use 'mean_field', 'gibbs', 'metropolis' or 'collapsed_gibbs'",
        )),
    }
}

fn parse_shape(name: &str, variance: f64) -> PyResult<Shape> {
    match name {
        "distance" => Ok(Shape::Distance),
        "fixed" => Ok(Shape::Fixed(variance)),
        "spherical" => Ok(Shape::Spherical),
        "diag" => Ok(Shape::Diagonal),
        "full" => Ok(Shape::Full),
        other => Err(unknown("covariance", other, "use 'fixed', 'spherical', 'diag' or 'full'")),
    }
}

/// The coupling with this public name.
pub fn parse_coupling(name: &str) -> PyResult<Coupling> {
    match name {
        "centroids" => Ok(Coupling::Centroids),
        "merge" => Ok(Coupling::Merge),
        "responsibilities" => Ok(Coupling::Responsibilities),
        "independent" => Ok(Coupling::Independent),
        other => {
            let remedy = "use 'auto', 'centroids', 'merge', 'responsibilities' or 'independent'";
            Err(unknown("coupling", other, remedy))
        }
    }
}
