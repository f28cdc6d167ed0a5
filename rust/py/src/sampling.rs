//! Sampling and simulated annealing of assignments under k-means costs.
// PyO3 hands borrowed arrays over by value.
#![allow(clippy::needless_pass_by_value)]

use gencap_core::sampling::{self, AnnealParams, Annealed, Kernel, SampleParams};
use gencap_core::workers::Workers;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::errors::to_py;
use crate::run::{PySwitches, Reporter, run_detached};

type Draws<'py> = (Bound<'py, PyArray3<u32>>, Bound<'py, PyArray2<f64>>);

/// Draw assignments: labels (chains, draws, N) and costs (chains, draws).
#[pyfunction]
#[pyo3(signature = (x, *, n_clusters, beta, kernel, n_chains, n_draws, burn_in, thin, seed, n_jobs,
                    start=None, switches=None, report=None))]
#[allow(clippy::too_many_arguments)] // keywords on the Python side
pub fn sample_assignments<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    n_clusters: usize,
    beta: f64,
    kernel: &str,
    n_chains: usize,
    n_draws: usize,
    burn_in: usize,
    thin: usize,
    seed: u64,
    n_jobs: usize,
    start: Option<PyReadonlyArray1<'py, u32>>,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<Draws<'py>> {
    let kernel = Kernel::parse(kernel).map_err(to_py)?;
    let start = start.map(|labels| labels.as_array().to_vec());
    let params =
        SampleParams { n_clusters, beta, kernel, n_chains, n_draws, burn_in, thin, seed, start };
    let params = params.check().map_err(to_py)?;
    let x = x.as_array();
    let samples = run_detached(py, &Reporter::new(switches, report), move |control| {
        sampling::sample(x, &params, control, &Workers::new(n_jobs)?)
    })?;
    Ok((samples.labels.into_pyarray(py), samples.costs.into_pyarray(py)))
}

/// What [`simulated_annealing`] found.
#[pyclass(name = "Annealed", module = "gencap._core", frozen)]
pub struct PyAnnealed(Annealed);

#[pymethods]
impl PyAnnealed {
    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.0.labels)
    }

    #[getter]
    fn centroids<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        PyArray2::from_array(py, &self.0.centroids)
    }

    #[getter]
    fn temperatures<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.temperatures)
    }

    #[getter]
    fn costs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.costs)
    }

    #[getter]
    fn run_costs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.0.run_costs)
    }

    #[getter]
    fn cost(&self) -> f64 {
        self.0.cost
    }

    #[getter]
    fn converged(&self) -> bool {
        self.0.converged
    }

    #[getter]
    fn run(&self) -> usize {
        self.0.run
    }
}

/// Search the cheapest assignment by slow cooling.
#[pyfunction]
#[pyo3(signature = (x, *, n_clusters, n_sweeps, kernel, n_init, seed, n_jobs, switches=None,
                    report=None))]
#[allow(clippy::too_many_arguments)] // keywords on the Python side
pub fn simulated_annealing<'py>(
    py: Python<'py>,
    x: PyReadonlyArray2<'py, f64>,
    n_clusters: usize,
    n_sweeps: usize,
    kernel: &str,
    n_init: usize,
    seed: u64,
    n_jobs: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<PyAnnealed> {
    let kernel = Kernel::parse(kernel).map_err(to_py)?;
    let params = AnnealParams { n_clusters, n_sweeps, kernel, n_init, seed };
    let params = params.check().map_err(to_py)?;
    let x = x.as_array();
    let outcome = run_detached(py, &Reporter::new(switches, report), move |control| {
        sampling::simulated_annealing(x, &params, control, &Workers::new(n_jobs)?)
    })?;
    Ok(PyAnnealed(outcome))
}
