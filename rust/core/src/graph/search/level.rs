//! A weighted network of nodes with sizes: the objects themselves, or groups of them.

use std::borrow::Cow;

use crate::similarity::add_scaled;

/// Who is linked to whom, and how strongly; both directions of a link are stored.
pub(super) enum Links<'a> {
    /// Compressed rows.
    Sparse { starts: Cow<'a, [usize]>, columns: Cow<'a, [u32]>, values: Cow<'a, [f64]> },
    /// All pairs, row by row.
    Dense { n: usize, values: Cow<'a, [f64]> },
}

/// Nodes to be moved between clusters.
///
/// Joining node i and cluster c gains sign (sum_{j in c} w_ij) + bond n_i n_c: the shift s of all
/// similarities is a matter of sizes, with bond = sign s. In the words of the constant Potts model
/// -bond is the resolution.
pub(super) struct Level<'a> {
    links: Links<'a>,
    /// Objects in every node.
    pub(super) sizes: Vec<f64>,
    /// 1, or -1 where alike objects are to be put apart.
    pub(super) sign: f64,
    /// Links of a node, on average.
    mean_links: usize,
    /// What every pair of objects gains by being together.
    pub(super) bond: f64,
}

impl<'a> Level<'a> {
    /// The level whose nodes are single objects.
    pub(super) fn objects(links: Links<'a>, sign: f64, shift: f64) -> Self {
        let n = match &links {
            Links::Sparse { starts, .. } => starts.len() - 1,
            Links::Dense { n, .. } => *n,
        };
        Self::new(links, vec![1.0; n], sign, sign * shift)
    }

    fn new(links: Links<'a>, sizes: Vec<f64>, sign: f64, bond: f64) -> Self {
        // Counted, not read off: a matrix and its entries in compressed rows must be treated alike.
        let values = match &links {
            Links::Sparse { values, .. } | Links::Dense { values, .. } => values,
        };
        let count = values.iter().map(|&w| usize::from(w != 0.0)).sum::<usize>();
        Self { mean_links: count / sizes.len().max(1), links, sizes, sign, bond }
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Links of a node, on average.
    pub(super) fn mean_links(&self) -> usize {
        self.mean_links
    }

    /// Whether all pairs are stored.
    pub(super) fn is_dense(&self) -> bool {
        matches!(self.links, Links::Dense { .. })
    }

    /// Call `each(j, w_ij)` for the stored links of node `i` but its own, j rising.
    #[inline]
    pub(super) fn links(&self, i: usize, mut each: impl FnMut(usize, f64)) {
        match &self.links {
            Links::Sparse { starts, columns, values } => {
                let range = starts[i]..starts[i + 1];
                for (&j, &w) in columns[range.clone()].iter().zip(&values[range]) {
                    if j as usize != i {
                        each(j as usize, w);
                    }
                }
            }
            Links::Dense { n, values } => {
                let row = &values[i * n..(i + 1) * n];
                for (j, &w) in row[..i].iter().enumerate() {
                    each(j, w);
                }
                for (j, &w) in row[i + 1..].iter().enumerate() {
                    each(i + 1 + j, w);
                }
            }
        }
    }

    /// Add `factor` times the links of node `i` to `out`; its own place stays as it is.
    pub(super) fn add_links(&self, i: usize, factor: f64, out: &mut [f64]) {
        match &self.links {
            Links::Dense { n, values } => {
                let row = &values[i * n..(i + 1) * n];
                let (before, after) = out.split_at_mut(i);
                add_scaled(before, &row[..i], factor);
                add_scaled(&mut after[1..], &row[i + 1..], factor);
            }
            Links::Sparse { .. } => self.links(i, |j, w| out[j] += factor * w),
        }
    }

    /// Call `each(j, w_ij)` for the links of node `i` to others among `members`, which rise.
    ///
    /// `belongs` tells the members from the others.
    #[inline]
    pub(super) fn links_among(
        &self,
        i: usize,
        members: &[u32],
        belongs: impl Fn(usize) -> bool,
        mut each: impl FnMut(usize, f64),
    ) {
        if let Links::Dense { n, values } = &self.links {
            let row = &values[i * n..(i + 1) * n];
            for j in members.iter().map(|&j| j as usize).filter(|&j| j != i) {
                each(j, row[j]);
            }
        } else {
            self.links(i, |j, w| {
                if belongs(j) {
                    each(j, w);
                }
            });
        }
    }

    /// What two groups gain by being one, given the sum of the links between them.
    #[inline]
    pub(super) fn gain(&self, links: f64, size: f64, other: f64) -> f64 {
        self.sign * links + self.bond * size * other
    }

    /// The network of `count` groups: node i becomes part of node `groups[i]`.
    pub(super) fn aggregate(&self, groups: &[u32], count: usize) -> Level<'static> {
        let (starts, members) = buckets(groups, count);
        let mut sizes = vec![0.0; count];
        groups.iter().zip(&self.sizes).for_each(|(&g, size)| sizes[g as usize] += size);
        let links = if self.is_dense() {
            let mut values = vec![0.0; count * count];
            for (g, row) in values.chunks_exact_mut(count).enumerate() {
                for &i in &members[starts[g]..starts[g + 1]] {
                    self.links(i as usize, |j, w| row[groups[j] as usize] += w);
                }
                row[g] = 0.0;
            }
            Links::Dense { n: count, values: values.into() }
        } else {
            self.aggregate_sparse(groups, &starts, &members)
        };
        Level::new(links, sizes, self.sign, self.bond)
    }

    fn aggregate_sparse(
        &self,
        groups: &[u32],
        starts: &[usize],
        members: &[u32],
    ) -> Links<'static> {
        let count = starts.len() - 1;
        let (mut sums, mut seen, mut touched) = (vec![0.0; count], vec![false; count], Vec::new());
        let (mut ends, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for g in 0..count {
            for &i in &members[starts[g]..starts[g + 1]] {
                self.links(i as usize, |j, w| {
                    let other = groups[j];
                    sums[other as usize] += w;
                    if !seen[other as usize] {
                        seen[other as usize] = true;
                        touched.push(other);
                    }
                });
            }
            // Rising columns: sums then come out the same as those of a stored matrix.
            touched.sort_unstable();
            for other in touched.drain(..) {
                let sum = std::mem::take(&mut sums[other as usize]);
                seen[other as usize] = false;
                if other as usize != g && sum != 0.0 {
                    columns.push(other);
                    values.push(sum);
                }
            }
            ends.push(columns.len());
        }
        Links::Sparse { starts: ends.into(), columns: columns.into(), values: values.into() }
    }

    /// R of a labeling of the nodes, of which single nodes are no part.
    pub(super) fn energy(&self, labels: &[u32]) -> f64 {
        let count = labels.iter().max().map_or(0, |&most| most as usize + 1);
        let (mut within, mut sizes, mut squares) = (0.0, vec![0.0; count], vec![0.0; count]);
        for (i, &label) in labels.iter().enumerate() {
            self.links(i, |j, w| within += if labels[j] == label { w } else { 0.0 });
            sizes[label as usize] += self.sizes[i];
            squares[label as usize] += self.sizes[i] * self.sizes[i];
        }
        let pairs: f64 =
            sizes.iter().zip(&squares).map(|(size, square)| size * size - square).sum();
        -0.5 * (self.sign * within + self.bond * pairs)
    }
}

/// Nodes sorted by group, in rising order within each: where groups begin, and the nodes.
pub(super) fn buckets(groups: &[u32], count: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; count + 1];
    for &g in groups {
        starts[g as usize + 1] += 1;
    }
    (0..count).for_each(|g| starts[g + 1] += starts[g]);
    let (mut next, mut members) = (starts.clone(), vec![0; groups.len()]);
    for (i, &g) in groups.iter().enumerate() {
        members[next[g as usize]] = i as u32;
        next[g as usize] += 1;
    }
    (starts, members)
}
