//! The only place where waiting, signals and callbacks live.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use gencap_core::Result;
use gencap_core::control::{Control, Switches};
use gencap_core::live::{Live, LiveStep};
use numpy::IntoPyArray;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::{internal_error, to_py};

/// How often the waiting thread looks for signals and reports progress.
const POLL: Duration = Duration::from_millis(50);

/// Pause, resume or cancel runs from another thread.
#[pyclass(name = "Switches", module = "gencap._core", frozen)]
#[derive(Default)]
pub struct PySwitches {
    shared: Arc<Switches>,
}

#[pymethods]
impl PySwitches {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Stop every run that was given these switches.
    fn cancel(&self) {
        self.shared.cancel();
    }

    /// Hold (True) or release (False) every run that was given these switches.
    fn set_paused(&self, paused: bool) {
        self.shared.set_paused(paused);
    }

    /// Whether `cancel` was called.
    #[getter]
    fn cancelled(&self) -> bool {
        self.shared.is_cancelled()
    }

    /// Whether runs are held.
    #[getter]
    fn paused(&self) -> bool {
        self.shared.is_paused()
    }
}

/// Who hears of a run: switches to obey and a callable `report(done, total, beta, energy)`.
pub struct Reporter {
    switches: Arc<Switches>,
    report: Option<Py<PyAny>>,
    live: Option<Watcher>,
}

/// A callable that hears of every temperature, and whether it wants assignment probabilities too.
pub type Watcher = (Py<PyAny>, bool);

impl Reporter {
    /// From the two optional arguments that every long function of the module takes.
    pub fn new(switches: Option<&PySwitches>, report: Option<Py<PyAny>>) -> Self {
        let switches = switches.map_or_else(Arc::default, |held| held.shared.clone());
        Self { switches, report, live: None }
    }

    /// Let `live(beta, agreement, entropy, n_clusters, masses, groups, centroids, probabilities)`
    /// hear of every temperature, on the calling thread and in order.
    pub fn with_live(self, live: Option<Watcher>) -> Self {
        Self { live, ..self }
    }

    fn control(&self) -> Control {
        let live = self.live.as_ref().map(|(_, probabilities)| Live::new(*probabilities));
        Control::new(self.switches.clone()).with_live(live)
    }

    /// Pass on the temperatures that are done.
    fn hand_out(&self, py: Python<'_>, control: &Control) -> PyResult<()> {
        if let (Some((watcher, _)), Some(live)) = (&self.live, control.live()) {
            for step in live.take() {
                tell(py, watcher, step)?;
            }
        }
        Ok(())
    }

    /// Look for Ctrl-C, then tell the callback; what either raises ends the run.
    fn poll(&self, py: Python<'_>, control: &Control) -> PyResult<()> {
        py.check_signals()?;
        self.hand_out(py, control)?;
        let seen = control.snapshot();
        match &self.report {
            Some(report) => {
                report.call1(py, (seen.done, seen.total, seen.beta, seen.energy)).map(drop)
            }
            None => Ok(()),
        }
    }
}

fn tell(py: Python<'_>, watcher: &Py<PyAny>, step: LiveStep) -> PyResult<()> {
    let groups: Vec<i64> = step.groups.iter().map(|&g| g as i64).collect();
    let known = (step.beta, step.agreement, step.entropy, step.n_clusters);
    let arrays = (step.masses.into_pyarray(py), groups.into_pyarray(py));
    let centroids = step.centroids.map(|c| c.into_pyarray(py));
    let probabilities = step.probabilities.map(|p| p.into_pyarray(py));
    let told = (known.0, known.1, known.2, known.3, arrays.0, arrays.1, centroids, probabilities);
    watcher.call1(py, told).map(drop)
}

/// Run `job` on a thread of its own with the interpreter released.
///
/// The calling thread wakes every 50 ms, answers signals and calls the callback. A callback that
/// raises cancels the run, and its exception is what the caller sees.
pub fn run_detached<T: Send>(
    py: Python<'_>,
    reporter: &Reporter,
    job: impl FnOnce(&Control) -> Result<T> + Send,
) -> PyResult<T> {
    // Switches may outlive this run (one pair serves many), so a raising callback sets a flag of
    // its own only through them: after an exception nothing else should go on either.
    let control = reporter.control();
    let outcome = py.detach(|| {
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            let control = &control;
            scope.spawn(move || {
                let result = catch_unwind(AssertUnwindSafe(|| job(control)));
                // The receiver waits until we send: it cannot be gone.
                let _ = sender.send(result);
            });
            let mut raised = None;
            loop {
                match receiver.recv_timeout(POLL) {
                    Ok(result) => return (Some(result), raised),
                    Err(mpsc::RecvTimeoutError::Disconnected) => return (None, raised),
                    Err(mpsc::RecvTimeoutError::Timeout) if raised.is_none() => {
                        let heard = Python::attach(|py| reporter.poll(py, control));
                        if let Err(error) = heard {
                            control.cancel();
                            raised = Some(error);
                        }
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                }
            }
        })
    });
    match outcome {
        (_, Some(raised)) => Err(raised),
        (Some(Ok(result)), None) => {
            let result = result.map_err(to_py)?;
            // Temperatures that were done after the last look.
            reporter.hand_out(py, &control).inspect_err(|_| control.cancel())?;
            Ok(result)
        }
        (Some(Err(panic)), None) => Err(internal_error(panic.as_ref())),
        (None, None) => Err(PyRuntimeError::new_err("a worker thread of gencap ended silently")),
    }
}

/// Busy for `seconds`, or panic: lets the tests try cancellation and panics at the boundary.
#[pyfunction]
#[pyo3(signature = (seconds, panic=false, switches=None, report=None))]
pub fn exercise_boundary(
    py: Python<'_>,
    seconds: f64,
    panic: bool,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<u64> {
    run_detached(py, &Reporter::new(switches, report), move |control| {
        gencap_core::testing::exercise(control, seconds, panic)
    })
}
