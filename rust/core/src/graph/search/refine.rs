//! Refinement: every cluster is taken apart and rebuilt from its nodes, within its borders.
//!
//! The groups that result are the nodes of the next level. A group grows by single nodes that gain
//! by joining it, so that it holds together by itself: whole groups can leave a cluster that has
//! fallen apart, which single nodes cannot (Traag, Waltman and van Eck 2019).

use rand_chacha::ChaCha8Rng;

use super::level::{Level, buckets};
use super::partition::{Partition, compact};
use crate::control::Control;
use crate::error::Result;
use crate::similarity::permutation;

/// Nodes between two looks at the switches.
const TICK: usize = 1 << 10;

/// Groups within the clusters of `partition`: a group per node, and how many there are.
pub(super) fn refine(
    level: &Level<'_>,
    partition: &Partition,
    rng: &mut ChaCha8Rng,
    control: &Control,
) -> Result<(Vec<u32>, usize)> {
    let mut groups = Groups::new(level, partition, control)?;
    for (count, i) in permutation(level.len(), rng).into_iter().enumerate() {
        if count.is_multiple_of(TICK) {
            control.tick()?;
        }
        groups.join(i);
    }
    Ok(compact(groups.labels))
}

struct Groups<'l> {
    level: &'l Level<'l>,
    partition: &'l Partition,
    starts: Vec<usize>,
    members: Vec<u32>,
    /// A group per node; at first each its own.
    labels: Vec<u32>,
    sizes: Vec<f64>,
    counts: Vec<u32>,
    /// Links from a group to the rest of its cluster.
    borders: Vec<f64>,
    sums: Vec<f64>,
    touched: Vec<u32>,
}

impl<'l> Groups<'l> {
    fn new(level: &'l Level<'l>, partition: &'l Partition, control: &Control) -> Result<Self> {
        let n = level.len();
        let (starts, members) = buckets(&partition.labels, partition.sizes.len());
        let mut groups = Self {
            level,
            partition,
            starts,
            members,
            labels: (0..n as u32).collect(),
            sizes: level.sizes.clone(),
            counts: vec![1; n],
            borders: vec![0.0; n],
            sums: vec![0.0; n],
            touched: Vec::new(),
        };
        for i in 0..n {
            if i.is_multiple_of(TICK) {
                control.tick()?;
            }
            let mut border = 0.0;
            groups.inside(i, |_, w| border += w);
            groups.borders[i] = border;
        }
        Ok(groups)
    }

    /// The links of node `i` within its cluster.
    fn inside(&self, i: usize, each: impl FnMut(usize, f64)) {
        let (labels, own) = (&self.partition.labels, self.partition.labels[i]);
        let range = self.starts[own as usize]..self.starts[own as usize + 1];
        self.level.links_among(i, &self.members[range], |j| labels[j] == own, each);
    }

    /// Whether a group gains by being together with the rest of its cluster.
    fn holds(&self, group: usize, cluster_size: f64) -> bool {
        let size = self.sizes[group];
        self.level.gain(self.borders[group], size, cluster_size - size) >= 0.0
    }

    /// Let node `i`, if it is still alone, join the group that it gains most by.
    fn join(&mut self, i: usize) {
        let cluster_size = self.partition.sizes[self.partition.labels[i] as usize];
        if self.counts[i] != 1 || self.labels[i] as usize != i || !self.holds(i, cluster_size) {
            return;
        }
        let (mut sums, mut touched) =
            (std::mem::take(&mut self.sums), std::mem::take(&mut self.touched));
        self.inside(i, |j, w| {
            let group = self.labels[j];
            if sums[group as usize] == 0.0 {
                touched.push(group);
            }
            sums[group as usize] += w;
        });
        let (mut best, mut most) = (None, 0.0);
        for &group in &touched {
            let links = sums[group as usize];
            let gain = self.level.gain(links, self.sizes[i], self.sizes[group as usize]);
            let tied = gain == most && best.is_some_and(|other| group < other);
            if links != 0.0 && (gain > most || tied) && self.holds(group as usize, cluster_size) {
                (best, most) = (Some(group), gain);
            }
        }
        if let Some(group) = best.map(|group| group as usize) {
            self.borders[group] += self.borders[i] - 2.0 * sums[group];
            self.sizes[group] += self.sizes[i];
            self.counts[group] += 1;
            self.counts[i] = 0;
            self.labels[i] = group as u32;
        }
        touched.drain(..).for_each(|group| sums[group as usize] = 0.0);
        (self.sums, self.touched) = (sums, touched);
    }
}
