//! Capacity of pairs of solutions, and weights over enumerated solution spaces.

use gencap_core::capacity::{hamming, probabilities};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::errors::to_py;
use crate::run::{PySwitches, Reporter, run_detached};

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
) -> PyResult<(f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<usize>>)> {
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
