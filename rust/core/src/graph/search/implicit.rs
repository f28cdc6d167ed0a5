//! Similarities without entries to read, and costs that are no sums over pairs.
//!
//! Objects move by way of their fields, which every representation offers, between a fixed number of
//! clusters; the clusters themselves form a small network, in which groups of them are merged.

use ndarray::Array2;
use rand_chacha::ChaCha8Rng;

use super::level::{Level, Links};
use super::{Found, dense, random_labels, search_level, spare};
use crate::error::Result;
use crate::graph::{Cost, Graph, descend, one_hot};
use crate::workers::Context;

/// Up to this many objects a matrix is made for the time of the search.
const MATRIX: usize = 2_000;
/// Rounds after which a search is called off.
const MAX_ROUNDS: usize = 20;

/// Search for the quadratic costs.
pub(super) fn search_from(
    graph: &Graph<'_>,
    start: Option<&[usize]>,
    n_clusters: usize,
    rng: &mut ChaCha8Rng,
    context: Context<'_>,
) -> Result<Found> {
    let (n, sign) = (graph.len(), if graph.cost == Cost::MaxCut { -1.0 } else { 1.0 });
    if n <= MATRIX {
        let matrix = graph.similarity.to_array(context)?;
        let objects = Level::objects(dense(&matrix.view()), sign, graph.shift);
        return search_level(&objects, start, n_clusters, rng, context);
    }
    let spare = spare(n_clusters).min(n);
    let mut labels = start.map_or_else(|| random_labels(n, spare, rng), <[usize]>::to_vec);
    let mut k = if start.is_some() { n_clusters } else { spare };
    let (mut cost, mut rounds) = (f64::INFINITY, 0);
    while rounds < MAX_ROUNDS {
        rounds += 1;
        descend(graph, &mut labels, k, rng, context)?;
        let clusters = network(graph, &labels, k, sign, context)?;
        let merged = search_level(&clusters, None, n_clusters, rng, context)?;
        for label in &mut labels {
            *label = merged.labels[*label];
        }
        k = n_clusters;
        let now = graph.cost_of(one_hot(&labels, k).view(), context)?;
        context.control.advance(f64::NAN, now);
        if now >= cost {
            break;
        }
        cost = now;
    }
    descend(graph, &mut labels, k, rng, context)?;
    ended(graph, labels, k, rounds, context)
}

/// The clusters as nodes, linked by what is between them.
fn network(
    graph: &Graph<'_>,
    labels: &[usize],
    k: usize,
    sign: f64,
    context: Context<'_>,
) -> Result<Level<'static>> {
    let q = one_hot(labels, k);
    let product = graph.similarity.matmul(q.view(), context)?;
    let links: Array2<f64> = q.t().dot(&product);
    let links = Links::Dense { n: k, values: links.iter().copied().collect() };
    let mut level = Level::objects(links, sign, graph.shift);
    level.sizes = q.sum_axis(ndarray::Axis(0)).to_vec();
    Ok(level)
}

/// Plain descent, for costs in which groups of objects cannot be moved as one.
pub(super) fn descend_from(
    graph: &Graph<'_>,
    start: Option<&[usize]>,
    n_clusters: usize,
    rng: &mut ChaCha8Rng,
    context: Context<'_>,
) -> Result<Found> {
    let mut labels =
        start.map_or_else(|| random_labels(graph.len(), n_clusters, rng), <[usize]>::to_vec);
    descend(graph, &mut labels, n_clusters, rng, context)?;
    let found = ended(graph, labels, n_clusters, 1, context)?;
    context.control.advance(f64::NAN, found.cost);
    Ok(found)
}

fn ended(
    graph: &Graph<'_>,
    labels: Vec<usize>,
    k: usize,
    rounds: usize,
    context: Context<'_>,
) -> Result<Found> {
    let cost = graph.cost_of(one_hot(&labels, k).view(), context)?;
    let labels = labels.into_iter().map(|label| label as u32).collect();
    let (labels, _) = super::partition::compact(labels);
    let labels = labels.into_iter().map(|label| label as usize).collect();
    Ok(Found { labels, cost, rounds, costs: vec![cost] })
}
