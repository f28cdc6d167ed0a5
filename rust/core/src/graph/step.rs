//! What one temperature leaves behind, and the columns of a run.

use ndarray::{Array1, Array2, ArrayView2};

use super::mean_field::Settled;

/// Columns of q that differ by less than this everywhere are one effective cluster.
pub(super) const SAME: f64 = 0.05;
/// Effective clusters are the likeliest for at least this share of the objects.
const SHARE: f64 = 0.01;

/// The state reached at one temperature, without the state itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Inverse temperature.
    pub beta: f64,
    /// F = R(q) + (1/beta) sum_ik q_ik ln q_ik; a bound for the quadratic costs.
    pub free_energy: f64,
    /// R(q).
    pub cost: f64,
    /// Mean over objects of 1 - max_k q_ik.
    pub softness: f64,
    /// Mean over objects of q_ik.
    pub masses: Vec<f64>,
    /// Group number of each column.
    pub groups: Vec<usize>,
    /// Effective number of clusters (section 4).
    pub n_clusters: usize,
    /// Sweeps spent.
    pub sweeps: usize,
    /// Whether the tolerance was met.
    pub converged: bool,
}

impl Step {
    /// Measure `q` as it was settled at `beta`.
    pub fn new(beta: f64, q: ArrayView2<'_, f64>, settled: Settled) -> Self {
        let (n, k) = q.dim();
        let (mut negative_entropy, mut soft, mut masses) = (0.0, 0.0, vec![0.0; k]);
        for row in q.rows() {
            let mut top: f64 = 0.0;
            for (mass, &value) in masses.iter_mut().zip(row) {
                *mass += value / n as f64;
                top = top.max(value);
                negative_entropy += if value > 0.0 { value * value.ln() } else { 0.0 };
            }
            soft += 1.0 - top;
        }
        let groups = group(q);
        Self {
            beta,
            free_energy: settled.cost + negative_entropy / beta,
            cost: settled.cost,
            softness: soft / n as f64,
            n_clusters: count(&groups, q),
            masses,
            groups,
            sweeps: settled.sweeps,
            converged: settled.converged,
        }
    }
}

/// Group numbers of the columns, from 0 in the order in which groups first appear.
pub(super) fn group(q: ArrayView2<'_, f64>) -> Vec<usize> {
    let k = q.ncols();
    let mut groups: Vec<usize> = (0..k).collect();
    for a in 0..k {
        for b in a + 1..k {
            if groups[a] != groups[b] && q.rows().into_iter().all(|r| (r[a] - r[b]).abs() < SAME) {
                let (keep, drop) = (groups[a].min(groups[b]), groups[a].max(groups[b]));
                groups.iter_mut().filter(|g| **g == drop).for_each(|g| *g = keep);
            }
        }
    }
    let mut order: Vec<usize> = Vec::new();
    let mut number = |g: usize| {
        order.iter().position(|&seen| seen == g).unwrap_or_else(|| {
            order.push(g);
            order.len() - 1
        })
    };
    groups.into_iter().map(&mut number).collect()
}

/// Groups that enough objects belong to.
fn count(groups: &[usize], q: ArrayView2<'_, f64>) -> usize {
    effective(groups, q).into_iter().filter(|&is| is).count()
}

/// Whether each group is the likeliest for enough objects.
///
/// Mass alone would not do: superfluous columns keep a trace of every object, and together they
/// exceed the share though no object belongs to them.
pub(super) fn effective(groups: &[usize], q: ArrayView2<'_, f64>) -> Vec<bool> {
    let (mut objects, mut held) = (vec![0usize; groups.len()], vec![0.0; groups.len()]);
    for row in q.rows() {
        held.fill(0.0);
        groups.iter().zip(row).for_each(|(&g, value)| held[g] += value);
        let likeliest =
            (0..held.len()).fold(0, |best, g| if held[g] > held[best] { g } else { best });
        objects[likeliest] += 1;
    }
    objects.into_iter().map(|count| count as f64 >= SHARE * q.nrows() as f64).collect()
}

/// A whole run, columns instead of records, rising in beta.
#[derive(Debug, Clone)]
pub struct Columns {
    /// Inverse temperatures (T).
    pub betas: Array1<f64>,
    /// Free energies (T).
    pub free_energies: Array1<f64>,
    /// Costs (T).
    pub costs: Array1<f64>,
    /// Effective clusters (T).
    pub n_clusters: Array1<i64>,
    /// Softness (T).
    pub softness: Array1<f64>,
    /// Cluster masses (T x K).
    pub masses: Array2<f64>,
    /// Group numbers (T x K).
    pub groups: Array2<i64>,
    /// Sweeps (T).
    pub n_iter: Array1<i64>,
    /// Convergence (T).
    pub converged: Array1<bool>,
}

impl Columns {
    /// The columns of `steps`, sorted by beta.
    pub fn new(mut steps: Vec<Step>) -> Self {
        steps.sort_by(|a, b| a.beta.total_cmp(&b.beta));
        let shape = (steps.len(), steps.first().map_or(0, |s| s.masses.len()));
        Self {
            betas: steps.iter().map(|s| s.beta).collect(),
            free_energies: steps.iter().map(|s| s.free_energy).collect(),
            costs: steps.iter().map(|s| s.cost).collect(),
            n_clusters: steps.iter().map(|s| s.n_clusters as i64).collect(),
            softness: steps.iter().map(|s| s.softness).collect(),
            masses: Array2::from_shape_fn(shape, |(t, k)| steps[t].masses[k]),
            groups: Array2::from_shape_fn(shape, |(t, k)| steps[t].groups[k] as i64),
            n_iter: steps.iter().map(|s| s.sweeps as i64).collect(),
            converged: steps.iter().map(|s| s.converged).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn equal_columns_are_one_cluster_and_small_ones_none() {
        let q = array![[0.5, 0.48, 0.02], [0.02, 0.01, 0.97]];
        assert_eq!(group(q.view()), vec![0, 0, 1]);
        assert_eq!(count(&[0, 0, 1], q.view()), 2);
        // One object in 200 is too few, one in 100 is enough.
        for (n, expected) in [(200, 2), (100, 3)] {
            let q = Array2::from_shape_fn((n, 3), |(i, k)| {
                f64::from(u8::from(k == if i == 0 { 2 } else { i % 2 }))
            });
            assert_eq!(count(&group(q.view()), q.view()), expected);
        }
    }

    #[test]
    fn traces_of_all_objects_are_no_cluster() {
        // Three equal columns with 1.5 % of the mass, as superfluous clusters look at best.
        let q = Array2::from_shape_fn((50, 5), |(i, k)| match k {
            0 | 1 if i % 2 == k => 0.97,
            0 | 1 => 0.015,
            _ => 0.005,
        });
        assert_eq!(group(q.view()), vec![0, 1, 2, 2, 2]);
        assert_eq!(count(&group(q.view()), q.view()), 2);
        // Equal columns share their objects: together they are likeliest.
        let q = Array2::from_shape_fn((4, 3), |(_, k)| if k == 0 { 0.4 } else { 0.3 });
        assert_eq!(group(q.view()), vec![0, 1, 1]);
        assert_eq!(count(&[0, 1, 1], q.view()), 1);
    }

    #[test]
    fn free_energy_is_cost_minus_temperature_times_entropy() {
        let q = array![[0.5, 0.5], [1.0, 0.0]];
        let settled = Settled { sweeps: 3, converged: true, cost: -4.0 };
        let step = Step::new(2.0, q.view(), settled);
        assert!((step.free_energy - (-4.0 - 2f64.ln() / 2.0)).abs() < 1e-15);
        assert!((step.softness - 0.25).abs() < 1e-15);
    }
}
