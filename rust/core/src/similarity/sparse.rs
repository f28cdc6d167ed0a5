//! Similarities with few entries: compressed rows, absent entries are 0.

use ndarray::{Array2, ArrayView2};
use rand_chacha::ChaCha8Rng;

use super::{Entries, Fields, Similarity, check_rows, fill_blocks, permutation};
use crate::error::{Error, Result};
use crate::workers::Context;

/// A symmetric matrix in compressed rows (CSR).
#[derive(Debug, Clone)]
pub struct Sparse {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Sparse {
    /// Row i has `values[starts[i]..starts[i + 1]]` in the `columns` of the same range.
    ///
    /// The caller has made the matrix symmetric and finite; repeated entries add up.
    pub fn new(starts: Vec<usize>, columns: Vec<u32>, values: Vec<f64>) -> Result<Self> {
        let n = starts.len().saturating_sub(1);
        let ordered = starts.first() == Some(&0) && starts.windows(2).all(|w| w[0] <= w[1]);
        let complete = starts.last() == Some(&columns.len()) && columns.len() == values.len();
        if !ordered || !complete || columns.iter().any(|&j| j as usize >= n) {
            let found = "is no valid matrix in compressed rows";
            return Err(Error::invalid("S", found, "build it with scipy.sparse.csr_array"));
        }
        let mut diagonal = vec![0.0; n];
        for i in 0..n {
            let range = starts[i]..starts[i + 1];
            let own = columns[range.clone()].iter().zip(&values[range]);
            diagonal[i] = own.filter(|(j, _)| **j as usize == i).map(|(_, v)| v).sum();
        }
        Ok(Self { starts, columns, values, diagonal })
    }

    /// Starts, columns and values, as [`Sparse::new`] takes them.
    pub fn parts(&self) -> (&[usize], &[u32], &[f64]) {
        (&self.starts, &self.columns, &self.values)
    }

    /// The similarities among the objects `index`, which are all different.
    pub fn take(&self, index: &[usize]) -> Result<Self> {
        let mut place = vec![None; self.diagonal.len()];
        index.iter().enumerate().for_each(|(new, &old)| place[old] = Some(new as u32));
        let (mut starts, mut columns, mut values) = (vec![0], vec![], vec![]);
        for &old in index {
            let mut row: Vec<(u32, f64)> =
                self.row(old).filter_map(|(j, value)| Some((place[j]?, value))).collect();
            row.sort_by_key(|&(j, _)| j);
            columns.extend(row.iter().map(|&(j, _)| j));
            values.extend(row.iter().map(|&(_, value)| value));
            starts.push(columns.len());
        }
        Self::new(starts, columns, values)
    }

    /// The entries (j, S_ij) of row `i`.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[i]..self.starts[i + 1];
        let columns = self.columns[range.clone()].iter().map(|&j| j as usize);
        columns.zip(self.values[range].iter().copied())
    }

    /// Add sum_j S_ij q_j over the entries that `keep` allows.
    fn add_row(
        &self,
        i: usize,
        q: ArrayView2<'_, f64>,
        out: &mut [f64],
        keep: impl Fn(usize) -> bool,
    ) {
        for (j, value) in self.row(i).filter(|(j, _)| keep(*j)) {
            out.iter_mut().zip(q.row(j)).for_each(|(slot, q)| *slot += value * q);
        }
    }
}

impl Similarity for Sparse {
    fn len(&self) -> usize {
        self.diagonal.len()
    }

    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn matmul(&self, q: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Array2<f64>> {
        check_rows(q, self.len())?;
        let mut out = Array2::zeros((self.len(), q.ncols()));
        let row_work = self.values.len().div_ceil(self.len().max(1)) * q.ncols() * 4;
        fill_blocks(&mut out, row_work, context, |rows, mut part| {
            for (mut line, i) in part.outer_iter_mut().zip(rows) {
                if let Some(line) = line.as_slice_mut() {
                    self.add_row(i, q, line, |_| true);
                }
            }
        })?;
        Ok(out)
    }

    fn to_array(&self, context: Context<'_>) -> Result<Array2<f64>> {
        let mut out = Array2::zeros((self.len(), self.len()));
        fill_blocks(&mut out, self.len(), context, |rows, mut part| {
            for (mut line, i) in part.outer_iter_mut().zip(rows) {
                self.row(i).for_each(|(j, value)| line[j] += value);
            }
        })?;
        Ok(out)
    }

    fn entries(&self) -> Entries<'_> {
        Entries::Rows { starts: &self.starts, columns: &self.columns, values: &self.values }
    }

    fn fields<'a>(
        &'a self,
        q: ArrayView2<'_, f64>,
        _context: Context<'_>,
    ) -> Result<Box<dyn Fields + 'a>> {
        check_rows(q, self.len())?;
        Ok(Box::new(SparseFields(self)))
    }
}

/// Nothing needs to be kept: a field is a sum over the few neighbors, read from the current q.
struct SparseFields<'a>(&'a Sparse);

impl Fields for SparseFields<'_> {
    fn order(&mut self, rng: &mut ChaCha8Rng) -> Vec<usize> {
        permutation(self.0.len(), rng)
    }

    fn field(&mut self, i: usize, q: ArrayView2<'_, f64>, out: &mut [f64]) {
        out.fill(0.0);
        self.0.add_row(i, q, out, |j| j != i);
    }

    fn moved(&mut self, _i: usize, _delta: &[f64]) {}
}
