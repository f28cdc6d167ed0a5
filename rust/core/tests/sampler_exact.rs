//! The collapsed samplers against exact laws: every assignment of tiny problems is enumerated.

use gencap_core::control::Control;
use gencap_core::rng::{fill_normal, stream};
use gencap_core::sampling::{
    AnnealParams, CollapsedState, Kernel, SampleParams, Start, sample, simulated_annealing,
};
use gencap_core::testing::all_assignments;
use gencap_core::workers::Workers;
use gencap_core::{Error, Result};
use ndarray::{Array1, Array2, Axis, array};
use proptest::prelude::*;
use rand::RngExt;

const KERNELS: [Kernel; 2] = [Kernel::Metropolis, Kernel::Gibbs];

/// The definition: squared distances to the mean of the own cluster, nothing shared with the core.
fn naive_cost(x: &Array2<f64>, labels: &[usize]) -> f64 {
    (0..x.nrows())
        .map(|i| {
            let members: Vec<usize> = (0..x.nrows()).filter(|&j| labels[j] == labels[i]).collect();
            let mean = x.select(Axis(0), &members).mean_axis(Axis(0)).unwrap();
            (&x.row(i) - &mean).mapv(|gap| gap * gap).sum()
        })
        .sum()
}

fn normal_data(n: usize, d: usize, seed: u64) -> Array2<f64> {
    let mut x = Array2::zeros((n, d));
    fill_normal(&mut stream(seed, &[]), x.iter_mut());
    x
}

fn state_of<'a>(x: &'a Array2<f64>, labels: &[usize], k: usize) -> CollapsedState<'a> {
    let labels: Vec<u32> = labels.iter().map(|&label| label as u32).collect();
    let control = Control::default();
    let rng = &mut stream(0, &[]);
    CollapsedState::new(x.view(), Start::Labels(&labels), k, rng, &control).unwrap()
}

/// exp(−β R)/Z over all assignments, in the order of `all_assignments`.
fn exact_law(x: &Array2<f64>, k: usize, beta: f64) -> Array1<f64> {
    let states = all_assignments(x.nrows(), k);
    let law: Array1<f64> =
        states.iter().map(|labels| (-beta * naive_cost(x, labels)).exp()).collect();
    let total = law.sum();
    law / total
}

/// The matrix of one visit to object i; `row` gives the law of its next label.
fn matrix(
    n: usize,
    k: usize,
    i: usize,
    mut row: impl FnMut(&[usize], usize) -> Vec<f64>,
) -> Array2<f64> {
    let states = all_assignments(n, k);
    let mut p = Array2::zeros((states.len(), states.len()));
    for (code, labels) in states.iter().enumerate() {
        // Digit i of the code, base k, is the label of object i.
        let base = code - labels[i] * k.pow(i as u32);
        for (b, probability) in row(labels, i).into_iter().enumerate() {
            p[[code, base + b * k.pow(i as u32)]] += probability;
        }
    }
    p
}

/// The matrices of visits to every object, from the code that the sampler runs.
fn exact_matrices(x: &Array2<f64>, k: usize, kernel: Kernel, beta: f64) -> Vec<Array2<f64>> {
    (0..x.nrows())
        .map(|i| {
            matrix(x.nrows(), k, i, |labels, i| {
                state_of(x, labels, k).transition(kernel, beta, i).to_vec()
            })
        })
        .collect()
}

/// Largest change that one application of `step` makes to a law.
fn violation(law: &Array1<f64>, step: impl Fn(&Array1<f64>) -> Array1<f64>) -> f64 {
    (step(law) - law).mapv(f64::abs).sum()
}

fn problems() -> Vec<(Array2<f64>, usize, f64)> {
    let duplicates = array![[0.0, 1.0], [0.0, 1.0], [2.0, 1.0], [2.0, 1.0], [0.5, 0.0]];
    vec![
        (normal_data(6, 2, 1), 2, 0.7),
        (normal_data(6, 1, 2), 3, 0.3),
        (normal_data(5, 3, 3), 3, 1.5),
        (normal_data(4, 2, 4), 4, 0.0),
        (duplicates, 3, 0.8),
        (normal_data(1, 2, 5), 3, 1.0),
    ]
}

#[test]
fn every_visit_and_both_sweeps_leave_the_law_invariant() {
    for (x, k, beta) in problems() {
        let law = exact_law(&x, k, beta);
        for kernel in KERNELS {
            let visits = exact_matrices(&x, k, kernel, beta);
            for p in &visits {
                assert!(violation(&law, |q| q.dot(p)) < 1e-12);
                // Rows are laws.
                assert!(p.sum_axis(Axis(1)).iter().all(|&sum| (sum - 1.0).abs() < 1e-12));
                assert!(p.iter().all(|&entry| entry >= -1e-15));
            }
            let ordered = |q: &Array1<f64>| visits.iter().fold(q.clone(), |q, p| q.dot(p));
            let reversed = |q: &Array1<f64>| visits.iter().rev().fold(q.clone(), |q, p| q.dot(p));
            assert!(violation(&law, ordered) < 1e-12);
            assert!(violation(&law, reversed) < 1e-12);
            let scan = visits.iter().fold(Array2::zeros(visits[0].dim()), |sum, p| sum + p)
                / visits.len() as f64;
            let random = |q: &Array1<f64>| {
                let swept = (0..x.nrows()).fold(q.clone(), |q, _| q.dot(&scan));
                (&swept + &swept.dot(&scan)) / 2.0
            };
            assert!(violation(&law, random) < 1e-12);
        }
    }
}

#[test]
fn visits_and_random_scan_are_in_detailed_balance() {
    for (x, k, beta) in problems() {
        let law = exact_law(&x, k, beta);
        for kernel in KERNELS {
            let visits = exact_matrices(&x, k, kernel, beta);
            let scan = visits.iter().fold(Array2::zeros(visits[0].dim()), |sum, p| sum + p);
            for p in visits.iter().chain([&scan]) {
                let flow = &law.view().insert_axis(Axis(1)) * p;
                let gap = (&flow - &flow.t()).mapv(f64::abs).fold(0.0, |a: f64, &b| a.max(b));
                assert!(gap < 1e-14, "{kernel:?} {gap}");
            }
        }
    }
}

/// ΔR with the factors n/(n+1) and n/(n−1) forgotten.
fn careless_deltas(x: &Array2<f64>, labels: &[usize], i: usize, k: usize) -> Vec<f64> {
    let gap = |cluster: usize| {
        let members: Vec<usize> = (0..labels.len()).filter(|&j| labels[j] == cluster).collect();
        let Some(mean) = x.select(Axis(0), &members).mean_axis(Axis(0)) else { return 0.0 };
        (&x.row(i) - &mean).mapv(|value| value * value).sum()
    };
    (0..k).map(|b| if b == labels[i] { 0.0 } else { gap(b) - gap(labels[i]) }).collect()
}

/// How a kernel, right or wrong, prices the moves of one object.
type Deltas<'a> = Box<dyn Fn(&[usize], usize) -> Vec<f64> + 'a>;

#[test]
fn wrong_kernels_are_caught() {
    let (x, k, beta) = (normal_data(5, 2, 6), 3, 0.7);
    let law = exact_law(&x, k, beta);
    let right = |labels: &[usize], i: usize| {
        (0..k).map(|b| state_of(&x, labels, k).delta(i, b)).collect::<Vec<f64>>()
    };
    let scaled = |by: f64| -> Deltas<'_> {
        Box::new(move |labels, i| right(labels, i).iter().map(|delta| by * delta).collect())
    };
    for kernel in KERNELS {
        let worst = |deltas: &Deltas<'_>| {
            let visit = |labels: &[usize], i: usize| {
                let mut next = vec![0.0; k];
                kernel.law(beta, labels[i], &deltas(labels, i), &mut next);
                next
            };
            (0..5).map(|i| violation(&law, |q| q.dot(&matrix(5, k, i, visit)))).fold(0.0, f64::max)
        };
        // The harness itself is sound: unchanged cost differences pass.
        assert!(worst(&scaled(1.0)) < 1e-12);
        assert!(worst(&scaled(-1.0)) > 1e-3, "wrong sign passes {kernel:?}");
        assert!(worst(&scaled(1.1)) > 1e-3, "temperature off by 10 % passes {kernel:?}");
        let careless: Deltas<'_> = Box::new(|labels, i| careless_deltas(&x, labels, i, k));
        assert!(worst(&careless) > 1e-3, "forgotten factors pass {kernel:?}");
    }
}

#[test]
fn a_visit_follows_the_law_it_states() {
    let x = normal_data(6, 2, 7);
    let visits = 30_000;
    for (i, kernel) in (0..6).flat_map(|i| KERNELS.map(|kernel| (i, kernel))) {
        let mut fresh = state_of(&x, &[0, 1, 2, 0, 1, 0], 3);
        let law = fresh.transition(kernel, 0.5, i).to_vec();
        let mut rng = stream(11, &[i as u64]);
        let mut seen = [0; 3];
        for _ in 0..visits {
            let mut state = fresh.clone();
            state.visit(kernel, 0.5, i, &mut rng);
            seen[state.labels()[i] as usize] += 1;
        }
        for (count, p) in seen.into_iter().zip(law) {
            // Five standard errors of a binomial count: false alarms once in 1.7 million. Where p is
            // 0 (Metropolis, both moves downhill) so is the count; 1e-6 is for the rounding of p.
            let (expected, total) = (p * f64::from(visits), f64::from(visits));
            let bound = 5.0 * (p.max(0.0) * (1.0 - p) * total).sqrt() + 1e-6;
            let count = f64::from(count);
            assert!((count - expected).abs() < bound, "{kernel:?} {i} {count} {expected}");
        }
    }
}

#[test]
fn metropolis_reaches_every_assignment_of_two_free_clusters() {
    // At beta = 0 every proposal is accepted: without care only half the assignments are reached.
    let x = normal_data(6, 1, 8);
    for kernel in KERNELS {
        let params = SampleParams { kernel, n_draws: 4000, ..SampleParams::new(2, 0.0) };
        let draws = run(&x, params, 1).unwrap().labels;
        let mut seen = [0_u32; 64];
        for draw in draws.rows() {
            seen[draw.iter().rev().fold(0, |code, &label| 2 * code + label as usize)] += 1;
        }
        // 62.5 visits expected; sweeps are weakly dependent, 20 is more than five deviations away.
        assert!(seen.iter().all(|&count| count > 20), "{kernel:?} {seen:?}");
    }
}

fn run(
    x: &Array2<f64>,
    params: SampleParams,
    threads: usize,
) -> Result<gencap_core::sampling::Samples> {
    sample(x.view(), &params.check()?, &Control::default(), &Workers::new(threads)?)
}

#[test]
fn chains_depend_on_seed_and_index_only() {
    let x = normal_data(40, 3, 9);
    for kernel in KERNELS {
        let params = |n_chains| SampleParams {
            kernel,
            n_chains,
            n_draws: 7,
            thin: 3,
            seed: 5,
            ..SampleParams::new(4, 0.6)
        };
        let eight = run(&x, params(8), 1).unwrap();
        for threads in [2, 8] {
            assert_eq!(eight, run(&x, params(8), threads).unwrap());
        }
        let four = run(&x, params(4), 2).unwrap();
        assert_eq!(eight.labels.index_axis(Axis(0), 3), four.labels.index_axis(Axis(0), 3));
        assert_ne!(eight.labels.index_axis(Axis(0), 3), eight.labels.index_axis(Axis(0), 2));
    }
}

#[test]
fn recorded_costs_belong_to_recorded_labels() {
    let x = normal_data(30, 2, 10) + 1e6;
    let params = SampleParams { n_draws: 300, ..SampleParams::new(3, 2.0) };
    let draws = run(&x, params, 1).unwrap();
    for (labels, &cost) in draws.labels.rows().into_iter().zip(&draws.costs) {
        let labels: Vec<usize> = labels.iter().map(|&label| label as usize).collect();
        let exact = naive_cost(&(&x - 1e6), &labels);
        // Data near 1e6 carry their coordinates to 1e-10: so much is lost before we begin.
        assert!((cost - exact).abs() < 1e-7 * exact.max(1.0), "{cost} {exact}");
    }
}

#[test]
fn a_cancelled_run_stops() {
    let x = normal_data(50, 2, 12);
    let control = Control::default();
    control.cancel();
    let params = SampleParams::new(3, 1.0).check().unwrap();
    let outcome = sample(x.view(), &params, &control, &Workers::new(1).unwrap());
    assert_eq!(outcome, Err(Error::Cancelled));
    assert_eq!(control.snapshot().done, 0);
}

#[test]
fn unusable_input_is_refused_by_name() {
    let x = normal_data(4, 2, 13);
    let told = |params: SampleParams| run(&x, params, 1).unwrap_err().to_string();
    assert!(told(SampleParams::new(2, f64::NAN)).starts_with("beta must"));
    assert!(told(SampleParams::new(2, -1.0)).starts_with("beta must"));
    assert!(told(SampleParams::new(0, 1.0)).starts_with("n_clusters must"));
    let start =
        |labels: Vec<u32>| SampleParams { start: Some(labels), ..SampleParams::new(2, 1.0) };
    assert!(told(start(vec![0, 1])).contains("got 2 for 4 rows"));
    assert!(told(start(vec![0, 1, 2, 0])).contains("labels 0 to 1: got 2"));
    let holed = array![[0.0], [f64::NAN]];
    assert!(run(&holed, SampleParams::new(2, 1.0), 1).unwrap_err().to_string().starts_with("X "));
    assert!(run(&Array2::zeros((0, 2)), SampleParams::new(1, 1.0), 1).is_err());
    let params = SampleParams { thin: 0, ..SampleParams::new(2, 1.0) };
    assert!(told(params).starts_with("thin must"));
}

#[test]
fn averages_follow_the_chain_and_empty_clusters_keep_their_place() {
    // Two far pairs and a third cluster that starts with one member, which leaves at once.
    let x = array![[10.0, 1.0], [10.0, 1.2], [20.0, 1.0], [20.0, 1.2], [10.0, 1.1]];
    let mut state = state_of(&x, &[0, 0, 1, 1, 2], 3);
    let control = Control::default();
    assert!(state.descend(100, &control).unwrap());
    // Splitting the pairs is never worth a cluster here: all three stay occupied.
    let mut emptied = state_of(&x, &[0, 0, 1, 1, 2], 3);
    let mut rng = stream(1, &[]);
    while emptied.labels()[4] == 2 {
        emptied.visit(Kernel::Gibbs, 0.0, 4, &mut rng);
    }
    assert_eq!(emptied.counts()[2], 0);
    let place = emptied.centroids();
    assert!((place[[2, 0]] - 10.0).abs() < 1e-12 && (place[[2, 1]] - 1.1).abs() < 1e-12);
    // So cold that nothing moves: the average is the state.
    let mut frozen = state_of(&x, &[0, 0, 1, 1, 0], 2);
    let (centroids, cost) = (frozen.centroids(), frozen.cost());
    let mean = frozen.sweeps(Kernel::Gibbs, 1e4, 3, 5, &mut rng, &control).unwrap();
    assert!((mean.centroids - centroids).mapv(f64::abs).sum() < 1e-12);
    assert!((mean.cost - cost).abs() < 1e-12);
}

#[test]
fn annealing_finds_the_cheapest_of_all_assignments() {
    let control = Control::default();
    for seed in 0..6 {
        let (x, k) = (normal_data(7, 2, 20 + seed), 3);
        let best = all_assignments(7, k)
            .iter()
            .map(|labels| naive_cost(&x, labels))
            .fold(f64::INFINITY, f64::min);
        for kernel in KERNELS {
            let params = AnnealParams { kernel, seed, ..AnnealParams::new(k) }.check().unwrap();
            let outcome: Vec<_> = [1, 2, 8]
                .into_iter()
                .map(|threads| {
                    let workers = Workers::new(threads).unwrap();
                    simulated_annealing(x.view(), &params, &control, &workers).unwrap()
                })
                .collect();
            assert!((outcome[0].cost - best).abs() < 1e-10 * best, "{} {best}", outcome[0].cost);
            assert!(outcome[0].converged);
            assert_eq!(outcome[0], outcome[1]);
            assert_eq!(outcome[0], outcome[2]);
            assert!(outcome[0].temperatures.windows(2).all(|pair| pair[1] < pair[0]));
        }
    }
}

#[test]
fn annealing_accepts_degenerate_data() {
    let anneal = |x: &Array2<f64>, k| {
        let params = AnnealParams { n_sweeps: 3, ..AnnealParams::new(k) }.check().unwrap();
        let workers = Workers::new(1).unwrap();
        simulated_annealing(x.view(), &params, &Control::default(), &workers).unwrap()
    };
    assert!(anneal(&Array2::ones((5, 2)), 3).cost.abs() < 1e-30);
    assert!(anneal(&normal_data(1, 2, 1), 1).cost.abs() < 1e-30);
    // More clusters than objects: every object ends alone.
    assert!(anneal(&normal_data(4, 2, 1), 6).cost.abs() < 1e-30);
    let whole = anneal(&array![[0.0], [2.0]], 1);
    assert!((whole.cost - 2.0).abs() < 1e-12 && (whole.centroids[[0, 0]] - 1.0).abs() < 1e-12);
}

proptest! {
    #[test]
    fn delta_is_the_difference_of_recomputed_costs(
        n in 1..12_usize, d in 1..6_usize, k in 1..5_usize, seed in 0..1000_u64, far in -1e3..1e3,
    ) {
        let x = normal_data(n, d, seed) + far;
        let mut rng = stream(seed, &[1]);
        let mut labels: Vec<usize> = (0..n).map(|_| rng.random_range(0..k)).collect();
        let mut state = state_of(&x, &labels, k);
        for _ in 0..20 {
            let (i, b) = (rng.random_range(0..n), rng.random_range(0..k));
            let before = naive_cost(&x, &labels);
            prop_assert!((state.cost() - before).abs() < 1e-10);
            let delta = state.delta(i, b);
            let a = std::mem::replace(&mut labels[i], b);
            let after = naive_cost(&x, &labels);
            prop_assert!((delta - (after - before)).abs() < 1e-10, "{delta} {}", after - before);
            labels[i] = a;
            // Walk on through the sampler's own moves, so that its sums are tried as well.
            state.visit(Kernel::Gibbs, 0.1, i, &mut rng);
            labels[i] = state.labels()[i] as usize;
        }
    }

    #[test]
    fn descent_ends_where_no_single_move_helps(
        n in 1..15_usize, k in 1..5_usize, seed in 0..1000_u64,
    ) {
        let x = normal_data(n, 2, seed);
        let control = Control::default();
        let mut rng = stream(seed, &[2]);
        let mut state =
            CollapsedState::new(x.view(), Start::Random, k, &mut rng, &control).unwrap();
        let before = state.cost();
        prop_assert!(state.descend(1000, &control).unwrap());
        prop_assert!(state.cost() <= before * (1.0 + 1e-12));
        for i in 0..n {
            for b in 0..k {
                prop_assert!(state.delta(i, b) > -1e-11);
            }
        }
    }
}
