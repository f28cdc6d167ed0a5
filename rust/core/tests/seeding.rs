//! One seed, many streams: the same bits for any number of threads and of restarts.

use gencap_core::Control;
use gencap_core::annealing::{
    AnnealParams, Annealer, CheckedParams, Place, Scale, Solver, Trajectory, best_restart,
    critical_beta, grid, run,
};
use gencap_core::capacity::pair::{self, Coupling, PairData};
use gencap_core::data::Data;
use gencap_core::model::Shape;
use gencap_core::rng::{fill_normal, stream};
use gencap_core::sampling::Kernel;
use gencap_core::workers::{Context, Workers};
use ndarray::Array2;

/// Four overlapping sources in the plane.
fn sample(n: usize, seed: u64) -> Array2<f64> {
    let mut x = Array2::zeros((n, 2));
    fill_normal(&mut stream(seed, &[]), &mut x);
    for (i, mut row) in x.outer_iter_mut().enumerate() {
        row[0] += if i % 2 == 0 { 2.0 } else { -2.0 };
        row[1] += if i % 4 < 2 { 2.0 } else { -2.0 };
    }
    x
}

fn params(solver: Solver, shape: Shape) -> CheckedParams {
    let settings = AnnealParams {
        n_clusters: 4,
        solver,
        shape,
        n_steps: 8,
        burn_in: 2,
        keep: 2,
        ..AnnealParams::default()
    };
    settings.check().unwrap()
}

const EVERY: [(Solver, Shape); 5] = [
    (Solver::MeanField, Shape::Distance),
    (Solver::MeanField, Shape::Full),
    (Solver::Gibbs, Shape::Distance),
    (Solver::Collapsed(Kernel::Metropolis), Shape::Distance),
    (Solver::Collapsed(Kernel::Gibbs), Shape::Fixed(1.0)),
];

fn with_threads<T>(threads: usize, job: impl FnOnce(Context<'_>) -> T) -> T {
    let (workers, control) = (Workers::new(threads).unwrap(), Control::default());
    job(Context { workers: &workers, control: &control })
}

fn betas(params: &CheckedParams, data: &Data<'_>) -> Vec<f64> {
    let scale = with_threads(1, |context| Scale::measure(data, context).unwrap());
    grid(params, [critical_beta(params.shape, scale.largest_variance); 2])
}

fn trajectory(x: &Array2<f64>, params: &CheckedParams, place: Place, threads: usize) -> Trajectory {
    let data = Data::centered(x.view()).unwrap();
    let betas = betas(params, &data);
    with_threads(threads, |context| {
        let scale = Scale::measure(&data, context).unwrap();
        let mut annealer = Annealer::start(&data, &scale, params, place, context).unwrap();
        let mut steps = Vec::new();
        run(&mut annealer, &data, &betas, context, |step| steps.push(step)).unwrap();
        Trajectory::new(steps, data.offset())
    })
}

fn bits(run: &Trajectory) -> Vec<u64> {
    let floats =
        run.centroids.iter().chain(&run.free_energies).chain(&run.costs).chain(&run.masses);
    floats.map(|v| v.to_bits()).collect()
}

fn costs(x: &Array2<f64>, params: &CheckedParams, n_init: usize, threads: usize) -> Vec<u64> {
    let data = Data::centered(x.view()).unwrap();
    let (betas, place) = (betas(params, &data), Place { seed: 11, restart: 0, instance: 0 });
    let found = with_threads(threads, |context| {
        let scale = Scale::measure(&data, context).unwrap();
        best_restart(&data, &scale, params, &betas, place, n_init, context).unwrap().1
    });
    found.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn restart_five_of_twenty_is_restart_five_of_six() {
    let x = sample(150, 1);
    for (solver, shape) in EVERY {
        let settings = params(solver, shape);
        let twenty = costs(&x, &settings, 20, 1);
        assert_eq!(twenty[..6], costs(&x, &settings, 6, 1)[..], "{solver:?} {shape:?}");
        for threads in [2, 8] {
            assert_eq!(twenty, costs(&x, &settings, 20, threads), "{solver:?} {shape:?}");
        }
    }
}

#[test]
fn the_winner_annealed_again_has_the_cost_that_won() {
    let (x, settings) = (sample(150, 2), params(Solver::Gibbs, Shape::Distance));
    let all = costs(&x, &settings, 7, 2);
    for (restart, cost) in all.iter().enumerate() {
        let place = Place { seed: 11, restart: restart as u64, instance: 0 };
        let again = trajectory(&x, &settings, place, 1);
        assert_eq!(again.costs.last().map(|c| c.to_bits()), Some(*cost), "restart {restart}");
    }
}

#[test]
fn same_bits_for_any_number_of_threads() {
    // More rows than one block holds, and more than restarts would share threads for.
    for (solver, shape) in EVERY {
        let x = sample(if matches!(solver, Solver::Collapsed(_)) { 5_000 } else { 21_000 }, 3);
        let place = Place { seed: 5, restart: 0, instance: 0 };
        let one = bits(&trajectory(&x, &params(solver, shape), place, 1));
        for threads in [2, 8] {
            let many = bits(&trajectory(&x, &params(solver, shape), place, threads));
            assert!(one == many, "{solver:?} {shape:?} with {threads} threads");
        }
    }
}

#[test]
fn large_restarts_have_the_same_bits_for_any_number_of_threads() {
    let (x, settings) = (sample(20_500, 4), params(Solver::Gibbs, Shape::Distance));
    let one = costs(&x, &settings, 2, 1);
    assert_eq!(one, costs(&x, &settings, 2, 2));
    assert_eq!(one, costs(&x, &settings, 2, 8));
}

#[test]
fn seeds_restarts_and_instances_draw_different_numbers() {
    let x = sample(200, 5);
    let settings = params(Solver::Gibbs, Shape::Distance);
    let here = Place { seed: 1, restart: 0, instance: 0 };
    let plain = bits(&trajectory(&x, &settings, here, 1));
    assert_eq!(plain, bits(&trajectory(&x, &settings, here, 1)));
    for there in
        [Place { seed: 2, ..here }, Place { restart: 1, ..here }, Place { instance: 1, ..here }]
    {
        assert_ne!(plain, bits(&trajectory(&x, &settings, there, 1)), "{there:?}");
    }
}

#[test]
fn pairs_have_the_same_bits_for_any_number_of_threads() {
    let (first, second) = (sample(3_000, 6), sample(3_000, 7));
    let data = PairData::new(first.view(), second.view(), true).unwrap();
    let couplings =
        [Coupling::Centroids, Coupling::Merge, Coupling::Responsibilities, Coupling::Independent];
    for coupling in couplings {
        for solver in [Solver::MeanField, Solver::Gibbs] {
            let settings = params(solver, Shape::Distance);
            let betas = betas(&settings, &data.first);
            let curve = |threads| {
                with_threads(threads, |context| {
                    let done =
                        pair::run(&data, &settings, coupling, &betas, 3, 2, context).unwrap();
                    let curve = done.curve();
                    let all: Vec<u64> =
                        curve.agreement.iter().chain(&curve.entropy).map(|v| v.to_bits()).collect();
                    (all, curve.slots, done.restarts)
                })
            };
            assert_eq!(curve(1), curve(2), "{coupling:?} {solver:?}");
            assert_eq!(curve(1), curve(8), "{coupling:?} {solver:?}");
        }
    }
}
