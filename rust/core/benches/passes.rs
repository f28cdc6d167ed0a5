//! Time of one update pass and of one lock-step temperature, for small and large data.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use gencap_core::Control;
use gencap_core::annealing::pass::{Assignment, Weights, update_pass};
use gencap_core::capacity::overlap::{Matching, measure};
use gencap_core::capacity::pair::PairData;
use gencap_core::data::Data;
use gencap_core::model::{Components, Shape};
use gencap_core::rng::{fill_normal, stream};
use gencap_core::workers::{Context, Workers};
use ndarray::{Array1, Array2};

fn normal(shape: (usize, usize), seed: u64) -> Array2<f64> {
    let mut out = Array2::zeros(shape);
    fill_normal(&mut stream(seed, &[]), &mut out);
    out
}

fn passes(criterion: &mut Criterion) {
    let workers = Workers::new(1).expect("one thread is always there");
    let control = Control::default();
    let context = Context { workers: &workers, control: &control };
    let mut group = criterion.benchmark_group("update_pass");
    for (n, d, k) in [(200, 2, 4), (2_000, 2, 10), (20_000, 16, 32)] {
        let (x, means) = (normal((n, d), 1), normal((k, d), 2));
        let data = Data::centered(x.view()).expect("not empty");
        for shape in [Shape::Distance, Shape::Full] {
            let model = if shape.is_free() {
                Components::free(means.clone(), shape, &Array1::ones(d), 1e-6)
            } else {
                Components::fixed(means.clone(), shape)
            };
            let name = BenchmarkId::new(format!("{shape:?}"), format!("{n}x{d}x{k}"));
            group.bench_function(name, |bench| {
                let weights = Weights::equal(1.0);
                bench.iter(|| {
                    black_box(update_pass(&data, &model, weights, &Assignment::Soft, context))
                });
            });
        }
    }
    group.finish();
}

fn overlaps(criterion: &mut Criterion) {
    let workers = Workers::new(1).expect("one thread is always there");
    let control = Control::default();
    let context = Context { workers: &workers, control: &control };
    let mut group = criterion.benchmark_group("overlap");
    for n in [200, 2_000, 20_000] {
        let (first, second) = (normal((n, 4), 1), normal((n, 4), 2));
        let data = PairData::new(first.view(), second.view(), true).expect("equal rows");
        let model = Components::fixed(normal((8, 4), 3), Shape::Distance);
        group.bench_function(BenchmarkId::from_parameter(n), |bench| {
            bench.iter(|| {
                black_box(measure(&data, [&model, &model], 1.0, Matching::Clusters, context))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, passes, overlaps);
criterion_main!(benches);
