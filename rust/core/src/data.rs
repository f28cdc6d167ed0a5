//! A borrowed data matrix that is centered on the fly, block by block.

use std::ops::Range;

use ndarray::{Array1, Array2, ArrayView2, Axis, Slice};

use crate::error::{Error, Result};
use crate::linear::{EigenPair, largest_eigenpair};
use crate::workers::Context;

/// Rows times clusters of one block: its probabilities (64 KB) stay close to the core.
const BLOCK_CELLS: usize = 8_192;

/// N objects with D features, seen relative to an offset.
///
/// The caller's array is never copied as a whole: centering happens while a block is loaded, because
/// distances computed far from the origin lose digits (an offset of 1e8 costs 0.009 bit).
#[derive(Debug, Clone)]
pub struct Data<'a> {
    x: ArrayView2<'a, f64>,
    offset: Array1<f64>,
}

impl<'a> Data<'a> {
    /// View `x` relative to `offset`.
    pub fn new(x: ArrayView2<'a, f64>, offset: Array1<f64>) -> Result<Self> {
        if x.nrows() == 0 || x.ncols() == 0 {
            let found = format!("has shape ({}, {})", x.nrows(), x.ncols());
            return Err(Error::invalid("X", found, "at least one row and one column are needed"));
        }
        Ok(Self { x, offset })
    }

    /// View `x` relative to its own mean.
    pub fn centered(x: ArrayView2<'a, f64>) -> Result<Self> {
        let offset = x.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(x.ncols()));
        Self::new(x, offset)
    }

    /// The caller's array, not centered.
    pub fn raw(&self) -> ArrayView2<'a, f64> {
        self.x
    }

    /// Number of objects N.
    pub fn n_objects(&self) -> usize {
        self.x.nrows()
    }

    /// Number of features D.
    pub fn n_features(&self) -> usize {
        self.x.ncols()
    }

    /// What is subtracted from every row.
    pub fn offset(&self) -> &Array1<f64> {
        &self.offset
    }

    /// The rows of each block when `k` clusters are held per object.
    pub fn blocks(&self, k: usize) -> Vec<Range<usize>> {
        let n = self.n_objects();
        let rows = (BLOCK_CELLS / k.max(1)).clamp(64, 2048);
        (0..n.div_ceil(rows)).map(|b| b * rows..n.min((b + 1) * rows)).collect()
    }

    /// Centered copy of the rows in `range`, feature-major (D x rows): inner loops run along objects.
    pub fn block(&self, range: Range<usize>) -> Array2<f64> {
        let rows = self.x.slice_axis(Axis(0), Slice::from(range));
        let mut out = Array2::zeros((rows.ncols(), rows.nrows()));
        let features = out.outer_iter_mut().zip(rows.columns()).zip(&self.offset);
        for ((mut line, column), offset) in features {
            line.iter_mut().zip(column).for_each(|(value, given)| *value = given - offset);
        }
        out
    }

    /// Sum over blocks of a vector computed from each, added in block order.
    fn sum_blocks(
        &self,
        context: Context<'_>,
        part: impl Fn(Array2<f64>) -> Array1<f64> + Sync,
    ) -> Result<Array1<f64>> {
        let blocks = self.blocks(8);
        let parts = context.workers.map(blocks.len(), |b| {
            context.control.tick()?;
            Ok(part(self.block(blocks[b].clone())))
        })?;
        Ok(parts.into_iter().reduce(|total, next| total + next).unwrap_or_default())
    }

    /// Variance of every feature about the offset (1/N).
    pub fn variances(&self, context: Context<'_>) -> Result<Array1<f64>> {
        let squares = self.sum_blocks(context, |x| (&x * &x).sum_axis(Axis(1)))?;
        Ok(squares / self.n_objects() as f64)
    }

    /// Largest eigenvalue of the covariance about the offset (1/N) with its direction.
    pub fn principal_axis(&self, context: Context<'_>) -> Result<EigenPair> {
        let n = self.n_objects() as f64;
        largest_eigenpair(self.n_features(), |v| {
            let product = self.sum_blocks(context, |x| x.dot(&x.t().dot(v)))?;
            Ok(product / n)
        })
    }
}

/// Mean of the rows of two matrices with the same columns, taken together.
pub fn pooled_mean(first: ArrayView2<'_, f64>, second: ArrayView2<'_, f64>) -> Array1<f64> {
    let total = first.sum_axis(Axis(0)) + second.sum_axis(Axis(0));
    total / (first.nrows() + second.nrows()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Control;
    use crate::workers::Workers;
    use ndarray::array;

    #[test]
    fn blocks_cover_every_row_once() {
        let x = Array2::zeros((5000, 2));
        let data = Data::centered(x.view()).unwrap();
        let blocks = data.blocks(8);
        assert_eq!(blocks.first().map(|b| b.start), Some(0));
        assert_eq!(blocks.last().map(|b| b.end), Some(5000));
        assert!(blocks.windows(2).all(|w| w[0].end == w[1].start));
    }

    #[test]
    fn spectrum_of_a_known_covariance() {
        let x = array![[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]] + 10.0;
        let data = Data::centered(x.view()).unwrap();
        let workers = Workers::new(1).unwrap();
        let control = Control::default();
        let context = Context { workers: &workers, control: &control };
        let axis = data.principal_axis(context).unwrap();
        assert!((axis.value - 4.5).abs() < 1e-12);
        assert!(axis.vector[1].abs() < 1e-6);
        let variances = data.variances(context).unwrap();
        assert_eq!(variances, array![4.5, 0.5]);
    }

    #[test]
    fn an_empty_matrix_is_refused() {
        assert!(Data::centered(Array2::zeros((0, 3)).view()).is_err());
    }
}
