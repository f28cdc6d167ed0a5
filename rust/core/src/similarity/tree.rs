//! Path-based similarities: the value at the lowest common ancestor in the single-linkage tree.

use ndarray::{Array2, ArrayView2};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::{Fields, MergeTree, Similarity, check_rows};
use crate::error::Result;
use crate::workers::Context;

/// Numbers handled between two ticks.
const TICK_WORK: usize = 1 << 20;

/// S_ij = x(lca(i, j)), x = v - height, S_ii = v with v the largest finite height.
///
/// Objects in different components of a graph have similarity 0.
#[derive(Debug, Clone)]
pub struct Tree {
    children: Vec<[u32; 2]>,
    /// x of every merger.
    values: Vec<f64>,
    /// Node above every node; the root is above itself.
    parents: Vec<u32>,
    offset: f64,
    diagonal: Vec<f64>,
}

impl Tree {
    /// The similarity of the objects of a merge tree.
    pub fn new(tree: MergeTree) -> Self {
        let offset = tree.largest();
        let value = |&height: &f64| if height.is_finite() { offset - height } else { 0.0 };
        let values = tree.heights.iter().map(value).collect();
        Self::of_mergers(tree.children, values, offset)
    }

    /// The mergers in the order of falling `values`, numbered as in [`MergeTree`].
    pub fn of_mergers(children: Vec<[u32; 2]>, values: Vec<f64>, offset: f64) -> Self {
        let n = children.len() + 1;
        let mut parents = vec![(2 * n - 2) as u32; 2 * n - 1];
        for (merger, pair) in children.iter().enumerate() {
            for &child in pair {
                parents[child as usize] = (n + merger) as u32;
            }
        }
        Self { children, values, parents, offset, diagonal: vec![offset; n] }
    }

    /// What [`Tree::of_mergers`] makes the same similarity of, the offset left out.
    pub fn mergers(&self) -> (&[[u32; 2]], &[f64]) {
        (&self.children, &self.values)
    }

    /// The similarities among the objects `index`, which are all different.
    ///
    /// A merger stays where it joins two of them; the paths may still lead through the others.
    #[must_use]
    pub fn take(&self, index: &[usize]) -> Self {
        let mut node = vec![None; self.parents.len()];
        index.iter().enumerate().for_each(|(new, &old)| node[old] = Some(new as u32));
        let (mut children, mut values) = (vec![], vec![]);
        for (merger, &[left, right]) in self.children.iter().enumerate() {
            let sides = [node[left as usize], node[right as usize]];
            node[self.len() + merger] = if let [Some(left), Some(right)] = sides {
                children.push([left, right]);
                values.push(self.values[merger]);
                Some((index.len() + children.len() - 1) as u32)
            } else {
                sides[0].or(sides[1])
            };
        }
        Self::of_mergers(children, values, self.offset)
    }

    /// v, the similarity of an object to itself.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    fn root(&self) -> usize {
        2 * self.len() - 2
    }

    /// Sums of q over the objects below every node, bottom-up; K per node.
    fn sums(&self, q: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Vec<f64>> {
        check_rows(q, self.len())?;
        let k = q.ncols();
        let mut sums = Vec::with_capacity((2 * self.len() - 1) * k);
        sums.extend(q.iter());
        let every = (TICK_WORK / k.max(1)).max(1);
        for (merger, &[left, right]) in self.children.iter().enumerate() {
            if merger % every == 0 {
                context.control.tick()?;
            }
            for slot in 0..k {
                sums.push(sums[left as usize * k + slot] + sums[right as usize * k + slot]);
            }
        }
        Ok(sums)
    }
}

impl Similarity for Tree {
    fn len(&self) -> usize {
        self.diagonal.len()
    }

    fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Bottom-up sums, then top-down acc[child] = acc[parent] + x[parent] sum[sibling], in place.
    fn matmul(&self, q: ArrayView2<'_, f64>, context: Context<'_>) -> Result<Array2<f64>> {
        let (n, k) = q.dim();
        let mut acc = self.sums(q, context)?;
        acc.iter_mut().rev().take(k).for_each(|root| *root = 0.0);
        let every = (TICK_WORK / k.max(1)).max(1);
        for (merger, &[left, right]) in self.children.iter().enumerate().rev() {
            if merger % every == 0 {
                context.control.tick()?;
            }
            let value = self.values[merger];
            for slot in 0..k {
                let above = acc[(n + merger) * k + slot];
                let (l, r) = (left as usize * k + slot, right as usize * k + slot);
                (acc[l], acc[r]) = (above + value * acc[r], above + value * acc[l]);
            }
        }
        acc.truncate(n * k);
        let mut out = Array2::zeros((n, k));
        out.iter_mut().zip(&acc).zip(q).for_each(|((o, a), q)| *o = a + self.offset * q);
        Ok(out)
    }

    fn fields<'a>(
        &'a self,
        q: ArrayView2<'_, f64>,
        context: Context<'_>,
    ) -> Result<Box<dyn Fields + 'a>> {
        Ok(Box::new(TreeFields {
            tree: self,
            k: q.ncols(),
            sums: self.sums(q, context)?,
            swapped: vec![false; self.children.len()],
            walk: Vec::new(),
            acc: Vec::new(),
            leaf: None,
        }))
    }
}

/// A node on the way from the root to the current leaf.
struct Frame {
    node: u32,
    /// How many of its sides have been entered; for a leaf, whether it has been visited.
    entered: u8,
}

/// A walk through the tree, depth first: an exact Gauss-Seidel sweep in O(K) per object.
///
/// On the way down acc collects x sum[sibling], with the sums of the sides already visited renewed;
/// on the way up the sums are renewed. Objects asked for in any other order are served as well, at
/// the cost of the way to the root.
struct TreeFields<'a> {
    tree: &'a Tree,
    k: usize,
    sums: Vec<f64>,
    /// Whether the right side of a merger comes first in this sweep.
    swapped: Vec<bool>,
    walk: Vec<Frame>,
    /// K numbers for each frame of the walk.
    acc: Vec<f64>,
    /// The leaf at the end of the walk.
    leaf: Option<usize>,
}

impl TreeFields<'_> {
    /// The sides of a merger in the order of this sweep.
    fn sides(&self, merger: usize) -> [u32; 2] {
        let [left, right] = self.tree.children[merger];
        if self.swapped[merger] { [right, left] } else { [left, right] }
    }

    fn renew(&mut self, node: usize) {
        let [left, right] = self.tree.children[node - self.tree.len()];
        for slot in 0..self.k {
            self.sums[node * self.k + slot] = self.sums[left as usize * self.k + slot]
                + self.sums[right as usize * self.k + slot];
        }
    }

    /// Go on to the next leaf of the walk.
    fn advance(&mut self) -> Option<usize> {
        let (n, k) = (self.tree.len(), self.k);
        while let Some(frame) = self.walk.last_mut() {
            let (node, entered) = (frame.node as usize, frame.entered);
            frame.entered += 1;
            if node < n && entered == 0 {
                return Some(node);
            }
            if node >= n && entered < 2 {
                let sides = self.sides(node - n);
                let (to, other) = (sides[entered as usize], sides[1 - entered as usize]);
                let (value, base) = (self.tree.values[node - n], self.acc.len() - k);
                for slot in 0..k {
                    let sibling = self.sums[other as usize * k + slot];
                    self.acc.push(self.acc[base + slot] + value * sibling);
                }
                self.walk.push(Frame { node: to, entered: 0 });
                continue;
            }
            if node >= n {
                self.renew(node);
            }
            self.walk.pop();
            self.acc.truncate(self.acc.len() - k);
        }
        None
    }

    /// Leave the walk: renew the sums between the current leaf and the root.
    fn leave(&mut self) {
        while let Some(frame) = self.walk.pop() {
            if frame.node as usize >= self.tree.len() {
                self.renew(frame.node as usize);
            }
        }
        self.acc.clear();
        self.leaf = None;
    }

    /// The field of an object out of order: along its way to the root.
    fn climb(&self, i: usize, out: &mut [f64]) {
        out.fill(0.0);
        let mut node = i;
        while node != self.tree.root() {
            let above = self.tree.parents[node] as usize;
            let merger = above - self.tree.len();
            let [left, right] = self.tree.children[merger];
            let sibling = if left as usize == node { right } else { left } as usize * self.k;
            let sums = &self.sums[sibling..sibling + self.k];
            let value = self.tree.values[merger];
            out.iter_mut().zip(sums).for_each(|(slot, sum)| *slot += value * sum);
            node = above;
        }
    }
}

impl Fields for TreeFields<'_> {
    fn order(&mut self, rng: &mut ChaCha8Rng) -> Vec<usize> {
        self.leave();
        self.swapped.iter_mut().for_each(|swap| *swap = rng.random());
        let n = self.tree.len();
        let (mut order, mut stack) = (Vec::with_capacity(n), vec![self.tree.root()]);
        while let Some(node) = stack.pop() {
            if node < n {
                order.push(node);
            } else {
                let [first, second] = self.sides(node - n);
                stack.extend([second as usize, first as usize]);
            }
        }
        self.walk.push(Frame { node: self.tree.root() as u32, entered: 0 });
        self.acc.resize(self.k, 0.0);
        order
    }

    fn field(&mut self, i: usize, _q: ArrayView2<'_, f64>, out: &mut [f64]) {
        if self.leaf != Some(i) {
            self.leaf = self.advance();
        }
        if self.leaf == Some(i) {
            out.copy_from_slice(&self.acc[self.acc.len() - self.k..]);
        } else {
            self.leave();
            self.climb(i, out);
        }
    }

    fn moved(&mut self, i: usize, delta: &[f64]) {
        let own = self.sums[i * self.k..(i + 1) * self.k].iter_mut();
        own.zip(delta).for_each(|(sum, change)| *sum += change);
        if self.leaf == Some(i) {
            return;
        }
        self.leave();
        let mut node = i;
        while node != self.tree.root() {
            node = self.tree.parents[node] as usize;
            self.renew(node);
        }
    }
}
