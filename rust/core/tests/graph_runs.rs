//! Whole runs on graphs: starts, local search, pairs, threads and cancel.

use gencap_core::annealing::{AnnealParams, CheckedParams, Solver};
use gencap_core::graph::pair::{self, PairTask};
use gencap_core::graph::{
    Columns, Cost, Graph, Start, Task, best_plan, critical_beta, descend, fit, grid, one_hot,
};
use gencap_core::rng::stream;
use gencap_core::similarity::Dense;
use gencap_core::workers::{Context, Workers};
use gencap_core::{Control, Error};
use ndarray::Array2;
use rand::RngExt;

fn with_threads<T>(threads: usize, job: impl FnOnce(Context<'_>) -> T) -> T {
    let (workers, control) = (Workers::new(threads).unwrap(), Control::default());
    job(Context { workers: &workers, control: &control })
}

/// Signs of a planted partition, a share `noise` of them replaced by coin flips.
fn signs(n: usize, k: usize, noise: f64, seed: u64) -> Array2<f64> {
    let mut rng = stream(seed, &[]);
    let mut s = Array2::zeros((n, n));
    for i in 0..n {
        for j in 0..i {
            let (coin, sign) = (rng.random::<f64>(), rng.random::<bool>());
            let planted = if i % k == j % k { 1.0 } else { -1.0 };
            let value = if coin < noise { if sign { 1.0 } else { -1.0 } } else { planted };
            s[[i, j]] = value;
            s[[j, i]] = value;
        }
    }
    s
}

fn params(n_clusters: usize, solver: Solver) -> CheckedParams {
    AnnealParams {
        n_clusters,
        solver,
        tol: 1e-3,
        max_iter: 60,
        n_steps: 78,
        burn_in: 5,
        keep: 20,
        ..AnnealParams::default()
    }
    .check()
    .unwrap()
}

#[test]
fn planted_clusters_are_found_by_every_cost_and_solver() {
    let (n, k) = (60, 3);
    let s = signs(n, k, 0.2, 1);
    let similarity = Dense::new(s.view()).unwrap();
    with_threads(2, |context| {
        for (cost, shift) in [
            (Cost::Correlation, 0.0),
            (Cost::Pairwise, 0.0),
            (Cost::NormalizedCut, 1.0),
            (Cost::AdaptiveRatioCut(1.2), 1.0),
        ] {
            for solver in [Solver::MeanField, Solver::Gibbs] {
                let graph = Graph::new(&similarity, cost, shift, context).unwrap();
                let params = params(k, solver);
                let critical = critical_beta(&graph, k, context).unwrap();
                let betas = grid(&params, critical);
                let (graph, params, betas) = (&graph, &params, betas.as_slice());
                let task = Task { graph, params, betas, critical, seed: 3, instance: 0 };
                let found = fit(&task, 4, None, context).unwrap();
                let truth = one_hot(&(0..n).map(|i| i % k).collect::<Vec<_>>(), k);
                let labels = &found.winner.labels;
                assert!((0..n).all(|i| labels[i] == labels[i % k]), "{cost:?} {solver:?}");
                let best = graph.cost_of(truth.view(), context).unwrap();
                assert!((found.winner.cost - best).abs() < 1e-9 * best.abs().max(1.0));
                let columns = Columns::new(found.steps);
                assert!((columns.betas[0] - 0.8 * critical).abs() < 1e-12 * critical);
                if solver == Solver::MeanField {
                    assert_eq!(columns.n_clusters[0], 1, "{cost:?}");
                }
                assert_eq!(columns.n_clusters[columns.n_clusters.len() - 1], 3);
                assert!(columns.softness[columns.softness.len() - 1] < 1e-3);
            }
        }
    });
}

/// Inverse temperature at which a cold run shows more than one cluster first, over beta_c.
fn first_split(graph: &Graph<'_>, k: usize, context: Context<'_>) -> f64 {
    let critical = critical_beta(graph, k, context).unwrap();
    let (start, stop) = (Some(0.9 * critical), Some(1.3 * critical));
    let fine = AnnealParams { start, stop, n_steps: 38, ..(*params(k, Solver::MeanField)).clone() };
    let fine = fine.check().unwrap();
    let betas = grid(&fine, critical);
    let task = Task { graph, params: &fine, betas: &betas, critical, seed: 7, instance: 0 };
    let columns = Columns::new(fit(&task, 1, None, context).unwrap().steps);
    let split = columns.n_clusters.iter().position(|&count| count > 1);
    columns.betas[split.unwrap_or(columns.betas.len() - 1)] / critical
}

#[test]
fn mean_field_leaves_the_uniform_state_where_it_becomes_unstable() {
    // Before equal columns were watched, runs stayed uniform up to 1.5 beta_c and beyond.
    let noisy = signs(500, 5, 0.6, 5);
    let similarity = Dense::new(noisy.view()).unwrap();
    with_threads(2, |context| {
        for (cost, shift, k) in [
            (Cost::Correlation, 0.0, 5),
            (Cost::Correlation, 0.0, 8),
            (Cost::Pairwise, 0.0, 5),
            (Cost::NormalizedCut, 1.0, 5),
            (Cost::RatioCut, 1.0, 3),
            (Cost::AdaptiveRatioCut(1.5), 1.0, 3),
        ] {
            let graph = Graph::new(&similarity, cost, shift, context).unwrap();
            let found = first_split(&graph, k, context);
            // Steps of 1 %. From below, noise may show the split one step early; beyond, differences
            // of .05 between columns take a few temperatures of 60 sweeps each to grow.
            assert!((0.98..1.06).contains(&found), "{cost:?} {k}: {found}");
        }
    });
}

#[test]
fn local_search_ends_where_no_single_move_helps() {
    let s = signs(40, 4, 0.6, 2);
    let similarity = Dense::new(s.view()).unwrap();
    with_threads(1, |context| {
        for cost in [Cost::Correlation, Cost::MaxCut, Cost::Pairwise] {
            let graph = Graph::new(&similarity, cost, 0.0, context).unwrap();
            let cost_of =
                |labels: &[usize]| graph.cost_of(one_hot(labels, 4).view(), context).unwrap();
            let mut rng = stream(4, &[]);
            let mut labels: Vec<usize> = (0..40).map(|_| rng.random_range(0..4)).collect();
            let before = cost_of(&labels);
            descend(&graph, &mut labels, 4, &mut rng, context).unwrap();
            let after = cost_of(&labels);
            assert!(after < before);
            for i in 0..40 {
                for k in 0..4 {
                    let mut moved = labels.clone();
                    moved[i] = k;
                    assert!(cost_of(&moved) > after - 1e-9, "{cost:?}");
                }
            }
        }
    });
}

#[test]
fn the_singleton_start_wins_where_singletons_are_cheapest() {
    // One object hangs on by a thread: Ratio Cut cuts it off, Cheeger-like costs do not.
    let n = 30;
    let mut s = Array2::from_shape_fn((n, n), |(i, j)| if i % 2 == j % 2 { 1.0 } else { 0.4 });
    for i in 1..n {
        s[[0, i]] = 0.3;
        s[[i, 0]] = 0.3;
    }
    let similarity = Dense::new(s.view()).unwrap();
    with_threads(1, |context| {
        for (cost, single) in [(Cost::RatioCut, true), (Cost::AdaptiveRatioCut(1.1), false)] {
            let graph = Graph::new(&similarity, cost, 0.0, context).unwrap();
            let params = params(2, Solver::MeanField);
            let critical = critical_beta(&graph, 2, context).unwrap();
            let betas = grid(&params, critical);
            let (graph, params, betas) = (&graph, &params, betas.as_slice());
            let task = Task { graph, params, betas, critical, seed: 3, instance: 0 };
            let winner = best_plan(&task, 4, None, context).unwrap();
            let alone = winner.labels.iter().filter(|&&l| l == winner.labels[0]).count() == 1;
            assert_eq!(alone, single, "{cost:?} {:?}", winner.costs);
            assert_eq!(winner.costs.len(), 5);
        }
    });
}

fn run_pair(
    matrices: [&Array2<f64>; 2],
    k: usize,
    n_init: usize,
    warm: [Option<&[usize]>; 2],
    context: Context<'_>,
) -> gencap_core::Result<pair::PairRun> {
    let similarities = matrices.map(|s| Dense::new(s.view()).unwrap());
    let first = Graph::new(&similarities[0], Cost::Correlation, 0.0, context)?;
    let second = Graph::new(&similarities[1], Cost::Correlation, 0.0, context)?;
    let params = params(k, Solver::MeanField);
    let critical = critical_beta(&first, k, context)?.min(critical_beta(&second, k, context)?);
    let betas = grid(&params, critical);
    let task =
        PairTask { graphs: [&first, &second], params: &params, betas: &betas, critical, seed: 1 };
    pair::run(task, n_init, warm, context)
}

#[test]
fn pairs_are_the_same_for_any_number_of_threads() {
    let (a, b) = (signs(60, 3, 0.5, 1), signs(60, 3, 0.5, 2));
    let runs = [1, 2, 5].map(|threads| {
        with_threads(threads, |context| run_pair([&a, &b], 4, 5, [None; 2], context).unwrap())
    });
    for other in &runs[1..] {
        assert_eq!(runs[0].agreement, other.agreement);
        assert_eq!(runs[0].slots, other.slots);
        assert_eq!(runs[0].winners[1].costs, other.winners[1].costs);
        assert_eq!(runs[0].columns[0].masses, other.columns[0].masses);
    }
}

#[test]
fn equal_clusters_without_noise_carry_all_their_bits() {
    let (a, b) = (signs(60, 3, 0.1, 1), signs(60, 3, 0.1, 2));
    with_threads(2, |context| {
        let run = run_pair([&a, &b], 3, 4, [None; 2], context).unwrap();
        let best = run.agreement.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert!((run.entropy - 3f64.log2()).abs() < 1e-12);
        // Hard to 1e-3 on average: at most 2e-3 log2(e) bits are missing.
        assert!(best > -3e-3 && best <= 0.0, "{best}");
        // Warm from two of the three clusters: that start is tried, and loses or ties.
        let two: Vec<usize> = (0..60).map(|i| usize::from(i % 3 == 0)).collect();
        let again = run_pair([&a, &b], 3, 4, [Some(&two); 2], context).unwrap();
        assert_eq!(again.winners[0].costs.len(), 5);
        assert!((again.winners[0].cost - run.winners[0].cost).abs() < 1e-9);
        // A warm start alone, from the truth, reproduces the solution by heating.
        let truth: Vec<usize> = (0..60).map(|i| i % 3).collect();
        let warm = run_pair([&a, &b], 5, 1, [Some(&truth); 2], context).unwrap();
        assert!(matches!(warm.winners[0].plan.start, Start::Cold | Start::Warm(_)));
    });
}

#[test]
fn different_objects_are_refused_and_cancel_is_heard() {
    let (a, b) = (signs(20, 2, 0.1, 1), signs(21, 2, 0.1, 2));
    with_threads(1, |context| {
        let refused = run_pair([&a, &b], 2, 1, [None; 2], context);
        assert!(refused.is_err_and(|e| e.to_string().contains("has 21 objects, the first 20")));
        context.control.cancel();
        let ended = run_pair([&a, &a], 2, 1, [None; 2], context);
        assert!(matches!(ended, Err(Error::Cancelled)));
    });
}

#[test]
fn nothing_splits_without_structure() {
    let zeros = Array2::zeros((5, 5));
    let ones = Array2::ones((5, 5));
    with_threads(1, |context| {
        for cost in [
            Cost::Correlation,
            Cost::MaxCut,
            Cost::Pairwise,
            Cost::NormalizedCut,
            Cost::RatioCut,
            Cost::AdaptiveRatioCut(1.3),
        ] {
            let similarity = Dense::new(zeros.view()).unwrap();
            let graph = Graph::new(&similarity, cost, 0.0, context).unwrap();
            assert_eq!(critical_beta(&graph, 3, context).unwrap(), f64::INFINITY, "{cost:?}");
        }
        let similarity = Dense::new(ones.view()).unwrap();
        for cost in [Cost::Pairwise, Cost::NormalizedCut, Cost::RatioCut] {
            let graph = Graph::new(&similarity, cost, 0.0, context).unwrap();
            assert_eq!(critical_beta(&graph, 3, context).unwrap(), f64::INFINITY, "{cost:?}");
        }
    });
}

#[test]
fn bad_input_is_named() {
    with_threads(1, |context| {
        let negative = -Array2::<f64>::ones((4, 4));
        let similarity = Dense::new(negative.view()).unwrap();
        let refused = Graph::new(&similarity, Cost::NormalizedCut, 0.0, context);
        assert!(refused.is_err_and(|e| e.to_string().contains("negative degree: object 0")));
        assert!(Graph::new(&similarity, Cost::NormalizedCut, 2.0, context).is_ok());
        assert!(Graph::new(&similarity, Cost::Pairwise, f64::NAN, context).is_err());
        let message = Cost::parse("adaptive_ratio_cut", 0.5).unwrap_err().to_string();
        assert!(message.starts_with("p is 0.5"), "{message}");
        assert_eq!(Cost::parse("adaptive_ratio_cut", 2.0), Ok(Cost::RatioCut));
        assert!(Cost::parse("cut", 1.0).is_err());
    });
}
