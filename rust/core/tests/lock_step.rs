//! The lock-step sums with given components against sums over all `K^N` assignments, to 1e-10.
//!
//! Everything here is the code that runs over real data (blocks, log space, alignment); only the
//! components are given instead of annealed.

use std::f64::consts::LN_2;

use gencap_core::annealing::pass::{Weights, full_pass};
use gencap_core::capacity::overlap::{Matching, Overlap, measure};
use gencap_core::capacity::pair::PairData;
use gencap_core::model::{Components, Shape};
use gencap_core::rng::{fill_normal, stream};
use gencap_core::testing::all_assignments;
use gencap_core::workers::{Context, Workers};
use gencap_core::{Control, capacity::probabilities};
use ndarray::{Array1, Array2, Axis, array};

const TOLERANCE: f64 = 1e-10;

fn normal(shape: (usize, usize), seed: u64) -> Array2<f64> {
    let mut out = Array2::zeros(shape);
    fill_normal(&mut stream(seed, &[]), &mut out);
    out
}

/// Run `job` with one thread and nobody to stop it.
fn alone<T>(job: impl FnOnce(Context<'_>) -> T) -> T {
    let (workers, control) = (Workers::new(1).unwrap(), Control::default());
    job(Context { workers: &workers, control: &control })
}

/// h_ik of isotropic components, written out.
fn potentials(x: &Array2<f64>, means: &Array2<f64>, shape: Shape) -> Array2<f64> {
    let d = x.ncols() as f64;
    Array2::from_shape_fn((x.nrows(), means.nrows()), |(i, k)| {
        let squared = (&x.row(i) - &means.row(k)).mapv(|v| v * v).sum();
        match shape {
            Shape::Fixed(variance) => {
                0.5 * squared / variance + 0.5 * d * (std::f64::consts::TAU * variance).ln()
            }
            _ => squared,
        }
    })
}

/// ln sum_c exp(-beta R(c)) over all assignments c, R(c) = sum_i h_i,c(i).
fn log_partition(h: &Array2<f64>, beta: f64) -> f64 {
    let (n, k) = h.dim();
    let cost = |c: &Vec<usize>| c.iter().enumerate().map(|(i, &v)| h[[i, v]]).sum::<f64>();
    let scores: Vec<f64> = all_assignments(n, k).iter().map(|c| -beta * cost(c)).collect();
    let peak = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    peak + scores.iter().map(|s| (s - peak).exp()).sum::<f64>().ln()
}

fn permutations(k: usize) -> Vec<Vec<usize>> {
    all_assignments(k, k)
        .into_iter()
        .filter(|order| (0..k).all(|value| order.contains(&value)))
        .collect()
}

fn softmax(h: &Array2<f64>, beta: f64) -> Array2<f64> {
    let mut p = h.mapv(|v| -beta * v);
    for mut row in p.rows_mut() {
        let peak = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.mapv_inplace(|v| (v - peak).exp());
        let total = row.sum();
        row /= total;
    }
    p
}

struct Tiny {
    x: [Array2<f64>; 2],
    means: [Array2<f64>; 2],
}

impl Tiny {
    /// Instances far from the origin, so that centering takes part.
    fn new(n: usize, k: usize, seed: u64) -> Self {
        let x = [normal((n, 2), seed) + 3.0, normal((n, 2), seed + 1) + 3.0];
        let means = [normal((k, 2), seed + 2) + 3.0, normal((k, 2), seed + 3) + 3.0];
        Self { x, means }
    }

    fn measure(&self, shape: Shape, beta: f64, same_space: bool) -> Overlap {
        self.measure_as(shape, beta, same_space, Matching::Clusters)
    }

    fn measure_as(&self, shape: Shape, beta: f64, same: bool, matching: Matching<'_>) -> Overlap {
        let data = PairData::new(self.x[0].view(), self.x[1].view(), same).unwrap();
        let offsets = [data.first.offset(), data.second.offset()];
        let models = [0, 1].map(|q| Components::fixed(&self.means[q] - offsets[q], shape));
        alone(|context| measure(&data, [&models[0], &models[1]], beta, matching, context).unwrap())
    }

    fn potentials(&self, shape: Shape) -> [Array2<f64>; 2] {
        [0, 1].map(|q| potentials(&self.x[q], &self.means[q], shape))
    }
}

/// The columns of the second instance's potentials in the order of the slots.
fn in_slots(h: &Array2<f64>, slots: &[usize]) -> Array2<f64> {
    let mut out = h.clone();
    for (cluster, &slot) in slots.iter().enumerate() {
        out.column_mut(slot).assign(&h.column(cluster));
    }
    out
}

#[test]
fn partition_sums_equal_the_enumeration() {
    for (n, k, beta) in [(1, 1, 0.3), (2, 3, 1.0), (5, 2, 0.05), (7, 3, 0.6), (8, 3, 2.0)] {
        for shape in [Shape::Distance, Shape::Fixed(0.7)] {
            let tiny = Tiny::new(n, k, 40 + n as u64);
            let data = PairData::new(tiny.x[0].view(), tiny.x[1].view(), true).unwrap();
            let model = Components::fixed(&tiny.means[0] - data.first.offset(), shape);
            let weights = Weights::equal(beta);
            let seen = alone(|c| full_pass(&data.first, &model, weights, c).unwrap());
            let exact = log_partition(&tiny.potentials(shape)[0], beta);
            assert!((seen.log_partition - exact).abs() < TOLERANCE, "N={n} K={k} {shape:?}");
        }
    }
}

#[test]
fn agreement_and_j_equal_the_enumeration() {
    for (n, k, beta) in [(1, 2, 0.5), (3, 3, 0.1), (5, 2, 2.0), (6, 3, 0.7), (8, 3, 1.3)] {
        for shape in [Shape::Distance, Shape::Fixed(2.5)] {
            let tiny = Tiny::new(n, k, 60 + n as u64);
            let found = tiny.measure(shape, beta, true);
            let [first, second] = tiny.potentials(shape);
            assert_eq!(found.slots[0], (0..k).collect::<Vec<_>>());
            let second = in_slots(&second, &found.slots[1]);
            let exact = log_partition(&(&first + &second), beta)
                - log_partition(&first, beta)
                - log_partition(&second, beta);
            let exact = exact / (n as f64 * LN_2);
            assert!((found.agreement - exact).abs() < TOLERANCE, "N={n} K={k} {shape:?}");
            // Soft masses are marginals of the same law: count them by enumeration too.
            let masses = (soft_masses(&first, beta) + soft_masses(&second, beta)) / 2.0;
            let entropy: f64 = -masses.iter().map(|p| p * p.log2()).sum::<f64>();
            assert!((found.entropy - entropy).abs() < TOLERANCE, "N={n} K={k} {shape:?}");
        }
    }
}

/// Mean share of every label under p(c) ~ exp(-beta R(c)), by enumeration.
fn soft_masses(h: &Array2<f64>, beta: f64) -> Array1<f64> {
    let (n, k) = h.dim();
    let log_z = log_partition(h, beta);
    let mut masses = Array1::zeros(k);
    for c in all_assignments(n, k) {
        let cost: f64 = c.iter().enumerate().map(|(i, &v)| h[[i, v]]).sum();
        let weight = (-beta * cost - log_z).exp();
        for label in c {
            masses[label] += weight / n as f64;
        }
    }
    masses
}

#[test]
fn slots_are_the_best_of_all_permutations() {
    for seed in 0..50 {
        let (n, k, beta) = (7, 3, 0.4);
        let tiny = Tiny::new(n, k, 1000 + 7 * seed);
        let found = tiny.measure(Shape::Distance, beta, true);
        let [first, second] = tiny.potentials(Shape::Distance).map(|h| softmax(&h, beta));
        let table = first.t().dot(&second);
        let value = |slots: &Vec<usize>| (0..k).map(|c| table[[slots[c], c]]).sum::<f64>();
        let best = permutations(k).iter().map(value).fold(f64::NEG_INFINITY, f64::max);
        assert!((value(&found.slots[1]) - best).abs() < 1e-12, "seed {seed}");
    }
}

#[test]
fn transfer_cost_is_the_cost_of_the_second_under_the_first() {
    let (tiny, beta) = (Tiny::new(8, 3, 5), 0.9);
    let p = softmax(&tiny.potentials(Shape::Distance)[0], beta);
    let h = potentials(&tiny.x[1], &tiny.means[0], Shape::Distance);
    let expected = (&p * &h).sum() / 8.0;
    assert!((tiny.measure(Shape::Distance, beta, true).transfer_cost - expected).abs() < TOLERANCE);
    assert!(tiny.measure(Shape::Distance, beta, false).transfer_cost.is_nan());
}

#[test]
fn separate_spaces_give_the_same_agreement() {
    // Centering differs (own means instead of the pooled one); distances do not.
    let tiny = Tiny::new(8, 3, 9);
    let pooled = tiny.measure(Shape::Distance, 1.1, true);
    let own = tiny.measure(Shape::Distance, 1.1, false);
    assert!((pooled.agreement - own.agreement).abs() < TOLERANCE);
    assert_eq!(pooled.slots, own.slots);
}

#[test]
fn a_constant_in_every_potential_changes_nothing() {
    // -ln N(x | mu, v I) = |x - mu|^2 / 2v + const: the constant drops out, 2v goes into beta.
    let (tiny, variance) = (Tiny::new(8, 3, 21), 3.7);
    for beta in [0.01, 0.5, 20.0] {
        let plain = tiny.measure(Shape::Distance, beta, true);
        let shifted = tiny.measure(Shape::Fixed(variance), 2.0 * variance * beta, true);
        assert!((plain.agreement - shifted.agreement).abs() < TOLERANCE * plain.agreement.abs());
        assert!((plain.entropy - shifted.entropy).abs() < TOLERANCE);
    }
}

#[test]
fn translation_of_everything_changes_nothing() {
    let tiny = Tiny::new(8, 3, 33);
    let moved = Tiny {
        x: tiny.x.clone().map(|x| x + 1e6),
        means: tiny.means.clone().map(|means| means + 1e6),
    };
    let (here, there) =
        (tiny.measure(Shape::Distance, 1.0, true), moved.measure(Shape::Distance, 1.0, true));
    // At 1e6 coordinates are rounded to 1e-10; potentials of order 10 move by a few times that.
    assert!((here.agreement - there.agreement).abs() < 1e-8);
    assert!((here.transfer_cost - there.transfer_cost).abs() < 1e-8);
}

#[test]
fn order_of_objects_and_of_clusters_does_not_matter() {
    let tiny = Tiny::new(8, 3, 45);
    let rows = [3, 1, 7, 0, 2, 6, 5, 4];
    let other = Tiny {
        x: tiny.x.clone().map(|x| x.select(Axis(0), &rows)),
        means: [tiny.means[0].clone(), tiny.means[1].select(Axis(0), &[2, 0, 1])],
    };
    let (plain, turned) =
        (tiny.measure(Shape::Distance, 0.8, true), other.measure(Shape::Distance, 0.8, true));
    assert!((plain.agreement - turned.agreement).abs() < 1e-12);
    assert!((plain.entropy - turned.entropy).abs() < 1e-12);
    let expected: Vec<usize> = [2, 0, 1].iter().map(|&c: &usize| plain.slots[1][c]).collect();
    assert_eq!(turned.slots[1], expected);
}

#[test]
fn equal_centroids_carry_nothing() {
    let mut tiny = Tiny::new(8, 3, 51);
    for means in &mut tiny.means {
        means.assign(&array![[3.0, 2.0], [3.0, 2.0], [3.0, 2.0]]);
    }
    for beta in [1e-9, 1.0, 1e6] {
        let found = tiny.measure(Shape::Distance, beta, true);
        // ln K is added to beta h of up to 20 beta, whose last digit is worth 4e-15 beta.
        assert!((found.agreement + 3f64.log2()).abs() < 1e-12 + 1e-14 * beta);
        assert!((found.entropy - 3f64.log2()).abs() < 1e-12);
    }
}

#[test]
fn limits_of_the_temperature() {
    let mut tiny = Tiny::new(8, 3, 57);
    let hot = tiny.measure(Shape::Distance, 1e-12, true);
    assert!((hot.agreement + 3f64.log2()).abs() < TOLERANCE);
    assert!((hot.entropy - 3f64.log2()).abs() < TOLERANCE);
    // Disagreement falls linearly in beta, without a floor where probabilities underflow.
    let cold = [1e4, 2e4].map(|beta| tiny.measure(Shape::Distance, beta, true).agreement);
    assert!(cold[0] < -100.0 && cold[0].is_finite());
    assert!((cold[1] / cold[0] - 2.0).abs() < 1e-3);
    // The same instance twice: hard assignments agree, J ends at the entropy of the sizes.
    tiny.x[1] = tiny.x[0].clone();
    tiny.means[1] = tiny.means[0].clone();
    let same = tiny.measure(Shape::Distance, 1e7, true);
    assert!(same.agreement.abs() < 1e-12);
    let p = softmax(&tiny.potentials(Shape::Distance)[0], 1e7);
    let sizes = p.sum_axis(Axis(0)) / 8.0;
    let entropy: f64 = -sizes.iter().filter(|p| **p > 0.0).map(|p| p * p.log2()).sum::<f64>();
    assert!((same.entropy - entropy).abs() < 1e-12);
}

#[test]
fn merged_groups_are_compared_as_one() {
    let (tiny, beta) = (Tiny::new(8, 3, 71), 0.7);
    // The first run merged clusters 0 and 2, the second 1 and 2.
    let groups = [vec![0, 1, 0], vec![0, 1, 1]];
    let matching = Matching::Groups([&groups[0], &groups[1]]);
    let found = tiny.measure_as(Shape::Distance, beta, false, matching);
    let joined = |q: usize| {
        let p = softmax(&tiny.potentials(Shape::Distance)[q], beta);
        let mut out = Array2::<f64>::zeros((8, 2));
        groups[q].iter().enumerate().for_each(|(c, &g)| {
            let mut column = out.column_mut(g);
            column += &p.column(c);
        });
        out
    };
    let control = Control::default();
    let (first, second) = (joined(0), joined(1));
    let expected = probabilities::measure(first.view(), second.view(), false, &control).unwrap();
    assert!((found.agreement - expected.agreement).abs() < TOLERANCE);
    assert!((found.entropy - probabilities::entropy(&expected.masses)).abs() < TOLERANCE);
}

#[test]
fn different_numbers_of_groups_are_padded() {
    let (tiny, beta) = (Tiny::new(8, 3, 77), 0.7);
    let groups = [vec![0, 0, 0], vec![0, 1, 2]];
    let matching = Matching::Groups([&groups[0], &groups[1]]);
    let found = tiny.measure_as(Shape::Distance, beta, false, matching);
    // The one group of the first meets the heaviest cluster of the second.
    let p = softmax(&tiny.potentials(Shape::Distance)[1], beta);
    let masses = p.sum_axis(Axis(0));
    let heaviest = (0..3).max_by(|&a, &b| masses[a].total_cmp(&masses[b])).unwrap();
    assert_eq!(found.slots[1][heaviest], 0);
    let expected = p.column(heaviest).mapv(f64::log2).sum() / 8.0;
    assert!((found.agreement - expected).abs() < TOLERANCE);
}

#[test]
fn many_blocks_and_threads_add_up_to_the_plain_sum() {
    let (n, k, beta) = (9_001, 3, 0.8);
    let tiny = Tiny {
        x: [normal((n, 2), 1), normal((n, 2), 2)],
        means: [normal((k, 2), 3), normal((k, 2), 4)],
    };
    let [first, second] = tiny.potentials(Shape::Distance).map(|h| softmax(&h, beta));
    let one = tiny.measure(Shape::Distance, beta, true);
    let second = in_slots(&second, &one.slots[1]);
    let expected = (&first * &second).sum_axis(Axis(1)).mapv(f64::log2).sum() / n as f64;
    assert!((one.agreement - expected).abs() < TOLERANCE);
    let data = PairData::new(tiny.x[0].view(), tiny.x[1].view(), true).unwrap();
    let models =
        [0, 1].map(|q| Components::fixed(&tiny.means[q] - data.first.offset(), Shape::Distance));
    for threads in [2, 8] {
        let (workers, control) = (Workers::new(threads).unwrap(), Control::default());
        let context = Context { workers: &workers, control: &control };
        let both = [&models[0], &models[1]];
        let many = measure(&data, both, beta, Matching::Clusters, context).unwrap();
        assert_eq!(one.agreement.to_bits(), many.agreement.to_bits());
        assert_eq!(one.entropy.to_bits(), many.entropy.to_bits());
        assert_eq!(one.transfer_cost.to_bits(), many.transfer_cost.to_bits());
    }
}
