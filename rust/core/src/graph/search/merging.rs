//! Fewer clusters: merge the pairs that lose least, until no more than the wanted number are left.

use super::level::Level;
use super::partition::compact;
use crate::control::Control;
use crate::error::Result;

/// Up to this many clusters the best pair of all is merged, one at a time.
const EXACT: usize = 400;

/// Groups of the nodes of `level`, every node of which is a cluster: at most `cap` of them.
pub(super) fn merge_down(level: &Level<'_>, cap: usize, control: &Control) -> Result<Vec<u32>> {
    let mut groups: Vec<u32> = (0..level.len() as u32).collect();
    let mut coarse = None;
    loop {
        control.tick()?;
        let current = coarse.as_ref().unwrap_or(level);
        if current.len() <= cap {
            return Ok(groups);
        }
        let merged = if current.len() > EXACT {
            merge_many(current, cap)
        } else {
            merge_exactly(current, cap, control)?
        };
        let (merged, count) = compact(merged);
        for group in &mut groups {
            *group = merged[*group as usize];
        }
        coarse = Some(current.aggregate(&merged, count));
    }
}

/// Merge disjoint pairs, those that lose least first: at most a quarter of all clusters.
fn merge_many(level: &Level<'_>, cap: usize) -> Vec<u32> {
    let n = level.len();
    let mut by_size: Vec<usize> = (0..n).collect();
    by_size.sort_by(|&a, &b| level.sizes[a].total_cmp(&level.sizes[b]).then(a.cmp(&b)));
    if level.bond > 0.0 {
        by_size.reverse();
    }
    let mut offers: Vec<(f64, usize, usize)> = Vec::with_capacity(2 * n);
    for i in 0..n {
        let mut best: Option<(f64, usize)> = None;
        level.links(i, |j, w| {
            let gain = level.gain(w, level.sizes[i], level.sizes[j]);
            if best.is_none_or(|(most, other)| gain > most || (gain == most && j < other)) {
                best = Some((gain, j));
            }
        });
        offers.extend(best.map(|(gain, j)| (gain, i, j)));
    }
    // Pairs without a link: neighbors in the order of sizes, where shifts matter least.
    offers.extend(by_size.chunks_exact(2).map(|pair| {
        let (i, j) = (pair[0], pair[1]);
        let mut links = 0.0;
        level.links(i, |other, w| links += if other == j { w } else { 0.0 });
        (level.gain(links, level.sizes[i], level.sizes[j]), i, j)
    }));
    offers.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut left = (n - cap).min(n.div_ceil(4));
    let (mut groups, mut taken): (Vec<u32>, _) = ((0..n as u32).collect(), vec![false; n]);
    for (_, i, j) in offers {
        if left == 0 {
            break;
        }
        if !taken[i] && !taken[j] {
            (taken[i], taken[j]) = (true, true);
            groups[j] = i as u32;
            left -= 1;
        }
    }
    groups
}

/// Merge the best pair of all, again and again.
fn merge_exactly(level: &Level<'_>, cap: usize, control: &Control) -> Result<Vec<u32>> {
    let n = level.len();
    let (mut links, mut sizes) = (vec![0.0; n * n], level.sizes.clone());
    for i in 0..n {
        level.links(i, |j, w| links[i * n + j] += w);
    }
    let (mut alive, mut groups): (Vec<usize>, Vec<u32>) =
        ((0..n).collect(), (0..n as u32).collect());
    while alive.len() > cap {
        control.tick()?;
        let mut best = (f64::NEG_INFINITY, 0, 0);
        for (place, &a) in alive.iter().enumerate() {
            for &b in &alive[..place] {
                let gain = level.gain(links[a * n + b], sizes[a], sizes[b]);
                if gain > best.0 {
                    best = (gain, b, a);
                }
            }
        }
        let (_, keep, drop) = best;
        for &c in &alive {
            links[keep * n + c] += links[drop * n + c];
            links[c * n + keep] = links[keep * n + c];
        }
        links[keep * n + keep] = 0.0;
        sizes[keep] += sizes[drop];
        alive.retain(|&c| c != drop);
        groups.iter_mut().filter(|g| **g == drop as u32).for_each(|g| *g = keep as u32);
    }
    Ok(groups)
}
