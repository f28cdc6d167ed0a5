//! Minimum spanning trees: of vectors without a matrix, of a matrix in place, of a sparse graph.

use std::sync::{Mutex, PoisonError};

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis};

use super::kernels::{extremes, keep_smaller, squared_distances};
use super::merge_tree::UnionFind;
use crate::error::{Error, Result};
use crate::workers::Context;

/// Objects of one block; a block far from the newest object of the tree is skipped as a whole.
const BLOCK: usize = 512;
/// Multiplications of one step from which on threads pay for their start.
const PARALLEL_WORK: usize = 1 << 19;
/// Distances between two ticks: a few milliseconds.
const TICK_WORK: usize = 1 << 21;

/// An edge of a graph of distances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The two objects.
    pub ends: [u32; 2],
    /// Their distance.
    pub weight: f64,
}

impl Edge {
    /// The edges of a graph of `n` objects from rows of two ends and a list of weights.
    pub fn list(
        n: usize,
        ends: ArrayView2<'_, u32>,
        weights: ArrayView1<'_, f64>,
    ) -> Result<Vec<Self>> {
        if ends.ncols() != 2 || ends.nrows() != weights.len() {
            let found = format!("have shape ({}, {})", ends.nrows(), ends.ncols());
            return Err(Error::invalid("edges", found, "give two ends for every weight"));
        }
        if let Some(end) = ends.iter().find(|end| **end as usize >= n) {
            let found = format!("name object {end} of {n}");
            return Err(Error::invalid("edges", found, "count objects from 0"));
        }
        let pairs = ends.outer_iter().zip(weights);
        Ok(pairs.map(|(pair, &weight)| Self { ends: [pair[0], pair[1]], weight }).collect())
    }

    /// The reverse of [`Edge::list`].
    pub fn arrays(edges: &[Self]) -> (Array2<u32>, Array1<f64>) {
        let ends = Array2::from_shape_fn((edges.len(), 2), |(e, side)| edges[e].ends[side]);
        (ends, edges.iter().map(|edge| edge.weight).collect())
    }
}

/// Number of objects as the 32-bit count that edges are made of.
fn check_count(n: usize) -> Result<u32> {
    let too_many = |_| Error::invalid("X", format!("has {n} rows"), "use at most 2^32 - 1");
    u32::try_from(n).map_err(too_many)
}

/// Spanning tree of Euclidean distances between the rows of `x`.
///
/// Prim's algorithm, rows of the distance matrix computed when needed: O(N^2 D) time at most and
/// O(N D) memory. Objects are kept in blocks that are near each other in space, and a block whose
/// bounding box is farther from the newest object than all its objects are from the tree is skipped:
/// in few dimensions most are.
pub fn of_vectors(x: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Vec<Edge>> {
    let n = check_count(x.nrows())?;
    let mut prim = Prim::new(x, n);
    let mut edges = Vec::with_capacity(x.nrows().saturating_sub(1));
    let (mut newest, mut own, mut work) = (Nearest::default(), usize::MAX, TICK_WORK);
    context.control.set_total(u64::from(n.saturating_sub(1)));
    for step in 0..n {
        if work >= TICK_WORK {
            work = 0;
            context.control.tick()?;
        }
        if step == 0 {
            own = prim.open(&mut newest);
        } else {
            edges.push(Edge { ends: [newest.from, newest.id], weight: newest.squared.sqrt() });
            context.control.advance(f64::NAN, f64::NAN);
        }
        work += prim.absorb(x.row(newest.id as usize).to_vec(), newest, own, context)?;
        (own, newest) = prim.nearest();
    }
    Ok(edges)
}

/// The object of a block that is nearest to the tree.
#[derive(Debug, Clone, Copy)]
struct Nearest {
    squared: f64,
    id: u32,
    from: u32,
    position: usize,
}

impl Default for Nearest {
    fn default() -> Self {
        Self { squared: f64::INFINITY, id: 0, from: 0, position: 0 }
    }
}

/// Where a block lies, and how near and far its objects are from the tree.
struct Outline {
    low: Vec<f64>,
    high: Vec<f64>,
    nearest: Nearest,
    farthest: f64,
}

impl Outline {
    /// Whether an object at `point` can be nearer than the tree to any object of the block.
    fn can_gain(&self, point: &[f64]) -> bool {
        let sides = self.low.iter().zip(&self.high).zip(point);
        let squared: f64 = sides
            .map(|((low, high), p)| {
                let gap = (low - p).max(p - high).max(0.0);
                gap * gap
            })
            .sum();
        // A little less than computed: rounding must never hide a shorter edge.
        squared * (1.0 - 1e-12) < self.farthest
    }
}

/// Objects outside the tree, with their distance to it.
struct Block {
    ids: Vec<u32>,
    x: Vec<f64>,
    best: Vec<f64>,
    from: Vec<u32>,
    squared: Vec<f64>,
    closed: usize,
}

/// Drop the entries whose position does not stay.
fn keep<T: Copy>(values: &mut Vec<T>, stays: impl Fn(usize) -> bool) {
    let mut at = 0;
    values.retain(|_| {
        at += 1;
        stays(at - 1)
    });
}

impl Block {
    fn new(ids: Vec<u32>, x: ArrayView2<'_, f64>) -> Self {
        let m = ids.len();
        let mut columns = Vec::with_capacity(m * x.ncols());
        for feature in x.axis_iter(Axis(1)) {
            columns.extend(ids.iter().map(|&i| feature[i as usize]));
        }
        let best = vec![f64::INFINITY; m];
        Self { ids, x: columns, best, from: vec![0; m], squared: vec![0.0; m], closed: 0 }
    }

    /// Objects in the tree are closed: at distance minus infinity. Half of them closed are dropped.
    fn close(&mut self, position: usize) {
        self.best[position] = f64::NEG_INFINITY;
        self.closed += 1;
        if 2 * self.closed < self.ids.len() {
            return;
        }
        let open: Vec<bool> = self.best.iter().map(|&best| best > f64::NEG_INFINITY).collect();
        let stays = |at: usize| open[at % open.len()];
        keep(&mut self.x, stays);
        keep(&mut self.ids, stays);
        keep(&mut self.from, stays);
        keep(&mut self.best, stays);
        self.squared.truncate(self.ids.len());
        self.closed = 0;
    }

    /// Take `newest`, at `point`, into account.
    fn absorb(&mut self, point: &[f64], newest: u32) -> (Nearest, f64) {
        squared_distances(&self.x, self.ids.len(), point, 0, &mut self.squared);
        keep_smaller(&self.squared, &mut self.best, &mut self.from, newest);
        let (squared, farthest) = extremes(&self.best);
        let position = self.best.iter().position(|&value| value == squared);
        let nearest = position.map_or_else(Nearest::default, |position| Nearest {
            squared,
            id: self.ids[position],
            from: self.from[position],
            position,
        });
        (nearest, farthest)
    }
}

/// All objects, by blocks.
struct Prim {
    blocks: Vec<Mutex<Block>>,
    outlines: Vec<Outline>,
    features: usize,
}

impl Prim {
    fn new(x: ArrayView2<'_, f64>, n: u32) -> Self {
        let (mut ids, mut groups) = ((0..n).collect::<Vec<_>>(), Vec::new());
        split_in_space(&mut ids, x, &mut groups);
        let outlines = groups.iter().map(|ids| {
            let (low, high) = bounds(ids, x);
            Outline { low, high, nearest: Nearest::default(), farthest: f64::INFINITY }
        });
        let outlines = outlines.collect();
        let blocks = groups.into_iter().map(|ids| Mutex::new(Block::new(ids, x))).collect();
        Self { blocks, outlines, features: x.ncols() }
    }

    /// Make the first object of the first block the root of the tree; its block.
    fn open(&mut self, newest: &mut Nearest) -> usize {
        if let Some(block) = self.blocks.first_mut() {
            let block = block.get_mut().unwrap_or_else(PoisonError::into_inner);
            *newest = Nearest { id: block.ids[0], ..Nearest::default() };
        }
        0
    }

    /// Let `newest` of block `own` join the tree; how many multiplications that took.
    fn absorb(
        &mut self,
        point: Vec<f64>,
        newest: Nearest,
        own: usize,
        context: Context<'_>,
    ) -> Result<usize> {
        let block = self.blocks[own].get_mut().unwrap_or_else(PoisonError::into_inner);
        block.close(newest.position);
        let outlines = self.outlines.iter().enumerate();
        let touched: Vec<usize> = outlines
            .filter(|(b, outline)| *b == own || outline.can_gain(&point))
            .map(|(b, _)| b)
            .collect();
        let work = touched.len() * BLOCK * (self.features + 2);
        if work < PARALLEL_WORK {
            for b in touched {
                let block = self.blocks[b].get_mut().unwrap_or_else(PoisonError::into_inner);
                let (nearest, farthest) = block.absorb(&point, newest.id);
                (self.outlines[b].nearest, self.outlines[b].farthest) = (nearest, farthest);
            }
        } else {
            let found = context.workers.map(touched.len(), |t| {
                let mut block =
                    self.blocks[touched[t]].lock().unwrap_or_else(PoisonError::into_inner);
                Ok(block.absorb(&point, newest.id))
            })?;
            for (b, (nearest, farthest)) in touched.into_iter().zip(found) {
                (self.outlines[b].nearest, self.outlines[b].farthest) = (nearest, farthest);
            }
        }
        Ok(work + self.outlines.len() * self.features)
    }

    /// The open object nearest to the tree, with its block.
    fn nearest(&self) -> (usize, Nearest) {
        let mut best = (0, Nearest::default());
        for (b, outline) in self.outlines.iter().enumerate() {
            if outline.nearest.squared < best.1.squared {
                best = (b, outline.nearest);
            }
        }
        best
    }
}

/// The bounding box of some rows.
fn bounds(ids: &[u32], x: ArrayView2<'_, f64>) -> (Vec<f64>, Vec<f64>) {
    let columns = x.axis_iter(Axis(1)).map(|feature| {
        ids.iter()
            .map(|&i| feature[i as usize])
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            })
    });
    columns.unzip()
}

/// Halve the objects along their widest feature until the groups are small.
fn split_in_space(ids: &mut [u32], x: ArrayView2<'_, f64>, groups: &mut Vec<Vec<u32>>) {
    if ids.len() <= BLOCK {
        if !ids.is_empty() {
            groups.push(ids.to_vec());
        }
        return;
    }
    let (low, high) = bounds(ids, x);
    let widths = low.iter().zip(&high).map(|(low, high)| high - low).enumerate();
    let widest = widths.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(feature, _)| feature);
    let feature = x.column(widest);
    let middle = ids.len() / 2;
    ids.select_nth_unstable_by(middle, |&a, &b| {
        feature[a as usize].total_cmp(&feature[b as usize])
    });
    let (left, right) = ids.split_at_mut(middle);
    split_in_space(left, x, groups);
    split_in_space(right, x, groups);
}

/// Spanning tree of a symmetric matrix of distances, read in place: O(N^2) time, O(N) memory.
///
/// Infinite distances are absent edges: then the result is a forest.
pub fn of_matrix(d: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Vec<Edge>> {
    let n = check_count(d.nrows())? as usize;
    let (mut best, mut from) = (vec![f64::INFINITY; n], vec![0; n]);
    let mut edges = Vec::with_capacity(n.saturating_sub(1));
    let mut newest = 0;
    for step in 0..n {
        if step % (TICK_WORK / n.max(1)).max(1) == 0 {
            context.control.tick()?;
        }
        best[newest] = f64::NEG_INFINITY;
        match d.row(newest).to_slice() {
            Some(row) => keep_smaller(row, &mut best, &mut from, newest as u32),
            None => keep_smaller(&d.row(newest).to_vec(), &mut best, &mut from, newest as u32),
        }
        let (smallest, _) = extremes(&best);
        // Without an open object the search fails, after the last step; without an edge to one,
        // the next component begins.
        newest = best.iter().position(|&value| value == smallest).unwrap_or(0);
        if smallest < f64::INFINITY {
            edges.push(Edge { ends: [from[newest], newest as u32], weight: smallest });
        }
    }
    Ok(edges)
}

/// Spanning forest of a sparse graph given by its edges (Kruskal).
pub fn of_graph(n: usize, mut edges: Vec<Edge>, context: Context<'_>) -> Result<Vec<Edge>> {
    check_count(n)?;
    edges.sort_by(|a, b| a.weight.total_cmp(&b.weight).then(a.ends.cmp(&b.ends)));
    let mut sets = UnionFind::new(n);
    let mut kept = Vec::with_capacity(n.saturating_sub(1));
    for (step, edge) in edges.into_iter().enumerate() {
        if step % 65_536 == 0 {
            context.control.tick()?;
        }
        if sets.join(edge.ends[0], edge.ends[1]) {
            kept.push(edge);
        }
    }
    Ok(kept)
}
