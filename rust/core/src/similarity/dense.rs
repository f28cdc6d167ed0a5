//! A similarity that is there as a matrix, and the lazy fields of everything that can give its rows.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView2, Axis, Slice};
use rand_chacha::ChaCha8Rng;

use super::kernels::{add_scaled, extremes};
use super::{
    Entries, Fields, Similarity, block_rows, check_rows, fill_blocks, permutation, symmetric,
};
use crate::error::{Error, Result};
use crate::workers::Context;

/// A borrowed symmetric N x N matrix.
#[derive(Debug, Clone)]
pub struct Dense<'a> {
    s: ArrayView2<'a, f64>,
    diagonal: Vec<f64>,
}

impl<'a> Dense<'a> {
    /// View `s`, which the caller has made symmetric, finite and C-contiguous.
    pub fn new(s: ArrayView2<'a, f64>) -> Result<Self> {
        if s.nrows() != s.ncols() {
            let found = format!("has shape ({}, {})", s.nrows(), s.ncols());
            return Err(Error::invalid("S", found, "a similarity is square"));
        }
        if !s.is_standard_layout() {
            return Err(Error::invalid("S", "is not C-contiguous", "make a contiguous copy"));
        }
        Ok(Self { s, diagonal: s.diag().to_vec() })
    }

    /// The smallest entry; `diagonal` tells whether self-similarities count.
    pub fn smallest(&self, diagonal: bool, context: Context<'_>) -> Result<f64> {
        let n = self.len();
        let rows = block_rows(n);
        let lowest = context.workers.map(n.div_ceil(rows), |b| {
            context.control.tick()?;
            let lowest = (b * rows..n.min((b + 1) * rows)).map(|i| {
                let row = self.s.row(i);
                let row = row.as_slice().unwrap_or_default();
                let others = extremes(&row[..i]).0.min(extremes(&row[i + 1..]).0);
                if diagonal { others.min(row[i]) } else { others }
            });
            Ok(lowest.fold(f64::INFINITY, f64::min))
        })?;
        Ok(lowest.into_iter().fold(f64::INFINITY, f64::min))
    }

    /// The matrix itself.
    pub fn matrix(&self) -> ArrayView2<'a, f64> {
        self.s
    }
}

impl Similarity for Dense<'_> {
    fn len(&self) -> usize {
        self.s.nrows()
    }

    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn matmul(&self, q: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Array2<f64>> {
        let (n, k) = (self.len(), q.ncols());
        check_rows(q, n)?;
        if k == 1 {
            let v = q.iter().copied().collect::<Vec<_>>();
            let product = symmetric::product(self.s, &v, context)?;
            return Ok(Array1::from(product).insert_axis(Axis(1)));
        }
        let mut out = Array2::zeros((n, k));
        fill_blocks(&mut out, n * k, context, |rows, mut part| {
            let block = self.s.slice_axis(Axis(0), Slice::from(rows));
            general_mat_mul(1.0, &block, &q, 0.0, &mut part);
        })?;
        Ok(out)
    }

    fn to_array(&self, _context: Context<'_>) -> Result<Array2<f64>> {
        Ok(self.s.to_owned())
    }

    fn entries(&self) -> Entries<'_> {
        Entries::Matrix(self.s)
    }

    fn restricted(&self, kept: &[usize], context: Context<'_>) -> Result<Option<Part>> {
        let mut s = Array2::zeros((kept.len(), kept.len()));
        fill_blocks(&mut s, kept.len(), context, |rows, mut part| {
            for (mut line, &i) in part.outer_iter_mut().zip(&kept[rows]) {
                let row = self.s.row(i);
                line.iter_mut().zip(kept).for_each(|(slot, &j)| *slot = row[j]);
            }
        })?;
        Ok(Some(Part { diagonal: s.diag().to_vec(), s }))
    }

    fn fields<'a>(
        &'a self,
        q: ArrayView2<'_, f64>,
        context: Context<'_>,
    ) -> Result<Box<dyn Fields + 'a>> {
        Ok(Box::new(LazyFields::new(self, q, context)?))
    }
}

/// The matrix of some of the objects, in memory of its own.
#[derive(Debug, Clone)]
pub struct Part {
    s: Array2<f64>,
    diagonal: Vec<f64>,
}

impl Part {
    /// The similarity of these objects.
    pub fn dense(&self) -> Dense<'_> {
        Dense { s: self.s.view(), diagonal: self.diagonal.clone() }
    }
}

/// A similarity that can give any of its rows.
pub(super) trait Rows: Similarity {
    /// Row `i` of S: borrowed where it is stored, else written to `buffer`.
    fn row<'b>(&'b self, i: usize, buffer: &'b mut Vec<f64>) -> &'b [f64];
}

impl Rows for Dense<'_> {
    fn row<'b>(&'b self, i: usize, buffer: &'b mut Vec<f64>) -> &'b [f64] {
        if let Some(row) = self.s.row(i).to_slice() {
            return row;
        }
        *buffer = self.s.row(i).to_vec();
        buffer
    }
}

/// G = S q, to which S[:, i] delta^T is added when row i moves: rows that stay cost nothing.
pub(super) struct LazyFields<'a, R: Rows> {
    rows: &'a R,
    /// Cluster-major (K x N), so that an update runs along objects.
    g: Array2<f64>,
    buffer: Vec<f64>,
}

impl<'a, R: Rows> LazyFields<'a, R> {
    /// Fields for the current `q`.
    pub(super) fn new(rows: &'a R, q: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Self> {
        let g = rows.matmul(q, context)?;
        Ok(Self { rows, g: g.t().as_standard_layout().into_owned(), buffer: Vec::new() })
    }
}

impl<R: Rows> Fields for LazyFields<'_, R> {
    fn order(&mut self, rng: &mut ChaCha8Rng) -> Vec<usize> {
        permutation(self.rows.len(), rng)
    }

    fn field(&mut self, i: usize, q: ArrayView2<'_, f64>, out: &mut [f64]) {
        let own = self.rows.diagonal()[i];
        let terms = self.g.column(i).into_iter().zip(q.row(i));
        out.iter_mut().zip(terms).for_each(|(slot, (g, q))| *slot = g - own * q);
    }

    fn moved(&mut self, i: usize, delta: &[f64]) {
        let row = self.rows.row(i, &mut self.buffer);
        for (mut g, &change) in self.g.outer_iter_mut().zip(delta) {
            if change != 0.0
                && let Some(g) = g.as_slice_mut()
            {
                add_scaled(g, row, change);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Control;
    use crate::rng::stream;
    use crate::workers::Workers;
    use ndarray::Array1;
    use proptest::prelude::*;

    /// A symmetric matrix and probabilities-like q, entries in [-1, 1].
    fn problem(n: usize, k: usize) -> impl Strategy<Value = (Array2<f64>, Array2<f64>)> {
        let entries = prop::collection::vec(-1.0..1.0_f64, n * n);
        (entries, prop::collection::vec(-1.0..1.0_f64, n * k)).prop_map(move |(s, q)| {
            let s = Array2::from_shape_vec((n, n), s).unwrap();
            (0.5 * (&s + &s.t()), Array2::from_shape_vec((n, k), q).unwrap())
        })
    }

    proptest! {
        #[test]
        fn fields_follow_every_move(
            (s, q) in (1..12_usize, 1..5_usize).prop_flat_map(|(n, k)| problem(n, k)),
            seed in 0..1000_u64,
        ) {
            let (workers, control) = (Workers::new(1).unwrap(), Control::default());
            let context = Context { workers: &workers, control: &control };
            let dense = Dense::new(s.view()).unwrap();
            let (mut q, mut rng) = (q, stream(seed, &[]));
            let mut fields = dense.fields(q.view(), context).unwrap();
            for i in fields.order(&mut rng) {
                let mut found = vec![0.0; q.ncols()];
                fields.field(i, q.view(), &mut found);
                let expected = q.t().dot(&s.row(i)) - &q.row(i) * s[[i, i]];
                for (a, b) in found.iter().zip(&expected) {
                    // Sums of a dozen numbers of size one.
                    prop_assert!((a - b).abs() < 1e-13);
                }
                let delta = &expected * 0.3;
                fields.moved(i, delta.as_slice().unwrap());
                q.row_mut(i).scaled_add(1.0, &delta);
            }
        }
    }

    #[test]
    fn products_do_not_depend_on_the_threads() {
        let n = 1500;
        let s = Array2::from_shape_fn((n, n), |(i, j)| ((i + j) as f64).sin());
        let q = Array2::from_shape_fn((n, 5), |(i, k)| ((i * 5 + k) as f64).cos());
        let dense = Dense::new(s.view()).unwrap();
        let control = Control::default();
        let of = |threads| {
            let workers = Workers::new(threads).unwrap();
            dense.matmul(q.view(), Context { workers: &workers, control: &control }).unwrap()
        };
        assert_eq!(of(1), of(3));
        // 1500 products of size one, added in another order.
        assert!((of(1) - s.dot(&q)).iter().all(|v| v.abs() < 1e-11));
    }

    #[test]
    fn parts_and_smallest_entries_are_those_of_the_matrix() {
        let s = ndarray::array![[-9.0, 2.0, 5.0], [2.0, 1.0, 0.5], [5.0, 0.5, 4.0]];
        let dense = Dense::new(s.view()).unwrap();
        let (workers, control) = (Workers::new(2).unwrap(), Control::default());
        let context = Context { workers: &workers, control: &control };
        assert_eq!(dense.smallest(false, context), Ok(0.5));
        assert_eq!(dense.smallest(true, context), Ok(-9.0));
        let part = dense.restricted(&[0, 2], context).unwrap().unwrap();
        assert_eq!(part.dense().matrix(), ndarray::array![[-9.0, 5.0], [5.0, 4.0]]);
        assert_eq!(part.dense().diagonal(), [-9.0, 4.0]);
        let lone = Array2::ones((1, 1));
        let lone = Dense::new(lone.view()).unwrap();
        assert_eq!(lone.smallest(false, context), Ok(f64::INFINITY));
    }

    #[test]
    fn wrong_shapes_are_refused() {
        assert!(Dense::new(Array2::zeros((2, 3)).view()).is_err());
        let s = Array2::<f64>::eye(3);
        let dense = Dense::new(s.view()).unwrap();
        assert_eq!(dense.diagonal(), Array1::ones(3).as_slice().unwrap());
        let (workers, control) = (Workers::new(1).unwrap(), Control::default());
        let context = Context { workers: &workers, control: &control };
        assert!(dense.matmul(Array2::zeros((2, 1)).view(), context).is_err());
        control.cancel();
        assert_eq!(dense.matmul(Array2::zeros((3, 1)).view(), context), Err(Error::Cancelled));
    }
}
