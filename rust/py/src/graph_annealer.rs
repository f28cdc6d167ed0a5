//! Annealing of one graph, one temperature at a time.

use gencap_core::Result;
use gencap_core::annealing::CheckedParams;
use gencap_core::graph::{Columns, Graph, Replay, Task, best_plan};
use gencap_core::workers::{Context, Workers};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::to_py;
use crate::graph::{PyGraphCost, columns_dict};
use crate::params::PyParams;
use crate::run::{PySwitches, Reporter, run_detached};
use crate::similarity::PySimilarity;

/// The best of several starts on its way through the temperatures, rising in beta.
#[pyclass(name = "GraphAnnealer", module = "gencap._core")]
pub struct PyGraphAnnealer {
    similarity: Py<PySimilarity>,
    cost: Py<PyGraphCost>,
    setting: Setting,
    workers: Workers,
    replay: Replay,
    over: bool,
}

/// What the runs of one annealer share beside the graph.
struct Setting {
    params: CheckedParams,
    betas: Vec<f64>,
    critical: f64,
    seed: u64,
}

impl Setting {
    fn task<'a>(&'a self, graph: &'a Graph<'a>) -> Task<'a> {
        let Self { params, betas, critical, seed } = self;
        Task { graph, params, betas, critical: *critical, seed: *seed, instance: 0 }
    }

    fn choose(&self, graph: &Graph<'_>, n_init: usize, context: Context<'_>) -> Result<Replay> {
        let task = self.task(graph);
        let winner = best_plan(&task, n_init, None, context)?;
        Replay::start(&task, winner.plan, context)
    }
}

#[pymethods]
impl PyGraphAnnealer {
    /// Choose the best of `n_init` starts, and heat it where it begins at a low temperature.
    #[new]
    #[pyo3(signature = (
        similarity, cost, params, betas, critical, seed, n_init=1, threads=1, switches=None,
        report=None
    ))]
    #[allow(clippy::too_many_arguments)] // the keyword arguments of one Python function
    fn new(
        py: Python<'_>,
        similarity: Py<PySimilarity>,
        cost: Py<PyGraphCost>,
        params: &PyParams,
        betas: Vec<f64>,
        critical: f64,
        seed: u64,
        n_init: usize,
        threads: usize,
        switches: Option<&PySwitches>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let workers = Workers::new(threads).map_err(to_py)?;
        let setting = Setting { params: params.checked.clone(), betas, critical, seed };
        let replay = {
            let (loan, cost) = (similarity.get().borrow(py)?, cost.get());
            let lent = loan.lend()?;
            run_detached(py, &Reporter::new(switches, report), |control| {
                let context = Context { workers: &workers, control };
                setting.choose(&cost.open(lent.get(), context)?, n_init, context)
            })?
        };
        Ok(Self { similarity, cost, setting, workers, replay, over: false })
    }

    /// Go on to the next temperature: its columns, or None where the run is over.
    #[pyo3(signature = (switches=None, report=None))]
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        switches: Option<&PySwitches>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        if self.over {
            return Ok(None);
        }
        let (loan, cost) = (self.similarity.get().borrow(py)?, self.cost.get());
        let lent = loan.lend()?;
        let (setting, workers, replay) = (&self.setting, &self.workers, &mut self.replay);
        let (step, over) = run_detached(py, &Reporter::new(switches, report), |control| {
            let context = Context { workers, control };
            let graph = cost.open(lent.get(), context)?;
            let task = setting.task(&graph);
            let step = replay.advance(&task, context)?;
            let over = replay.ends(&task, &step);
            Ok((step, over))
        })?;
        self.over = over;
        columns_dict(py, Columns::new(vec![step])).map(Some)
    }
}
