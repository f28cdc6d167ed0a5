//! All representations of one similarity agree: products, fields, and sweeps step by step.

use gencap_core::Control;
use gencap_core::rng::stream;
use gencap_core::similarity::spanning_tree::{Edge, of_graph, of_matrix, of_vectors};
use gencap_core::similarity::{
    Dense, LowRank, Measure, MergeTree, OnTheFly, Similarity, Sparse, Tree, euclidean,
    largest_squared_distance, permutation,
};
use gencap_core::workers::{Context, Workers};
use ndarray::{Array2, ArrayView2, Axis};
use proptest::prelude::*;

fn with_context<T>(threads: usize, job: impl FnOnce(Context<'_>) -> T) -> T {
    let (workers, control) = (Workers::new(threads).unwrap(), Control::default());
    job(Context { workers: &workers, control: &control })
}

/// Rows on a coarse grid: duplicates, ties and constant rows are common.
fn vectors() -> impl Strategy<Value = Array2<f64>> {
    (1..14_usize, 1..5_usize).prop_flat_map(|(n, d)| {
        let coarse = prop::collection::vec((-3..4_i32).prop_map(f64::from), n * d);
        let fine = prop::collection::vec(-3.0..3.0_f64, n * d);
        prop_oneof![coarse, fine].prop_map(move |x| Array2::from_shape_vec((n, d), x).unwrap())
    })
}

/// Entries of the objects `index` of what `s` is.
fn part_of(s: &dyn Similarity, index: &[usize]) -> Array2<f64> {
    let full = with_context(1, |context| s.to_array(context).unwrap());
    Array2::from_shape_fn((index.len(), index.len()), |(a, b)| full[[index[a], index[b]]])
}

/// Random rows on the simplex, with a few moves of theirs.
fn memberships(n: usize, k: usize, seed: u64) -> Array2<f64> {
    let mut q = Array2::zeros((n, k));
    gencap_core::rng::fill_normal(&mut stream(seed, &[7]), &mut q);
    q.mapv_inplace(f64::exp);
    let totals = q.sum_axis(Axis(1)).insert_axis(Axis(1));
    q / totals
}

/// Largest difference between `found` and what the matrix `s` gives, per object summed over.
fn disagreement(found: &dyn Similarity, s: ArrayView2<'_, f64>, seed: u64, in_order: bool) -> f64 {
    with_context(1, |context| {
        let (n, k) = (s.nrows(), 1 + seed as usize % 4);
        let mut q = memberships(n, k, seed);
        let difference = found.matmul(q.view(), context).unwrap() - s.dot(&q);
        let mut worst = difference.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let difference = found.to_array(context).unwrap() - s;
        worst = difference.iter().fold(worst, |most, v| most.max(v.abs()));
        let own = found.diagonal().iter().zip(s.diag());
        worst = own.fold(worst, |most, (a, b)| most.max((a - b).abs()));
        let mut fields = found.fields(q.view(), context).unwrap();
        let mut rng = stream(seed, &[1]);
        for sweep in 0..3 {
            let mut order = fields.order(&mut rng);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..n).collect::<Vec<_>>(), "an order visits everyone once");
            if !in_order {
                order = permutation(n, &mut rng);
            }
            let wanted = memberships(n, k, seed + 100 + sweep);
            // The second sweep breaks off in the middle: the third must not notice.
            let visits = if sweep == 1 { n / 2 } else { n };
            for &i in &order[..visits] {
                let mut g = vec![0.0; k];
                fields.field(i, q.view(), &mut g);
                let exact = s.row(i).dot(&q) - &q.row(i) * s[[i, i]];
                worst = g.iter().zip(&exact).fold(worst, |most, (a, b)| most.max((a - b).abs()));
                // Every third object stays, as objects do once they have settled.
                if i % 3 != 0 {
                    let delta = &wanted.row(i) - &q.row(i);
                    fields.moved(i, delta.as_slice().unwrap());
                    q.row_mut(i).assign(&wanted.row(i));
                }
            }
        }
        worst / n as f64
    })
}

/// Rounding of terms of up to 200 that were added and taken away a few dozen times.
const ROUNDING: f64 = 1e-12;

fn csr(s: ArrayView2<'_, f64>) -> Sparse {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in s.outer_iter() {
        for (j, &value) in row.iter().enumerate().filter(|(_, v)| **v != 0.0) {
            columns.push(j as u32);
            values.push(value);
        }
        starts.push(columns.len());
    }
    Sparse::new(starts, columns, values).unwrap()
}

/// Correlation as the textbook has it; 0 for constant rows.
fn naive_pearson(x: ArrayView2<'_, f64>) -> Array2<f64> {
    let constant = |i: usize| x.row(i).iter().all(|v| *v == x[[i, 0]]);
    Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| {
        if constant(i) || constant(j) {
            return 0.0;
        }
        let (a, b) = (&x.row(i) - x.row(i).mean().unwrap(), &x.row(j) - x.row(j).mean().unwrap());
        a.dot(&b) / (a.dot(&a) * b.dot(&b)).sqrt()
    })
}

fn floyd_warshall(d: &Array2<f64>) -> Array2<f64> {
    let mut best = d.clone();
    for via in 0..d.nrows() {
        for i in 0..d.nrows() {
            for j in 0..d.nrows() {
                best[[i, j]] = best[[i, j]].min(best[[i, via]].max(best[[via, j]]));
            }
        }
    }
    best.diag_mut().fill(0.0);
    best
}

proptest! {
    #[test]
    fn parts_are_similarities_with_the_same_entries(x in vectors(), seed in 0..1000_u64) {
        let n = x.nrows();
        let mut index = permutation(n, &mut stream(seed, &[3]));
        index.truncate(1 + seed as usize % n);
        let squared = LowRank::new(x.view(), Measure::SquaredEuclidean(50.0)).unwrap();
        let cosine = LowRank::new(x.view(), Measure::Cosine).unwrap();
        let edges = with_context(1, |context| of_vectors(x.view(), context).unwrap());
        // Without its last edges the tree falls into components.
        let kept = edges[..edges.len() - edges.len().min(seed as usize % 3)].to_vec();
        let tree = Tree::new(MergeTree::new(n, kept).unwrap());
        let values = (0..n).flat_map(|i| (0..n).map(move |j| ((i + 1) * (j + 1)) as f64));
        let starts = (0..=n).map(|i| i * n).collect();
        let columns = (0..n * n).map(|c| (c % n) as u32).collect();
        let sparse = Sparse::new(starts, columns, values.collect()).unwrap();
        let cases: [(&dyn Similarity, Box<dyn Similarity>); 4] = [
            (&squared, Box::new(squared.take(&index))),
            (&cosine, Box::new(cosine.take(&index))),
            (&tree, Box::new(tree.take(&index))),
            (&sparse, Box::new(sparse.take(&index).unwrap())),
        ];
        for (whole, part) in cases {
            let expected = part_of(whole, &index);
            prop_assert!(disagreement(part.as_ref(), expected.view(), seed, true) < 1e-10);
        }
    }

    #[test]
    fn low_rank_equals_its_matrix(x in vectors(), seed in 0..1000_u64) {
        let d = with_context(1, |context| euclidean(x.view(), context)).unwrap();
        let v = d.iter().fold(0.0_f64, |most, d| most.max(d * d));
        let norms = x.map_axis(Axis(1), |row| row.dot(&row).sqrt().max(1e-300));
        let inner = x.dot(&x.t());
        let cosine = Array2::from_shape_fn(inner.dim(), |(i, j)| inner[[i, j]] / norms[i] / norms[j]);
        for (measure, s) in [
            (Measure::SquaredEuclidean(v), d.mapv(|d| v - d * d)),
            (Measure::Pearson, naive_pearson(x.view())),
            (Measure::Cosine, cosine),
            (Measure::Inner, inner),
        ] {
            let found = LowRank::new(x.view(), measure).unwrap();
            let error = disagreement(&found, s.view(), seed, true);
            prop_assert!(error < ROUNDING, "{measure:?} {error}");
        }
    }

    #[test]
    fn euclidean_rows_equal_their_matrix(x in vectors(), seed in 0..1000_u64) {
        let (d, largest) = with_context(1, |context| {
            let (largest, exact) = largest_squared_distance(x.view(), context).unwrap();
            assert!(exact);
            (euclidean(x.view(), context).unwrap(), largest.sqrt())
        });
        prop_assert_eq!(d.iter().copied().fold(0.0, f64::max), largest);
        let s = d.mapv(|d| largest + 0.5 - d);
        let found = OnTheFly::new(x.view(), largest + 0.5).unwrap();
        prop_assert!(disagreement(&found, s.view(), seed, true) < ROUNDING);
        prop_assert!(disagreement(&Dense::new(s.view()).unwrap(), s.view(), seed, true) < ROUNDING);
    }

    #[test]
    fn sparse_equals_its_matrix(x in vectors(), seed in 0..1000_u64) {
        // On the coarse grid many inner products vanish.
        let s = x.dot(&x.t()) + 1e-3;
        let s = s.mapv(|v| if v < 1.0 { 0.0 } else { v });
        prop_assert!(disagreement(&csr(s.view()), s.view(), seed, true) < ROUNDING);
    }

    #[test]
    fn minimax_equals_floyd_warshall(x in vectors()) {
        with_context(1, |context| {
            let d = euclidean(x.view(), context).unwrap();
            let expected = floyd_warshall(&d);
            for edges in [of_vectors(x.view(), context), of_matrix(d.view(), context)] {
                let tree = MergeTree::new(x.nrows(), edges.unwrap()).unwrap();
                let found = tree.minimax(context).unwrap();
                // Both pick one of the same distances.
                prop_assert_eq!(&found, &expected);
            }
            Ok(())
        })?;
    }

    #[test]
    fn tree_equals_its_matrix(x in vectors(), seed in 0..1000_u64, in_order: bool) {
        let tree = with_context(1, |context| {
            MergeTree::new(x.nrows(), of_vectors(x.view(), context).unwrap()).unwrap()
        });
        let v = tree.largest();
        let s = with_context(1, |context| tree.minimax(context)).unwrap().mapv(|d| v - d);
        prop_assert!(disagreement(&Tree::new(tree), s.view(), seed, in_order) < ROUNDING);
    }

    #[test]
    fn disconnected_graphs_have_similarity_zero(
        edges in prop::collection::vec((0..9_u32, 0..9_u32, 0..5_i32), 0..12),
        seed in 0..1000_u64,
    ) {
        let mut d = Array2::from_elem((9, 9), f64::INFINITY);
        let mut list = Vec::new();
        for (a, b, weight) in edges.into_iter().filter(|(a, b, _)| a != b) {
            let (i, j, weight) = (a as usize, b as usize, f64::from(weight));
            d[[i, j]] = d[[i, j]].min(weight);
            d[[j, i]] = d[[i, j]];
            list.push(Edge { ends: [a, b], weight });
        }
        let expected = floyd_warshall(&d);
        let (tree, same) = with_context(1, |context| {
            let forest = of_graph(9, list, context).unwrap();
            let dense = of_matrix(d.view(), context).unwrap();
            (MergeTree::new(9, forest).unwrap(), MergeTree::new(9, dense).unwrap())
        });
        prop_assert_eq!(&with_context(1, |context| tree.minimax(context)).unwrap(), &expected);
        prop_assert_eq!(&with_context(1, |context| same.minimax(context)).unwrap(), &expected);
        let v = tree.largest();
        let s = expected.mapv(|d| if d.is_finite() { v - d } else { 0.0 });
        prop_assert!(disagreement(&Tree::new(tree), s.view(), seed, true) < ROUNDING);
    }
}

#[test]
fn blocks_and_threads_do_not_change_the_spanning_tree() {
    for d in [2, 40] {
        let mut x = Array2::zeros((3000, d));
        gencap_core::rng::fill_normal(&mut stream(5, &[]), &mut x);
        let one = with_context(1, |context| of_vectors(x.view(), context)).unwrap();
        let three = with_context(3, |context| of_vectors(x.view(), context)).unwrap();
        assert_eq!(one, three);
        let heights = |edges: Vec<Edge>| MergeTree::new(3000, edges).unwrap().heights;
        let matrix = with_context(2, |context| {
            of_matrix(euclidean(x.view(), context).unwrap().view(), context).unwrap()
        });
        assert_eq!(heights(one), heights(matrix));
    }
}

#[test]
fn a_chain_as_deep_as_it_is_long_needs_no_recursion() {
    let n = 200_000;
    let edges = (1..n as u32).map(|i| Edge { ends: [i - 1, i], weight: f64::from(i) }).collect();
    let tree = Tree::new(MergeTree::new(n, edges).unwrap());
    with_context(1, |context| {
        let q = memberships(n, 2, 0);
        let product = tree.matmul(q.view(), context).unwrap();
        let mut fields = tree.fields(q.view(), context).unwrap();
        let mut worst = 0.0_f64;
        for i in fields.order(&mut stream(0, &[])) {
            let mut g = [0.0; 2];
            fields.field(i, q.view(), &mut g);
            for k in 0..2 {
                let wanted = product[[i, k]] - tree.offset() * q[[i, k]];
                worst = worst.max((g[k] - wanted).abs() / wanted.abs().max(1.0));
            }
        }
        // Sums of 2e5 positive numbers in two orders.
        assert!(worst < 1e-10, "{worst}");
    });
}

#[test]
fn every_representation_can_be_cancelled() {
    let x = Array2::from_shape_fn((50, 2), |(i, j)| (i * 3 + j) as f64);
    let (workers, control) = (Workers::new(1).unwrap(), Control::default());
    let context = Context { workers: &workers, control: &control };
    let tree = MergeTree::new(50, of_vectors(x.view(), context).unwrap()).unwrap();
    let s = x.dot(&x.t());
    let all: [Box<dyn Similarity>; 5] = [
        Box::new(Dense::new(s.view()).unwrap()),
        Box::new(LowRank::new(x.view(), Measure::Inner).unwrap()),
        Box::new(csr(s.view())),
        Box::new(OnTheFly::new(x.view(), 1.0).unwrap()),
        Box::new(Tree::new(tree)),
    ];
    control.cancel();
    for similarity in &all {
        assert!(similarity.matmul(x.view(), context).is_err());
        assert_eq!(similarity.len(), 50);
        assert!(!similarity.is_empty());
    }
    assert!(of_vectors(x.view(), context).is_err());
    assert!(of_matrix(s.view(), context).is_err());
    assert!(euclidean(x.view(), context).is_err());
}

#[test]
fn bad_input_is_refused() {
    assert!(LowRank::new(Array2::zeros((0, 2)).view(), Measure::Cosine).is_err());
    assert!(OnTheFly::new(Array2::zeros((2, 0)).view(), 0.0).is_err());
    assert!(Sparse::new(vec![0, 1], vec![3], vec![1.0]).is_err());
    assert!(Sparse::new(vec![0, 2], vec![0], vec![1.0]).is_err());
    assert!(MergeTree::new(0, Vec::new()).is_err());
    let ends = ndarray::array![[0, 1], [1, 2]];
    let weights = ndarray::array![1.0, 2.0];
    let edges = Edge::list(3, ends.view(), weights.view()).unwrap();
    assert_eq!(Edge::arrays(&edges), (ends.clone(), weights.clone()));
    assert!(Edge::list(2, ends.view(), weights.view()).is_err());
    assert!(Edge::list(3, ends.t(), weights.view()).is_ok_and(|edges| edges.len() == 2));
    assert!(Edge::list(3, ends.view(), ndarray::array![1.0].view()).is_err());
}

#[test]
fn tiny_and_huge_rows_have_correlations_too() {
    let x = ndarray::array![[1e-200, 2e-200, 4e-200], [1e99, 2e99, 4e99], [0.1, 0.1, 0.1]];
    let s = LowRank::new(x.view(), Measure::Pearson).unwrap();
    let product = with_context(1, |context| s.matmul(Array2::eye(3).view(), context)).unwrap();
    // Unit vectors: a few roundings.
    assert!((product[[0, 1]] - 1.0).abs() < 1e-15);
    assert_eq!((product[[0, 2]], product[[2, 2]]), (0.0, 0.0));
}
