use ndarray::Array2;
use proptest::prelude::*;

use super::level::{Level, Links};
use super::partition::Partition;
use super::*;
use crate::control::Control;

/// A symmetric matrix with a share of zeros and a diagonal that must play no part.
fn weights(n: usize, zeros: f64, seed: u64) -> Array2<f64> {
    let mut rng = stream(seed, &[17]);
    let mut s = Array2::from_diag_elem(n, 3.0);
    for i in 0..n {
        for j in 0..i {
            if rng.random::<f64>() >= zeros {
                let value = rng.random::<f64>() - 0.4;
                (s[[i, j]], s[[j, i]]) = (value, value);
            }
        }
    }
    s
}

/// The same entries in compressed rows.
fn compressed(s: &Array2<f64>) -> Links<'static> {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in s.outer_iter() {
        for (j, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            columns.push(j as u32);
            values.push(value);
        }
        starts.push(columns.len());
    }
    Links::Sparse { starts: starts.into(), columns: columns.into(), values: values.into() }
}

/// R by definition.
fn by_definition(s: &Array2<f64>, labels: &[u32], sign: f64, shift: f64) -> f64 {
    let mut sum = 0.0;
    for i in 0..labels.len() {
        for j in 0..i {
            sum += if labels[i] == labels[j] { s[[i, j]] + shift } else { 0.0 };
        }
    }
    -sign * sum
}

proptest! {
    #[test]
    fn energies_are_followed_through_every_phase(
        n in 1..40_usize,
        zeros in 0.0..0.9_f64,
        shift in -0.4..0.3_f64,
        cap in 1..8_usize,
        sign in prop::sample::select(vec![1.0, -1.0]),
        seed in 0..10_000_u64,
    ) {
        let (s, control, cap) = (weights(n, zeros, seed), Control::default(), cap.min(n));
        for links in [dense(&s.view()), compressed(&s)] {
            let (objects, mut rng) = (Level::objects(links, sign, shift), stream(seed, &[1]));
            let mut partition = Partition::singletons(&objects);
            let check = |partition: &Partition| {
                let expected = by_definition(&s, &partition.labels, sign, shift);
                // Hundreds of gains of size one were added up.
                (partition.energy - expected).abs() < 1e-9 * (1.0 + expected.abs())
            };
            let full = objects.len();
            rounds::improve(&objects, &mut partition, full, &mut rng, &control).unwrap();
            prop_assert!(check(&partition), "free");
            rounds::limit(&objects, &mut partition, cap, &control).unwrap();
            prop_assert!(check(&partition) && partition.used() <= cap, "merged");
            let merged = partition.energy;
            rounds::improve(&objects, &mut partition, cap, &mut rng, &control).unwrap();
            prop_assert!(check(&partition) && partition.used() <= cap, "capped");
            prop_assert!(partition.energy <= merged + 1e-9 * merged.abs());
            rounds::finish(&objects, &mut partition, cap, &mut rng, &control).unwrap();
            prop_assert!(check(&partition) && partition.used() <= cap, "finished");
        }
    }

    #[test]
    fn groups_have_the_energy_of_their_members(
        n in 2..30_usize,
        zeros in 0.0..0.9_f64,
        shift in -0.4..0.3_f64,
        seed in 0..10_000_u64,
    ) {
        let (s, mut rng) = (weights(n, zeros, seed), stream(seed, &[2]));
        let groups: Vec<u32> = (0..n).map(|_| rng.random_range(0..(n as u32).div_ceil(2))).collect();
        let (groups, count) = partition::compact(groups);
        let labels: Vec<u32> = (0..count).map(|_| rng.random_range(0..3)).collect();
        let (labels, _) = partition::compact(labels);
        let lifted: Vec<u32> = groups.iter().map(|&group| labels[group as usize]).collect();
        for links in [dense(&s.view()), compressed(&s)] {
            let objects = Level::objects(links, 1.0, shift);
            let coarse = objects.aggregate(&groups, count);
            let apart = objects.energy(&groups);
            let found = apart + coarse.energy(&labels);
            prop_assert!((found - by_definition(&s, &lifted, 1.0, shift)).abs() < 1e-10);
        }
    }

    #[test]
    fn nothing_is_left_to_gain_by_a_single_move(
        n in 2..30_usize,
        zeros in 0.0..0.9_f64,
        shift in -0.4..0.3_f64,
        cap in 1..6_usize,
        seed in 0..10_000_u64,
    ) {
        let (s, control, cap) = (weights(n, zeros, seed), Control::default(), cap.min(n));
        let (workers, mut rng) = (Workers::new(1).unwrap(), stream(seed, &[3]));
        let context = Context { workers: &workers, control: &control };
        let objects = Level::objects(compressed(&s), 1.0, shift);
        let found = search_level(&objects, None, cap, &mut rng, context).unwrap();
        let mut labels: Vec<u32> = found.labels.iter().map(|&label| label as u32).collect();
        for i in 0..n {
            let own = labels[i];
            for other in 0..cap as u32 {
                labels[i] = other;
                let cost = by_definition(&s, &labels, 1.0, shift);
                prop_assert!(cost >= found.cost - 1e-9, "{i}: {own} to {other}");
            }
            labels[i] = own;
        }
    }
}

#[test]
fn clusters_that_fall_apart_are_let_go() {
    // Two pairs and nothing between them, in one cluster; 0 - 2 has an entry, but a zero.
    let s = ndarray::array![
        [0.0, 1.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, 1.0, 0.0]
    ];
    let (control, mut rng) = (Control::default(), stream(1, &[]));
    for (shift, cap, expected) in [(0.0, 4, 2), (0.0, 1, 1), (-0.1, 2, 2), (0.1, 4, 1)] {
        let objects = Level::objects(dense(&s.view()), 1.0, shift);
        let energy = objects.energy(&[0; 4]);
        let mut partition = Partition::new(&objects, vec![0; 4], energy);
        rounds::finish(&objects, &mut partition, cap, &mut rng, &control).unwrap();
        assert_eq!(partition.used(), expected, "shift {shift}, at most {cap}");
    }
}

#[test]
fn many_clusters_are_merged_down_to_few() {
    // A ring of 3,000 objects: cheap pairs are neighbors, everything else costs the shift.
    let n = 3_000;
    let columns: Vec<u32> =
        (0..n as u32).flat_map(|i| [(i + n as u32 - 1) % n as u32, (i + 1) % n as u32]).collect();
    let starts: Vec<usize> = (0..=n).map(|i| 2 * i).collect();
    let values = vec![1.0; 2 * n];
    let links =
        Links::Sparse { starts: starts.into(), columns: columns.into(), values: values.into() };
    // Even a pair loses, so that the free search leaves all of them alone.
    let (objects, control) = (Level::objects(links, 1.0, -2.0), Control::default());
    let (workers, mut rng) = (Workers::new(1).unwrap(), stream(1, &[]));
    let context = Context { workers: &workers, control: &control };
    let found = search_level(&objects, None, 300, &mut rng, context).unwrap();
    let mut sizes = vec![0.0; 300];
    found.labels.iter().for_each(|&label| sizes[label] += 1.0);
    // 45 pairs in clusters of ten are the least that 300 clusters can have in all.
    let pairs: f64 = sizes.iter().map(|size| size * (size - 1.0) / 2.0).sum();
    assert!((13_500.0..=14_000.0).contains(&pairs), "{pairs}");
}
