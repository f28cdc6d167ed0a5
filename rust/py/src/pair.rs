//! Two instances annealed in lock step.

use gencap_core::annealing::Trajectory;
use gencap_core::capacity::pair::{PairData, run};
use gencap_core::workers::{Context, Workers};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays::{Matrix, trajectory_dict};
use crate::params::{PyParams, parse_coupling};
use crate::run::{PySwitches, Reporter, Watcher, run_detached};

/// Columns of the capacity curve, and both trajectories under "first" and "second".
#[pyfunction]
#[pyo3(signature = (
    x1, x2, params, coupling, same_space, betas, seed, n_init=1, threads=1, switches=None,
    report=None, live=None
))]
#[allow(clippy::too_many_arguments)] // the keyword arguments of one Python function
pub fn anneal_pair<'py>(
    py: Python<'py>,
    x1: Matrix<'_>,
    x2: Matrix<'_>,
    params: &PyParams,
    coupling: &str,
    same_space: bool,
    betas: Vec<f64>,
    seed: u64,
    n_init: usize,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
    live: Option<Watcher>,
) -> PyResult<Bound<'py, PyDict>> {
    let (x1, x2, params) = (x1.as_array(), x2.as_array(), &params.checked);
    let coupling = parse_coupling(coupling)?;
    let reporter = Reporter::new(switches, report).with_live(live);
    let (curve, first, second) = run_detached(py, &reporter, |control| {
        let workers = Workers::new(threads)?;
        let context = Context { workers: &workers, control };
        let data = PairData::new(x1, x2, same_space)?;
        control.set_total(betas.len() as u64);
        let done = run(&data, params, coupling, &betas, seed, n_init, context)?;
        let curve = done.curve();
        let (first, second) = done.steps.into_iter().map(|s| (s.first, s.second)).unzip();
        let first = Trajectory::new(first, data.first.offset());
        Ok((curve, first, Trajectory::new(second, data.second.offset())))
    })?;
    let dict = PyDict::new(py);
    dict.set_item("betas", curve.betas.into_pyarray(py))?;
    dict.set_item("agreement", curve.agreement.into_pyarray(py))?;
    dict.set_item("entropy", curve.entropy.into_pyarray(py))?;
    dict.set_item("transfer_cost", curve.transfer_cost.into_pyarray(py))?;
    dict.set_item("slots", curve.slots.into_pyarray(py))?;
    dict.set_item("first", trajectory_dict(py, first)?)?;
    dict.set_item("second", trajectory_dict(py, second)?)?;
    Ok(dict)
}
