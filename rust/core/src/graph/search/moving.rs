//! Local moving: nodes whose surroundings changed are looked at again, until none gains by a move.

use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};

use rand_chacha::ChaCha8Rng;

use super::level::Level;
use super::partition::Partition;
use crate::control::Control;
use crate::error::Result;
use crate::similarity::permutation;

/// Gains within this share of the terms they are made of are ties, and ties stay.
const ROUNDING: f64 = 1e-12;

/// Sums of links are kept for all nodes where there are at most this many clusters, and
const KEPT_CLUSTERS: usize = 64;
/// at least this many links of a node to every cluster: they cost less than counting anew then.
const KEPT_LINKS: usize = 4;

/// Links looked at between two looks at the switches: well below 20 ms.
const TICK_WORK: usize = 1 << 18;

/// Move nodes to the clusters where they gain most; at most `cap` clusters.
///
/// All nodes wait in random order. One that moves sends its neighbors outside its new cluster to the
/// end of the line again. Returns the number of moves.
pub(super) fn settle(
    level: &Level<'_>,
    partition: &mut Partition,
    cap: usize,
    rng: &mut ChaCha8Rng,
    control: &Control,
) -> Result<usize> {
    let mut line: VecDeque<usize> = permutation(level.len(), rng).into();
    let mut waits = vec![true; level.len()];
    let mut mover = Mover::new(level, partition, cap);
    let pause = (TICK_WORK / level.mean_links().max(1)).max(1);
    let (mut visits, mut moves) = (0_usize, 0);
    while let Some(i) = line.pop_front() {
        if visits.is_multiple_of(pause) {
            control.tick()?;
        }
        visits += 1;
        waits[i] = false;
        let Some((target, gain)) = mover.choose(i, partition) else { continue };
        mover.relocate(i, target, gain, partition);
        moves += 1;
        level.links(i, |j, w| {
            if !waits[j] && w != 0.0 && partition.labels[j] != target {
                waits[j] = true;
                line.push_back(j);
            }
        });
    }
    Ok(moves)
}

/// Finds the best cluster of a node.
struct Mover<'l> {
    level: &'l Level<'l>,
    cap: usize,
    /// Sums of the links to every cluster, zero between two visits.
    sums: Vec<f64>,
    touched: Vec<u32>,
    /// Sums of the links from every cluster to every node, where they are kept.
    kept: Option<Vec<Vec<f64>>>,
    strangers: Option<BTreeSet<Key>>,
}

/// Clusters in the order in which a node without links to them prefers them.
type Key = (Reverse<Preference>, u32);

/// Sizes as ordered integers, negated where small clusters are preferred.
type Preference = i64;

impl<'l> Mover<'l> {
    fn new(level: &'l Level<'l>, partition: &Partition, cap: usize) -> Self {
        // Clusters without a link to a node are of interest to it only if size attracts, or if it
        // may be driven out but there is no empty cluster to go to.
        let wanted = level.bond > 0.0 || cap < level.len();
        let mut mover = Self {
            level,
            cap,
            sums: vec![0.0; partition.sizes.len()],
            touched: Vec::new(),
            kept: kept(level, partition),
            strangers: None,
        };
        if wanted {
            let held = (0..partition.sizes.len()).filter(|&c| partition.counts[c] > 0);
            let keys = held.map(|c| mover.key(c as u32, partition.sizes[c])).collect();
            mover.strangers = Some(keys);
        }
        mover
    }

    fn key(&self, cluster: u32, size: f64) -> Key {
        // Sizes are whole numbers below 2^53.
        let size = size as i64;
        (Reverse(if self.level.bond > 0.0 { size } else { -size }), cluster)
    }

    /// The cluster that node `i` gains most by, if it gains by moving at all.
    fn choose(&mut self, i: usize, partition: &Partition) -> Option<(u32, f64)> {
        self.gather(i, partition);
        let (own, size) = (partition.labels[i], self.level.sizes[i]);
        let rest = partition.sizes[own as usize] - size;
        let links = self.sums[own as usize];
        let stay = self.level.gain(links, size, rest);
        let mut best = (own, stay, links.abs() + (self.level.bond * size * rest).abs());
        let consider = |best: &mut (u32, f64, f64), cluster: u32, links: f64| {
            let other = partition.sizes[cluster as usize];
            let gain = self.level.gain(links, size, other);
            // The lower number of equals, so that the order of links plays no part.
            if gain > best.1 || (gain == best.1 && best.0 != own && cluster < best.0) {
                *best = (cluster, gain, links.abs() + (self.level.bond * size * other).abs());
            }
        };
        let alone = partition.counts[own as usize] == 1;
        if !alone && stay < 0.0 && partition.used() < self.cap {
            best = (partition.vacant(), 0.0, 0.0);
        }
        for &cluster in self.touched.iter().filter(|&&c| c != own) {
            let links = self.sums[cluster as usize];
            if links != 0.0 {
                consider(&mut best, cluster, links);
            }
        }
        if let Some(cluster) = self.stranger(own) {
            consider(&mut best, cluster, 0.0);
        }
        let scale = best.2 + links.abs() + (self.level.bond * size * rest).abs();
        self.clear();
        let gain = best.1 - stay;
        (best.0 != own && gain > ROUNDING * scale).then_some((best.0, gain))
    }

    fn gather(&mut self, i: usize, partition: &Partition) {
        let labels = &partition.labels[..];
        if self.sums.len() < partition.sizes.len() + 1 {
            self.sums.resize(partition.sizes.len() + 1, 0.0);
        }
        let (sums, touched) = (&mut self.sums[..], &mut self.touched);
        if let Some(kept) = &self.kept {
            kept.iter().zip(sums).for_each(|(line, sum)| *sum = line[i]);
            touched.extend(0..partition.sizes.len() as u32);
        } else if self.level.is_dense() {
            self.level.links(i, |j, w| sums[labels[j] as usize] += w);
            touched.extend(0..partition.sizes.len() as u32);
        } else {
            self.level.links(i, |j, w| {
                let sum = &mut sums[labels[j] as usize];
                if *sum == 0.0 {
                    touched.push(labels[j]);
                }
                *sum += w;
            });
        }
    }

    fn clear(&mut self) {
        self.touched.drain(..).for_each(|cluster| self.sums[cluster as usize] = 0.0);
    }

    /// The best cluster without a link to the node that was gathered.
    fn stranger(&self, own: u32) -> Option<u32> {
        let open = |cluster: &u32| *cluster != own && self.sums[*cluster as usize] == 0.0;
        self.strangers.as_ref()?.iter().map(|key| key.1).find(open)
    }

    fn relocate(&mut self, i: usize, target: u32, gain: f64, partition: &mut Partition) {
        let ends = [partition.labels[i], target];
        let keys = |mover: &Self, partition: &Partition| {
            let held = |c: &u32| partition.counts.get(*c as usize).is_some_and(|&count| count > 0);
            ends.into_iter()
                .filter(held)
                .map(|c| mover.key(c, partition.sizes[c as usize]))
                .collect::<Vec<_>>()
        };
        if let Some(kept) = &mut self.kept {
            kept.resize_with((target as usize + 1).max(kept.len()), || vec![0.0; self.level.len()]);
            self.level.add_links(i, -1.0, &mut kept[ends[0] as usize]);
            self.level.add_links(i, 1.0, &mut kept[target as usize]);
        }
        let before = self.strangers.is_some().then(|| keys(self, partition));
        partition.relocate(i, self.level.sizes[i], target, gain);
        if let Some(before) = before {
            let after = keys(self, partition);
            if let Some(strangers) = &mut self.strangers {
                for key in &before {
                    strangers.remove(key);
                }
                strangers.extend(after);
            }
        }
    }
}

/// The sums of links from every cluster to every node, where it pays to keep them.
fn kept(level: &Level<'_>, partition: &Partition) -> Option<Vec<Vec<f64>>> {
    let (n, count) = (level.len(), partition.sizes.len());
    if count > KEPT_CLUSTERS || KEPT_LINKS * count > level.mean_links() {
        return None;
    }
    let mut lines = vec![vec![0.0; n]; count];
    for (i, &label) in partition.labels.iter().enumerate() {
        level.add_links(i, 1.0, &mut lines[label as usize]);
    }
    Some(lines)
}
