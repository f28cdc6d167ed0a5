//! NumPy in, NumPy out.

use gencap_core::annealing::Trajectory;
use numpy::{IntoPyArray, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A borrowed matrix of floats; never copied, never written to.
pub type Matrix<'py> = PyReadonlyArray2<'py, f64>;

/// The columns of a run, named as `gencap.results.Trajectory` names them.
pub fn trajectory_dict(py: Python<'_>, run: Trajectory) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("betas", run.betas.into_pyarray(py))?;
    dict.set_item("free_energies", run.free_energies.into_pyarray(py))?;
    dict.set_item("costs", run.costs.into_pyarray(py))?;
    dict.set_item("n_clusters", run.n_clusters.into_pyarray(py))?;
    dict.set_item("softness", run.softness.into_pyarray(py))?;
    dict.set_item("masses", run.masses.into_pyarray(py))?;
    dict.set_item("groups", run.groups.into_pyarray(py))?;
    dict.set_item("centroids", run.centroids.into_pyarray(py))?;
    dict.set_item("covariances", run.covariances.into_pyarray(py))?;
    dict.set_item("n_iter", run.n_iter.into_pyarray(py))?;
    dict.set_item("converged", run.converged.into_pyarray(py))?;
    Ok(dict)
}
