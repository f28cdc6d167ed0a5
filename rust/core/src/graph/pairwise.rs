//! Pairwise clustering: R = -1/2 sum_k A_k / n_k; an empty cluster contributes 0.

use super::totals::{EMPTY, Object, Totals};

fn ratio(within: f64, size: f64) -> f64 {
    if size <= EMPTY { 0.0 } else { within / size }
}

/// -1/2 sum_k A_k / n_k.
pub(super) fn cost(totals: &Totals) -> f64 {
    let terms = totals.within.iter().zip(&totals.sizes);
    -0.5 * terms.map(|(&within, &size)| ratio(within, size)).sum::<f64>()
}

/// h_ik = -1/2 [ (A0_k + a_i + 2 g_ik)/(n0_k + 1) - A0_k/n0_k ].
pub(super) fn potentials(rest: &Totals, object: Object<'_>, out: &mut [f64]) {
    for (k, h) in out.iter_mut().enumerate() {
        let (within, size) = (rest.within[k], rest.sizes[k]);
        let with = (within + object.own + 2.0 * object.field[k]) / (size + 1.0);
        *h = -0.5 * (with - ratio(within, size));
    }
}
