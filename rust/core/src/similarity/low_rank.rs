//! Similarities that are inner products of feature vectors, up to terms of rank one.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Slice};
use rand_chacha::ChaCha8Rng;

use super::{Fields, Similarity, block_rows, check_rows, fill_blocks, permutation};
use crate::error::{Error, Result};
use crate::workers::Context;

/// How vectors become similarities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measure {
    /// x . y
    Inner,
    /// x . y / (|x| |y|); a zero row is similar to nothing (0).
    Cosine,
    /// The correlation of two rows; a constant row is similar to nothing (0).
    Pearson,
    /// v - |x - y|^2 with this v.
    SquaredEuclidean(f64),
}

/// S_ij = scale x_i . x_j + u_i + u_j + v, that is S = F G^T with r = D + 3 columns never stored twice.
///
/// For squared distances F = [2x, -|x|^2, -1, v], G = [x, 1, |x|^2, 1]: scale = 2, u = -|x|^2.
#[derive(Debug, Clone)]
pub struct LowRank {
    x: Array2<f64>,
    scale: f64,
    /// u_i, all zero without squared distances.
    bias: Vec<f64>,
    offset: f64,
    diagonal: Vec<f64>,
}

impl LowRank {
    /// The similarity of the rows of `x`.
    pub fn new(x: ArrayView2<'_, f64>, measure: Measure) -> Result<Self> {
        if x.is_empty() {
            let found = format!("has shape ({}, {})", x.nrows(), x.ncols());
            return Err(Error::invalid("X", found, "at least one row and one column are needed"));
        }
        let mut x = x.as_standard_layout().into_owned();
        match measure {
            Measure::Inner => {}
            Measure::Cosine => x.outer_iter_mut().for_each(normalize),
            Measure::Pearson => x.outer_iter_mut().for_each(standardize),
            Measure::SquaredEuclidean(_) => {
                // Far from the origin the three terms would cancel and lose digits.
                let mean = x.mean_axis(Axis(0)).unwrap_or_default();
                x -= &mean;
            }
        }
        let squared = if let Measure::SquaredEuclidean(v) = measure { Some(v) } else { None };
        Ok(Self::of_vectors(x, squared))
    }

    /// Inner products of vectors taken as they are, or this v minus their squared distances.
    pub fn of_vectors(x: Array2<f64>, squared: Option<f64>) -> Self {
        let squares: Vec<f64> = x.outer_iter().map(|row| row.dot(&row)).collect();
        let (scale, offset) = squared.map_or((1.0, 0.0), |v| (2.0, v));
        let is_squared = squared.is_some();
        let bias = squares.iter().map(|s| if is_squared { -s } else { 0.0 }).collect();
        let diagonal = if is_squared { vec![offset; squares.len()] } else { squares };
        Self { x, scale, bias, offset, diagonal }
    }

    /// What [`LowRank::of_vectors`] makes the same similarity of.
    pub fn vectors(&self) -> (&Array2<f64>, Option<f64>) {
        (&self.x, (self.scale > 1.0).then_some(self.offset))
    }

    /// The similarities among the objects `index`.
    #[must_use]
    pub fn take(&self, index: &[usize]) -> Self {
        Self::of_vectors(self.x.select(Axis(0), index), self.vectors().1)
    }

    /// W = X^T q, m = u^T q and n = 1^T q, summed in block order.
    fn moments(&self, q: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Moments> {
        let (n, d) = self.x.dim();
        let rows = block_rows(d * q.ncols());
        let parts = context.workers.map(n.div_ceil(rows), |b| {
            context.control.tick()?;
            let range = Slice::from(b * rows..n.min((b + 1) * rows));
            let (x, q) = (self.x.slice_axis(Axis(0), range), q.slice_axis(Axis(0), range));
            let bias = ArrayView1::from(&self.bias[b * rows..n.min((b + 1) * rows)]);
            Ok(Moments { w: x.t().dot(&q), m: bias.dot(&q), n: q.sum_axis(Axis(0)) })
        })?;
        let start = Moments::zeros(d, q.ncols());
        Ok(parts.into_iter().fold(start, |total, part| Moments {
            w: total.w + part.w,
            m: total.m + part.m,
            n: total.n + part.n,
        }))
    }
}

/// Scale a row to length one; a zero row stays.
fn normalize(mut row: ndarray::ArrayViewMut1<'_, f64>) {
    // Dividing by the largest entry first keeps the squares of tiny numbers from vanishing.
    let largest = row.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    if largest > 0.0 {
        row /= largest;
        let norm = row.dot(&row).sqrt();
        row /= norm;
    }
}

/// Center a row, then scale it to length one; a constant row becomes zero.
fn standardize(mut row: ndarray::ArrayViewMut1<'_, f64>) {
    let first = row[0];
    if row.iter().all(|&value| value == first) {
        row.fill(0.0);
        return;
    }
    let mean = row.sum() / row.len() as f64;
    row -= mean;
    normalize(row);
}

/// What the fields of all objects need to know about q.
struct Moments {
    w: Array2<f64>,
    m: Array1<f64>,
    n: Array1<f64>,
}

impl Moments {
    fn zeros(d: usize, k: usize) -> Self {
        Self { w: Array2::zeros((d, k)), m: Array1::zeros(k), n: Array1::zeros(k) }
    }
}

impl Similarity for LowRank {
    fn len(&self) -> usize {
        self.x.nrows()
    }

    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    fn matmul(&self, q: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Array2<f64>> {
        check_rows(q, self.len())?;
        let sums = self.moments(q, context)?;
        let common = &sums.m + &(self.offset * &sums.n);
        let mut out = Array2::zeros(q.raw_dim());
        fill_blocks(&mut out, self.x.ncols() * q.ncols(), context, |rows, mut part| {
            for (mut line, i) in part.outer_iter_mut().zip(rows.clone()) {
                line.assign(&common);
                line.scaled_add(self.bias[i], &sums.n);
            }
            let x = self.x.slice_axis(Axis(0), Slice::from(rows));
            general_mat_mul(self.scale, &x, &sums.w, 1.0, &mut part);
        })?;
        Ok(out)
    }

    fn fields<'a>(
        &'a self,
        q: ArrayView2<'_, f64>,
        context: Context<'_>,
    ) -> Result<Box<dyn Fields + 'a>> {
        check_rows(q, self.len())?;
        Ok(Box::new(LowRankFields { similarity: self, sums: self.moments(q, context)? }))
    }
}

/// The moments of q, changed by a rank-one term when a row moves.
struct LowRankFields<'a> {
    similarity: &'a LowRank,
    sums: Moments,
}

impl Fields for LowRankFields<'_> {
    fn order(&mut self, rng: &mut ChaCha8Rng) -> Vec<usize> {
        permutation(self.similarity.len(), rng)
    }

    fn field(&mut self, i: usize, q: ArrayView2<'_, f64>, out: &mut [f64]) {
        let LowRank { x, scale, bias, offset, diagonal } = self.similarity;
        out.fill(0.0);
        for (&value, line) in x.row(i).iter().zip(self.sums.w.outer_iter()) {
            out.iter_mut().zip(line).for_each(|(slot, w)| *slot += value * w);
        }
        let sums = self.sums.m.iter().zip(&self.sums.n).zip(q.row(i));
        for (slot, ((m, n), q)) in out.iter_mut().zip(sums) {
            *slot = scale * *slot + m + (bias[i] + offset) * n - diagonal[i] * q;
        }
    }

    fn moved(&mut self, i: usize, delta: &[f64]) {
        let delta = ArrayView1::from(delta);
        for (&value, mut line) in self.similarity.x.row(i).iter().zip(self.sums.w.outer_iter_mut())
        {
            line.scaled_add(value, &delta);
        }
        self.sums.m.scaled_add(self.similarity.bias[i], &delta);
        self.sums.n += &delta;
    }
}
