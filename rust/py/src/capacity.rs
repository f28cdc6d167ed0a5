//! Capacity of pairs of solutions, and weights over enumerated solution spaces.
// Borrowed arrays arrive by value: that is how PyO3 hands them over.
#![allow(clippy::needless_pass_by_value)]

use gencap_core::capacity::weights::{self, Weights};
use gencap_core::capacity::{hamming, probabilities};
use gencap_core::workers::Workers;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::errors::to_py;
use crate::run::{PySwitches, Reporter, run_detached};

type Floats<'py> = Bound<'py, PyArray1<f64>>;

/// Agreement in bits per object, aligned mean masses, and the column of `second` for each of `first`.
#[pyfunction]
#[pyo3(signature = (first, second, aligned=false, switches=None, report=None))]
pub fn measure_agreement<'py>(
    py: Python<'py>,
    first: PyReadonlyArray2<'py, f64>,
    second: PyReadonlyArray2<'py, f64>,
    aligned: bool,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<(f64, Floats<'py>, Bound<'py, PyArray1<usize>>)> {
    let (first, second) = (first.as_array(), second.as_array());
    let found = run_detached(py, &Reporter::new(switches, report), |control| {
        probabilities::measure(first, second, aligned, control)
    })?;
    Ok((found.agreement, found.masses.into_pyarray(py), found.assignment.into_pyarray(py)))
}

/// Entropy in bits of masses scaled to sum to 1.
#[pyfunction]
pub fn entropy(masses: PyReadonlyArray1<'_, f64>) -> PyResult<f64> {
    Ok(probabilities::entropy(masses.as_slice()?))
}

/// Hamming capacity of two coded labelings: bits, entropy, disagreement.
#[pyfunction]
#[pyo3(signature = (first, second, n_clusters=None))]
pub fn hamming_capacity(
    first: PyReadonlyArray1<'_, usize>,
    second: PyReadonlyArray1<'_, usize>,
    n_clusters: Option<usize>,
) -> PyResult<(f64, f64, f64)> {
    let found =
        hamming::hamming(first.as_slice()?, second.as_slice()?, n_clusters).map_err(to_py)?;
    Ok((found.bits, found.entropy, found.disagreement))
}

/// Log weights of all solutions with the given costs; the best one has 0.
#[pyfunction]
pub fn log_weights<'py>(
    py: Python<'py>,
    kind: &str,
    costs: PyReadonlyArray1<'py, f64>,
    beta: f64,
    gamma: f64,
) -> PyResult<Floats<'py>> {
    let rule = Weights::new(kind, beta, gamma).map_err(to_py)?;
    Ok(rule.log_weights(costs.as_array()).into_pyarray(py))
}

/// (1/n) log2(|T| Z12 / (Z1 Z2)) of two lists of log weights.
#[pyfunction]
pub fn weights_information(
    first: PyReadonlyArray1<'_, f64>,
    second: PyReadonlyArray1<'_, f64>,
    log_group_size: f64,
    n_objects: usize,
) -> PyResult<f64> {
    Ok(weights::information(first.as_slice()?, second.as_slice()?, log_group_size, n_objects))
}

/// Whether no solution has a lower weight than one of higher cost.
#[pyfunction]
pub fn respects_order(
    costs: PyReadonlyArray1<'_, f64>,
    log_weights: PyReadonlyArray1<'_, f64>,
) -> PyResult<bool> {
    Ok(weights::respects_order(costs.as_slice()?, log_weights.as_slice()?))
}

/// Information for every row (beta, gamma) of `parameters`, averaged over pairs of cost lists.
#[pyfunction]
#[pyo3(signature = (kind, first, second, parameters, log_group_size, n_objects, n_jobs, switches=None, report=None))]
#[allow(clippy::too_many_arguments)]
pub fn mean_information<'py>(
    py: Python<'py>,
    kind: &str,
    first: PyReadonlyArray2<'py, f64>,
    second: PyReadonlyArray2<'py, f64>,
    parameters: PyReadonlyArray2<'py, f64>,
    log_group_size: f64,
    n_objects: usize,
    n_jobs: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<Floats<'py>> {
    let costs = (first.as_array(), second.as_array());
    let rules = Weights::table(kind, parameters.as_array()).map_err(to_py)?;
    let means = run_detached(py, &Reporter::new(switches, report), |control| {
        let workers = Workers::new(n_jobs)?;
        weights::mean_information(costs, &rules, log_group_size, n_objects, &workers, control)
    })?;
    Ok(means.into_pyarray(py))
}
