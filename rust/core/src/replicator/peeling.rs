//! Peeling: find a cluster, take its objects away, find the next (Algorithm 6, corrected).

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use super::Game;
use super::dynamics::replicate;
use super::infection::infect;
use crate::error::{Error, Result};
use crate::similarity::Part;
use crate::workers::Context;

/// |dv|_1 below which the dynamics has converged.
const CONVERGED: f64 = 1e-10;

/// Relative difference up to which values count as equal; similarities of trees are full of ties.
pub(super) const TIED: f64 = 1e-9;

/// Share of the largest payoff, or cohesion, below which there is none: what rounding leaves of 0.
const NOTHING: f64 = 1e-12;

/// The dynamics that finds a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// All shares at once; where it stops matters.
    Replicator,
    /// One strategy at a time; runs that may settle. `rows_at_hand`: rows of S cost O(N) to read.
    Infection {
        /// Whether rows of S are stored, or computed in O(N).
        rows_at_hand: bool,
    },
}

/// When the dynamics ends, and what belongs to the cluster then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Termination {
    /// Steps at most.
    pub max_steps: usize,
    /// Shares of at least this belong to the cluster.
    pub cutoff: f64,
}

/// What is asked for besides the termination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Clusters at most; None peels while objects are left.
    pub n_clusters: Option<usize>,
    /// The dynamics.
    pub method: Method,
    /// Whether to keep who belonged where after every step.
    pub record: bool,
}

/// A labeling found by peeling.
#[derive(Debug, Clone, PartialEq)]
pub struct Peeling {
    /// Cluster of every object.
    pub labels: Vec<usize>,
    /// Whether an object was taken with its cluster; the others were assigned by payoff.
    pub in_core: Vec<bool>,
    /// Shares of the core objects (N x K), zero elsewhere.
    pub shares: Array2<f64>,
    /// Payoff of every object against every core (N x K).
    pub payoffs: Array2<f64>,
    /// v^T X v of every core, its shares scaled to sum 1.
    pub cohesion: Vec<f64>,
    /// Steps taken for every cluster; moves of single strategies for infection.
    pub steps: Vec<usize>,
    /// Whether the dynamics converged, for every cluster.
    pub converged: Vec<bool>,
    /// One line per step: clusters of taken objects, the current cluster where the share reaches the
    /// cutoff, -1 elsewhere. Empty unless asked for.
    pub path: Vec<Vec<i64>>,
}

/// The first of the largest values, up to rounding: ties must not depend on how S is stored.
///
/// `slack` is what rounding may leave of a zero.
fn first_largest(
    values: impl Iterator<Item = (usize, f64)> + Clone,
    slack: f64,
) -> Option<(usize, f64)> {
    let largest = values.clone().fold(0.0_f64, |most, (_, value)| most.max(value));
    let mut values = values;
    values.find(|(_, value)| *value >= largest * (1.0 - TIED) - slack)
}

/// One labeling in the making.
struct Race {
    ends: Termination,
    record: bool,
    v: Vec<f64>,
    rest: Vec<bool>,
    left: usize,
    taken: Vec<i64>,
    cores: Vec<Vec<(usize, f64)>>,
    taken_steps: usize,
    steps: Vec<usize>,
    converged: Vec<bool>,
    path: Vec<Vec<i64>>,
    /// Highest cohesion so far.
    scale: f64,
    done: bool,
}

impl Race {
    fn new(n: usize, ends: Termination, record: bool) -> Self {
        let mut race = Self {
            ends,
            record,
            v: vec![0.0; n],
            rest: vec![true; n],
            left: n,
            taken: vec![-1; n],
            cores: Vec::new(),
            taken_steps: 0,
            steps: Vec::new(),
            converged: Vec::new(),
            path: Vec::new(),
            scale: 0.0,
            done: n == 0,
        };
        race.start();
        race
    }

    /// Equal shares for all objects that are left.
    fn start(&mut self) {
        let share = 1.0 / self.left.max(1) as f64;
        let lines = self.v.iter_mut().zip(&self.rest);
        lines.for_each(|(v, rest)| *v = if *rest { share } else { 0.0 });
        self.taken_steps = 0;
    }

    /// One step of the replicator dynamics; at its end the cluster is taken.
    fn advance(&mut self, payoff: impl Iterator<Item = f64> + Clone, most: Option<usize>) {
        let step = replicate(&mut self.v, payoff);
        if self.is_flat(step.cohesion) {
            self.done = true;
            return;
        }
        self.taken_steps += 1;
        if self.record {
            self.note();
        }
        let converged = step.change < CONVERGED;
        if converged || self.taken_steps >= self.ends.max_steps {
            self.take(self.taken_steps, converged, most);
        }
    }

    /// Whether objects of this cohesion have nothing to do with each other.
    fn is_flat(&mut self, cohesion: f64) -> bool {
        self.scale = self.scale.max(cohesion);
        cohesion <= NOTHING * self.scale
    }

    /// Write down who belongs where now.
    fn note(&mut self) {
        let current = self.cores.len() as i64;
        let place = |(&v, &taken): (&f64, &i64)| {
            if taken < 0 && v >= self.ends.cutoff { current } else { taken }
        };
        self.path.push(self.v.iter().zip(&self.taken).map(place).collect());
    }

    /// Take the objects at or above the cutoff away as one cluster.
    fn take(&mut self, steps: usize, converged: bool, most: Option<usize>) {
        let shares = || self.v.iter().copied().enumerate().filter(|(i, _)| self.rest[*i]);
        let mut core: Vec<_> = shares().filter(|(_, v)| *v >= self.ends.cutoff).collect();
        if core.is_empty() {
            core.extend(first_largest(shares(), 0.0));
        }
        for (i, _) in &core {
            self.rest[*i] = false;
            self.taken[*i] = self.cores.len() as i64;
        }
        self.left -= core.len();
        self.cores.push(core);
        self.steps.push(steps);
        self.converged.push(converged);
        self.done = self.left == 0 || most.is_some_and(|most| self.cores.len() >= most);
        if !self.done {
            self.start();
        }
    }

    /// Objects that are left go where their payoff is highest, the first of equals.
    fn finish(self, game: Game<'_>, context: Context<'_>) -> Result<Peeling> {
        let (n, k) = (game.len(), self.cores.len());
        let mut shares = Array2::zeros((n, k));
        for (cluster, core) in self.cores.iter().enumerate() {
            for (i, v) in core {
                shares[[*i, cluster]] = *v;
            }
        }
        let payoffs = game.payoffs(shares.view(), context)?;
        let cohesion = shares.columns().into_iter().zip(payoffs.columns()).map(|(v, payoff)| {
            let total = v.sum();
            v.dot(&payoff) / (total * total)
        });
        let cohesion = cohesion.collect();
        let slack = NOTHING * payoffs.iter().fold(0.0_f64, |most, payoff| most.max(*payoff));
        let nearest = |i: usize| first_largest(payoffs.row(i).iter().copied().enumerate(), slack);
        let label = |(i, &taken): (usize, &i64)| {
            usize::try_from(taken).unwrap_or_else(|_| nearest(i).map_or(0, |(best, _)| best))
        };
        let labels = self.taken.iter().enumerate().map(label).collect();
        Ok(Peeling {
            labels,
            in_core: self.rest.iter().map(|rest| !rest).collect(),
            shares,
            payoffs,
            cohesion,
            steps: self.steps,
            converged: self.converged,
            path: self.path,
        })
    }
}

/// Peel once for every termination in `ends`.
///
/// All of them advance together: a product with many columns costs little more than one with a
/// single column, since X is read only once.
pub fn peel(
    game: Game<'_>,
    plan: Plan,
    ends: &[Termination],
    context: Context<'_>,
) -> Result<Vec<Peeling>> {
    ends.iter().try_for_each(check)?;
    if plan.n_clusters == Some(0) {
        return Err(Error::invalid("n_clusters", "is 0", "ask for 1 or more"));
    }
    let race = |ends: &Termination| Race::new(game.len(), *ends, plan.record);
    let mut races: Vec<_> = ends.iter().map(race).collect();
    match plan.method {
        Method::Replicator => run_together(game, plan, &mut races, context)?,
        Method::Infection { rows_at_hand } => {
            for race in &mut races {
                run_infection(game, plan, race, rows_at_hand, context)?;
            }
        }
    }
    races.into_iter().map(|race| race.finish(game, context)).collect()
}

fn check(ends: &Termination) -> Result<()> {
    if ends.max_steps == 0 {
        return Err(Error::invalid("max_steps", "is 0", "take 1 step or more"));
    }
    if !(ends.cutoff > 0.0 && ends.cutoff < 1.0) {
        let found = format!("is {}", ends.cutoff);
        return Err(Error::invalid("cutoff", found, "it lies between 0 and 1"));
    }
    Ok(())
}

fn run_together(
    game: Game<'_>,
    plan: Plan,
    races: &mut [Race],
    context: Context<'_>,
) -> Result<()> {
    let mut field = Field::whole(game.len());
    loop {
        context.control.tick()?;
        let mut active: Vec<_> = races.iter_mut().filter(|race| !race.done).collect();
        if active.is_empty() {
            return Ok(());
        }
        field.shrink(game, &active, context)?;
        let at = |(place, a): (usize, usize)| active[a].v[field.objects[place]];
        let v = Array2::from_shape_fn((field.objects.len(), active.len()), at);
        let payoffs = field.payoffs(game, v.view(), context)?;
        let mut payoff = vec![0.0; game.len()];
        for (race, column) in active.iter_mut().zip(payoffs.columns()) {
            // Objects outside have no share left: what they would earn does not matter.
            field.objects.iter().zip(column).for_each(|(&i, value)| payoff[i] = *value);
            race.advance(payoff.iter().copied(), plan.n_clusters);
        }
        context.control.advance(f64::NAN, f64::NAN);
    }
}

/// The objects that play, and their part of X once they are few.
struct Field {
    objects: Vec<usize>,
    part: Option<Part>,
    /// Whether X has no parts that are worth their while.
    whole: bool,
}

impl Field {
    fn whole(n: usize) -> Self {
        Self { objects: (0..n).collect(), part: None, whole: false }
    }

    /// Leave out the objects that have been taken in all races, once they are many.
    fn shrink(&mut self, game: Game<'_>, active: &[&mut Race], context: Context<'_>) -> Result<()> {
        let left = |&&i: &&usize| active.iter().any(|race| race.rest[i]);
        let count = self.objects.iter().filter(left).count();
        if self.whole || 10 * count > 7 * self.objects.len() {
            return Ok(());
        }
        let kept: Vec<usize> = self.objects.iter().filter(left).copied().collect();
        let part = game.similarity().restricted(&kept, context)?;
        self.whole = part.is_none();
        if !self.whole {
            (self.objects, self.part) = (kept, part);
        }
        Ok(())
    }

    fn payoffs(
        &self,
        game: Game<'_>,
        v: ArrayView2<'_, f64>,
        context: Context<'_>,
    ) -> Result<Array2<f64>> {
        match &self.part {
            Some(part) => game.among(&part.dense()).payoffs(v, context),
            None => game.payoffs(v, context),
        }
    }
}

fn run_infection(
    game: Game<'_>,
    plan: Plan,
    race: &mut Race,
    rows_at_hand: bool,
    context: Context<'_>,
) -> Result<()> {
    while !race.done {
        let v = ArrayView1::from(&race.v).insert_axis(Axis(1));
        let payoff = game.payoffs(v, context)?;
        let cohesion = race.v.iter().zip(&payoff).map(|(v, payoff)| v * payoff).sum();
        if race.is_flat(cohesion) {
            return Ok(());
        }
        let most = race.ends.max_steps;
        let (moves, settled) = infect(game, &mut race.v, &race.rest, most, rows_at_hand, context)?;
        if race.record {
            race.note();
        }
        race.take(moves, settled, plan.n_clusters);
        context.control.advance(f64::NAN, f64::NAN);
    }
    Ok(())
}
