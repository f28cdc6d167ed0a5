//! R = -sum_{i<j} S_ij sum_k q_ik q_jk: correlation clustering, Min Cut, Max Cor; negated: Max Cut.
//!
//! Over unordered pairs the three differ by constants only (section 1). The graph hands over a zero
//! diagonal, because these costs ignore it.

use super::totals::{Object, Totals};

/// -sign/2 sum_k A_k; `sign` is 1, or -1 for Max Cut.
pub(super) fn cost(totals: &Totals, sign: f64) -> f64 {
    -0.5 * sign * totals.within.iter().sum::<f64>()
}

/// h_ik = -sign g_ik.
pub(super) fn potentials(object: Object<'_>, sign: f64, out: &mut [f64]) {
    out.iter_mut().zip(object.field).for_each(|(h, g)| *h = -sign * g);
}
