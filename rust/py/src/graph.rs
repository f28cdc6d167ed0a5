//! Graph models: critical temperatures, fits, pairs.
#![allow(clippy::needless_pass_by_value)]

use gencap_core::Result;
use gencap_core::graph::pair::{self, PairTask};
use gencap_core::graph::{self, Columns, Cost, Graph, Task, Winner};
use gencap_core::similarity::Similarity;
use gencap_core::workers::{Context, Workers};
use ndarray::Array3;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::to_py;
use crate::params::PyParams;
use crate::run::{PySwitches, Reporter, Watcher, run_detached};
use crate::similarity::PySimilarity;

/// A cost function on similarities, with the shift added to them.
#[pyclass(name = "GraphCost", module = "gencap._core", frozen)]
pub struct PyGraphCost {
    cost: Cost,
    shift: f64,
}

#[pymethods]
impl PyGraphCost {
    #[new]
    #[pyo3(signature = (name, p=2.0, shift=0.0))]
    fn new(name: &str, p: f64, shift: f64) -> PyResult<Self> {
        Ok(Self { cost: Cost::parse(name, p).map_err(to_py)?, shift })
    }
}

impl PyGraphCost {
    /// The graph of a similarity under this cost.
    pub fn open<'a>(&self, s: &'a dyn Similarity, context: Context<'_>) -> Result<Graph<'a>> {
        Graph::new(s, self.cost, self.shift, context)
    }
}

/// The cost function for both instances: similarities may bring shifts of their own.
type Costs = (Py<PyGraphCost>, Py<PyGraphCost>);

/// The starts that won on a pair, to be run again.
#[pyclass(name = "GraphPlans", module = "gencap._core", frozen)]
pub struct PyGraphPlans {
    winners: [Winner; 2],
}

/// Columns named as `gencap.results.Trajectory` names them; graphs have no centroids.
pub fn columns_dict(py: Python<'_>, run: Columns) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    let (steps, k) = run.masses.dim();
    dict.set_item("betas", run.betas.into_pyarray(py))?;
    dict.set_item("free_energies", run.free_energies.into_pyarray(py))?;
    dict.set_item("costs", run.costs.into_pyarray(py))?;
    dict.set_item("n_clusters", run.n_clusters.into_pyarray(py))?;
    dict.set_item("softness", run.softness.into_pyarray(py))?;
    dict.set_item("masses", run.masses.into_pyarray(py))?;
    dict.set_item("groups", run.groups.into_pyarray(py))?;
    dict.set_item("centroids", Array3::<f64>::zeros((steps, k, 0)).into_pyarray(py))?;
    dict.set_item("covariances", Array3::<f64>::zeros((steps, k, 0)).into_pyarray(py))?;
    dict.set_item("n_iter", run.n_iter.into_pyarray(py))?;
    dict.set_item("converged", run.converged.into_pyarray(py))?;
    Ok(dict)
}

/// First critical inverse temperature; infinite where nothing ever splits.
#[pyfunction]
#[pyo3(signature = (similarity, cost, n_clusters, threads=1, switches=None, report=None))]
pub fn graph_critical(
    py: Python<'_>,
    similarity: &PySimilarity,
    cost: &PyGraphCost,
    n_clusters: usize,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<f64> {
    let loan = similarity.borrow(py)?;
    let lent = loan.lend()?;
    run_detached(py, &Reporter::new(switches, report), |control| {
        let workers = Workers::new(threads)?;
        let context = Context { workers: &workers, control };
        let graph = cost.open(lent.get(), context)?;
        graph::critical_beta(&graph, n_clusters, context)
    })
}

/// The grid of inverse temperatures for a critical one.
#[pyfunction]
pub fn graph_grid(params: &PyParams, critical: f64) -> Vec<f64> {
    graph::grid(&params.checked, critical)
}

/// Cost of a labeling with labels 0 .. n_clusters - 1.
#[pyfunction]
#[pyo3(signature = (similarity, cost, labels, n_clusters, threads=1, switches=None, report=None))]
#[allow(clippy::too_many_arguments)] // the keyword arguments of one Python function
pub fn graph_cost(
    py: Python<'_>,
    similarity: &PySimilarity,
    cost: &PyGraphCost,
    labels: PyReadonlyArray1<'_, usize>,
    n_clusters: usize,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<f64> {
    let (loan, labels) = (similarity.borrow(py)?, labels.as_slice()?);
    let lent = loan.lend()?;
    run_detached(py, &Reporter::new(switches, report), |control| {
        let workers = Workers::new(threads)?;
        let context = Context { workers: &workers, control };
        let graph = cost.open(lent.get(), context)?;
        graph.cost_of(graph::one_hot(labels, n_clusters).view(), context)
    })
}

/// Best of `n_init` starts: its columns, final probabilities, labels, their cost, costs of all.
#[pyfunction]
#[pyo3(signature = (
    similarity, cost, params, betas, critical, seed, n_init=1, threads=1, switches=None, report=None
))]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
pub fn graph_fit<'py>(
    py: Python<'py>,
    similarity: &PySimilarity,
    cost: &PyGraphCost,
    params: &PyParams,
    betas: Vec<f64>,
    critical: f64,
    seed: u64,
    n_init: usize,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyArray2<f64>>, Vec<usize>, f64, Vec<f64>)> {
    let (loan, params) = (similarity.borrow(py)?, &params.checked);
    let lent = loan.lend()?;
    let found = run_detached(py, &Reporter::new(switches, report), |control| {
        let workers = Workers::new(threads)?;
        let context = Context { workers: &workers, control };
        let graph = cost.open(lent.get(), context)?;
        let (graph, betas) = (&graph, betas.as_slice());
        let task = Task { graph, params, betas, critical, seed, instance: 0 };
        graph::fit(&task, n_init, None, context)
    })?;
    let winner = found.winner;
    let columns = columns_dict(py, Columns::new(found.steps))?;
    Ok((columns, found.q.into_pyarray(py), winner.labels, winner.cost, winner.costs))
}

/// Search for the labels of lowest cost: labels, their cost, rounds, costs of all starts.
#[pyfunction]
#[pyo3(signature = (
    similarity, cost, n_clusters, seed, n_init=1, threads=1, switches=None, report=None
))]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
pub fn graph_search<'py>(
    py: Python<'py>,
    similarity: &PySimilarity,
    cost: &PyGraphCost,
    n_clusters: usize,
    seed: u64,
    n_init: usize,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyArray1<usize>>, f64, usize, Vec<f64>)> {
    let loan = similarity.borrow(py)?;
    let lent = loan.lend()?;
    let found = run_detached(py, &Reporter::new(switches, report), |control| {
        let workers = Workers::new(threads)?;
        let context = Context { workers: &workers, control };
        let graph = cost.open(lent.get(), context)?;
        graph::search(&graph, n_clusters, seed, n_init, context)
    })?;
    Ok((found.labels.into_pyarray(py), found.cost, found.rounds, found.costs))
}

/// Both instances of a pair: the columns of `anneal_pair`, labels, costs, and plans to run again.
#[pyfunction]
#[pyo3(signature = (
    first, second, costs, params, betas, critical, seed, n_init=1, warm=None, threads=1,
    switches=None, report=None, live=None
))]
#[allow(clippy::too_many_arguments)] // the keyword arguments of one Python function
pub fn graph_pair<'py>(
    py: Python<'py>,
    first: &PySimilarity,
    second: &PySimilarity,
    costs: Costs,
    params: &PyParams,
    betas: Vec<f64>,
    critical: f64,
    seed: u64,
    n_init: usize,
    warm: Option<(Vec<usize>, Vec<usize>)>,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
    live: Option<Watcher>,
) -> PyResult<Bound<'py, PyDict>> {
    let loans = (first.borrow(py)?, second.borrow(py)?);
    let (one, two) = (loans.0.lend()?, loans.1.lend()?);
    let costs = (costs.0.get(), costs.1.get());
    let params = &params.checked;
    let reporter = Reporter::new(switches, report).with_live(live);
    let run = run_detached(py, &reporter, |control| {
        let workers = Workers::new(threads)?;
        let context = Context { workers: &workers, control };
        let graphs = [costs.0.open(one.get(), context)?, costs.1.open(two.get(), context)?];
        let graphs = [&graphs[0], &graphs[1]];
        let task = PairTask { graphs, params, betas: &betas, critical, seed };
        let warm = warm.as_ref().map_or([None, None], |(a, b)| [Some(&a[..]), Some(&b[..])]);
        pair::run(task, n_init, warm, context)
    })?;
    let [one, two] = run.columns;
    let steps = one.betas.len();
    let dict = PyDict::new(py);
    dict.set_item("betas", one.betas.clone().into_pyarray(py))?;
    dict.set_item("agreement", run.agreement.into_pyarray(py))?;
    dict.set_item("entropy", vec![run.entropy; steps].into_pyarray(py))?;
    dict.set_item("transfer_cost", vec![f64::NAN; steps].into_pyarray(py))?;
    dict.set_item("slots", run.slots.into_pyarray(py))?;
    dict.set_item("first", columns_dict(py, one)?)?;
    dict.set_item("second", columns_dict(py, two)?)?;
    let winners = run.winners;
    let [one, two] = winners.clone();
    dict.set_item("labels", (one.labels.into_pyarray(py), two.labels.into_pyarray(py)))?;
    dict.set_item("restart_costs", (one.costs.into_pyarray(py), two.costs.into_pyarray(py)))?;
    dict.set_item("plans", Py::new(py, PyGraphPlans { winners })?)?;
    Ok(dict)
}

/// Run the winners of a pair once more, for those who watch: `live` hears of every temperature.
#[pyfunction]
#[pyo3(signature = (
    first, second, costs, params, betas, critical, seed, plans, live, threads=1, switches=None,
    report=None
))]
#[allow(clippy::too_many_arguments)] // the keyword arguments of one Python function
pub fn graph_pair_again(
    py: Python<'_>,
    first: &PySimilarity,
    second: &PySimilarity,
    costs: Costs,
    params: &PyParams,
    betas: Vec<f64>,
    critical: f64,
    seed: u64,
    plans: &PyGraphPlans,
    live: Watcher,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<()> {
    let loans = (first.borrow(py)?, second.borrow(py)?);
    let (one, two) = (loans.0.lend()?, loans.1.lend()?);
    let costs = (costs.0.get(), costs.1.get());
    let (params, winners) = (&params.checked, plans.winners.clone());
    let reporter = Reporter::new(switches, report).with_live(Some(live));
    run_detached(py, &reporter, |control| {
        let workers = Workers::new(threads)?;
        let context = Context { workers: &workers, control };
        let graphs = [costs.0.open(one.get(), context)?, costs.1.open(two.get(), context)?];
        let graphs = [&graphs[0], &graphs[1]];
        let task = PairTask { graphs, params, betas: &betas, critical, seed };
        pair::follow(task, winners, context).map(drop)
    })
}

/// Assignments of both instances (steps x N x K) at the given, rising temperature numbers.
#[pyfunction]
#[pyo3(signature = (
    first, second, costs, params, betas, critical, seed, plans, steps, threads=1, switches=None,
    report=None
))]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
pub fn graph_pair_probabilities<'py>(
    py: Python<'py>,
    first: &PySimilarity,
    second: &PySimilarity,
    costs: Costs,
    params: &PyParams,
    betas: Vec<f64>,
    critical: f64,
    seed: u64,
    plans: &PyGraphPlans,
    steps: Vec<usize>,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyArray3<f64>>, Bound<'py, PyArray3<f64>>)> {
    let loans = (first.borrow(py)?, second.borrow(py)?);
    let (one, two) = (loans.0.lend()?, loans.1.lend()?);
    let costs = (costs.0.get(), costs.1.get());
    let params = &params.checked;
    let [one, two] = run_detached(py, &Reporter::new(switches, report), |control| {
        let workers = Workers::new(threads)?;
        let context = Context { workers: &workers, control };
        let graphs = [costs.0.open(one.get(), context)?, costs.1.open(two.get(), context)?];
        let graphs = [&graphs[0], &graphs[1]];
        let task = PairTask { graphs, params, betas: &betas, critical, seed };
        let [one, two] = &plans.winners;
        pair::probabilities(task, [&one.plan, &two.plan], &steps, context)
    })?;
    Ok((one.into_pyarray(py), two.into_pyarray(py)))
}
