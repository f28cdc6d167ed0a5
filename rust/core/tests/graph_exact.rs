//! The graph models against their definitions, and against enumeration of tiny instances.

use gencap_core::Control;
use gencap_core::graph::{Cost, Graph, Settling, State, critical_beta, one_hot, sample, settle};
use gencap_core::rng::{fill_normal, stream};
use gencap_core::similarity::Dense;
use gencap_core::testing::all_assignments;
use gencap_core::workers::{Context, Workers};
use ndarray::{Array1, Array2, ArrayView2};
use rand::RngExt;

const COSTS: [Cost; 8] = [
    Cost::Correlation,
    Cost::MaxCut,
    Cost::Pairwise,
    Cost::NormalizedCut,
    Cost::RatioCut,
    Cost::AdaptiveRatioCut(2.0),
    Cost::AdaptiveRatioCut(1.3),
    Cost::AdaptiveRatioCut(1.0),
];

fn with_context<T>(job: impl FnOnce(Context<'_>) -> T) -> T {
    let (workers, control) = (Workers::new(1).unwrap(), Control::default());
    job(Context { workers: &workers, control: &control })
}

fn symmetric(n: usize, seed: u64) -> Array2<f64> {
    let mut x = Array2::zeros((n, n));
    fill_normal(&mut stream(seed, &[]), &mut x);
    (&x + &x.t()) / 2.0
}

/// All similarities positive, as the cuts want them.
fn positive(n: usize, seed: u64) -> Array2<f64> {
    symmetric(n, seed).mapv(|v: f64| v.abs() + 0.1)
}

/// Two blocks of similarity 1 with noise.
fn planted(n: usize, k: usize, noise: f64, seed: u64) -> Array2<f64> {
    let mut s = symmetric(n, seed) * noise;
    for ((i, j), value) in s.indexed_iter_mut() {
        *value += if i % k == j % k { 1.0 } else { -1.0 };
    }
    s
}

fn soft(n: usize, k: usize, seed: u64) -> Array2<f64> {
    let mut rng = stream(seed, &[9]);
    let mut q = Array2::from_shape_simple_fn((n, k), || rng.random::<f64>() + 0.05);
    for mut row in q.rows_mut() {
        let total = row.sum();
        row /= total;
    }
    q
}

/// R from loops over pairs, straight from section 1; `s` already carries the shift.
fn naive_cost(cost: Cost, s: &Array2<f64>, q: ArrayView2<'_, f64>) -> f64 {
    let (n, k) = q.dim();
    let degree = |i: usize| s.row(i).sum();
    let links = |u: usize, v: usize| -> f64 {
        (0..n)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .map(|(i, j)| q[[i, u]] * s[[i, j]] * q[[j, v]])
            .sum()
    };
    let size = |u: usize| q.column(u).sum();
    let volume = |u: usize| -> f64 { (0..n).map(|i| q[[i, u]] * degree(i)).sum() };
    let total: f64 = (0..n).map(degree).sum();
    let empty = |u: usize| size(u) < 1e-12;
    let pairs = || (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)));
    let same = |i: usize, j: usize| -> f64 { (0..k).map(|c| q[[i, c]] * q[[j, c]]).sum() };
    let quadratic: f64 = pairs().map(|(i, j)| s[[i, j]] * same(i, j)).sum();
    match cost {
        Cost::Correlation => -quadratic,
        Cost::MaxCut => quadratic,
        Cost::Pairwise => {
            -0.5 * (0..k).filter(|&c| !empty(c)).map(|c| links(c, c) / size(c)).sum::<f64>()
        }
        Cost::NormalizedCut => (0..k)
            .map(|c| 1.0 - if volume(c) < 1e-12 { 0.0 } else { links(c, c) / volume(c) })
            .sum(),
        Cost::RatioCut => (0..k)
            .map(|c| if empty(c) { total / n as f64 } else { (volume(c) - links(c, c)) / size(c) })
            .sum(),
        Cost::AdaptiveRatioCut(p) => (0..k)
            .flat_map(|u| (u + 1..k).map(move |v| (u, v)))
            .map(|(u, v)| match (empty(u), empty(v)) {
                (true, true) => 0.0,
                (true, false) => volume(v) / n as f64,
                (false, true) => volume(u) / n as f64,
                (false, false) if p == 1.0 => links(u, v) / size(u).min(size(v)),
                (false, false) => {
                    let r = -1.0 / (p - 1.0);
                    links(u, v) * (size(u).powf(r) + size(v).powf(r)).powf(p - 1.0)
                }
            })
            .sum(),
    }
}

/// The similarity as the cost sees it: everything shifted, or everything but the diagonal.
fn shifted(cost: Cost, s: &Array2<f64>, shift: f64) -> Array2<f64> {
    let mut out = s + shift;
    if cost.ignores_diagonal() {
        out.diag_mut().assign(&s.diag());
    }
    out
}

#[test]
fn costs_are_their_definitions() {
    with_context(|context| {
        for seed in 0..20 {
            let s = positive(9, seed);
            let similarity = Dense::new(s.view()).unwrap();
            for cost in COSTS {
                for shift in [0.0, 0.7] {
                    let graph = Graph::new(&similarity, cost, shift, context).unwrap();
                    let mut q = soft(9, 4, seed);
                    if seed % 2 == 1 {
                        q = one_hot(&[0, 0, 2, 2, 2, 3, 3, 0, 0], 4);
                    }
                    let found = graph.cost_of(q.view(), context).unwrap();
                    let expected = naive_cost(cost, &shifted(cost, &s, shift), q.view());
                    assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "{cost:?}");
                }
            }
        }
    });
}

/// h_ik = R(q with row i := e_k), up to a constant over k.
fn check_potentials(cost: Cost, s: &Array2<f64>, shift: f64, q: &Array2<f64>) {
    with_context(|context| {
        let similarity = Dense::new(s.view()).unwrap();
        let graph = Graph::new(&similarity, cost, shift, context).unwrap();
        let found = graph.potentials(q.view(), context).unwrap();
        let seen = shifted(cost, s, shift);
        for i in 0..q.nrows() {
            let expected: Vec<f64> = (0..q.ncols())
                .map(|k| {
                    let mut moved = q.clone();
                    moved.row_mut(i).fill(0.0);
                    moved[[i, k]] = 1.0;
                    naive_cost(cost, &seen, moved.view())
                })
                .collect();
            for k in 1..q.ncols() {
                let (a, b) = (found[[i, k]] - found[[i, 0]], expected[k] - expected[0]);
                // Costs are of order ten: 1e-12 leaves three digits beyond their rounding.
                assert!(
                    (a - b).abs() < 1e-12 * expected[k].abs().max(1.0),
                    "{cost:?} {i} {k} {a} {b}"
                );
            }
        }
    });
}

#[test]
fn potentials_are_costs_of_moved_objects() {
    for seed in 0..10 {
        for cost in COSTS {
            for shift in [0.0, 0.4] {
                check_potentials(cost, &positive(8, seed), shift, &soft(8, 3, seed));
            }
        }
        for cost in [Cost::Correlation, Cost::MaxCut, Cost::Pairwise, Cost::RatioCut] {
            check_potentials(cost, &symmetric(8, seed), -0.9, &soft(8, 3, seed));
        }
    }
}

#[test]
fn potentials_of_hard_assignments_with_empty_clusters() {
    let labelings: [&[usize]; 4] =
        [&[0, 0, 0, 0, 0, 0], &[0, 1, 1, 1, 1, 1], &[3, 1, 0, 2, 2, 2], &[1, 1, 1, 3, 3, 3]];
    for cost in COSTS {
        for labels in labelings {
            check_potentials(cost, &positive(6, 3), 0.2, &one_hot(labels, 4));
        }
    }
}

#[test]
fn an_isolated_object_is_indifferent() {
    let mut s = positive(6, 4);
    s.row_mut(2).fill(0.0);
    s.column_mut(2).fill(0.0);
    with_context(|context| {
        let similarity = Dense::new(s.view()).unwrap();
        for cost in COSTS {
            let graph = Graph::new(&similarity, cost, 0.0, context).unwrap();
            let h = graph.potentials(soft(6, 3, 1).view(), context).unwrap();
            assert!(h.iter().all(|v| v.is_finite()), "{cost:?}");
            if cost == Cost::NormalizedCut {
                assert!(h.row(2).iter().all(|&v| v == 0.0));
            }
        }
    });
}

fn all_costs(cost: Cost, s: &Array2<f64>, shift: f64, k: usize) -> Vec<f64> {
    with_context(|context| {
        let similarity = Dense::new(s.view()).unwrap();
        let graph = Graph::new(&similarity, cost, shift, context).unwrap();
        let cost_of = |c: &Vec<usize>| graph.cost_of(one_hot(c, k).view(), context).unwrap();
        all_assignments(s.nrows(), k).iter().map(cost_of).collect()
    })
}

#[test]
fn correlation_clustering_is_min_cut_and_max_cor_up_to_constants() {
    let (n, k) = (6, 3);
    let s = symmetric(n, 5);
    let pairs: Vec<_> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
    let costs = all_costs(Cost::Correlation, &s, 0.0, k);
    let cuts: Vec<f64> = all_assignments(n, k)
        .iter()
        .map(|c| pairs.iter().filter(|&&(i, j)| c[i] != c[j]).map(|&(i, j)| s[[i, j]]).sum())
        .collect();
    // Eq. 137 over unordered pairs: half of |S| - S within, half of |S| + S between clusters.
    let disagreements: Vec<f64> = all_assignments(n, k)
        .iter()
        .map(|c| {
            let term = |&(i, j): &(usize, usize)| {
                let x: f64 = s[[i, j]];
                if c[i] == c[j] { (x.abs() - x) / 2.0 } else { (x.abs() + x) / 2.0 }
            };
            pairs.iter().map(term).sum()
        })
        .collect();
    for other in [cuts, disagreements] {
        let gap = costs[0] - other[0];
        assert!(costs.iter().zip(&other).all(|(a, b)| (a - b - gap).abs() < 1e-12));
    }
    let negative = all_costs(Cost::MaxCut, &s, 0.0, k);
    assert!(costs.iter().zip(&negative).all(|(a, b)| (a + b).abs() < 1e-12));
}

#[test]
fn pairwise_and_ratio_costs_ignore_a_full_shift() {
    let (n, k, shift) = (9, 3, 2.5);
    let s = positive(n, 6);
    with_context(|context| {
        let similarity = Dense::new(s.view()).unwrap();
        for seed in 0..20 {
            let q = soft(n, k, seed);
            let cost = |cost, shift| {
                Graph::new(&similarity, cost, shift, context)
                    .unwrap()
                    .cost_of(q.view(), context)
                    .unwrap()
            };
            let gap = cost(Cost::Pairwise, shift) - cost(Cost::Pairwise, 0.0);
            assert!((gap + shift * n as f64 / 2.0).abs() < 1e-12);
            let gap = cost(Cost::RatioCut, shift) - cost(Cost::RatioCut, 0.0);
            assert!((gap - shift * n as f64 * (k as f64 - 1.0)).abs() < 1e-11);
        }
    });
    let spread = |cost| {
        let (plain, moved) = (all_costs(cost, &s, 0.0, 2), all_costs(cost, &s, shift, 2));
        let gaps: Vec<f64> = plain.iter().zip(&moved).map(|(a, b)| b - a).collect();
        let low = gaps.iter().copied().fold(f64::INFINITY, f64::min);
        gaps.iter().copied().fold(f64::NEG_INFINITY, f64::max) - low
    };
    assert!(spread(Cost::NormalizedCut) > 0.01 && spread(Cost::AdaptiveRatioCut(1.5)) > 0.01);
    // With an empty cluster too, thanks to the D/N rule.
    let (plain, moved) =
        (all_costs(Cost::RatioCut, &s, 0.0, 2), all_costs(Cost::RatioCut, &s, shift, 2));
    let expected = shift * n as f64;
    assert!(plain.iter().zip(&moved).all(|(a, b)| (b - a - expected).abs() < 1e-11));
}

#[test]
fn adaptive_ratio_cut_joins_ratio_cut_and_cheeger_cut() {
    let s = positive(7, 7);
    let ratio = all_costs(Cost::RatioCut, &s, 0.0, 3);
    let adaptive = all_costs(Cost::AdaptiveRatioCut(2.0), &s, 0.0, 3);
    assert!(ratio.iter().zip(&adaptive).all(|(a, b)| (a - b).abs() < 1e-12 * a.abs().max(1.0)));
    let cheeger = all_costs(Cost::AdaptiveRatioCut(1.0), &s, 0.0, 3);
    let near = all_costs(Cost::AdaptiveRatioCut(1.0 + 1e-7), &s, 0.0, 3);
    // Equal sizes differ by a factor 2^(p-1) = 1 + 7e-8.
    assert!(cheeger.iter().zip(&near).all(|(a, b)| (a - b).abs() < 1e-6 * a.abs().max(1.0)));
}

/// Mean field at `beta` from a random state, to full convergence.
fn mean_field(
    graph: &Graph<'_>,
    k: usize,
    beta: f64,
    seed: u64,
    max_sweeps: usize,
) -> (State, f64) {
    with_context(|context| {
        let q = soft(graph.len(), k, seed);
        let mut state = State { log_q: q.ln(), q, chain: None };
        let settling = Settling { noise: 0.0, tol: 1e-10, max_sweeps };
        let mut rng = stream(seed, &[3]);
        let settled = settle(graph, &mut state, beta, settling, &mut rng, context).unwrap();
        let entropy: f64 = state.q.iter().map(|&v| if v > 0.0 { -v * v.ln() } else { 0.0 }).sum();
        let free_energy = beta * settled.cost - entropy;
        (state, free_energy)
    })
}

fn log_sum_exp(terms: &[f64]) -> f64 {
    let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    top + terms.iter().map(|t| (t - top).exp()).sum::<f64>().ln()
}

#[test]
fn free_energy_bounds_the_partition_function_and_never_rises() {
    for seed in 0..12 {
        let s = symmetric(6, 20 + seed);
        let similarity = Dense::new(s.view()).unwrap();
        with_context(|context| {
            for cost in [Cost::Correlation, Cost::MaxCut] {
                let graph = Graph::new(&similarity, cost, -0.3, context).unwrap();
                let costs = all_costs(cost, &s, -0.3, 3);
                for beta in [0.2, 1.0, 5.0] {
                    let terms: Vec<f64> = costs.iter().map(|r| -beta * r).collect();
                    let log_z = log_sum_exp(&terms);
                    let mut last = f64::INFINITY;
                    for sweeps in 1..12 {
                        // Same seed: a longer run repeats the shorter one and goes on.
                        let (_, free) = mean_field(&graph, 3, beta, seed, sweeps);
                        assert!(log_z >= -free - 1e-12, "bound violated by {}", -free - log_z);
                        assert!(free <= last + 1e-12, "{cost:?} {beta}: {free} after {last}");
                        last = free;
                    }
                }
            }
        });
    }
}

#[test]
fn cold_mean_field_counts_one_of_all_relabelings() {
    for (n, k) in [(8, 2), (7, 3)] {
        let factorial: f64 = (1..=k).map(|v| v as f64).product();
        let (s1, s2) = (planted(n, k, 0.3, 1), planted(n, k, 0.3, 2));
        let beta = 60.0;
        let runs = [&s1, &s2].map(|s| {
            let costs = all_costs(Cost::Correlation, s, 0.0, k);
            let terms: Vec<f64> = costs.iter().map(|r| -beta * r).collect();
            with_context(|context| {
                let similarity = Dense::new(s.view()).unwrap();
                let graph = Graph::new(&similarity, Cost::Correlation, 0.0, context).unwrap();
                // The best of a few starts is the global minimum on these small blocks.
                let best = (0..20)
                    .map(|seed| mean_field(&graph, k, beta, seed, 200))
                    .min_by(|a, b| a.1.total_cmp(&b.1))
                    .unwrap();
                (terms, best)
            })
        });
        let expected = factorial.ln() / n as f64;
        for (terms, (_, free)) in &runs {
            let found = (log_sum_exp(terms) + free) / n as f64;
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        // J without H: mean field against (1/N) log2 (Z12 / (Z1 Z2)).
        let both: Vec<f64> = runs[0].0.iter().zip(&runs[1].0).map(|(a, b)| a + b).collect();
        let exact = (log_sum_exp(&both) - log_sum_exp(&runs[0].0) - log_sum_exp(&runs[1].0))
            / (n as f64 * 2f64.ln());
        let (q1, q2) = (&runs[0].1.0.q, &runs[1].1.0.q);
        let order = gencap_core::capacity::probabilities::align(q1.view(), q2.view());
        let found = gencap_core::capacity::probabilities::agreement(q1.view(), q2.view(), &order);
        assert!((found - exact - factorial.log2() / n as f64).abs() < 1e-6, "{found} {exact}");
    }
}

#[test]
fn gibbs_sampling_visits_assignments_by_their_weight() {
    let (n, k, beta, draws) = (4, 3, 0.7, 60_000);
    for cost in
        [Cost::Correlation, Cost::Pairwise, Cost::NormalizedCut, Cost::AdaptiveRatioCut(1.5)]
    {
        let s = positive(n, 40) * 2.0;
        let costs = all_costs(cost, &s, 0.0, k);
        let terms: Vec<f64> = costs.iter().map(|r| -beta * r).collect();
        let log_z = log_sum_exp(&terms);
        let mut counts = vec![0.0; costs.len()];
        with_context(|context| {
            let similarity = Dense::new(s.view()).unwrap();
            let graph = Graph::new(&similarity, cost, 0.0, context).unwrap();
            let mut chain = one_hot(&[0, 1, 2, 0], k);
            let mut labels = vec![0, 1, 2, 0];
            let mut visits = 0;
            sample(
                &graph,
                &mut chain,
                beta,
                (100, draws),
                &mut stream(1, &[]),
                context,
                |_, i, _, c| {
                    labels[i] = c;
                    visits += 1;
                    if visits % n == 0 {
                        let code = labels.iter().rev().fold(0, |code, label| code * k + label);
                        counts[code] += 1.0;
                    }
                },
            )
            .unwrap();
        });
        for (term, count) in terms.iter().zip(&counts) {
            let p = (term - log_z).exp();
            let share = count / draws as f64;
            // Six standard errors, doubled for the correlation of successive sweeps: with 81
            // states and four costs a sound sampler fails less than once in a million runs.
            let error = 12.0 * (p * (1.0 - p) / draws as f64).sqrt();
            assert!((share - p).abs() < error, "{cost:?}: {share} instead of {p}");
        }
    }
}

/// Largest eigenvalue of -dh_1/dq at the uniform state, by finite differences of the potentials.
fn measured_response(graph: &Graph<'_>, k: usize) -> f64 {
    with_context(|context| {
        let n = graph.len();
        let step = 1e-5;
        let disturbed = |v: &Array1<f64>, size: f64| {
            let mut q = Array2::from_elem((n, k), 1.0 / k as f64);
            for i in 0..n {
                q[[i, 0]] += size * v[i];
                q[[i, 1]] -= size * v[i];
            }
            let h = graph.potentials(q.view(), context).unwrap();
            // Half of h_1 - h_2: free of the constant per row.
            Array1::from_shape_fn(n, |i| 0.5 * (h[[i, 0]] - h[[i, 1]]))
        };
        let response = gencap_core::linear::largest_eigenpair(n, |v| {
            Ok((disturbed(v, -step) - disturbed(v, step)) / (2.0 * step))
        });
        response.unwrap().value
    })
}

#[test]
fn critical_temperatures_agree_with_finite_differences() {
    let n = 80;
    let s = planted(n, 4, 0.5, 8).mapv(|v| v + 2.0);
    let similarity = Dense::new(s.view()).unwrap();
    with_context(|context| {
        for k in [2, 4] {
            for cost in COSTS {
                if cost == Cost::AdaptiveRatioCut(1.0) {
                    continue; // The potentials have a kink at equal sizes.
                }
                let graph = Graph::new(&similarity, cost, 0.1, context).unwrap();
                let found = critical_beta(&graph, k, context).unwrap();
                let measured = k as f64 / measured_response(&graph, k);
                // Exact for quadratic costs, O(1/N) for the others: K/N = 1/20 at worst here.
                let tolerance = if cost.ignores_diagonal() { 1e-6 } else { 0.08 };
                assert!(
                    (found / measured - 1.0).abs() < tolerance,
                    "{cost:?} {k} {found} {measured}"
                );
            }
        }
    });
}
