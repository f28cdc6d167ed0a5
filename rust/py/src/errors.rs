//! Core errors as Python exceptions: the one place where the mapping is written.

use gencap_core::Error;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(gencap, Cancelled, PyException, "The computation was cancelled by its caller.");

/// The exception a user sees for `error`.
pub fn to_py(error: Error) -> PyErr {
    match error {
        Error::Invalid { .. } => PyValueError::new_err(error.to_string()),
        Error::Cancelled => Cancelled::new_err("the computation was cancelled"),
    }
}

/// A panic in the core is our bug: say so, keep the interpreter alive.
pub fn internal_error(payload: &(dyn std::any::Any + Send)) -> PyErr {
    let text = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    PyRuntimeError::new_err(format!("internal error in gencap's core, please report it: {text}"))
}
