//! Whoever waits can stop, hold and follow every kind of run.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use gencap_core::annealing::{
    AnnealParams, Annealer, CheckedParams, Place, Scale, Solver, best_restart, run,
};
use gencap_core::capacity::pair::{self, Coupling, PairData};
use gencap_core::data::Data;
use gencap_core::rng::{fill_normal, stream};
use gencap_core::sampling::Kernel;
use gencap_core::workers::{Context, Workers};
use gencap_core::{Control, Error};
use ndarray::Array2;

/// Far longer than any run here should take to notice; a run that never does fails the test.
const PATIENCE: Duration = Duration::from_secs(30);

fn noise(n: usize, seed: u64) -> Array2<f64> {
    let mut x = Array2::zeros((n, 3));
    fill_normal(&mut stream(seed, &[]), &mut x);
    x
}

/// Settings under which one temperature would last for hours.
fn endless(solver: Solver, mass_constrained: bool) -> CheckedParams {
    let settings = AnnealParams {
        n_clusters: 5,
        solver,
        mass_constrained,
        max_iter: usize::MAX,
        tol: f64::MIN_POSITIVE,
        burn_in: 1 << 40,
        ..AnnealParams::default()
    };
    settings.check().unwrap()
}

/// Start `job` on a thread of its own, cancel it once it runs, and return how it ended.
fn cancelled<T: Send>(
    job: impl FnOnce(Context<'_>) -> Result<T, Error> + Send,
) -> Result<T, Error> {
    let (workers, control) = (Workers::new(2).unwrap(), Control::default());
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        let context = Context { workers: &workers, control: &control };
        scope.spawn(move || sender.send(job(context)));
        thread::sleep(Duration::from_millis(30));
        control.cancel();
        receiver.recv_timeout(PATIENCE).expect("a cancelled run must end")
    })
}

#[test]
fn every_solver_stops_in_the_middle_of_a_temperature() {
    let solvers = [
        (Solver::MeanField, false),
        (Solver::MeanField, true),
        (Solver::Gibbs, false),
        (Solver::Collapsed(Kernel::Metropolis), false),
        (Solver::Collapsed(Kernel::Gibbs), false),
    ];
    let x = noise(2_000, 1);
    for (solver, mass_constrained) in solvers {
        let settings = endless(solver, mass_constrained);
        let outcome = cancelled(|context| {
            let data = Data::centered(x.view())?;
            let scale = Scale::measure(&data, context)?;
            let place = Place { seed: 0, restart: 0, instance: 0 };
            let mut annealer = Annealer::start(&data, &scale, &settings, place, context)?;
            // Equal temperatures without end: converged ones cannot finish the run either.
            let betas = vec![1.0; 1_000_000];
            run(&mut annealer, &data, &betas, context, |_| ())
        });
        assert_eq!(outcome, Err(Error::Cancelled), "{solver:?} {mass_constrained}");
    }
}

#[test]
fn restarts_and_pairs_stop() {
    let (x, y) = (noise(2_000, 2), noise(2_000, 3));
    let settings = endless(Solver::Gibbs, false);
    let outcome = cancelled(|context| {
        let data = Data::centered(x.view())?;
        let scale = Scale::measure(&data, context)?;
        let place = Place { seed: 0, restart: 0, instance: 0 };
        best_restart(&data, &scale, &settings, &[0.1, 0.2], place, 4, context)
    });
    assert_eq!(outcome, Err(Error::Cancelled));
    let outcome = cancelled(|context| {
        let data = PairData::new(x.view(), y.view(), true)?;
        pair::run(&data, &settings, Coupling::Merge, &[0.1, 0.2], 0, 1, context).map(|_| ())
    });
    assert_eq!(outcome, Err(Error::Cancelled));
}

#[test]
fn a_run_that_is_cancelled_before_it_starts_does_nothing() {
    let (x, y) = (noise(50, 4), noise(50, 5));
    let (workers, control) = (Workers::new(1).unwrap(), Control::default());
    control.cancel();
    let context = Context { workers: &workers, control: &control };
    let data = PairData::new(x.view(), y.view(), true).unwrap();
    let settings = AnnealParams::default().check().unwrap();
    let outcome = pair::run(&data, &settings, Coupling::Centroids, &[0.5], 0, 1, context);
    assert_eq!(outcome.map(|_| ()), Err(Error::Cancelled));
    assert_eq!(control.snapshot().done, 0);
}

#[test]
fn a_held_run_makes_no_progress_until_it_is_released() {
    let x = noise(200, 6);
    let (workers, control) = (Workers::new(1).unwrap(), Control::default());
    control.switches().set_paused(true);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        let context = Context { workers: &workers, control: &control };
        let x = &x;
        scope.spawn(move || {
            let settings = AnnealParams::default().check()?;
            let data = Data::centered(x.view())?;
            let scale = Scale::measure(&data, context)?;
            let place = Place { seed: 0, restart: 0, instance: 0 };
            let mut annealer = Annealer::start(&data, &scale, &settings, place, context)?;
            let done = run(&mut annealer, &data, &[0.1, 0.2, 0.4], context, |_| ());
            let _ = sender.send(());
            done
        });
        assert!(receiver.recv_timeout(Duration::from_millis(100)).is_err());
        assert_eq!(control.snapshot().done, 0);
        control.switches().set_paused(false);
        receiver.recv_timeout(PATIENCE).expect("a released run must end");
    });
    assert_eq!(control.snapshot().done, 3);
}

#[test]
fn progress_never_passes_the_total() {
    let (x, y) = (noise(60, 7), noise(60, 8));
    let (workers, control) = (Workers::new(1).unwrap(), Control::default());
    let context = Context { workers: &workers, control: &control };
    let data = PairData::new(x.view(), y.view(), true).unwrap();
    let settings = AnnealParams { stop: Some(0.3), ..AnnealParams::default() }.check().unwrap();
    let betas = [0.1, 0.2, 0.3];
    for (coupling, expected) in [(Coupling::Centroids, 3 * 4 + 3), (Coupling::Merge, 3 * 8 + 3)] {
        let before = control.snapshot().done;
        pair::run(&data, &settings, coupling, &betas, 0, 4, context).unwrap();
        let seen = control.snapshot();
        assert_eq!((seen.done - before, seen.total), (expected, expected));
    }
}
