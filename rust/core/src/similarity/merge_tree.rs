//! The single-linkage tree: minimax distances are the heights of lowest common ancestors.

use ndarray::Array2;

use super::fill_blocks;
use super::spanning_tree::Edge;
use crate::error::{Error, Result};
use crate::workers::Context;

/// A binary tree over N objects; nodes 0..N are the objects, node N + t is the t-th merger.
///
/// Children have smaller numbers than their parent; the last node is the root.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeTree {
    n: usize,
    /// The two nodes joined by each merger.
    pub children: Vec<[u32; 2]>,
    /// The distance of each merger, not decreasing; infinite between components.
    pub heights: Vec<f64>,
}

impl MergeTree {
    /// The mergers of a spanning tree or forest of `n` objects.
    pub fn new(n: usize, mut edges: Vec<Edge>) -> Result<Self> {
        if n == 0 {
            return Err(Error::invalid("X", "has no rows", "at least one is needed"));
        }
        edges.sort_by(|a, b| a.weight.total_cmp(&b.weight));
        let mut sets = UnionFind::new(n);
        let mut node: Vec<u32> = (0..n as u32).collect();
        let (mut children, mut heights) = (Vec::with_capacity(n - 1), Vec::with_capacity(n - 1));
        // Objects joined to object 0 at infinity: a no-op within its component.
        let rest = (1..n as u32).map(|i| Edge { ends: [0, i], weight: f64::INFINITY });
        for edge in edges.into_iter().chain(rest) {
            let [a, b] = edge.ends.map(|i| sets.find(i));
            if sets.join(a, b) {
                children.push([node[a as usize], node[b as usize]]);
                heights.push(edge.weight);
                node[sets.find(a) as usize] = (n + children.len() - 1) as u32;
            }
        }
        Ok(Self { n, children, heights })
    }

    /// Number of objects.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there are no objects; never true.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The largest finite height; 0 where there is none.
    pub fn largest(&self) -> f64 {
        self.heights.iter().copied().filter(|h| h.is_finite()).fold(0.0, f64::max)
    }

    /// The objects from left to right, and the heights at which neighbors meet.
    pub fn leaves(&self) -> (Vec<u32>, Vec<f64>) {
        let (mut order, mut gaps) = (Vec::with_capacity(self.n), Vec::with_capacity(self.n));
        // A node to visit, or the height between its two sides once the left one is done.
        let mut stack = vec![Ok((2 * self.n - 2) as u32)];
        while let Some(next) = stack.pop() {
            match next {
                Ok(leaf) if (leaf as usize) < self.n => order.push(leaf),
                Ok(node) => {
                    let merger = node as usize - self.n;
                    let [left, right] = self.children[merger];
                    stack.extend([Ok(right), Err(self.heights[merger]), Ok(left)]);
                }
                Err(height) => gaps.push(height),
            }
        }
        (order, gaps)
    }

    /// All minimax distances (N x N).
    ///
    /// From left to right along the leaves, the distance to a given one is the running maximum of
    /// the heights between neighbors.
    pub fn minimax(&self, context: Context<'_>) -> Result<Array2<f64>> {
        let (order, gaps) = self.leaves();
        let mut place = vec![0; self.n];
        order.iter().enumerate().for_each(|(at, &leaf)| place[leaf as usize] = at);
        let mut out = Array2::zeros((self.n, self.n));
        fill_blocks(&mut out, 4 * self.n, context, |rows, mut part| {
            for (mut line, i) in part.outer_iter_mut().zip(rows) {
                let Some(line) = line.as_slice_mut() else { continue };
                let at = place[i];
                let mut height = 0.0_f64;
                for (gap, &leaf) in gaps[at..].iter().zip(&order[at + 1..]) {
                    height = if *gap > height { *gap } else { height };
                    line[leaf as usize] = height;
                }
                height = 0.0;
                for (gap, &leaf) in gaps[..at].iter().zip(&order[..at]).rev() {
                    height = if *gap > height { *gap } else { height };
                    line[leaf as usize] = height;
                }
            }
        })?;
        Ok(out)
    }
}

/// Disjoint sets of 0..n.
#[derive(Debug, Clone)]
pub struct UnionFind {
    parent: Vec<u32>,
    size: Vec<u32>,
}

impl UnionFind {
    /// Every object in a set of its own.
    pub fn new(n: usize) -> Self {
        Self { parent: (0..n as u32).collect(), size: vec![1; n] }
    }

    /// The representative of the set of `i`.
    pub fn find(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let above = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = above;
            i = above;
        }
        i
    }

    /// Unite the sets of `a` and `b`; false where they were one already.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a) as usize, self.find(b) as usize);
        if a == b {
            return false;
        }
        let (large, small) = if self.size[a] >= self.size[b] { (a, b) } else { (b, a) };
        self.parent[small] = large as u32;
        self.size[large] += self.size[small];
        true
    }
}
