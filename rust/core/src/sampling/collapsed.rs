//! Assignments under k-means costs with the centroids eliminated.
//!
//! Target law p(c) ∝ exp(−β R(c)) over all K^N assignments. R(c) sums |x − y|² over the objects, y
//! the mean of the object's own cluster. Moving x from cluster a with n members and mean y to
//! cluster b with m members and mean z changes the cost by
//! ΔR = m/(m+1) |x − z|² − n/(n−1) |x − y|², the first term 0 if m = 0, the second 0 if n = 1.
//! `counts` holds the numbers of members, `sums` their sums, so that y = sum / count.

use ndarray::{Array2, ArrayView2};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::kernel::{Kernel, acceptance, pick};
use crate::control::Control;
use crate::error::{Error, Result};

/// Sweeps after which sums and cost are computed afresh: rounding then never piles up.
const REFRESH: usize = 64;
/// Multiplications between two ticks: a few milliseconds.
const WORK_PER_TICK: usize = 1 << 21;
/// Visits between two ticks at most, however cheap they are.
const VISITS_PER_TICK: usize = 4096;
/// A move must lower the cost by this fraction of the object's own cost to count as a descent.
const DESCENT_TOLERANCE: f64 = 1e-12;

/// Where a chain begins.
#[derive(Debug, Clone, Copy)]
pub enum Start<'a> {
    /// Every label drawn uniformly: the law at β = 0.
    Random,
    /// These labels, one per object, each below K.
    Labels(&'a [u32]),
}

/// What [`CollapsedState::sweeps`] averages over the sweeps it keeps.
#[derive(Debug, Clone, PartialEq)]
pub struct Average {
    /// Mean centroids (K x D) in the data's own coordinates.
    pub centroids: Array2<f64>,
    /// Mean cost R.
    pub cost: f64,
}

/// One assignment with the sums that make a visit cost O(D) or O(K D).
///
/// The data are borrowed as they are; their mean is subtracted row by row on the way in, so that a
/// large common offset costs no digits.
#[derive(Debug, Clone)]
pub struct CollapsedState<'a> {
    x: ArrayView2<'a, f64>,
    offset: Vec<f64>,
    labels: Vec<u32>,
    counts: Vec<usize>,
    /// Row a: sum of the centered members of cluster a.
    sums: Vec<f64>,
    /// Row a: where cluster a was when it lost its last member (centered); its place while empty.
    left: Vec<f64>,
    cost: f64,
    age: usize,
    order: Vec<u32>,
    point: Vec<f64>,
    deltas: Vec<f64>,
    law: Vec<f64>,
}

impl<'a> CollapsedState<'a> {
    /// The state of `k` clusters on the rows of `x`, from `start`; `rng` serves a random start.
    pub fn new(
        x: ArrayView2<'a, f64>,
        start: Start<'_>,
        k: usize,
        rng: &mut ChaCha8Rng,
        control: &Control,
    ) -> Result<Self> {
        let (n, d) = x.dim();
        check_shape(n, d, k)?;
        let labels = match start {
            Start::Random => (0..n).map(|_| rng.random_range(0..k as u32)).collect(),
            Start::Labels(given) => check_start(given, n, k)?.to_vec(),
        };
        let mut state = Self {
            x,
            offset: column_means(x, control)?,
            labels,
            counts: vec![0; k],
            sums: vec![0.0; k * d],
            left: vec![0.0; k * d],
            cost: 0.0,
            age: 0,
            order: (0..n as u32).collect(),
            point: vec![0.0; d],
            deltas: vec![0.0; k],
            law: vec![0.0; k],
        };
        state.refresh(control)?;
        if state.cost.is_finite() {
            return Ok(state);
        }
        Err(Error::invalid(
            "X",
            "holds NaN, infinite or overflowing values",
            "drop or impute such rows, and rescale values beyond 1e150",
        ))
    }

    /// The label of every object.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The members of every cluster, counted.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// The cost R(c), kept up to date move by move.
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// The cluster means (K x D) in the data's own coordinates.
    ///
    /// An empty cluster keeps the place where it lost its last member; one that never had any
    /// stands at the mean of all data.
    pub fn centroids(&self) -> Array2<f64> {
        let d = self.point.len();
        Array2::from_shape_fn((self.counts.len(), d), |(a, j)| {
            self.offset[j]
                + match self.counts[a] {
                    0 => self.left[a * d + j],
                    n => self.sums[a * d + j] / n as f64,
                }
        })
    }

    /// The cost change of moving object `i` to label `b`; 0 if it is there already.
    pub fn delta(&mut self, i: usize, b: usize) -> f64 {
        self.load(i);
        let a = self.labels[i] as usize;
        if a == b { 0.0 } else { self.insertion(b) - self.removal(a) }
    }

    /// The law of the next label of object `i` when `kernel` visits it at β = `beta`.
    pub fn transition(&mut self, kernel: Kernel, beta: f64, i: usize) -> &[f64] {
        self.load(i);
        let a = self.labels[i] as usize;
        self.fill_deltas(a);
        kernel.law(beta, a, &self.deltas, &mut self.law);
        &self.law
    }

    /// Visit object `i`: one transition of `kernel` at β = `beta`.
    pub fn visit(&mut self, kernel: Kernel, beta: f64, i: usize, rng: &mut ChaCha8Rng) {
        let k = self.counts.len();
        if k == 1 {
            return;
        }
        let a = self.labels[i] as usize;
        match kernel {
            Kernel::Metropolis => {
                let other = rng.random_range(0..k as u32 - 1) as usize;
                let b = other + usize::from(other >= a);
                let delta = self.delta(i, b);
                if rng.random::<f64>() < acceptance(beta, delta) {
                    self.apply(i, a, b, delta);
                }
            }
            Kernel::Gibbs => {
                let b = pick(self.transition(kernel, beta, i), rng.random());
                if b != a {
                    self.apply(i, a, b, self.deltas[b]);
                }
            }
        }
    }

    /// One sweep of `kernel` at β = `beta`: N visits (Metropolis: N or N + 1).
    ///
    /// Gibbs visits every object once, in a fresh random order. Metropolis visits objects drawn at
    /// random with replacement, and one more on the toss of a coin: where moves are always accepted
    /// (β ΔR ≤ 0) and K = 2, a fixed order would only flip all labels back and forth, and a fixed
    /// number of visits would reach every second assignment only. Order and number do not
    /// depend on the state, so either sweep leaves the law invariant.
    pub fn sweep(
        &mut self,
        kernel: Kernel,
        beta: f64,
        rng: &mut ChaCha8Rng,
        control: &Control,
    ) -> Result<()> {
        let n = self.labels.len();
        let visits = match kernel {
            Kernel::Metropolis => n + usize::from(rng.random::<bool>()),
            Kernel::Gibbs => n,
        };
        let block = self.block(kernel.reach(self.counts.len()));
        for first in (0..visits).step_by(block) {
            control.tick()?;
            for turn in first..visits.min(first + block) {
                let i = match kernel {
                    Kernel::Metropolis => rng.random_range(0..n as u32),
                    Kernel::Gibbs => self.deal(turn, rng),
                };
                self.visit(kernel, beta, i as usize, rng);
            }
        }
        self.age += 1;
        if self.age.is_multiple_of(REFRESH) { self.refresh(control) } else { Ok(()) }
    }

    /// `burn_in` sweeps thrown away, then `keep` (at least 1) sweeps averaged.
    ///
    /// Centroids are averaged label by label, each sweep by its last state; an empty cluster enters
    /// with the place it was left at. The state goes on where it stopped, for the next temperature.
    pub fn sweeps(
        &mut self,
        kernel: Kernel,
        beta: f64,
        burn_in: usize,
        keep: usize,
        rng: &mut ChaCha8Rng,
        control: &Control,
    ) -> Result<Average> {
        for _ in 0..burn_in {
            self.sweep(kernel, beta, rng, control)?;
        }
        let keep = keep.max(1);
        let mut centroids = Array2::zeros((self.counts.len(), self.point.len()));
        let mut cost = 0.0;
        for _ in 0..keep {
            self.sweep(kernel, beta, rng, control)?;
            centroids += &self.centroids();
            cost += self.cost;
        }
        Ok(Average { centroids: centroids / keep as f64, cost: cost / keep as f64 })
    }

    /// Zero temperature: move objects to their cheapest label until no single move lowers the cost.
    ///
    /// Returns whether that point was reached within `max_passes` passes over the objects.
    pub fn descend(&mut self, max_passes: usize, control: &Control) -> Result<bool> {
        let n = self.labels.len();
        let block = self.block(self.counts.len());
        for _ in 0..max_passes {
            let mut moved = false;
            for i in 0..n {
                if i.is_multiple_of(block) {
                    control.tick()?;
                }
                moved |= self.descend_one(i);
            }
            self.refresh(control)?;
            if !moved {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Compute counts, sums and cost from the labels alone.
    pub fn refresh(&mut self, control: &Control) -> Result<()> {
        let (n, d) = self.x.dim();
        let block = self.block(1);
        self.counts.fill(0);
        self.sums.fill(0.0);
        for i in 0..n {
            if i.is_multiple_of(block) {
                control.tick()?;
            }
            self.load(i);
            let a = self.labels[i] as usize;
            self.counts[a] += 1;
            shift(&mut self.sums[a * d..(a + 1) * d], &self.point, 1.0);
        }
        self.cost = 0.0;
        for i in 0..n {
            if i.is_multiple_of(block) {
                control.tick()?;
            }
            self.load(i);
            self.cost += self.squared_distance(self.labels[i] as usize);
        }
        Ok(())
    }

    /// Trace of the covariance of the data, with 1/N.
    pub fn total_variance(&mut self, control: &Control) -> Result<f64> {
        let n = self.labels.len();
        let block = self.block(1);
        let mut scatter = 0.0;
        for i in 0..n {
            if i.is_multiple_of(block) {
                control.tick()?;
            }
            self.load(i);
            scatter += self.point.iter().map(|value| value * value).sum::<f64>();
        }
        Ok(scatter / n as f64)
    }

    /// Entries of the data matrix, N D.
    pub fn size(&self) -> usize {
        self.x.len()
    }

    /// Move object `i` to its cheapest label if that lowers the cost beyond rounding.
    fn descend_one(&mut self, i: usize) -> bool {
        self.load(i);
        let a = self.labels[i] as usize;
        let own = self.fill_deltas(a);
        let (b, delta) = self
            .deltas
            .iter()
            .copied()
            .enumerate()
            .fold((a, 0.0), |best, (b, delta)| if delta < best.1 { (b, delta) } else { best });
        let worth = delta < -DESCENT_TOLERANCE * own.max(self.cost / self.labels.len() as f64);
        if worth {
            self.apply(i, a, b, delta);
        }
        worth
    }

    /// The object at place `turn` of a random order, dealt one by one (Fisher and Yates).
    fn deal(&mut self, turn: usize, rng: &mut ChaCha8Rng) -> u32 {
        let n = self.order.len() as u32;
        self.order.swap(turn, rng.random_range(turn as u32..n) as usize);
        self.order[turn]
    }

    /// Visits between two ticks when each measures the object against `reach` clusters.
    fn block(&self, reach: usize) -> usize {
        (WORK_PER_TICK / (reach * self.point.len()).max(1)).clamp(1, VISITS_PER_TICK)
    }

    /// Center row `i` into `point`.
    fn load(&mut self, i: usize) {
        for ((slot, value), offset) in self.point.iter_mut().zip(self.x.row(i)).zip(&self.offset) {
            *slot = value - offset;
        }
    }

    /// |x − `y_a`|² of the loaded object; cluster a must not be empty.
    fn squared_distance(&self, a: usize) -> f64 {
        let d = self.point.len();
        distance_to_mean(&self.point, &self.sums[a * d..(a + 1) * d], self.counts[a] as f64)
    }

    /// What the loaded object adds to the cost when it joins cluster `b`.
    fn insertion(&self, b: usize) -> f64 {
        match self.counts[b] {
            0 => 0.0,
            n => n as f64 / (n as f64 + 1.0) * self.squared_distance(b),
        }
    }

    /// What the loaded object, a member of `a`, takes away from the cost when it leaves.
    fn removal(&self, a: usize) -> f64 {
        match self.counts[a] {
            0 | 1 => 0.0,
            n => n as f64 / (n as f64 - 1.0) * self.squared_distance(a),
        }
    }

    /// Fill `deltas` for the loaded member of `a`; returns what it takes away when it leaves.
    fn fill_deltas(&mut self, a: usize) -> f64 {
        let own = self.removal(a);
        for b in 0..self.counts.len() {
            self.deltas[b] = if a == b { 0.0 } else { self.insertion(b) - own };
        }
        own
    }

    /// Move the loaded object `i` from `a` to `b`, which changes the cost by `delta`.
    fn apply(&mut self, i: usize, a: usize, b: usize, delta: f64) {
        let d = self.point.len();
        self.labels[i] = b as u32;
        self.counts[a] -= 1;
        self.counts[b] += 1;
        self.cost += delta;
        shift(&mut self.sums[b * d..(b + 1) * d], &self.point, 1.0);
        if self.counts[a] == 0 {
            self.left[a * d..(a + 1) * d].copy_from_slice(&self.point);
            self.sums[a * d..(a + 1) * d].fill(0.0);
        } else {
            shift(&mut self.sums[a * d..(a + 1) * d], &self.point, -1.0);
        }
    }
}

/// sum += sign * point.
fn shift(sum: &mut [f64], point: &[f64], sign: f64) {
    for (total, value) in sum.iter_mut().zip(point) {
        *total += sign * value;
    }
}

/// |x − s/n|², in four interleaved sums so that the compiler may use wide registers.
fn distance_to_mean(point: &[f64], sum: &[f64], n: f64) -> f64 {
    let scale = 1.0 / n;
    let mut lanes = [0.0; 4];
    let (mut points, mut sums) = (point.chunks_exact(4), sum.chunks_exact(4));
    for (four, totals) in points.by_ref().zip(sums.by_ref()) {
        for ((lane, value), total) in lanes.iter_mut().zip(four).zip(totals) {
            let gap = value - total * scale;
            *lane += gap * gap;
        }
    }
    let rest = points.remainder().iter().zip(sums.remainder());
    let tail = rest.map(|(value, total)| (value - total * scale).powi(2)).sum::<f64>();
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]) + tail
}

/// Column means of `x`, row block by row block.
fn column_means(x: ArrayView2<'_, f64>, control: &Control) -> Result<Vec<f64>> {
    let (n, d) = x.dim();
    let mut means = vec![0.0; d];
    for rows in x.axis_chunks_iter(ndarray::Axis(0), (WORK_PER_TICK / d.max(1)).max(1)) {
        control.tick()?;
        for row in rows.rows() {
            means.iter_mut().zip(row).for_each(|(mean, value)| *mean += value / n as f64);
        }
    }
    Ok(means)
}

fn check_shape(n: usize, d: usize, k: usize) -> Result<()> {
    if n == 0 || d == 0 || n > u32::MAX as usize {
        return Err(Error::invalid(
            "X",
            format!("has shape ({n}, {d})"),
            "give 1 to 4294967295 rows and at least 1 column",
        ));
    }
    if k == 0 || k > u32::MAX as usize {
        return Err(Error::invalid(
            "n_clusters",
            format!("must be positive: got {k}"),
            "use 1 or more",
        ));
    }
    Ok(())
}

fn check_start(given: &[u32], n: usize, k: usize) -> Result<&[u32]> {
    if given.len() != n {
        return Err(Error::invalid(
            "start",
            format!("must hold one label per object: got {} for {n} rows", given.len()),
            "give one label per row of X",
        ));
    }
    match given.iter().find(|&&label| label as usize >= k) {
        None => Ok(given),
        Some(label) => Err(Error::invalid(
            "start",
            format!("must hold labels 0 to {}: got {label}", k - 1),
            "number the clusters from 0, or raise n_clusters",
        )),
    }
}
