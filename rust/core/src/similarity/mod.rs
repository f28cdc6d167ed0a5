//! Symmetric similarities between objects, in representations that avoid the N x N matrix.
//!
//! Every representation offers the product S q, and the fields g_ik = sum_{j != i} S_ij q_jk of a
//! sequential sweep kept up to date while rows of q move (spec: graph, sections 0 and 5). A constant
//! shift of all similarities is a rank-one term that the models add by themselves.

mod dense;
mod kernels;
mod low_rank;
pub mod merge_tree;
mod on_the_fly;
pub mod spanning_tree;
mod sparse;
mod symmetric;
mod tree;

pub use dense::{Dense, Part};
pub(crate) use kernels::add_scaled;
pub use low_rank::{LowRank, Measure};
pub use merge_tree::MergeTree;
pub use on_the_fly::{OnTheFly, euclidean, largest_squared_distance};
pub use sparse::Sparse;
pub use tree::Tree;

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::error::{Error, Result};
use crate::workers::Context;

/// Multiplications of one block: well below the 20 ms between two ticks.
const BLOCK_WORK: usize = 1 << 21;

/// Columns of the unit matrix multiplied at a time when a matrix is formed.
const UNIT_COLUMNS: usize = 256;

/// A symmetric N x N matrix S of similarities, diagonal included.
pub trait Similarity: Sync {
    /// Number of objects N.
    fn len(&self) -> usize;

    /// Whether there are no objects.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The self-similarities a_i = S_ii.
    fn diagonal(&self) -> &[f64];

    /// The product S q (N x K), diagonal included.
    fn matmul(&self, q: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Array2<f64>>;

    /// The matrix itself (N x N).
    fn to_array(&self, context: Context<'_>) -> Result<Array2<f64>> {
        let n = self.len();
        let mut out = Array2::zeros((n, n));
        for (b, mut part) in out.axis_chunks_iter_mut(Axis(1), UNIT_COLUMNS).enumerate() {
            let first = b * UNIT_COLUMNS;
            let unit = |(i, j): (usize, usize)| if i == first + j { 1.0 } else { 0.0 };
            let units = Array2::from_shape_fn(part.dim(), unit);
            part.assign(&self.matmul(units.view(), context)?);
        }
        // Rounded differently on both sides of the diagonal: keep one of them.
        for i in 0..n {
            let (above, mut below) = out.view_mut().split_at(Axis(0), i);
            below.row_mut(0).iter_mut().zip(above.column(i)).for_each(|(low, high)| *low = *high);
            below[[0, i]] = self.diagonal()[i];
        }
        Ok(out)
    }

    /// The entries themselves, where they are stored.
    fn entries(&self) -> Entries<'_> {
        Entries::Implicit
    }

    /// The similarity of the objects `kept` by themselves, where products with it cost less.
    fn restricted(&self, _kept: &[usize], _context: Context<'_>) -> Result<Option<Part>> {
        Ok(None)
    }

    /// The book-keeping of sequential sweeps that start from `q`.
    fn fields<'a>(
        &'a self,
        q: ArrayView2<'_, f64>,
        context: Context<'_>,
    ) -> Result<Box<dyn Fields + 'a>>;
}

/// The entries of a similarity as they are stored.
#[derive(Debug, Clone, Copy)]
pub enum Entries<'a> {
    /// All of them.
    Matrix(ArrayView2<'a, f64>),
    /// Row i has `values[starts[i]..starts[i + 1]]` in the `columns` of the same range.
    Rows {
        /// Where rows begin, and the last one ends.
        starts: &'a [usize],
        /// Columns of the entries.
        columns: &'a [u32],
        /// The entries.
        values: &'a [f64],
    },
    /// None of them.
    Implicit,
}

/// The fields of a sequential sweep; a shift is not in here (rank one, the model keeps n_k).
///
/// Make it anew at every temperature: rounding errors of the updates then never pile up.
pub trait Fields: Send {
    /// The order in which the next sweep visits the objects.
    fn order(&mut self, rng: &mut ChaCha8Rng) -> Vec<usize>;

    /// Write g_ik = sum_{j != i} S_ij q_jk for the current `q`; called in the order given.
    fn field(&mut self, i: usize, q: ArrayView2<'_, f64>, out: &mut [f64]);

    /// Row `i` of q changed by `delta`; called, if at all, before the field of the next object.
    fn moved(&mut self, i: usize, delta: &[f64]);
}

/// A uniformly random order of 0..n (Fisher and Yates).
pub fn permutation(n: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, rng.random_range(0..=i));
    }
    order
}

/// Fail unless `q` has one row per object.
fn check_rows(q: ArrayView2<'_, f64>, n: usize) -> Result<()> {
    if q.nrows() == n {
        return Ok(());
    }
    let found = format!("has {} rows for {n} objects", q.nrows());
    Err(Error::invalid("Q", found, "give one row per object"))
}

/// Rows of a block when each costs `row_work` multiplications.
fn block_rows(row_work: usize) -> usize {
    (BLOCK_WORK / row_work.max(1)).clamp(1, 16_384)
}

/// Fill `out` in parallel by blocks of rows; the blocks never depend on the number of threads.
fn fill_blocks(
    out: &mut Array2<f64>,
    row_work: usize,
    context: Context<'_>,
    job: impl Fn(Range<usize>, ArrayViewMut2<'_, f64>) + Sync,
) -> Result<()> {
    let rows = block_rows(row_work);
    // Every block is locked exactly once: the locks only lend it to the thread that fills it.
    let parts: Vec<_> = out.axis_chunks_iter_mut(Axis(0), rows).map(Mutex::new).collect();
    context.workers.map(parts.len(), |b| {
        context.control.tick()?;
        let mut part = parts[b].lock().unwrap_or_else(PoisonError::into_inner);
        let start = b * rows;
        job(start..start + part.nrows(), part.view_mut());
        Ok(())
    })?;
    Ok(())
}
