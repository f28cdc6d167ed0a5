//! Ratio Cut, and Adaptive Ratio Cut R = sum_{u<v} L_uv phi_p(n_u, n_v) between it and Cheeger Cut.
//!
//! Empty clusters follow the limit of a uniform, vanishing profile (section 1): D/N in Ratio Cut,
//! V_v/N for a pair of an empty cluster with v. With 0 instead, all objects in one cluster would be
//! the best of all solutions.
//!
//! Clusters that hold next to nothing are mixed with that profile. Their own sums are differences of
//! large numbers, and divided by sizes of 1e-10 the rounding would decide which object settles there.

use super::totals::{EMPTY, Object, Totals};

/// Mass of the uniform profile that is mixed into clusters of less than one object.
const TRACE: f64 = 1e-6;

/// That mass for a cluster of this size; 0 from one object on, so that hard costs are exact.
fn trace(size: f64) -> f64 {
    TRACE * (1.0 - size).max(0.0)
}

/// phi_p(a, b) = (a^(-1/(p-1)) + b^(-1/(p-1)))^(p-1) for positive a, b; 1/min(a, b) for p = 1.
///
/// Through logarithms: the powers themselves underflow for p near 1.
pub fn phi(p: f64, a: f64, b: f64) -> f64 {
    let (low, high) = (a.min(b).ln(), a.max(b).ln());
    let q = p - 1.0;
    // (low - high) / 0 is -inf, or NaN for equal sizes; either way p = 1 leaves 1/min.
    if q <= 0.0 {
        return (-low).exp();
    }
    (q * ((low - high) / q).exp().ln_1p() - low).exp()
}

/// Ratio Cut: sum_k (V_k - A_k)/n_k.
pub(super) fn ratio_cost(totals: &Totals) -> f64 {
    (0..totals.n_clusters())
        .map(|k| outgoing(totals, totals.volumes[k] - totals.within[k], totals.sizes[k]))
        .sum()
}

/// cut / size, mixed with D/N (1 - size/N): a shift s adds s (N - size) to either.
fn outgoing(totals: &Totals, cut: f64, size: f64) -> f64 {
    if size <= EMPTY {
        return totals.mean_degree;
    }
    let extra = trace(size);
    let uniform = totals.mean_degree * (1.0 - size / totals.n_objects);
    (cut + extra * uniform) / (size + extra)
}

/// h_ik = (V0_k + d_i - A0_k - a_i - 2 g_ik)/(n0_k + 1) - (V0_k - A0_k)/n0_k.
pub(super) fn ratio_potentials(rest: &Totals, object: Object<'_>, out: &mut [f64]) {
    for (k, h) in out.iter_mut().enumerate() {
        let (cut, size) = (rest.volumes[k] - rest.within[k], rest.sizes[k]);
        let with = cut + object.degree - object.own - 2.0 * object.field[k];
        *h = with / (size + 1.0) - outgoing(rest, cut, size);
    }
}

/// A cluster of a pair: its size n and its volume V.
type Side = (f64, f64);

fn pair(p: f64, links: f64, u: Side, v: Side, n_objects: f64) -> f64 {
    match (u.0 <= EMPTY, v.0 <= EMPTY) {
        (true, true) => 0.0,
        (true, false) => v.1 / n_objects,
        (false, true) => u.1 / n_objects,
        (false, false) => {
            let (e, f) = (trace(u.0), trace(v.0));
            let links = links + (e * v.1 + f * u.1) / n_objects;
            links * phi(p, u.0 + e, v.0 + f)
        }
    }
}

/// Adaptive Ratio Cut: sum_{u<v} L_uv phi_p(n_u, n_v).
pub(super) fn adaptive_cost(totals: &Totals, p: f64) -> f64 {
    let k = totals.n_clusters();
    let side = |c: usize| (totals.sizes[c], totals.volumes[c]);
    (0..k)
        .flat_map(|u| (u + 1..k).map(move |v| (u, v)))
        .map(|(u, v)| pair(p, totals.links[u * k + v], side(u), side(v), totals.n_objects))
        .sum()
}

/// h_ik = sum_{v != k} [ (L0_kv + g_iv) phi(n0_k + 1, n0_v) - L0_kv phi(n0_k, n0_v) ].
pub(super) fn adaptive_potentials(rest: &Totals, object: Object<'_>, p: f64, out: &mut [f64]) {
    let (count, n) = (out.len(), rest.n_objects);
    let side = |c: usize| (rest.sizes[c], rest.volumes[c]);
    for (k, h) in out.iter_mut().enumerate() {
        let with = (rest.sizes[k] + 1.0, rest.volumes[k] + object.degree);
        *h = (0..count)
            .filter(|&v| v != k)
            .map(|v| {
                let links = rest.links[k * count + v];
                pair(p, links + object.field[v], with, side(v), n)
                    - pair(p, links, side(k), side(v), n)
            })
            .sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phi_is_the_power_mean_it_stands_for() {
        for p in [1.2, 1.5, 1.8, 2.0, 3.0] {
            for (a, b) in [(3.0, 5.0), (0.4, 7.0), (2.0, 2.0)] {
                let r: f64 = -1.0 / (p - 1.0);
                let expected = (f64::powf(a, r) + f64::powf(b, r)).powf(p - 1.0);
                // Powers up to (0.4)^-5: a few roundings of relative size 1e-16 times the exponent.
                assert!((phi(p, a, b) / expected - 1.0).abs() < 1e-13, "{p} {a} {b}");
            }
        }
    }

    #[test]
    fn phi_does_not_vanish_near_the_cheeger_limit() {
        for p in [1.0, 1.0 + 1e-9, 1.001, 1.005] {
            let found = phi(p, 200.0, 300.0);
            assert!((found * 200.0 - 1.0).abs() < 1e-12, "{p} {found}");
        }
        assert!((phi(1.0, 7.0, 7.0) - 1.0 / 7.0).abs() < 1e-15);
        assert!((phi(1.0 + 1e-13, 7.0, 7.0) - 1.0 / 7.0).abs() < 1e-12);
    }

    #[test]
    fn a_cluster_that_empties_does_so_smoothly_and_without_rounding() {
        let (n_objects, mean_degree) = (200.0, 6e4);
        let totals = Totals {
            sizes: vec![],
            volumes: vec![],
            within: vec![],
            links: vec![],
            mean_degree,
            n_objects,
        };
        // Sums of large numbers leave an error of 1e-10 behind, which must not be divided by 1e-11.
        for size in [1e-11, 1e-9, 1e-7, 1e-5] {
            let cut = 4e4 * size;
            let found = outgoing(&totals, cut, size);
            assert!((outgoing(&totals, cut + 1e-10, size) - found).abs() < 1.1e-4);
            assert!(found > 4e4 && found < mean_degree, "{size} {found}");
            // A shift s adds s size (N - size) to the cut and s N to the mean degree.
            let shift = 5.0;
            let shifted = Totals { mean_degree: mean_degree + shift * n_objects, ..totals.clone() };
            let moved = outgoing(&shifted, cut + shift * size * (n_objects - size), size);
            assert!((moved - found - shift * (n_objects - size)).abs() < 1e-9);
        }
        assert!((outgoing(&totals, 4e4 * 1e-11, 1e-11) / mean_degree - 1.0).abs() < 1e-4);
        // Whole objects are left alone.
        assert!((outgoing(&totals, 7.0, 2.0) - 3.5).abs() < 1e-15);
    }

    #[test]
    fn pairs_with_an_emptying_cluster_tend_to_their_limit() {
        for p in [1.0, 1.2, 1.5, 2.0, 3.0] {
            let (empty, full) = ((0.0, 0.0), (150.0, 9e6));
            let limit = pair(p, 0.0, empty, full, 200.0);
            let size = 1e-11;
            let near = pair(p, size * 9e6 / 200.0, (size, size * 6e4), full, 200.0);
            // phi(e, n) = (1/e) (1 + O((e/n)^(1/(p-1))))^(p-1); at p = 3 the root of 1e-8 is left.
            assert!((near / limit - 1.0).abs() < 1e-3, "{p} {near} {limit}");
        }
    }
}
