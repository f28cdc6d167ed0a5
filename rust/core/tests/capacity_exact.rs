//! The factorized sums (62)-(65) against sums over all `K^N` assignments, and their invariances.

use std::f64::consts::LN_2;

use gencap_core::Control;
use gencap_core::capacity::probabilities::{
    agreement, align, aligned_masses, entropy, log_agreement, measure,
};
use gencap_core::rng::{fill_normal, stream};
use gencap_core::testing::all_assignments;
use ndarray::Array2;

/// Potentials `h_ik` = |x - mu|^2 for random points and centroids in the plane.
fn potentials(n: usize, k: usize, seed: u64) -> Array2<f64> {
    let mut numbers = vec![0.0; 2 * (n + k)];
    fill_normal(&mut stream(seed, &[]), &mut numbers);
    let (points, centers) = numbers.split_at(2 * n);
    Array2::from_shape_fn((n, k), |(i, c)| {
        (points[2 * i] - centers[2 * c]).powi(2) + (points[2 * i + 1] - centers[2 * c + 1]).powi(2)
    })
}

fn log_probabilities(potentials: &Array2<f64>, beta: f64) -> Array2<f64> {
    let mut logs = potentials * -beta;
    for mut row in logs.rows_mut() {
        let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // In two steps: beta h may be so large that ln K would be lost in the sum.
        row -= top;
        let norm = row.iter().map(|v| v.exp()).sum::<f64>().ln();
        row -= norm;
    }
    logs
}

/// J by the factorized sums, without alignment; H from the mean soft masses.
fn factorized(first: &Array2<f64>, second: &Array2<f64>, beta: f64) -> f64 {
    let (l1, l2) = (log_probabilities(first, beta), log_probabilities(second, beta));
    let natural: Vec<usize> = (0..first.ncols()).collect();
    let masses = aligned_masses(l1.exp().view(), l2.exp().view(), &natural);
    entropy(&masses) + log_agreement(l1.view(), l2.view(), &natural)
}

/// ln `sum_c` exp(-beta R(c)) over all assignments, R(c) = `sum_i` `h_i,c(i)`.
fn log_partition(potentials: &Array2<f64>, beta: f64) -> f64 {
    let (n, k) = potentials.dim();
    let cost = |c: &Vec<usize>| c.iter().enumerate().map(|(i, &v)| potentials[[i, v]]).sum::<f64>();
    all_assignments(n, k).iter().map(|c| (-beta * cost(c)).exp()).sum::<f64>().ln()
}

#[test]
fn factorized_sums_equal_the_enumeration() {
    for (n, k, beta) in
        [(1, 2, 0.5), (3, 3, 0.1), (5, 2, 2.0), (6, 3, 0.7), (8, 3, 1.3), (8, 2, 4.0)]
    {
        let (first, second) = (potentials(n, k, 10 + n as u64), potentials(n, k, 20 + n as u64));
        let joint = &first + &second;
        let exact = log_partition(&joint, beta)
            - log_partition(&first, beta)
            - log_partition(&second, beta);
        let (l1, l2) = (log_probabilities(&first, beta), log_probabilities(&second, beta));
        let natural: Vec<usize> = (0..k).collect();
        let found = log_agreement(l1.view(), l2.view(), &natural);
        assert!((found - exact / (n as f64 * LN_2)).abs() < 1e-10, "N={n} K={k}: {found}");
        let plain = agreement(l1.exp().view(), l2.exp().view(), &natural);
        assert!((plain - found).abs() < 1e-10);
    }
}

#[test]
fn adding_a_constant_to_a_row_of_potentials_changes_nothing() {
    let (first, second) = (potentials(7, 3, 1), potentials(7, 3, 2));
    let shift = |h: &Array2<f64>| {
        Array2::from_shape_fn(h.dim(), |(i, c)| h[[i, c]] + 3.0 * (i as f64 - 2.5))
    };
    for beta in [0.1, 1.0, 10.0] {
        let moved = factorized(&shift(&first), &shift(&second), beta);
        assert!((factorized(&first, &second, beta) - moved).abs() < 1e-10);
    }
}

#[test]
fn equal_centroids_carry_nothing() {
    let column = potentials(9, 1, 3);
    let same = Array2::from_shape_fn((9, 4), |(i, _)| column[[i, 0]]);
    for beta in [0.0, 1.0, 1e4] {
        assert!(factorized(&same, &same, beta).abs() < 1e-12);
    }
}

#[test]
fn limits_of_the_temperature() {
    let (first, second) = (potentials(8, 3, 4), potentials(8, 3, 5));
    assert!(factorized(&first, &second, 0.0).abs() < 1e-12);
    // One and the same instance: hard assignments agree and J ends at the entropy of the sizes.
    let mut sizes = [0.0; 3];
    for row in first.rows() {
        let best = (0..3).min_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap();
        sizes[best] += 1.0;
    }
    assert!((factorized(&first, &first, 1e6) - entropy(&sizes)).abs() < 1e-9);
    // Disagreement: J falls linearly in beta, with no floor even where probabilities underflow.
    let falls = factorized(&first, &second, 2e4) / factorized(&first, &second, 1e4);
    assert!((falls - 2.0).abs() < 1e-2, "{falls}");
    assert!(factorized(&first, &second, 1e4) < -100.0);
}

#[test]
fn order_of_objects_does_not_matter() {
    let (n, k) = (8, 3);
    let first = log_probabilities(&potentials(n, k, 6), 0.8).exp();
    let second = log_probabilities(&potentials(n, k, 7), 0.8).exp();
    let turn = |p: &Array2<f64>| Array2::from_shape_fn((n, k), |(i, c)| p[[(i + 3) % n, c]]);
    let plain = measure(first.view(), second.view(), false, &Control::default()).unwrap();
    let moved =
        measure(turn(&first).view(), turn(&second).view(), false, &Control::default()).unwrap();
    assert!((plain.agreement - moved.agreement).abs() < 1e-12);
    assert_eq!(plain.assignment, moved.assignment);
    assert_eq!(plain.assignment, align(first.view(), second.view()));
}
