//! The product of a stored symmetric matrix with one vector: memory is the bound, so one half of the
//! matrix is read, each entry for both of its places.

use std::ops::Range;

use ndarray::ArrayView2;

use super::kernels::half_products;
use crate::error::Result;
use crate::workers::Context;

/// Parts of about equal work; each has sums of its own, so that threads never meet.
const PARTS: usize = 8;

/// Rows at a time: four share the vector and the sums.
const ROWS: usize = 4;

/// Entries read between two looks at the switches.
const TICK_WORK: usize = 1 << 20;

/// S v for a symmetric `s` in standard layout.
pub(super) fn product(s: ArrayView2<'_, f64>, v: &[f64], context: Context<'_>) -> Result<Vec<f64>> {
    let n = v.len();
    let Some(values) = s.to_slice() else {
        return Ok(s.outer_iter().map(|row| row.iter().zip(v).map(|(s, v)| s * v).sum()).collect());
    };
    let parts = parts(n);
    let sums = context.workers.map(parts.len(), |p| {
        let mut out = vec![0.0; n];
        let mut read = 0;
        context.control.tick()?;
        for first in parts[p].clone().step_by(ROWS) {
            let rows = first..(first + ROWS).min(parts[p].end);
            read += ROWS * (n - first);
            if read > TICK_WORK {
                context.control.tick()?;
                read = 0;
            }
            corner(values, n, rows.clone(), v, &mut out);
            if rows.len() == ROWS {
                half_products(values, n, rows.start, v, &mut out);
            } else {
                rest(values, n, rows, v, &mut out);
            }
        }
        Ok(out)
    })?;
    let mut sums = sums.into_iter();
    let mut total = sums.next().unwrap_or_default();
    for part in sums {
        total.iter_mut().zip(part).for_each(|(total, part)| *total += part);
    }
    Ok(total)
}

/// Ranges of rows with about equally many entries from the diagonal on; whole groups of rows.
fn parts(n: usize) -> Vec<Range<usize>> {
    let share = |p: usize| {
        let row = n as f64 * (1.0 - (1.0 - p as f64 / PARTS as f64).sqrt());
        (row as usize).next_multiple_of(ROWS).min(n)
    };
    (0..PARTS).map(|p| share(p)..if p + 1 == PARTS { n } else { share(p + 1) }).collect()
}

/// The square on the diagonal.
fn corner(values: &[f64], n: usize, rows: Range<usize>, v: &[f64], out: &mut [f64]) {
    for i in rows.clone() {
        for j in rows.clone() {
            out[i] += values[i * n + j] * v[j];
        }
    }
}

/// Right of the square, for rows that are too few for the kernel.
fn rest(values: &[f64], n: usize, rows: Range<usize>, v: &[f64], out: &mut [f64]) {
    for i in rows.clone() {
        for j in rows.end..n {
            out[i] += values[i * n + j] * v[j];
            out[j] += values[i * n + j] * v[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;
    use proptest::prelude::*;

    use super::*;
    use crate::control::Control;
    use crate::rng::{fill_normal, stream};
    use crate::workers::Workers;

    proptest! {
        #[test]
        fn halves_make_the_whole(n in 0..70_usize, seed in 0..1000_u64) {
            let mut s = Array2::zeros((n, n));
            let mut v = vec![0.0; n];
            let mut rng = stream(seed, &[]);
            fill_normal(&mut rng, &mut s);
            fill_normal(&mut rng, &mut v);
            let s = &s + &s.t();
            let control = Control::default();
            let of = |threads| {
                let workers = Workers::new(threads).unwrap();
                product(s.view(), &v, Context { workers: &workers, control: &control }).unwrap()
            };
            let found = of(1);
            prop_assert_eq!(&found, &of(3));
            for (i, value) in found.iter().enumerate() {
                let expected: f64 = s.row(i).iter().zip(&v).map(|(s, v)| s * v).sum();
                // Seventy products of size one, added in another order.
                prop_assert!((value - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn parts_are_all_rows_in_order() {
        for n in [0, 1, 3, 4, 5, 31, 100, 4001] {
            let rows: Vec<usize> = parts(n).into_iter().flatten().collect();
            assert_eq!(rows, (0..n).collect::<Vec<_>>());
        }
    }
}
