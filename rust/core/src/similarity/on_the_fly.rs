//! Plain Euclidean similarities v - |x - y|: as a matrix, or rows computed when they are needed.

use ndarray::{Array2, ArrayView2};

use super::dense::{LazyFields, Rows};
use super::kernels::squared_distances;
use super::{Fields, Similarity, check_rows, fill_blocks};
use crate::error::{Error, Result};
use crate::workers::Context;

/// Beyond this many objects the largest distance is bounded instead of searched.
const EXACT_OBJECTS: usize = 10_000;

/// S_ij = v - |x_i - x_j|, of which only the vectors are stored.
#[derive(Debug, Clone)]
pub struct OnTheFly {
    x: Vectors,
    offset: f64,
    diagonal: Vec<f64>,
}

impl OnTheFly {
    /// The similarity of the rows of `x` with `offset` v.
    pub fn new(x: ArrayView2<'_, f64>, offset: f64) -> Result<Self> {
        let x = Vectors::new(x)?;
        let diagonal = vec![offset; x.n];
        Ok(Self { x, offset, diagonal })
    }

    /// The vectors, one row per object, and v.
    pub fn vectors(&self) -> (Array2<f64>, f64) {
        let Vectors { x, n, d } = &self.x;
        (Array2::from_shape_fn((*n, *d), |(i, j)| x[j * n + i]), self.offset)
    }

    fn write_row(&self, i: usize, out: &mut [f64]) {
        self.x.squared_row(i, out);
        for value in out.iter_mut() {
            *value = self.offset - value.sqrt();
        }
    }
}

impl Similarity for OnTheFly {
    fn len(&self) -> usize {
        self.x.n
    }

    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn matmul(&self, q: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Array2<f64>> {
        check_rows(q, self.len())?;
        let (n, k) = q.dim();
        let mut out = Array2::zeros((n, k));
        fill_blocks(&mut out, n * (k + self.x.d + 4), context, |rows, mut part| {
            let mut block = Array2::zeros((rows.len(), n));
            for (mut line, i) in block.outer_iter_mut().zip(rows) {
                if let Some(line) = line.as_slice_mut() {
                    self.write_row(i, line);
                }
            }
            ndarray::linalg::general_mat_mul(1.0, &block, &q, 0.0, &mut part);
        })?;
        Ok(out)
    }

    fn to_array(&self, context: Context<'_>) -> Result<Array2<f64>> {
        let mut out = Array2::zeros((self.len(), self.len()));
        fill_blocks(&mut out, self.len() * (self.x.d + 4), context, |rows, mut part| {
            for (mut line, i) in part.outer_iter_mut().zip(rows) {
                if let Some(line) = line.as_slice_mut() {
                    self.write_row(i, line);
                }
            }
        })?;
        Ok(out)
    }

    fn fields<'a>(
        &'a self,
        q: ArrayView2<'_, f64>,
        context: Context<'_>,
    ) -> Result<Box<dyn Fields + 'a>> {
        Ok(Box::new(LazyFields::new(self, q, context)?))
    }
}

impl Rows for OnTheFly {
    fn row<'b>(&'b self, i: usize, buffer: &'b mut Vec<f64>) -> &'b [f64] {
        buffer.resize(self.len(), 0.0);
        self.write_row(i, buffer);
        buffer
    }
}

/// The matrix of Euclidean distances between the rows of `x`.
pub fn euclidean(x: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Array2<f64>> {
    let x = Vectors::new(x)?;
    let mut out = Array2::zeros((x.n, x.n));
    fill_blocks(&mut out, x.n * (x.d + 4), context, |rows, mut part| {
        for (mut line, i) in part.outer_iter_mut().zip(rows) {
            if let Some(line) = line.as_slice_mut() {
                x.squared_row(i, line);
                for value in line.iter_mut() {
                    *value = value.sqrt();
                }
            }
        }
    })?;
    Ok(out)
}

/// The largest squared distance between rows of `x`, and whether it is exact or an upper bound.
///
/// The bound is the smaller of two: the diagonal of the bounding box, and the diameter of the
/// smallest ball around the mean.
pub fn largest_squared_distance(
    x: ArrayView2<'_, f64>,
    context: Context<'_>,
) -> Result<(f64, bool)> {
    let x = Vectors::new(x)?;
    if x.n > EXACT_OBJECTS {
        return Ok((x.bound(), false));
    }
    let mut largest = Array2::zeros((x.n, 1));
    fill_blocks(&mut largest, x.n * (x.d + 4), context, |rows, mut part| {
        let mut line = vec![0.0; x.n];
        for (slot, i) in part.iter_mut().zip(rows) {
            x.squared_row(i, &mut line);
            *slot = line.iter().copied().fold(0.0, f64::max);
        }
    })?;
    Ok((largest.iter().copied().fold(0.0, f64::max), true))
}

/// Vectors stored feature-major: loops run along objects.
#[derive(Debug, Clone)]
struct Vectors {
    x: Vec<f64>,
    n: usize,
    d: usize,
}

impl Vectors {
    fn new(x: ArrayView2<'_, f64>) -> Result<Self> {
        let (n, d) = x.dim();
        if n == 0 || d == 0 {
            let found = format!("has shape ({n}, {d})");
            return Err(Error::invalid("X", found, "at least one row and one column are needed"));
        }
        Ok(Self { x: x.t().iter().copied().collect(), n, d })
    }

    fn squared_row(&self, i: usize, out: &mut [f64]) {
        let point: Vec<f64> = self.x.iter().skip(i).step_by(self.n).copied().collect();
        squared_distances(&self.x, self.n, &point, 0, out);
    }

    fn bound(&self) -> f64 {
        let (mut means, mut diagonal) = (Vec::new(), 0.0);
        for line in self.x.chunks_exact(self.n) {
            means.push(line.iter().sum::<f64>() / self.n as f64);
            let high = line.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let low = line.iter().copied().fold(f64::INFINITY, f64::min);
            diagonal += (high - low) * (high - low);
        }
        let mut radii = vec![0.0; self.n];
        squared_distances(&self.x, self.n, &means, 0, &mut radii);
        let ball = 4.0 * radii.into_iter().fold(0.0, f64::max);
        // Rounded up by far more than the sums can be off.
        ball.min(diagonal) * (1.0 + 1e-12)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Control;
    use crate::workers::Workers;

    #[test]
    fn the_bound_is_above_the_largest_distance() {
        let x = Array2::from_shape_fn((300, 3), |(i, j)| ((i * 7 + j * 13) as f64).sin() + 1e3);
        let (workers, control) = (Workers::new(1).unwrap(), Control::default());
        let context = Context { workers: &workers, control: &control };
        let (exact, is_exact) = largest_squared_distance(x.view(), context).unwrap();
        let bound = Vectors::new(x.view()).unwrap().bound();
        assert!(is_exact && exact <= bound && bound < 4.1 * exact, "{exact} {bound}");
        let far = euclidean(x.view(), context).unwrap().iter().copied().fold(0.0, f64::max);
        assert!((far * far - exact).abs() < 1e-12);
    }
}
