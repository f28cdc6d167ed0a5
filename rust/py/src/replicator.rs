//! Dominant sets.

use gencap_core::replicator::{Game, Method, Peeling, Plan, Termination, peel};
use gencap_core::workers::{Context, Workers};
use ndarray::Array2;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::to_py;
use crate::run::{PySwitches, Reporter, run_detached};
use crate::similarity::PySimilarity;

fn peeling_dict(py: Python<'_>, found: Peeling) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    let (n, steps) = (found.labels.len(), found.path.len());
    let path: Vec<i64> = found.path.into_iter().flatten().collect();
    // Every line of the path has one entry per object.
    let path = Array2::from_shape_vec((steps, n), path).unwrap_or_default();
    dict.set_item("labels", found.labels.into_pyarray(py))?;
    dict.set_item("in_core", found.in_core.into_pyarray(py))?;
    dict.set_item("shares", found.shares.into_pyarray(py))?;
    dict.set_item("payoffs", found.payoffs.into_pyarray(py))?;
    dict.set_item("cohesion", found.cohesion.into_pyarray(py))?;
    dict.set_item("steps", found.steps.into_pyarray(py))?;
    dict.set_item("converged", found.converged.into_pyarray(py))?;
    dict.set_item("path", path.into_pyarray(py))?;
    Ok(dict)
}

/// Peel dominant sets off, once for every pair of max_steps and cutoff in `ends`.
#[pyfunction]
#[pyo3(signature = (
    similarity, n_clusters, ends, infection=false, rows_at_hand=false, shift=0.0,
    shift_diagonal=false, record=false, threads=1, switches=None, report=None
))]
#[allow(clippy::too_many_arguments)]
#[allow(clippy::fn_params_excessive_bools)]
pub fn peel_dominant_sets<'py>(
    py: Python<'py>,
    similarity: &PySimilarity,
    n_clusters: Option<usize>,
    ends: Vec<(usize, f64)>,
    infection: bool,
    rows_at_hand: bool,
    shift: f64,
    shift_diagonal: bool,
    record: bool,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let loan = similarity.borrow(py)?;
    let lent = loan.lend()?;
    let game = Game::new(lent.get(), shift, shift_diagonal).map_err(to_py)?;
    let method = if infection { Method::Infection { rows_at_hand } } else { Method::Replicator };
    let plan = Plan { n_clusters, method, record };
    let ends: Vec<_> =
        ends.into_iter().map(|(max_steps, cutoff)| Termination { max_steps, cutoff }).collect();
    let found = run_detached(py, &Reporter::new(switches, report), |control| {
        let workers = Workers::new(threads)?;
        peel(game, plan, &ends, Context { workers: &workers, control })
    })?;
    found.into_iter().map(|one| peeling_dict(py, one)).collect()
}
