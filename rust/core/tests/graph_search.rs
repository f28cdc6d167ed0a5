//! The search at zero temperature: optima, starts, representations, threads, switches.

use gencap_core::Control;
use gencap_core::graph::{Cost, Graph, critical_beta, descend, one_hot, search, search_from};
use gencap_core::rng::stream;
use gencap_core::similarity::{Dense, LowRank, Measure, Similarity, Sparse};
use gencap_core::testing::all_assignments;
use gencap_core::workers::{Context, Workers};
use ndarray::Array2;
use rand::RngExt;

fn with_context<T>(threads: usize, job: impl FnOnce(Context<'_>) -> T) -> T {
    let (workers, control) = (Workers::new(threads).unwrap(), Control::default());
    job(Context { workers: &workers, control: &control })
}

/// Random weights in [-1, 1], a share of them zero.
fn random_graph(n: usize, zeros: f64, seed: u64) -> Array2<f64> {
    let mut rng = stream(seed, &[5]);
    let mut s = Array2::zeros((n, n));
    for i in 0..n {
        for j in 0..i {
            let value =
                if rng.random::<f64>() < zeros { 0.0 } else { 2.0 * rng.random::<f64>() - 1.0 };
            (s[[i, j]], s[[j, i]]) = (value, value);
        }
    }
    s
}

fn compressed(s: &Array2<f64>) -> Sparse {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in s.outer_iter() {
        for (j, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            columns.push(j as u32);
            values.push(value);
        }
        starts.push(columns.len());
    }
    Sparse::new(starts, columns, values).unwrap()
}

/// Neighbors on a noisy ring of blocks: a sparse graph with clusters of its own.
fn blocks(n: usize, seed: u64) -> Sparse {
    let mut rng = stream(seed, &[6]);
    let mut s = std::collections::BTreeMap::new();
    for i in 0..n {
        for _ in 0..8 {
            let near = rng.random::<f64>() < 0.8;
            let j =
                if near { i / 50 * 50 + rng.random_range(0..50) } else { rng.random_range(0..n) };
            if j < n && j != i {
                s.insert((i, j), 1.0);
                s.insert((j, i), 1.0);
            }
        }
    }
    let (mut starts, mut columns) = (vec![0; n + 1], Vec::new());
    for &(i, j) in s.keys() {
        starts[i + 1] += 1;
        columns.push(j as u32);
    }
    (0..n).for_each(|i| starts[i + 1] += starts[i]);
    let values = vec![1.0; columns.len()];
    Sparse::new(starts, columns, values).unwrap()
}

#[test]
fn tiny_graphs_are_solved_exactly() {
    with_context(1, |context| {
        let mut cases = 0;
        for seed in 0..60 {
            let (n, k) = (4 + seed as usize % 5, 1 + seed as usize % 4);
            let s = random_graph(n, [0.0, 0.5][seed as usize % 2], seed);
            let similarity = Dense::new(s.view()).unwrap();
            for (cost, shift) in [
                (Cost::Correlation, -0.3),
                (Cost::Correlation, 0.0),
                (Cost::Correlation, 0.4),
                (Cost::MaxCut, 0.0),
            ] {
                let graph = Graph::new(&similarity, cost, shift, context).unwrap();
                let value =
                    |labels: &[usize]| graph.cost_of(one_hot(labels, k).view(), context).unwrap();
                let lowest = all_assignments(n, k)
                    .iter()
                    .map(|labels| value(labels))
                    .fold(f64::INFINITY, f64::min);
                let found = search(&graph, k, seed, 12, context).unwrap();
                assert!(found.labels.iter().all(|&label| label < k));
                assert!((found.cost - value(&found.labels)).abs() < 1e-12);
                assert!((found.cost - lowest).abs() < 1e-12, "{seed} {cost:?} {shift}: {lowest}");
                cases += 1;
            }
        }
        assert_eq!(cases, 240);
    });
}

#[test]
fn no_search_ends_above_its_start() {
    with_context(1, |context| {
        for seed in 0..20 {
            let s = random_graph(60, 0.6, seed);
            let similarity = compressed(&s);
            for (cost, shift) in [(Cost::Correlation, -0.1), (Cost::MaxCut, 0.0)] {
                let graph = Graph::new(&similarity, cost, shift, context).unwrap();
                let mut rng = stream(seed, &[]);
                let mut labels: Vec<usize> = (0..60).map(|_| rng.random_range(0..5)).collect();
                descend(&graph, &mut labels, 5, &mut rng, context).unwrap();
                let local = graph.cost_of(one_hot(&labels, 5).view(), context).unwrap();
                let found = search_from(&graph, Some(&labels), 5, &mut rng, context).unwrap();
                assert!(found.cost <= local + 1e-12 * local.abs(), "{local} {}", found.cost);
            }
        }
    });
}

#[test]
fn whole_groups_move_where_single_objects_cannot() {
    // Forty blocks of fifty objects: from random labels, local search leaves most of them in pieces.
    with_context(1, |context| {
        let similarity = blocks(2_000, 1);
        let graph = Graph::new(&similarity, Cost::Correlation, -0.02, context).unwrap();
        let mut rng = stream(3, &[]);
        let mut labels: Vec<usize> = (0..2_000).map(|_| rng.random_range(0..60)).collect();
        let start = labels.clone();
        descend(&graph, &mut labels, 60, &mut rng, context).unwrap();
        let local = graph.cost_of(one_hot(&labels, 60).view(), context).unwrap();
        let found = search_from(&graph, Some(&start), 60, &mut rng, context).unwrap();
        assert!(found.cost < 1.02 * local, "{local} {}", found.cost);
    });
}

#[test]
fn clusters_are_connected_where_their_number_is_free() {
    with_context(1, |context| {
        for seed in 0..4 {
            let similarity = blocks(1_000, seed);
            let graph = Graph::new(&similarity, Cost::Correlation, -0.05, context).unwrap();
            let found = search(&graph, 1_000, seed, 1, context).unwrap();
            let count = found.labels.iter().max().unwrap() + 1;
            assert!((2..1_000).contains(&count), "{count}");
            assert_eq!(parts(&similarity, &found.labels), count, "{seed}");
        }
    });
}

/// Connected parts of all clusters.
fn parts(similarity: &Sparse, labels: &[usize]) -> usize {
    let (mut seen, mut count) = (vec![false; labels.len()], 0);
    for start in 0..labels.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        count += 1;
        let mut stack = vec![start];
        while let Some(i) = stack.pop() {
            for (j, _) in similarity.row(i) {
                if labels[j] == labels[i] && !std::mem::replace(&mut seen[j], true) {
                    stack.push(j);
                }
            }
        }
    }
    count
}

#[test]
fn results_do_not_depend_on_the_threads() {
    let similarity = blocks(1_500, 2);
    let of = |threads| {
        with_context(threads, |context| {
            let graph = Graph::new(&similarity, Cost::Correlation, -0.03, context).unwrap();
            search(&graph, 20, 7, 5, context).unwrap()
        })
    };
    let one = of(1);
    assert_eq!(one, of(2));
    assert_eq!(one, of(8));
    assert!(one.costs.iter().all(|cost| one.cost <= *cost));
}

#[test]
fn representations_agree() {
    with_context(1, |context| {
        for (n, zeros) in [(40, 0.7), (300, 0.3)] {
            let s = random_graph(n, zeros, 9);
            let (dense, sparse) = (Dense::new(s.view()).unwrap(), compressed(&s));
            for shift in [-0.1, 0.0, 0.1] {
                for k in [3, 8, n] {
                    let of = |similarity: &dyn Similarity| {
                        let graph =
                            Graph::new(similarity, Cost::Correlation, shift, context).unwrap();
                        search(&graph, k, 4, 2, context).unwrap()
                    };
                    let (one, two) = (of(&dense), of(&sparse));
                    assert_eq!(one.labels, two.labels, "{n} {shift} {k}");
                    assert!((one.cost - two.cost).abs() < 1e-9 * one.cost.abs());
                }
            }
        }
    });
}

#[test]
fn vectors_need_no_matrix() {
    // Three clouds, 2,400 objects: above the size up to which a matrix is made.
    with_context(1, |context| {
        let mut rng = stream(4, &[]);
        let x = Array2::from_shape_fn((2_400, 6), |(i, d)| {
            f64::from(u8::from(i % 3 == d % 3)) * 2.0 + rng.random::<f64>() - 0.5
        });
        let lean = LowRank::new(x.view(), Measure::Pearson).unwrap();
        let s = lean.to_array(context).unwrap();
        let stored = Dense::new(s.view()).unwrap();
        let of = |similarity: &dyn Similarity| {
            let graph = Graph::new(similarity, Cost::Correlation, -0.2, context).unwrap();
            search(&graph, 6, 4, 2, context).unwrap()
        };
        let (one, two) = (of(&lean), of(&stored));
        assert!((one.cost - two.cost).abs() < 1e-9 * one.cost.abs(), "{} {}", one.cost, two.cost);
        let truth = (0..2_400).all(|i| one.labels[i] == one.labels[i % 3]);
        assert!(truth && one.labels.iter().max() == Some(&2));
    });
}

#[test]
fn other_costs_are_descended() {
    with_context(1, |context| {
        let s = random_graph(30, 0.0, 3).mapv(f64::abs);
        let similarity = Dense::new(s.view()).unwrap();
        for cost in [Cost::Pairwise, Cost::NormalizedCut, Cost::RatioCut] {
            let graph = Graph::new(&similarity, cost, 0.0, context).unwrap();
            assert!(critical_beta(&graph, 3, context).unwrap() > 0.0);
            let found = search(&graph, 3, 1, 4, context).unwrap();
            let mut again = found.labels.clone();
            descend(&graph, &mut again, 3, &mut stream(1, &[]), context).unwrap();
            assert_eq!(again, found.labels, "{cost:?}");
        }
    });
}

#[test]
fn switches_and_wrong_numbers_are_heeded() {
    let similarity = blocks(500, 2);
    with_context(1, |context| {
        let graph = Graph::new(&similarity, Cost::Correlation, -0.03, context).unwrap();
        assert!(search(&graph, 0, 1, 1, context).is_err());
        assert!(search(&graph, 501, 1, 1, context).is_err());
        context.control.cancel();
        assert_eq!(search(&graph, 5, 1, 1, context), Err(gencap_core::Error::Cancelled));
    });
}
