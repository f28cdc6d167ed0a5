//! Search for the labels of lowest cost: zero temperature, no annealing.
//!
//! For the quadratic costs it moves single objects, groups of objects and groups of groups, as the
//! Leiden algorithm does: R of correlation clustering is the constant Potts model, whose resolution
//! is minus the shift. All other costs are descended object by object.

mod implicit;
mod level;
mod merging;
mod moving;
mod partition;
mod refine;
mod rounds;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use ndarray::ArrayView2;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use self::level::{Level, Links};
use self::partition::Partition;
use super::{Cost, Graph};
use crate::error::{Error, Result};
use crate::rng::stream;
use crate::similarity::Entries;
use crate::workers::{Context, Workers};

/// Separates these streams from everyone else's.
const STREAM: u64 = 0x7365_6172_6368;

/// Clusters to begin with, for every cluster wanted; at least; and where that is worthwhile.
const SPARE: usize = 3;
const AT_LEAST: usize = 24;
const MOST: usize = 64;

/// A search that has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Cluster of every object, numbered without gaps from 0.
    pub labels: Vec<usize>,
    /// Their cost.
    pub cost: f64,
    /// Rounds it took.
    pub rounds: usize,
    /// Costs of all starts.
    pub costs: Vec<f64>,
}

/// Search with at most `n_clusters` clusters; the best of `n_init` starts.
///
/// Objects begin alone. Where most of them are linked, every other start has random labels instead:
/// few clusters are found as well from there, and sooner.
pub fn search(
    graph: &Graph<'_>,
    n_clusters: usize,
    seed: u64,
    n_init: usize,
    context: Context<'_>,
) -> Result<Found> {
    check(graph, n_clusters)?;
    let alone = Workers::new(1)?;
    let inner = Context { workers: &alone, ..context };
    let linked = match graph.similarity.entries() {
        Entries::Rows { values, .. } => 4 * values.len() >= graph.len() * graph.len(),
        Entries::Matrix(_) | Entries::Implicit => true,
    };
    let tried = context.workers.map(n_init.max(1), |restart| {
        let mut rng = stream(seed, &[STREAM, restart as u64]);
        let random = linked && !restart.is_multiple_of(2);
        let start = random.then(|| random_labels(graph.len(), n_clusters, &mut rng));
        search_from(graph, start.as_deref(), n_clusters, &mut rng, inner)
    })?;
    let costs = tried.iter().map(|one| one.cost).collect();
    let best = tried.into_iter().reduce(|best, one| if one.cost < best.cost { one } else { best });
    let best = best.unwrap_or(Found { labels: vec![], cost: 0.0, rounds: 0, costs: vec![] });
    Ok(Found { costs, ..best })
}

/// One search, from `start` (never ending above its cost) or from single objects.
pub fn search_from(
    graph: &Graph<'_>,
    start: Option<&[usize]>,
    n_clusters: usize,
    rng: &mut ChaCha8Rng,
    context: Context<'_>,
) -> Result<Found> {
    check(graph, n_clusters)?;
    let sign = match graph.cost {
        Cost::Correlation => 1.0,
        Cost::MaxCut => -1.0,
        _ => return implicit::descend_from(graph, start, n_clusters, rng, context),
    };
    let links = match graph.similarity.entries() {
        Entries::Matrix(matrix) => dense(&matrix),
        Entries::Rows { starts, columns, values } => {
            Links::Sparse { starts: starts.into(), columns: columns.into(), values: values.into() }
        }
        Entries::Implicit => {
            return implicit::search_from(graph, start, n_clusters, rng, context);
        }
    };
    let objects = Level::objects(links, sign, graph.shift);
    search_level(&objects, start, n_clusters, rng, context)
}

/// Links of a matrix, which similarities hold row by row.
fn dense<'a>(matrix: &ArrayView2<'a, f64>) -> Links<'a> {
    let values = matrix.to_slice().map_or_else(|| matrix.iter().copied().collect(), Cow::from);
    Links::Dense { n: matrix.nrows(), values }
}

/// Search among the clusterings of the nodes of one level.
fn search_level(
    objects: &Level<'_>,
    start: Option<&[usize]>,
    cap: usize,
    rng: &mut ChaCha8Rng,
    context: Context<'_>,
) -> Result<Found> {
    let (control, mut rounds) = (context.control, 0);
    let spread = (start.is_none() && is_crowded(objects, cap))
        .then(|| random_labels(objects.len(), spare(cap), rng));
    let mut partition = if let Some(labels) = start.or(spread.as_deref()) {
        let labels: Vec<u32> = labels.iter().map(|&label| label as u32).collect();
        let energy = objects.energy(&labels);
        Partition::new(objects, labels, energy)
    } else {
        let mut free = Partition::singletons(objects);
        rounds += rounds::improve(objects, &mut free, objects.len(), rng, control)?;
        free
    };
    let free = start.is_none() && partition.used() <= cap;
    if spread.is_some() {
        moving::settle(objects, &mut partition, spare(cap), rng, control)?;
    }
    rounds::limit(objects, &mut partition, cap, control)?;
    if !free {
        rounds += rounds::improve(objects, &mut partition, cap, rng, control)?;
    }
    rounds::finish(objects, &mut partition, cap, rng, control)?;
    let cost = objects.energy(&partition.labels);
    let (labels, _) = partition::compact(partition.labels);
    let labels = labels.into_iter().map(|label| label as usize).collect();
    Ok(Found { labels, cost, rounds, costs: vec![cost] })
}

/// Clusters to begin with where objects do not begin alone.
fn spare(n_clusters: usize) -> usize {
    (SPARE * n_clusters).max(AT_LEAST)
}

/// Whether nodes have so many links, and so few clusters are wanted, that a beginning with a node
/// per cluster would take far longer than one with a few more clusters than wanted.
fn is_crowded(objects: &Level<'_>, cap: usize) -> bool {
    let links = objects.mean_links();
    spare(cap) <= MOST && 4 * links >= objects.len() && links >= 4 * spare(cap)
}

fn random_labels(n: usize, k: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    (0..n).map(|_| rng.random_range(0..k)).collect()
}

fn check(graph: &Graph<'_>, n_clusters: usize) -> Result<()> {
    if n_clusters == 0 || n_clusters > graph.len() {
        let found = format!("is {n_clusters} for {} objects", graph.len());
        return Err(Error::invalid("n_clusters", found, "choose between 1 and that many"));
    }
    Ok(())
}
