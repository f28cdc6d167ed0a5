//! Inner loops, compiled for the instruction set found at run time.
#![allow(clippy::inline_always)] // else they would be compiled for the oldest instruction set

use pulp::{Arch, Simd};

/// Objects whose partial sums stay in the first-level cache.
const CHUNK: usize = 1024;

/// `out += factor * x`.
#[pulp::with_simd(add_scaled = Arch::new())]
#[inline(always)]
pub(crate) fn add_scaled_with<'a, S: Simd>(
    _simd: S,
    out: &'a mut [f64],
    x: &'a [f64],
    factor: f64,
) {
    out.iter_mut().zip(x).for_each(|(out, x)| *out += factor * x);
}

/// Four rows of a symmetric n x n matrix from `first` on, right of the square on the diagonal: their
/// products with `v` go to their own places in `out`, those of the mirrored entries to the columns'.
#[pulp::with_simd(half_products = Arch::new())]
#[inline(always)]
pub(super) fn half_products_with<'a, S: Simd>(
    _simd: S,
    values: &'a [f64],
    n: usize,
    first: usize,
    v: &'a [f64],
    out: &'a mut [f64],
) {
    const LANES: usize = 8;
    let after = first + 4;
    let row = |r: usize| &values[(first + r) * n + after..(first + r + 1) * n];
    let own = [v[first], v[first + 1], v[first + 2], v[first + 3]];
    let (head, tail) = out.split_at_mut(after);
    let (a, a_rest) = row(0).as_chunks::<LANES>();
    let (b, b_rest) = row(1).as_chunks::<LANES>();
    let (c, c_rest) = row(2).as_chunks::<LANES>();
    let (d, d_rest) = row(3).as_chunks::<LANES>();
    let (v, v_rest) = v[after..].as_chunks::<LANES>();
    let (o, o_rest) = tail.as_chunks_mut::<LANES>();
    // Sums in lanes: the compiler may not reorder sums of floats by itself. Everything is loaded
    // before anything is stored, else it would have to suppose that `out` overlaps the rest.
    let mut sums = [[0.0; LANES]; 4];
    for (((((&a, &b), &c), &d), &v), o) in a.iter().zip(b).zip(c).zip(d).zip(v).zip(o) {
        let mut next = *o;
        for l in 0..LANES {
            next[l] += (a[l] * own[0] + b[l] * own[1]) + (c[l] * own[2] + d[l] * own[3]);
        }
        for (sums, row) in sums.iter_mut().zip([a, b, c, d]) {
            for l in 0..LANES {
                sums[l] += row[l] * v[l];
            }
        }
        *o = next;
    }
    for (l, (v, o)) in v_rest.iter().zip(o_rest).enumerate() {
        sums[0][l] += a_rest[l] * v;
        sums[1][l] += b_rest[l] * v;
        sums[2][l] += c_rest[l] * v;
        sums[3][l] += d_rest[l] * v;
        *o += (a_rest[l] * own[0] + b_rest[l] * own[1]) + (c_rest[l] * own[2] + d_rest[l] * own[3]);
    }
    for (slot, sums) in head[first..].iter_mut().zip(&sums) {
        *slot += ((sums[0] + sums[1]) + (sums[2] + sums[3]))
            + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }
}

/// Squared Euclidean distances from `point` to the objects `start..start + out.len()`.
///
/// `x` is feature-major, `stride` objects per feature.
#[pulp::with_simd(squared_distances = Arch::new())]
#[inline(always)]
pub(super) fn squared_distances_with<'a, S: Simd>(
    _simd: S,
    x: &'a [f64],
    stride: usize,
    point: &'a [f64],
    start: usize,
    out: &'a mut [f64],
) {
    let mut first = start;
    for part in out.chunks_mut(CHUNK) {
        part.fill(0.0);
        let size = part.len();
        let line = |feature: usize| &x[feature * stride + first..feature * stride + first + size];
        let square = |value: f64, center: f64| (value - center) * (value - center);
        // Four features at a time: the sums are loaded and stored a quarter as often.
        let mut feature = 0;
        while feature + 4 <= point.len() {
            let (a, b) = (line(feature), line(feature + 1));
            let (c, d) = (line(feature + 2), line(feature + 3));
            let p = &point[feature..feature + 4];
            for ((((sum, a), b), c), d) in part.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *sum +=
                    (square(*a, p[0]) + square(*b, p[1])) + (square(*c, p[2]) + square(*d, p[3]));
            }
            feature += 4;
        }
        for (feature, &center) in point.iter().enumerate().skip(feature) {
            part.iter_mut().zip(line(feature)).for_each(|(sum, v)| *sum += square(*v, center));
        }
        first += size;
    }
}

/// Where `given` is below `best`, take it over and note `id` in `from`.
#[pulp::with_simd(keep_smaller = Arch::new())]
#[inline(always)]
pub(super) fn keep_smaller_with<'a, S: Simd>(
    _simd: S,
    given: &'a [f64],
    best: &'a mut [f64],
    from: &'a mut [u32],
    id: u32,
) {
    for ((best, from), &given) in best.iter_mut().zip(from).zip(given) {
        let smaller = given < *best;
        *best = if smaller { given } else { *best };
        *from = if smaller { id } else { *from };
    }
}

/// Smallest value above minus infinity, and the largest value.
#[pulp::with_simd(extremes = Arch::new())]
#[inline(always)]
#[allow(clippy::needless_lifetimes)] // the macro needs the name
pub(super) fn extremes_with<'a, S: Simd>(_simd: S, values: &'a [f64]) -> (f64, f64) {
    // Eight independent lanes: the compiler may not reorder comparisons of floats by itself.
    let (mut low, mut high) = ([f64::INFINITY; 8], [f64::NEG_INFINITY; 8]);
    let chunks = values.chunks_exact(8);
    let rest = chunks.remainder();
    let mut look = |lane: usize, value: f64| {
        let open = if value > f64::NEG_INFINITY { value } else { f64::INFINITY };
        low[lane] = if open < low[lane] { open } else { low[lane] };
        high[lane] = if value > high[lane] { value } else { high[lane] };
    };
    for chunk in chunks {
        for (lane, &value) in chunk.iter().enumerate() {
            look(lane, value);
        }
    }
    rest.iter().enumerate().for_each(|(lane, &value)| look(lane, value));
    (
        low.iter().copied().fold(f64::INFINITY, f64::min),
        high.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn loops_agree_with_plain_ones(
            values in prop::collection::vec(-5.0..5.0_f64, 0..40),
            point in -5.0..5.0_f64,
        ) {
            let mut out = vec![0.0; values.len()];
            squared_distances(&values, values.len(), &[point], 0, &mut out);
            prop_assert!(out.iter().zip(&values).all(|(d, v)| *d == (v - point).powi(2)));
            let (low, high) = extremes(&values);
            prop_assert_eq!(low, values.iter().copied().fold(f64::INFINITY, f64::min));
            prop_assert_eq!(high, values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
            let (mut best, mut from) = (vec![4.0; values.len()], vec![7; values.len()]);
            keep_smaller(&out, &mut best, &mut from, 9);
            for (i, &d) in out.iter().enumerate() {
                prop_assert_eq!((best[i], from[i]), if d < 4.0 { (d, 9) } else { (4.0, 7) });
            }
        }
    }

    #[test]
    fn the_smallest_open_value_skips_closed_ones() {
        assert_eq!(extremes(&[f64::NEG_INFINITY, 3.0, 2.0]), (2.0, 3.0));
        assert_eq!(extremes(&[]).0, f64::INFINITY);
    }

    #[test]
    fn distances_start_where_asked() {
        let x: Vec<f64> = (0..2 * 3000).map(f64::from).collect();
        let mut out = vec![0.0; 1500];
        squared_distances(&x, 3000, &[0.0, 3000.0], 1500, &mut out);
        assert!(out.iter().zip(1500..).all(|(d, i)| *d == 2.0 * f64::from(i * i)));
    }
}
