//! Similarities in their representations, spanning trees and minimax distances.
// Borrowed arrays arrive by value: that is how PyO3 hands them over.
#![allow(clippy::needless_pass_by_value)]

use gencap_core::Error;
use gencap_core::similarity::spanning_tree::{Edge, of_graph, of_matrix, of_vectors};
use gencap_core::similarity::{
    self, Dense, LowRank, Measure, MergeTree, OnTheFly, Similarity, Sparse, Tree,
};
use gencap_core::workers::{Context, Workers};
use ndarray::{Array2, ArrayView2, Axis};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::Matrix;
use crate::errors::to_py;
use crate::run::{PySwitches, Reporter, run_detached};

type Ends<'py> = PyReadonlyArray2<'py, u32>;
type Tree2<'py> = (Bound<'py, PyArray2<u32>>, Bound<'py, PyArray1<f64>>);

/// A symmetric similarity; the caller's matrix where it is dense, else our own vectors or tree.
#[pyclass(name = "Similarity", module = "gencap._core", frozen)]
pub struct PySimilarity {
    kind: Kind,
}

enum Kind {
    Dense(Py<PyArray2<f64>>),
    LowRank(LowRank),
    Sparse(Sparse),
    Tree(Tree),
    Rows(OnTheFly),
}

/// A similarity on loan from Python for the time of one call.
pub enum Loan<'py> {
    /// The caller's matrix.
    Dense(PyReadonlyArray2<'py, f64>),
    /// What the object itself holds.
    Held(&'py (dyn Similarity + Send + Sync)),
}

/// A similarity as the core sees it.
pub enum Lent<'a> {
    /// A view of the caller's matrix.
    Dense(Dense<'a>),
    /// What the object itself holds.
    Held(&'a (dyn Similarity + Send + Sync)),
}

impl Loan<'_> {
    /// The similarity itself: `loan.lend()?.get()`.
    pub fn lend(&self) -> PyResult<Lent<'_>> {
        match self {
            Self::Dense(array) => Dense::new(array.as_array()).map(Lent::Dense).map_err(to_py),
            Self::Held(similarity) => Ok(Lent::Held(*similarity)),
        }
    }
}

impl Lent<'_> {
    /// The similarity.
    pub fn get(&self) -> &dyn Similarity {
        match self {
            Self::Dense(dense) => dense,
            Self::Held(similarity) => *similarity,
        }
    }
}

impl PySimilarity {
    /// Borrow what is needed to compute with the interpreter released.
    pub fn borrow<'py>(&'py self, py: Python<'py>) -> PyResult<Loan<'py>> {
        Ok(match &self.kind {
            Kind::Dense(array) => Loan::Dense(array.bind(py).try_readonly()?),
            Kind::LowRank(held) => Loan::Held(held),
            Kind::Sparse(held) => Loan::Held(held),
            Kind::Tree(held) => Loan::Held(held),
            Kind::Rows(held) => Loan::Held(held),
        })
    }
}

#[pymethods]
impl PySimilarity {
    /// A symmetric matrix, kept by reference.
    #[staticmethod]
    fn dense(s: Bound<'_, PyArray2<f64>>) -> PyResult<Self> {
        Dense::new(s.try_readonly()?.as_array()).map_err(to_py)?;
        Ok(Self { kind: Kind::Dense(s.unbind()) })
    }

    /// Vectors compared by "inner", "cosine", "pearson", or "sqeuclidean" (`offset` minus).
    #[staticmethod]
    #[pyo3(signature = (x, measure, offset=0.0))]
    fn low_rank(py: Python<'_>, x: Matrix<'_>, measure: &str, offset: f64) -> PyResult<Self> {
        let x = x.as_array();
        let measure = measure_named(measure, offset).map_err(to_py)?;
        let held = run_detached(py, &Reporter::new(None, None), |_| LowRank::new(x, measure))?;
        Ok(Self { kind: Kind::LowRank(held) })
    }

    /// A symmetric matrix in compressed rows.
    #[staticmethod]
    fn sparse(
        starts: PyReadonlyArray1<'_, usize>,
        columns: PyReadonlyArray1<'_, u32>,
        values: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let held = Sparse::new(
            starts.as_array().to_vec(),
            columns.as_array().to_vec(),
            values.as_array().to_vec(),
        );
        Ok(Self { kind: Kind::Sparse(held.map_err(to_py)?) })
    }

    /// Path-based similarity of the objects of a spanning tree or forest.
    #[staticmethod]
    fn tree(n: usize, ends: Ends<'_>, weights: PyReadonlyArray1<'_, f64>) -> PyResult<Self> {
        let edges = Edge::list(n, ends.as_array(), weights.as_array());
        let tree = edges.and_then(|edges| MergeTree::new(n, edges)).map_err(to_py)?;
        Ok(Self { kind: Kind::Tree(Tree::new(tree)) })
    }

    /// `offset` minus Euclidean distances, computed when needed.
    #[staticmethod]
    fn rows(x: Matrix<'_>, offset: f64) -> PyResult<Self> {
        Ok(Self { kind: Kind::Rows(OnTheFly::new(x.as_array(), offset).map_err(to_py)?) })
    }

    /// The arrays that `from_parts` makes the same similarity of, to the last bit.
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match &self.kind {
            Kind::Dense(array) => (array.clone_ref(py),).into_pyobject(py),
            Kind::LowRank(held) => {
                let (x, squared) = held.vectors();
                (x.to_owned().into_pyarray(py), squared).into_pyobject(py)
            }
            Kind::Sparse(held) => {
                let (starts, columns, values) = held.parts();
                let starts = starts.to_vec().into_pyarray(py);
                let (columns, values) = (columns.to_vec(), values.to_vec());
                (starts, columns.into_pyarray(py), values.into_pyarray(py)).into_pyobject(py)
            }
            Kind::Tree(held) => {
                let (children, values) = held.mergers();
                let children = Array2::from(children.to_vec()).into_pyarray(py);
                (children, values.to_vec().into_pyarray(py), held.offset()).into_pyobject(py)
            }
            Kind::Rows(held) => {
                let (x, offset) = held.vectors();
                (x.into_pyarray(py), offset).into_pyobject(py)
            }
        }
    }

    /// The similarity whose `representation` and `parts` are these.
    #[staticmethod]
    fn from_parts(representation: &str, parts: &Bound<'_, PyTuple>) -> PyResult<Self> {
        match representation {
            "dense" => Self::dense(parts.extract::<(Bound<'_, PyArray2<f64>>,)>()?.0),
            "low_rank" => {
                let (x, squared) = parts.extract::<(Matrix<'_>, Option<f64>)>()?;
                let held = LowRank::of_vectors(x.as_array().to_owned(), squared);
                Ok(Self { kind: Kind::LowRank(held) })
            }
            "sparse" => {
                let (starts, columns, values) = parts.extract()?;
                Self::sparse(starts, columns, values)
            }
            "tree" => {
                let (children, values, offset) =
                    parts.extract::<(Ends<'_>, PyReadonlyArray1<'_, f64>, f64)>()?;
                let children = children.as_array();
                let children = children.outer_iter().map(|pair| [pair[0], pair[1]]).collect();
                let tree = Tree::of_mergers(children, values.as_array().to_vec(), offset);
                Ok(Self { kind: Kind::Tree(tree) })
            }
            "rows" => {
                let (x, offset) = parts.extract()?;
                Self::rows(x, offset)
            }
            other => Err(PyValueError::new_err(format!("no representation is called {other:?}"))),
        }
    }

    /// The similarities among the objects `index`, which are all different.
    fn take(&self, py: Python<'_>, index: PyReadonlyArray1<'_, usize>) -> PyResult<Self> {
        let index = index.as_slice()?;
        let kind = match &self.kind {
            Kind::Dense(array) => {
                let rows = array.bind(py).try_readonly()?;
                let part = rows.as_array().select(Axis(0), index).select(Axis(1), index);
                // A selection of columns may come out column by column.
                let part = part.as_standard_layout().into_owned();
                Kind::Dense(part.into_pyarray(py).unbind())
            }
            Kind::LowRank(held) => Kind::LowRank(held.take(index)),
            Kind::Sparse(held) => Kind::Sparse(held.take(index).map_err(to_py)?),
            Kind::Tree(held) => Kind::Tree(held.take(index)),
            Kind::Rows(held) => {
                let (x, offset) = held.vectors();
                let part = OnTheFly::new(x.select(Axis(0), index).view(), offset);
                Kind::Rows(part.map_err(to_py)?)
            }
        };
        Ok(Self { kind })
    }

    /// "dense", "low_rank", "sparse", "tree" or "rows".
    #[getter]
    fn representation(&self) -> &'static str {
        match self.kind {
            Kind::Dense(_) => "dense",
            Kind::LowRank(_) => "low_rank",
            Kind::Sparse(_) => "sparse",
            Kind::Tree(_) => "tree",
            Kind::Rows(_) => "rows",
        }
    }

    /// Similarity of every object to itself.
    fn diagonal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let loan = self.borrow(py)?;
        Ok(loan.lend()?.get().diagonal().to_vec().into_pyarray(py))
    }

    /// The smallest entry of a dense similarity, None for others.
    #[pyo3(signature = (diagonal, threads=1))]
    fn smallest(&self, py: Python<'_>, diagonal: bool, threads: usize) -> PyResult<Option<f64>> {
        let loan = self.borrow(py)?;
        let Lent::Dense(dense) = loan.lend()? else { return Ok(None) };
        let found = run_detached(py, &Reporter::new(None, None), |control| {
            let workers = Workers::new(threads)?;
            dense.smallest(diagonal, Context { workers: &workers, control })
        })?;
        Ok(Some(found))
    }

    /// The matrix itself, in memory of its own.
    #[pyo3(signature = (threads=1, switches=None, report=None))]
    fn toarray<'py>(
        &self,
        py: Python<'py>,
        threads: usize,
        switches: Option<&PySwitches>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let loan = self.borrow(py)?;
        let lent = loan.lend()?;
        let out = run_detached(py, &Reporter::new(switches, report), |control| {
            let workers = Workers::new(threads)?;
            lent.get().to_array(Context { workers: &workers, control })
        })?;
        Ok(out.into_pyarray(py))
    }

    /// The product S q.
    #[pyo3(signature = (q, threads=1, switches=None, report=None))]
    fn matmul<'py>(
        &self,
        py: Python<'py>,
        q: Matrix<'_>,
        threads: usize,
        switches: Option<&PySwitches>,
        report: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (loan, q) = (self.borrow(py)?, q.as_array());
        let lent = loan.lend()?;
        let out = run_detached(py, &Reporter::new(switches, report), |control| {
            let workers = Workers::new(threads)?;
            lent.get().matmul(q, Context { workers: &workers, control })
        })?;
        Ok(out.into_pyarray(py))
    }
}

fn measure_named(name: &str, offset: f64) -> gencap_core::Result<Measure> {
    match name {
        "inner" => Ok(Measure::Inner),
        "cosine" => Ok(Measure::Cosine),
        "pearson" => Ok(Measure::Pearson),
        "sqeuclidean" => Ok(Measure::SquaredEuclidean(offset)),
        _ => Err(Error::invalid("measure", format!("is {name:?}"), "no such low-rank measure")),
    }
}

fn tree_arrays(py: Python<'_>, edges: Vec<Edge>) -> Tree2<'_> {
    let (ends, weights) = Edge::arrays(&edges);
    (ends.into_pyarray(py), weights.into_pyarray(py))
}

/// Run `job` on `x` with threads of its own.
fn detached<T: Send>(
    py: Python<'_>,
    reporter: &Reporter,
    threads: usize,
    x: ArrayView2<'_, f64>,
    job: impl FnOnce(ArrayView2<'_, f64>, Context<'_>) -> gencap_core::Result<T> + Send,
) -> PyResult<T> {
    run_detached(py, reporter, |control| {
        let workers = Workers::new(threads)?;
        job(x, Context { workers: &workers, control })
    })
}

/// Euclidean distances between the rows of `x`.
#[pyfunction]
#[pyo3(signature = (x, threads=1, switches=None, report=None))]
pub fn euclidean_distances<'py>(
    py: Python<'py>,
    x: Matrix<'_>,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let reporter = Reporter::new(switches, report);
    let out = detached(py, &reporter, threads, x.as_array(), similarity::euclidean)?;
    Ok(out.into_pyarray(py))
}

/// The largest squared distance between rows of `x`, and whether it is exact or a bound.
#[pyfunction]
#[pyo3(signature = (x, threads=1, switches=None, report=None))]
pub fn largest_squared_distance(
    py: Python<'_>,
    x: Matrix<'_>,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<(f64, bool)> {
    let reporter = Reporter::new(switches, report);
    detached(py, &reporter, threads, x.as_array(), similarity::largest_squared_distance)
}

/// Minimum spanning tree of Euclidean distances: pairs of objects and their distances.
#[pyfunction]
#[pyo3(signature = (x, threads=1, switches=None, report=None))]
pub fn spanning_tree<'py>(
    py: Python<'py>,
    x: Matrix<'_>,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<Tree2<'py>> {
    let reporter = Reporter::new(switches, report);
    let edges = detached(py, &reporter, threads, x.as_array(), of_vectors)?;
    Ok(tree_arrays(py, edges))
}

/// Minimum spanning tree of a symmetric matrix of distances; infinite ones are absent.
#[pyfunction]
#[pyo3(signature = (d, switches=None, report=None))]
pub fn spanning_tree_of_matrix<'py>(
    py: Python<'py>,
    d: Matrix<'_>,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<Tree2<'py>> {
    let reporter = Reporter::new(switches, report);
    let edges = detached(py, &reporter, 1, d.as_array(), of_matrix)?;
    Ok(tree_arrays(py, edges))
}

/// Minimum spanning forest of the edges of a sparse graph of `n` objects.
#[pyfunction]
#[pyo3(signature = (n, ends, weights, switches=None, report=None))]
pub fn spanning_forest_of_graph<'py>(
    py: Python<'py>,
    n: usize,
    ends: Ends<'_>,
    weights: PyReadonlyArray1<'_, f64>,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<Tree2<'py>> {
    let edges = Edge::list(n, ends.as_array(), weights.as_array()).map_err(to_py)?;
    let kept = run_detached(py, &Reporter::new(switches, report), |control| {
        let workers = Workers::new(1)?;
        of_graph(n, edges, Context { workers: &workers, control })
    })?;
    Ok(tree_arrays(py, kept))
}

/// All minimax distances along a spanning tree or forest.
#[pyfunction]
#[pyo3(signature = (n, ends, weights, threads=1, switches=None, report=None))]
pub fn minimax_distances<'py>(
    py: Python<'py>,
    n: usize,
    ends: Ends<'_>,
    weights: PyReadonlyArray1<'_, f64>,
    threads: usize,
    switches: Option<&PySwitches>,
    report: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let edges = Edge::list(n, ends.as_array(), weights.as_array()).map_err(to_py)?;
    let out = run_detached(py, &Reporter::new(switches, report), |control| {
        let workers = Workers::new(threads)?;
        MergeTree::new(n, edges)?.minimax(Context { workers: &workers, control })
    })?;
    Ok(out.into_pyarray(py))
}
