//! What must hold for any data: free energies fall, their slope is the cost, groups are a partition.

use gencap_core::Control;
use gencap_core::annealing::pass::{Pass, Weights, all_probabilities, full_pass};
use gencap_core::annealing::{AnnealParams, critical_beta, grid, group};
use gencap_core::data::Data;
use gencap_core::linear::largest_eigenpair;
use gencap_core::model::{Components, Shape};
use gencap_core::rng::{fill_normal, stream};
use gencap_core::workers::{Context, Workers};
use ndarray::{Array1, Array2, array};
use proptest::prelude::*;

const SHAPES: [Shape; 5] =
    [Shape::Distance, Shape::Fixed(0.6), Shape::Spherical, Shape::Diagonal, Shape::Full];

fn normal(shape: (usize, usize), seed: u64) -> Array2<f64> {
    let mut out = Array2::zeros(shape);
    fill_normal(&mut stream(seed, &[]), &mut out);
    out
}

fn components(means: Array2<f64>, shape: Shape, floor: f64) -> Components {
    let ones = Array1::ones(means.ncols());
    if shape.is_free() {
        Components::free(means, shape, &ones, floor)
    } else {
        Components::fixed(means, shape)
    }
}

fn look(data: &Data<'_>, model: &Components, weights: Weights<'_>) -> Pass {
    let (workers, control) = (Workers::new(1).unwrap(), Control::default());
    let context = Context { workers: &workers, control: &control };
    full_pass(data, model, weights, context).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// EM at fixed beta minimizes F(P, theta) = E cost - S / beta in turns: F never rises.
    #[test]
    fn free_energy_never_rises_at_fixed_temperature(
        seed in 0..1000u64, n in 4..40usize, k in 1..5usize, beta in 0.02..1.0f64, which in 0..5usize,
    ) {
        let (x, means) = (normal((n, 2), seed), normal((k, 2), seed + 1));
        let data = Data::centered(x.view()).unwrap();
        // A floor under the covariances is no part of the bound: leave it away.
        let mut model = components(means, SHAPES[which], 0.0);
        let mut before = f64::INFINITY;
        for _ in 0..12 {
            let seen = look(&data, &model, Weights::equal(beta));
            let free_energy = -seen.log_partition / beta;
            let slack = 1e-9 * free_energy.abs().max(1.0);
            prop_assert!(free_energy <= before + slack, "{before} -> {free_energy}");
            before = free_energy;
            // Components on a single point have no density; their likelihood has no bound.
            if SHAPES[which].is_free() && seen.statistics.masses.iter().any(|mass| *mass < 3.5) {
                break;
            }
            model.update(&seen.statistics);
        }
    }

    /// d(beta F) / d beta = expected cost at fixed parameters, with and without cluster weights.
    #[test]
    fn slope_of_the_free_energy_is_the_cost(
        seed in 0..1000u64, beta in 0.05..3.0f64, which in 0..5usize, weighted in any::<bool>(),
    ) {
        let (x, means) = (normal((9, 2), seed), normal((3, 2), seed + 1));
        let data = Data::centered(x.view()).unwrap();
        let model = components(means, SHAPES[which], 0.0);
        let log_weights = [0.2f64.ln(), 0.5f64.ln(), 0.3f64.ln()];
        let at = |beta| {
            look(&data, &model, Weights { beta, log_weights: weighted.then_some(&log_weights[..]) })
        };
        let step = 1e-5;
        let slope = -(at(beta + step).log_partition - at(beta - step).log_partition) / (2.0 * step);
        let cost = at(beta).cost;
        // Central differences: an error of step^2 times a third moment, and rounding / step.
        prop_assert!((slope - cost).abs() < 1e-6 * cost.abs().max(1.0), "{slope} {cost}");
    }

    /// Rows of probabilities sum to 1 for any temperature and distance.
    #[test]
    fn probabilities_are_probabilities(
        seed in 0..1000u64, exponent in -8.0..8.0f64, far in -1e3..1e3f64,
    ) {
        let mut x = normal((20, 3), seed);
        x[[0, 0]] += far;
        let data = Data::centered(x.view()).unwrap();
        let model = components(normal((4, 3), seed + 1), Shape::Distance, 0.0);
        let (workers, control) = (Workers::new(1).unwrap(), Control::default());
        let context = Context { workers: &workers, control: &control };
        let weights = Weights::equal(10f64.powf(exponent));
        let p = all_probabilities(&data, &model, weights, context).unwrap();
        for row in p.outer_iter() {
            prop_assert!((row.sum() - 1.0).abs() < 1e-12);
            prop_assert!(row.iter().all(|v| (0.0..=1.0).contains(v)));
        }
    }

    /// Groups are numbered 0, 1, ... as they appear, and only join as temperature rises.
    #[test]
    fn groups_are_nested_partitions(seed in 0..1000u64, k in 1..9usize) {
        let model = components(normal((k, 2), seed), Shape::Distance, 0.0);
        let mut finer: Option<Vec<usize>> = None;
        for beta in [1e4, 30.0, 3.0, 1.0, 0.3, 0.1, 1e-4] {
            let groups = group(&model, beta);
            let mut seen = 0;
            for &g in &groups {
                prop_assert!(g <= seen, "{groups:?}");
                seen = seen.max(g + 1);
            }
            if let Some(finer) = finer {
                for a in 0..k {
                    for b in 0..k {
                        prop_assert!(finer[a] != finer[b] || groups[a] == groups[b]);
                    }
                }
            }
            finer = Some(groups);
        }
        prop_assert_eq!(finer, Some(vec![0; k]));
    }

    /// The principal axis against its definition: C v = lambda v, and no Rayleigh quotient above it.
    #[test]
    fn principal_axis_of_any_covariance(seed in 0..1000u64, n in 2..30usize, d in 1..12usize) {
        let x = normal((n, d), seed);
        let data = Data::centered(x.view()).unwrap();
        let centered = data.block(0..n);
        let c = centered.dot(&centered.t()) / n as f64;
        let axis = largest_eigenpair(d, |v| Ok(c.dot(v))).unwrap();
        prop_assert!((axis.vector.dot(&axis.vector) - 1.0).abs() < 1e-9);
        let residual = c.dot(&axis.vector) - axis.value * &axis.vector;
        prop_assert!(residual.dot(&residual).sqrt() < 1e-4 * axis.value);
        for probe in normal((20, d), seed + 1).outer_iter() {
            let quotient = probe.dot(&c.dot(&probe)) / probe.dot(&probe);
            prop_assert!(quotient <= axis.value * (1.0 + 1e-9));
        }
    }

    /// Every grid rises, whatever part of the range was asked for.
    #[test]
    fn grids_rise(
        start in prop::option::of((-4.0..1.0f64).prop_map(|e| 10f64.powf(e))),
        stop in prop::option::of((-4.0..2.0f64).prop_map(|e| 10f64.powf(e))),
        critical in (-3.0..1.0f64).prop_map(|e| 10f64.powf(e)),
        n_steps in 1..30usize, which in 0..5usize,
    ) {
        let settings = AnnealParams { start, stop, n_steps, shape: SHAPES[which], ..Default::default() };
        if let Ok(params) = settings.check() {
            let betas = grid(&params, [critical; 2]);
            prop_assert_eq!(betas.len(), n_steps);
            prop_assert!(betas.windows(2).all(|w| w[0] <= w[1]), "{:?}", betas);
            let last = betas[n_steps - 1];
            if SHAPES[which].is_free() {
                prop_assert!(last <= 1.0 + 1e-12);
            } else if let Some(stop) = stop {
                prop_assert!((last / stop - 1.0).abs() < 1e-9, "{last} {stop}");
            }
        }
    }
}

#[test]
fn an_empty_cluster_keeps_its_centroid() {
    let x = array![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    let data = Data::new(x.view(), Array1::zeros(2)).unwrap();
    for shape in SHAPES {
        let mut model = components(array![[0.3, 0.3], [1e3, 1e3]], shape, 1e-3);
        let seen = look(&data, &model, Weights::equal(50.0));
        assert!(seen.statistics.masses[1] < 1e-12);
        model.update(&seen.statistics);
        assert_eq!(model.means().row(1), array![1e3, 1e3]);
        assert!(model.means().row(0).iter().all(|v| (v - 1.0 / 3.0).abs() < 1e-9));
    }
}

#[test]
fn critical_temperature_is_where_the_mean_becomes_unstable() {
    // One step of EM multiplies a small deviation along the principal axis by beta / beta_c.
    let x = normal((400, 3), 8) * array![3.0, 1.0, 0.5];
    let data = Data::centered(x.view()).unwrap();
    let (workers, control) = (Workers::new(1).unwrap(), Control::default());
    let axis = data.principal_axis(Context { workers: &workers, control: &control }).unwrap();
    for shape in [Shape::Distance, Shape::Fixed(0.4)] {
        let critical = critical_beta(shape, axis.value);
        for ratio in [0.5, 0.98, 1.02, 2.0] {
            let mut means = Array2::zeros((2, 3));
            means.row_mut(0).scaled_add(1e-5, &axis.vector);
            means.row_mut(1).scaled_add(-1e-5, &axis.vector);
            let mut model = components(means, shape, 0.0);
            let seen = look(&data, &model, Weights::equal(ratio * critical));
            model.update(&seen.statistics);
            let gap = (&model.means().row(0) - &model.means().row(1)).dot(&axis.vector) / 2e-5;
            assert!((gap / ratio - 1.0).abs() < 1e-3, "{shape:?}: {gap} instead of {ratio}");
        }
    }
}
