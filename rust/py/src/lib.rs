//! Python face of `gencap-core`: borrow, check, run, wrap. No arithmetic lives here.
#![forbid(unsafe_code)]

use pyo3::prelude::*;

mod errors;
mod run;
mod sampling;

#[pymodule]
#[pyo3(name = "_core")]
fn core_module(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Cancelled", module.py().get_type::<errors::Cancelled>())?;
    module.add_class::<run::PySwitches>()?;
    module.add_function(wrap_pyfunction!(run::exercise_boundary, module)?)?;
    module.add_class::<sampling::PyAnnealed>()?;
    module.add_function(wrap_pyfunction!(sampling::sample_assignments, module)?)?;
    module.add_function(wrap_pyfunction!(sampling::simulated_annealing, module)?)?;
    Ok(())
}
