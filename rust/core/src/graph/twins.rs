//! Columns of q that are equal and may be about to split.
//!
//! At a critical temperature the difference of two equal columns begins to grow, but from noise that
//! is spread over all N directions, of which few are unstable: by less than any tolerance in a sweep.

use ndarray::{Array2, ArrayView2};

use super::step::{SAME, effective, group};

/// Drift is magnified until a column differs from its equals by this fraction of their mean.
const KICK: f64 = 0.1;
/// Growth is that of a single mode once its rate repeats to within this fraction.
const STEADY: f64 = 0.05;

/// Columns that differ by less than this are equal but for rounding.
const ROUNDING: f64 = 1e-12;

/// How equal columns move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drift {
    /// Not apart, or so far apart that they are equal no more.
    None,
    /// Apart.
    Apart,
    /// Apart by the same factor in every sweep; what there was of it has been magnified.
    Steady,
}

/// Groups of equal columns under observation, from sweep to sweep.
pub(super) struct Twins {
    /// Group number of each column, and the number of columns of each group.
    groups: Vec<usize>,
    counts: Vec<f64>,
    /// Distance of the columns from the mean of their group after the last sweep, and its growth.
    distance: f64,
    growth: f64,
    kicked: bool,
}

impl Twins {
    /// The groups of equal columns; none where only clusters without objects are equal.
    pub(super) fn new(q: ArrayView2<'_, f64>) -> Option<Self> {
        let groups = group(q);
        let mut counts = vec![0.0; groups.len()];
        for &g in &groups {
            counts[g] += 1.0;
        }
        let filled = effective(&groups, q);
        let several = counts.iter().zip(filled).any(|(&count, filled)| count > 1.0 && filled);
        let fresh = Self { groups, counts, distance: f64::INFINITY, growth: 0.0, kicked: false };
        several.then_some(fresh)
    }

    /// Compare with the state after the last sweep; magnify a drift that has become steady, once.
    pub(super) fn look(&mut self, q: &mut Array2<f64>) -> Drift {
        let (mut squares, mut farthest, mut largest): (f64, f64, f64) = (0.0, 0.0, 0.0);
        self.each_row(q, |row, means| {
            for (value, mean) in row.iter().zip(means) {
                let apart = (value - mean).abs();
                squares += apart * apart;
                farthest = farthest.max(apart);
                largest = largest.max(apart / mean.max(f64::MIN_POSITIVE));
            }
        });
        let growth = squares.sqrt() / self.distance;
        let steady = (growth / self.growth - 1.0).abs() < STEADY;
        (self.distance, self.growth) = (squares.sqrt(), growth);
        if farthest <= ROUNDING || growth <= 1.0 || farthest >= SAME {
            return Drift::None;
        }
        if self.kicked || !steady || largest >= KICK {
            return Drift::Apart;
        }
        self.kicked = true;
        let factor = KICK / largest;
        self.distance *= factor;
        self.each_row(q, |row, means| {
            row.iter_mut().zip(means).for_each(|(value, m)| *value = m + factor * (*value - m));
        });
        Drift::Steady
    }

    /// Show every row together with the mean of its group for each column.
    fn each_row(&self, q: &mut Array2<f64>, mut see: impl FnMut(&mut [f64], &[f64])) {
        let k = self.groups.len();
        let (mut sums, mut means) = (vec![0.0; k], vec![0.0; k]);
        for mut row in q.rows_mut() {
            sums.fill(0.0);
            self.groups.iter().zip(&row).for_each(|(&g, value)| sums[g] += value);
            for (mean, &g) in means.iter_mut().zip(&self.groups) {
                *mean = sums[g] / self.counts[g];
            }
            if let Some(row) = row.as_slice_mut() {
                see(row, &means);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn only_filled_columns_are_watched() {
        assert!(Twins::new(array![[0.5, 0.5], [0.5, 0.5]].view()).is_some());
        assert!(Twins::new(array![[0.9, 0.1], [0.1, 0.9]].view()).is_none());
        // Two empty columns are equal, but nothing can come of them.
        assert!(Twins::new(array![[0.998, 0.001, 0.001]].view()).is_none());
    }

    #[test]
    fn steady_growth_is_magnified_once_and_keeps_its_shape() {
        let state = |amplitude: f64| {
            array![
                [0.4 + amplitude, 0.4 - amplitude, 0.2],
                [0.3 - amplitude / 2.0, 0.3 + amplitude / 2.0, 0.4]
            ]
        };
        let mut twins = Twins::new(state(0.0).view()).unwrap();
        let mut drifts = Vec::new();
        for (sweep, amplitude) in [4e-6, 2e-6, 3e-6, 4.5e-6, 6.75e-6].into_iter().enumerate() {
            let mut q = state(amplitude);
            drifts.push(twins.look(&mut q));
            if sweep == 3 {
                // Both rows by the same factor; the first one now differs by a tenth of its mean.
                let wanted = state(0.1 * 0.4);
                assert!((&q - &wanted).iter().all(|d| d.abs() < 1e-12), "{q}");
            }
        }
        let expected = [Drift::None, Drift::None, Drift::Apart, Drift::Steady, Drift::None];
        assert_eq!(drifts, expected);
    }

    #[test]
    fn rounding_is_no_drift() {
        let mut twins = Twins::new(array![[0.5, 0.5], [0.5, 0.5]].view()).unwrap();
        for apart in [0.0, 0.0, 1e-16, 3e-16, 9e-16] {
            let mut q = array![[0.5 + apart, 0.5 - apart], [0.5, 0.5]];
            assert_eq!(twins.look(&mut q), Drift::None);
        }
    }
}
