//! Optimal assignment: which cluster of one solution is which cluster of another.

use ndarray::ArrayView2;

/// The permutation pi that maximizes `sum_k gain[k, pi(k)]` over a square matrix of finite gains.
///
/// Shortest augmenting paths with dual prices (Jonker and Volgenant), O(K^3). Rows are served in
/// order and equal path lengths go to the lower column, so ties are always broken the same way.
pub fn best_assignment(gain: ArrayView2<f64>) -> Vec<usize> {
    let size = gain.nrows();
    debug_assert_eq!(size, gain.ncols(), "gain must be square");
    if !gain.iter().all(|value| value.is_finite()) {
        // Nothing can be compared with NaN: every cluster keeps its own number.
        return (0..size).collect();
    }
    let mut matching = Matching::new(size);
    for row in 0..size {
        matching.insert(gain, row);
    }
    let mut assignment = vec![0; size];
    for (column, row) in matching.row_of.iter().enumerate().take(size) {
        if let Some(row) = *row {
            assignment[row] = column;
        }
    }
    assignment
}

/// A partial matching of least cost together with the dual prices that prove it.
///
/// Column `size` is an artificial one that holds the row being inserted.
struct Matching {
    row_of: Vec<Option<usize>>,
    row_price: Vec<f64>,
    column_price: Vec<f64>,
}

impl Matching {
    fn new(size: usize) -> Self {
        Self {
            row_of: vec![None; size + 1],
            row_price: vec![0.0; size],
            column_price: vec![0.0; size + 1],
        }
    }

    /// Match one more `row`, moving others along the shortest augmenting path.
    fn insert(&mut self, gain: ArrayView2<f64>, row: usize) {
        let size = gain.nrows();
        let mut distance = vec![f64::INFINITY; size];
        let mut previous = vec![size; size];
        let mut visited = vec![false; size + 1];
        self.row_of[size] = Some(row);
        let mut column = size;
        while let Some(here) = self.row_of[column] {
            visited[column] = true;
            let mut step = f64::INFINITY;
            let mut next = size;
            for candidate in (0..size).filter(|&c| !visited[c]) {
                // Costs are negated gains: the largest gain is the cheapest edge.
                let slack =
                    -gain[[here, candidate]] - self.row_price[here] - self.column_price[candidate];
                if slack < distance[candidate] {
                    distance[candidate] = slack;
                    previous[candidate] = column;
                }
                if distance[candidate] < step {
                    step = distance[candidate];
                    next = candidate;
                }
            }
            self.reprice(&visited, &mut distance, step);
            column = next;
        }
        while column != size {
            let before = previous[column];
            self.row_of[column] = self.row_of[before];
            column = before;
        }
        self.row_of[size] = None;
    }

    /// Move the dual prices by `step` so that the next edge of the path becomes tight.
    fn reprice(&mut self, visited: &[bool], distance: &mut [f64], step: f64) {
        for (column, &seen) in visited.iter().enumerate() {
            if seen {
                self.column_price[column] -= step;
                if let Some(row) = self.row_of[column] {
                    self.row_price[row] += step;
                }
            } else {
                distance[column] -= step;
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // exact answers are asked for where they are exact
mod tests {
    use ndarray::{Array2, array};
    use proptest::prelude::*;

    use super::*;

    fn total(gain: &Array2<f64>, assignment: &[usize]) -> f64 {
        assignment.iter().enumerate().map(|(k, &p)| gain[[k, p]]).sum()
    }

    fn is_permutation(assignment: &[usize]) -> bool {
        let mut sorted = assignment.to_vec();
        sorted.sort_unstable();
        sorted.into_iter().eq(0..assignment.len())
    }

    /// The largest total gain over all permutations, by recursion on rows.
    fn brute_force(gain: &Array2<f64>, row: usize, free: &mut Vec<bool>) -> f64 {
        if row == gain.nrows() {
            return 0.0;
        }
        let mut best = f64::NEG_INFINITY;
        for column in 0..gain.ncols() {
            if free[column] {
                free[column] = false;
                best = best.max(gain[[row, column]] + brute_force(gain, row + 1, free));
                free[column] = true;
            }
        }
        best
    }

    #[test]
    fn small_cases_by_hand() {
        assert_eq!(best_assignment(Array2::zeros((0, 0)).view()), Vec::<usize>::new());
        assert_eq!(best_assignment(array![[-3.0]].view()), [0]);
        assert_eq!(best_assignment(array![[1.0, 2.0], [3.0, 9.0]].view()), [0, 1]);
        assert_eq!(best_assignment(array![[1.0, 9.0], [3.0, 2.0]].view()), [1, 0]);
        // Greedy would take 10 + 0 + 0; the best is 9 + 9 + 9.
        let trap = array![[10.0, 9.0, 0.0], [9.0, 0.0, 0.0], [0.0, 0.0, 9.0]];
        assert_eq!(best_assignment(trap.view()), [1, 0, 2]);
    }

    #[test]
    fn ties_keep_the_natural_order() {
        assert_eq!(best_assignment(Array2::zeros((5, 5)).view()), [0, 1, 2, 3, 4]);
        assert_eq!(best_assignment(Array2::eye(4).view()), [0, 1, 2, 3]);
    }

    #[test]
    fn huge_and_tiny_gains_together() {
        let gain = array![[1e12, 1e12 + 1.0], [0.0, 2.0]];
        // 1e12 + 2 beats 1e12 + 1 + 0 although the difference is in the thirteenth digit.
        assert_eq!(best_assignment(gain.view()), [0, 1]);
    }

    proptest! {
        #[test]
        fn as_good_as_every_permutation(
            size in 1usize..7,
            values in proptest::collection::vec(-5.0f64..5.0, 36),
        ) {
            let gain = Array2::from_shape_fn((size, size), |(r, c)| values[r * size + c]);
            let found = best_assignment(gain.view());
            prop_assert!(is_permutation(&found));
            let best = brute_force(&gain, 0, &mut vec![true; size]);
            // Sums of at most six numbers below 5: rounding stays below 1e-13.
            prop_assert!((total(&gain, &found) - best).abs() < 1e-12);
        }

        #[test]
        fn integer_gains_with_many_ties(
            size in 1usize..7,
            values in proptest::collection::vec(0i32..3, 36),
        ) {
            let gain = Array2::from_shape_fn((size, size), |(r, c)| f64::from(values[r * size + c]));
            let found = best_assignment(gain.view());
            prop_assert!(is_permutation(&found));
            prop_assert_eq!(total(&gain, &found), brute_force(&gain, 0, &mut vec![true; size]));
            prop_assert_eq!(found, best_assignment(gain.view()));
        }

        #[test]
        fn finds_a_hidden_permutation(size in 1usize..60, seed in 0u64..1000) {
            let mut hidden: Vec<usize> = (0..size).collect();
            let mut rng = crate::rng::stream(seed, &[]);
            for last in (1..size).rev() {
                hidden.swap(last, rand::RngExt::random_range(&mut rng, 0..=last));
            }
            let gain = Array2::from_shape_fn((size, size), |(r, c)| {
                f64::from(u8::from(hidden[r] == c)) + 0.01 * ((r * 7 + c * 13) % 5) as f64
            });
            prop_assert_eq!(best_assignment(gain.view()), hidden);
        }
    }
}
