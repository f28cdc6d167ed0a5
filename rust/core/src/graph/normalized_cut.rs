//! Normalized Cut: R = K - sum_k A_k / V_k (Eq. 103 with the volume of the cluster below).
//!
//! A cluster without volume contributes 1: its ratio counts as 0.

use super::totals::{EMPTY, Object, Totals};

fn ratio(within: f64, volume: f64, totals: &Totals) -> f64 {
    // Volumes are measured in mean degrees, so that a common factor of S changes nothing.
    if volume <= EMPTY * totals.mean_degree { 0.0 } else { within / volume }
}

/// K - sum_k A_k / V_k.
pub(super) fn cost(totals: &Totals) -> f64 {
    let terms = totals.within.iter().zip(&totals.volumes);
    let kept: f64 = terms.map(|(&within, &volume)| ratio(within, volume, totals)).sum();
    totals.n_clusters() as f64 - kept
}

/// h_ik = -[ (A0_k + a_i + 2 g_ik)/(V0_k + d_i) - A0_k/V0_k ].
pub(super) fn potentials(rest: &Totals, object: Object<'_>, out: &mut [f64]) {
    for (k, h) in out.iter_mut().enumerate() {
        let (within, volume) = (rest.within[k], rest.volumes[k]);
        let with = within + object.own + 2.0 * object.field[k];
        *h = ratio(within, volume, rest) - ratio(with, volume + object.degree, rest);
    }
}
