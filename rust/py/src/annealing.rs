//! Annealing of one instance: whole runs, and step by step.

use gencap_core::annealing::pass::{Weights, all_probabilities};
use gencap_core::annealing::{
    Annealer, Place, Scale, Step, Trajectory, best_restart, critical_beta, grid, run,
};
use gencap_core::data::Data;
use gencap_core::model::Components;
use gencap_core::workers::{Context, Workers};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Matrix, trajectory_dict};
use crate::errors::to_py;
use crate::params::PyParams;
use crate::run::{PySwitches, Reporter, run_detached};

/// Largest eigenvalue of the covariance (1/N) about the mean.
#[pyfunction]
#[pyo3(signature = (x, threads=1, switches=None, report=None))]
pub fn largest_variance(
    py: Python<'_>,
    x: Matrix<'_>,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<f64> {
    let x = x.as_array();
    run_detached(py, &Reporter::new(switches, report), |control| {
        let workers = Workers::new(threads)?;
        let context = Context { workers: &workers, control };
        Ok(Scale::measure(&Data::centered(x)?, context)?.largest_variance)
    })
}

/// The grid of inverse temperatures for instances whose largest variances lie between two values.
#[pyfunction]
pub fn beta_grid<'py>(
    py: Python<'py>,
    params: &PyParams,
    highest: f64,
    lowest: f64,
) -> Bound<'py, PyArray1<f64>> {
    let shape = params.checked.shape;
    let critical = [critical_beta(shape, highest), critical_beta(shape, lowest)];
    grid(&params.checked, critical).into_pyarray(py)
}

/// Best of `n_init` runs over `betas`: its columns, its number, and the final costs of all.
#[pyfunction]
#[pyo3(signature = (x, params, betas, seed, n_init=1, threads=1, switches=None, report=None))]
#[allow(clippy::too_many_arguments)] // the keyword arguments of one Python function
pub fn anneal<'py>(
    py: Python<'py>,
    x: Matrix<'_>,
    params: &PyParams,
    betas: Vec<f64>,
    seed: u64,
    n_init: usize,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, u64, Vec<f64>)> {
    let (x, params) = (x.as_array(), &params.checked);
    let (columns, restart, costs) =
        run_detached(py, &Reporter::new(switches, report), |control| {
            let workers = Workers::new(threads)?;
            let context = Context { workers: &workers, control };
            let data = Data::centered(x)?;
            let scale = Scale::measure(&data, context)?;
            let place = Place { seed, restart: 0, instance: 0 };
            control.set_total((betas.len() * (n_init + usize::from(n_init > 1))) as u64);
            let (restart, costs) =
                best_restart(&data, &scale, params, &betas, place, n_init, context)?;
            let place = Place { restart, ..place };
            let mut annealer = Annealer::start(&data, &scale, params, place, context)?;
            let mut steps = Vec::new();
            run(&mut annealer, &data, &betas, context, |step| steps.push(step))?;
            Ok((Trajectory::new(steps, data.offset()), restart, costs))
        })?;
    Ok((trajectory_dict(py, columns)?, restart, costs))
}

/// Probabilities (N x K) of known components at inverse temperature `beta`.
///
/// `weights` are logarithms of cluster weights; without them all are equal.
#[pyfunction]
#[pyo3(signature = (
    x, params, centroids, covariances, beta, weights=None, threads=1, switches=None, report=None
))]
#[allow(clippy::too_many_arguments)] // the keyword arguments of one Python function
pub fn probabilities<'py>(
    py: Python<'py>,
    x: Matrix<'_>,
    params: &PyParams,
    centroids: Matrix<'_>,
    covariances: Matrix<'_>,
    beta: f64,
    weights: Option<Vec<f64>>,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (x, means, covariances) = (x.as_array(), centroids.as_array(), covariances.as_array());
    let shape = params.checked.shape;
    let p = run_detached(py, &Reporter::new(switches, report), |control| {
        let workers = Workers::new(threads)?;
        let data = Data::centered(x)?;
        let model = Components::known(means, shape, covariances, data.offset())?;
        let context = Context { workers: &workers, control };
        all_probabilities(&data, &model, Weights { beta, log_weights: weights.as_deref() }, context)
    })?;
    Ok(p.into_pyarray(py))
}

/// Potentials h_ik (N x K) of known components.
#[pyfunction]
pub fn potentials<'py>(
    py: Python<'py>,
    x: Matrix<'_>,
    params: &PyParams,
    centroids: Matrix<'_>,
    covariances: Matrix<'_>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (x, means, covariances) = (x.as_array(), centroids.as_array(), covariances.as_array());
    let shape = params.checked.shape;
    let h = run_detached(py, &Reporter::new(None, None), |_| {
        let data = Data::centered(x)?;
        let model = Components::known(means, shape, covariances, data.offset())?;
        let rows = data.block(0..data.n_objects());
        Ok(model.potentials(&rows).reversed_axes().as_standard_layout().into_owned())
    })?;
    Ok(h.into_pyarray(py))
}

/// One instance on its way through temperatures, one `step` at a time.
#[pyclass(name = "Annealer", module = "gencap._core")]
pub struct PyAnnealer {
    x: Py<PyArray2<f64>>,
    annealer: Annealer,
    workers: Workers,
}

#[pymethods]
impl PyAnnealer {
    #[new]
    #[pyo3(signature = (x, params, seed, restart=0, threads=1))]
    fn new(
        py: Python<'_>,
        x: Bound<'_, PyArray2<f64>>,
        params: &PyParams,
        seed: u64,
        restart: u64,
        threads: usize,
    ) -> PyResult<Self> {
        let workers = Workers::new(threads).map_err(to_py)?;
        let borrowed = x.try_readonly()?;
        let view = borrowed.as_array();
        let annealer = run_detached(py, &Reporter::new(None, None), |control| {
            let context = Context { workers: &workers, control };
            let data = Data::centered(view)?;
            let scale = Scale::measure(&data, context)?;
            let place = Place { seed, restart, instance: 0 };
            Annealer::start(&data, &scale, &params.checked, place, context)
        })?;
        drop(borrowed);
        Ok(Self { x: x.unbind(), annealer, workers })
    }

    /// Settle at `beta`; the columns of a run with this single temperature.
    #[pyo3(signature = (beta, switches=None, report=None))]
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        beta: f64,
        switches: Option<&PySwitches>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let borrowed = self.x.bind(py).try_readonly()?;
        let view = borrowed.as_array();
        let (annealer, workers) = (&mut self.annealer, &self.workers);
        let columns = run_detached(py, &Reporter::new(switches, report), |control| {
            let data = Data::centered(view)?;
            let step: Step = annealer.step(&data, beta, Context { workers, control })?;
            Ok(Trajectory::new(vec![step], data.offset()))
        })?;
        trajectory_dict(py, columns)
    }
}
