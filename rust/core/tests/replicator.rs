//! Dominant sets: what the dynamics keeps, and what peeling returns.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use gencap_core::replicator::{Game, Method, Peeling, Plan, Termination, infect, peel, replicate};
use gencap_core::similarity::spanning_tree::of_vectors;
use gencap_core::similarity::{Dense, LowRank, Measure, MergeTree, Similarity, Sparse, Tree};
use gencap_core::workers::{Context, Workers};
use gencap_core::{Control, Error};
use ndarray::{Array1, Array2, ArrayView2, Axis};
use proptest::prelude::*;

const REPLICATOR: Plan = Plan { n_clusters: Some(3), method: Method::Replicator, record: false };

fn with<T>(threads: usize, job: impl FnOnce(Context<'_>) -> T) -> T {
    let (workers, control) = (Workers::new(threads).unwrap(), Control::default());
    job(Context { workers: &workers, control: &control })
}

fn symmetric(n: usize) -> impl Strategy<Value = Array2<f64>> {
    prop::collection::vec(0.0..1.0_f64, n * n).prop_map(move |s| {
        let s = Array2::from_shape_vec((n, n), s).unwrap();
        (&s + &s.t()) / 2.0
    })
}

fn any_symmetric() -> impl Strategy<Value = Array2<f64>> {
    (2..14_usize).prop_flat_map(symmetric)
}

/// Points in the plane: three groups of different sizes and spreads.
fn points(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, 2), |(i, d)| {
        let (group, noise) = (i % 5 % 3, ((i * 2 + d) as f64 * 12.9898).sin() * 43758.5453);
        [[0.0, 0.0], [7.0, 1.0], [2.0, 8.0]][group][d] + noise.fract()
    })
}

fn peeled(s: &dyn Similarity, shift: f64, plan: Plan, steps: usize, cutoff: f64) -> Peeling {
    let ends = [Termination { max_steps: steps, cutoff }];
    let found = with(1, |context| peel(Game::new(s, shift, false).unwrap(), plan, &ends, context));
    found.unwrap().remove(0)
}

/// The dynamics, written down once more.
fn plain_steps(x: &Array2<f64>, steps: usize) -> Vec<Array1<f64>> {
    let mut v = Array1::from_elem(x.nrows(), 1.0 / x.nrows() as f64);
    let mut out = vec![v.clone()];
    for _ in 0..steps {
        let payoff = x.dot(&v);
        let cohesion = v.dot(&payoff);
        v = &v * &payoff / cohesion;
        out.push(v.clone());
    }
    out
}

proptest! {
    #[test]
    fn payoffs_are_those_of_the_shifted_matrix(
        s in any_symmetric(), shift in 0.0..2.0_f64, own in any::<bool>(),
    ) {
        let mut x = &s + shift;
        x.diag_mut().fill(if own { shift } else { 0.0 });
        let v = Array2::from_shape_fn((s.nrows(), 2), |(i, k)| 1.0 / (1 + i + k) as f64);
        let dense = Dense::new(s.view()).unwrap();
        let game = Game::new(&dense, shift, own).unwrap();
        let found = with(1, |context| game.payoffs(v.view(), context)).unwrap();
        // A dozen products of size one.
        prop_assert!((found - x.dot(&v)).iter().all(|gap| gap.abs() < 1e-13));
    }

    #[test]
    fn shares_stay_on_the_simplex_and_cohesion_rises(s in any_symmetric()) {
        let mut x = s;
        x.diag_mut().fill(0.0);
        let n = x.nrows();
        let (mut v, mut before) = (vec![1.0 / n as f64; n], 0.0);
        for expected in plain_steps(&x, 60) {
            let payoff = x.dot(&Array1::from_vec(v.clone()));
            prop_assert!((v.iter().sum::<f64>() - 1.0).abs() < 1e-13);
            prop_assert!(v.iter().all(|v| *v >= 0.0));
            prop_assert!(v.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-10));
            let step = replicate(&mut v, payoff.iter().copied());
            // Monotone up to the rounding of a sum of products of size one.
            prop_assert!(step.cohesion >= before - 1e-14, "{} < {}", step.cohesion, before);
            before = step.cohesion;
        }
    }

    #[test]
    fn infection_ends_where_no_strategy_earns_more(s in any_symmetric()) {
        let dense = Dense::new(s.view()).unwrap();
        let (game, n) = (Game::new(&dense, 0.0, false).unwrap(), s.nrows());
        let mut ends = Vec::new();
        for rows_at_hand in [false, true] {
            let (mut v, rest) = (vec![1.0 / n as f64; n], vec![true; n]);
            let found = with(1, |context| infect(game, &mut v, &rest, 2000, rows_at_hand, context));
            prop_assert!(found.unwrap().1);
            prop_assert!((v.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let column = ArrayView2::from_shape((n, 1), &v).unwrap();
            let payoff = with(1, |context| game.payoffs(column, context)).unwrap();
            let cohesion: f64 = v.iter().zip(&payoff).map(|(v, p)| v * p).sum();
            for (v, payoff) in v.iter().zip(&payoff) {
                // Stops when the squares of what is wrong add up to 1e-20 of the cohesion.
                prop_assert!(*v >= 0.0 && *payoff < cohesion + 1e-9);
                prop_assert!(*v < 1e-9 || (payoff - cohesion).abs() < 1e-9);
            }
            ends.push(v);
        }
        // The same moves, with columns read in two ways.
        prop_assert!(ends[0].iter().zip(&ends[1]).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    #[test]
    fn every_object_gets_a_cluster_that_exists(
        s in any_symmetric(), k in 1..5_usize, steps in 1..40_usize, infection in any::<bool>(),
    ) {
        let dense = Dense::new(s.view()).unwrap();
        let method = if infection {
            Method::Infection { rows_at_hand: true }
        } else {
            Method::Replicator
        };
        let plan = Plan { n_clusters: Some(k), method, record: true };
        let found = peeled(&dense, 0.0, plan, steps, 1e-2);
        let clusters = found.cohesion.len();
        prop_assert!(clusters <= k && clusters >= 1);
        prop_assert!(found.labels.iter().all(|label| *label < clusters));
        for cluster in 0..clusters {
            let core = (0..s.nrows()).filter(|i| found.in_core[*i] && found.labels[*i] == cluster);
            prop_assert!(core.count() > 0);
        }
        prop_assert_eq!(found.shares.dim(), (s.nrows(), clusters));
        prop_assert_eq!(found.path.last().map(Vec::len), Some(s.nrows()));
    }
}

#[test]
fn terminations_do_not_hear_of_each_other() {
    let x = points(60);
    let low = LowRank::new(x.view(), Measure::SquaredEuclidean(200.0)).unwrap();
    let ends: Vec<_> = [(3, 1e-3), (20, 1e-2), (80, 1e-4)]
        .map(|(max_steps, cutoff)| Termination { max_steps, cutoff })
        .into();
    let game = Game::new(&low, 0.0, false).unwrap();
    let together = with(1, |context| peel(game, REPLICATOR, &ends, context)).unwrap();
    for (one, ends) in together.iter().zip(&ends) {
        let alone = peeled(&low, 0.0, REPLICATOR, ends.max_steps, ends.cutoff);
        assert_eq!((&alone.labels, &alone.steps), (&one.labels, &one.steps));
        assert!((&alone.shares - &one.shares).iter().all(|gap| gap.abs() < 1e-12));
    }
}

#[test]
fn representations_agree() {
    let x = points(80);
    let low = LowRank::new(x.view(), Measure::SquaredEuclidean(300.0)).unwrap();
    let edges = with(1, |context| of_vectors(x.view(), context)).unwrap();
    let tree = Tree::new(MergeTree::new(80, edges).unwrap());
    for given in [&low as &dyn Similarity, &tree] {
        let s = with(1, |context| given.to_array(context)).unwrap();
        let dense = Dense::new(s.view()).unwrap();
        let columns: Vec<u32> = (0..80 * 80).map(|at| at % 80).collect();
        let starts = (0..=80).map(|i| i * 80).collect();
        let sparse = Sparse::new(starts, columns, s.iter().copied().collect()).unwrap();
        for shift in [0.0, 3.0] {
            let expected = peeled(&dense, shift, REPLICATOR, 25, 1e-3);
            for other in [given, &sparse as &dyn Similarity] {
                let found = peeled(other, shift, REPLICATOR, 25, 1e-3);
                assert_eq!(found.labels, expected.labels);
                // Shares of at most 1; 25 steps of sums that are rounded differently.
                assert!((&found.shares - &expected.shares).iter().all(|gap| gap.abs() < 1e-9));
            }
        }
    }
}

#[test]
fn a_shift_of_the_diagonal_too_moves_no_equilibrium() {
    let x = points(40);
    let low = LowRank::new(x.view(), Measure::SquaredEuclidean(150.0)).unwrap();
    let settled = |shift: f64, own: bool| {
        let game = Game::new(&low, shift, own).unwrap();
        let (mut v, rest) = (vec![1.0 / 40.0; 40], vec![true; 40]);
        let (_, end) =
            with(1, |context| infect(game, &mut v, &rest, 5000, false, context)).unwrap();
        assert!(end);
        v
    };
    let (plain, both, spared) = (settled(0.0, false), settled(50.0, true), settled(50.0, false));
    let far = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>();
    assert!(far(&plain, &both) < 1e-7, "{}", far(&plain, &both));
    assert!(far(&plain, &spared) > 1e-2, "{}", far(&plain, &spared));
    let size = |v: &[f64]| v.iter().filter(|v| **v > 1e-6).count();
    assert!(size(&spared) >= size(&plain));
}

#[test]
fn peeling_stops_where_nothing_is_in_common() {
    let mut s = Array2::zeros((6, 6));
    s.slice_mut(ndarray::s![..3, ..3]).fill(1.0);
    s.diag_mut().fill(9.0);
    let dense = Dense::new(s.view()).unwrap();
    for method in [Method::Replicator, Method::Infection { rows_at_hand: true }] {
        let plan = Plan { n_clusters: None, method, record: false };
        let found = peeled(&dense, 0.0, plan, 50, 1e-4);
        assert_eq!(found.labels, [0; 6]);
        assert_eq!(found.in_core, [true, true, true, false, false, false]);
        // Three objects of similarity 1, shares 1/3: 1 - 1/3.
        assert!((found.cohesion[0] - 2.0 / 3.0).abs() < 1e-9);
        let nothing = Array2::eye(4);
        let empty = Dense::new(nothing.view()).unwrap();
        let found = peeled(&empty, 0.0, plan, 50, 1e-4);
        assert_eq!((found.labels, found.cohesion.len()), (vec![0; 4], 0));
    }
}

#[test]
fn an_empty_selection_takes_the_largest_share() {
    let mut s = Array2::from_elem((5, 5), 1.0);
    s[[2, 3]] = 1.5;
    s[[3, 2]] = 1.5;
    let dense = Dense::new(s.view()).unwrap();
    let plan = Plan { n_clusters: Some(1), ..REPLICATOR };
    let found = peeled(&dense, 0.0, plan, 1, 0.9);
    assert_eq!(found.in_core, [false, false, true, false, false]);
}

#[test]
fn threads_change_nothing_and_cancel_is_obeyed() {
    let x = points(700);
    let s = with(1, |context| {
        LowRank::new(x.view(), Measure::SquaredEuclidean(300.0)).unwrap().to_array(context).unwrap()
    });
    let dense = Dense::new(s.view()).unwrap();
    let game = Game::new(&dense, 0.0, false).unwrap();
    let ends = [Termination { max_steps: 20, cutoff: 1e-4 }];
    let one = with(1, |context| peel(game, REPLICATOR, &ends, context)).unwrap();
    assert_eq!(with(3, |context| peel(game, REPLICATOR, &ends, context)).unwrap(), one);
    for method in [Method::Replicator, Method::Infection { rows_at_hand: true }] {
        let (workers, control) = (Workers::new(1).unwrap(), Control::default());
        control.cancel();
        let context = Context { workers: &workers, control: &control };
        let plan = Plan { method, ..REPLICATOR };
        assert_eq!(peel(game, plan, &ends, context), Err(Error::Cancelled));
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let s = Array2::<f64>::ones((3, 3));
    let dense = Dense::new(s.view()).unwrap();
    assert!(Game::new(&dense, f64::NAN, false).is_err());
    let game = Game::new(&dense, 0.0, false).unwrap();
    let ends = |max_steps, cutoff| [Termination { max_steps, cutoff }];
    let refused = |plan: Plan, ends: [Termination; 1]| {
        with(1, |context| peel(game, plan, &ends, context)).is_err()
    };
    assert!(refused(REPLICATOR, ends(0, 0.1)));
    assert!(refused(REPLICATOR, ends(5, 0.0)));
    assert!(refused(REPLICATOR, ends(5, 1.0)));
    assert!(refused(Plan { n_clusters: Some(0), ..REPLICATOR }, ends(5, 0.1)));
    assert!(!refused(REPLICATOR, ends(5, 0.1)));
}

#[test]
fn order_of_the_objects_does_not_matter() {
    let x = points(60);
    let order: Vec<usize> = (0..60).map(|i| (i * 17 + 5) % 60).collect();
    let shuffled = x.select(Axis(0), &order);
    for method in [Method::Replicator, Method::Infection { rows_at_hand: false }] {
        let plan = Plan { method, ..REPLICATOR };
        let of = |x: &Array2<f64>| {
            let low = LowRank::new(x.view(), Measure::SquaredEuclidean(300.0)).unwrap();
            peeled(&low, 0.0, plan, 30, 1e-3)
        };
        let (plain, other) = (of(&x), of(&shuffled));
        let back: Vec<usize> = order.iter().map(|i| plain.labels[*i]).collect();
        assert_eq!(other.labels, back);
        let gap = &other.shares - &plain.shares.select(Axis(0), &order);
        assert!(gap.iter().all(|gap| gap.abs() < 1e-9));
    }
}
