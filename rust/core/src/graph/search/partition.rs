//! Clusters of the nodes of a level, kept up to date while nodes move.

use std::collections::BTreeSet;

use super::level::Level;

/// A cluster per node. Numbers of clusters that fell empty are given out again.
#[derive(Debug, Clone)]
pub(super) struct Partition {
    /// Cluster of every node.
    pub(super) labels: Vec<u32>,
    /// Objects in every cluster.
    pub(super) sizes: Vec<f64>,
    /// Nodes in every cluster.
    pub(super) counts: Vec<u32>,
    /// Empty numbers, highest first.
    free: BTreeSet<std::cmp::Reverse<u32>>,
    /// R, followed move by move.
    pub(super) energy: f64,
}

impl Partition {
    /// Every node by itself.
    pub(super) fn singletons(level: &Level<'_>) -> Self {
        let n = level.len();
        Self {
            labels: (0..n as u32).collect(),
            sizes: level.sizes.clone(),
            counts: vec![1; n],
            free: BTreeSet::new(),
            energy: 0.0,
        }
    }

    /// The clusters `labels`, renumbered without gaps in the order of their numbers.
    pub(super) fn new(level: &Level<'_>, labels: Vec<u32>, energy: f64) -> Self {
        let (labels, count) = compact(labels);
        let (mut sizes, mut counts) = (vec![0.0; count], vec![0; count]);
        for (&label, size) in labels.iter().zip(&level.sizes) {
            sizes[label as usize] += size;
            counts[label as usize] += 1;
        }
        Self { labels, sizes, counts, free: BTreeSet::new(), energy }
    }

    /// Clusters that hold a node.
    pub(super) fn used(&self) -> usize {
        self.sizes.len() - self.free.len()
    }

    /// The number that a new cluster would get.
    pub(super) fn vacant(&self) -> u32 {
        self.free.last().map_or(self.sizes.len() as u32, |slot| slot.0)
    }

    /// Move node `i` of `size` to `target`, which may be [`Self::vacant`], and gain by it.
    pub(super) fn relocate(&mut self, i: usize, size: f64, target: u32, gain: f64) {
        let from = std::mem::replace(&mut self.labels[i], target) as usize;
        self.sizes[from] -= size;
        self.counts[from] -= 1;
        if self.counts[from] == 0 {
            self.sizes[from] = 0.0;
            self.free.insert(std::cmp::Reverse(from as u32));
        }
        if target as usize == self.sizes.len() {
            self.sizes.push(0.0);
            self.counts.push(0);
        }
        self.free.remove(&std::cmp::Reverse(target));
        self.sizes[target as usize] += size;
        self.counts[target as usize] += 1;
        self.energy -= gain;
    }
}

/// Labels without gaps, in the same order, and how many there are.
pub(super) fn compact(mut labels: Vec<u32>) -> (Vec<u32>, usize) {
    let most = labels.iter().max().map_or(0, |&most| most as usize + 1);
    let mut number = vec![u32::MAX; most];
    for &label in &labels {
        number[label as usize] = 0;
    }
    let mut count = 0;
    for slot in number.iter_mut().filter(|slot| **slot == 0) {
        *slot = count;
        count += 1;
    }
    for label in &mut labels {
        *label = number[*label as usize];
    }
    (labels, count as usize)
}
