//! The coding experiment.
// Borrowed arrays arrive by value: that is how PyO3 hands them over.
#![allow(clippy::needless_pass_by_value)]

use gencap_core::channel::{Experiment, Transformations, transmit};
use gencap_core::workers::Workers;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray3};
use pyo3::prelude::*;

use crate::errors::to_py;
use crate::run::{PySwitches, Reporter, run_detached};

type Floats<'py> = Bound<'py, PyArray1<f64>>;

/// Number of errors, log overlap under the transformation sent, and log mean overlap, per pair.
#[pyfunction]
#[pyo3(signature = (first, second, transformations, n_codewords, n_trials, seed, n_jobs, switches=None, report=None))]
#[allow(clippy::too_many_arguments)]
pub fn transmit_messages<'py>(
    py: Python<'py>,
    first: PyReadonlyArray3<'py, f64>,
    second: PyReadonlyArray3<'py, f64>,
    transformations: &str,
    n_codewords: u64,
    n_trials: usize,
    seed: u64,
    n_jobs: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<(usize, Floats<'py>, Floats<'py>)> {
    let pair = (first.as_array(), second.as_array());
    let transformations = Transformations::new(transformations).map_err(to_py)?;
    let experiment = Experiment { transformations, n_codewords, n_trials, seed };
    let outcome = run_detached(py, &Reporter::new(switches, report), |control| {
        transmit(pair, experiment, &Workers::new(n_jobs)?, control)
    })?;
    let overlaps = outcome.log_overlaps.into_pyarray(py);
    Ok((outcome.n_errors, overlaps, outcome.log_means.into_pyarray(py)))
}
