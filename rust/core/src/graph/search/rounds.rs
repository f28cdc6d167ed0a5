//! Rounds of moving, refining and aggregating (after Traag, Waltman and van Eck, From Louvain to
//! Leiden: guaranteeing well-connected communities, 2019).

use rand_chacha::ChaCha8Rng;

use super::level::Level;
use super::merging::merge_down;
use super::moving::settle;
use super::partition::{Partition, compact};
use super::refine::refine;
use crate::control::Control;
use crate::error::Result;

/// Rounds after which a search is called off.
const MAX_ROUNDS: usize = 100;

/// A round that lowers R by less than this share of it is the last: another start gains more.
const STABLE: f64 = 5e-4;

/// Improve `partition` of the objects by whole rounds; at most `cap` clusters.
///
/// R never rises. Returns the number of rounds.
pub(super) fn improve(
    objects: &Level<'_>,
    partition: &mut Partition,
    cap: usize,
    rng: &mut ChaCha8Rng,
    control: &Control,
) -> Result<usize> {
    for count in 1..=MAX_ROUNDS {
        let before = partition.energy;
        round(objects, partition, cap, rng, control)?;
        control.advance(f64::NAN, partition.energy);
        if before - partition.energy <= STABLE * partition.energy.abs() {
            return Ok(count);
        }
    }
    Ok(MAX_ROUNDS)
}

/// Move objects, then groups of them, then groups of groups, until nothing can be grouped further.
fn round(
    objects: &Level<'_>,
    partition: &mut Partition,
    cap: usize,
    rng: &mut ChaCha8Rng,
    control: &Control,
) -> Result<()> {
    settle(objects, partition, cap, rng, control)?;
    let mut places: Vec<u32> = (0..objects.len() as u32).collect();
    let (mut coarse, mut current) = (None::<Level<'static>>, partition.clone());
    loop {
        let level = coarse.as_ref().unwrap_or(objects);
        if current.used() == level.len() {
            break;
        }
        let (groups, count) = refine(level, &current, rng, control)?;
        if count == level.len() {
            break;
        }
        let mut labels = vec![0; count];
        groups.iter().zip(&current.labels).for_each(|(&g, &label)| labels[g as usize] = label);
        for place in &mut places {
            *place = groups[*place as usize];
        }
        let next = level.aggregate(&groups, count);
        current = Partition::new(&next, labels, current.energy);
        settle(&next, &mut current, cap, rng, control)?;
        coarse = Some(next);
    }
    let labels = places.iter().map(|&place| current.labels[place as usize]).collect();
    *partition = Partition::new(objects, labels, current.energy);
    Ok(())
}

/// Move single objects until none at all gains by it, and let clusters that have fallen apart go.
///
/// [`settle`] alone looks again only at the neighbors of what moved; sizes changed for all.
pub(super) fn finish(
    objects: &Level<'_>,
    partition: &mut Partition,
    cap: usize,
    rng: &mut ChaCha8Rng,
    control: &Control,
) -> Result<()> {
    for _ in 0..MAX_ROUNDS {
        let moves = settle(objects, partition, cap, rng, control)?;
        let splits = split(objects, partition, cap);
        if moves == 0 && !splits {
            break;
        }
    }
    Ok(())
}

/// Merge clusters until there are at most `cap`.
pub(super) fn limit(
    objects: &Level<'_>,
    partition: &mut Partition,
    cap: usize,
    control: &Control,
) -> Result<()> {
    if partition.used() <= cap {
        return Ok(());
    }
    let (labels, count) = compact(std::mem::take(&mut partition.labels));
    let groups = merge_down(&objects.aggregate(&labels, count), cap, control)?;
    let labels: Vec<u32> = labels.iter().map(|&label| groups[label as usize]).collect();
    let energy = objects.energy(&labels);
    *partition = Partition::new(objects, labels, energy);
    Ok(())
}

/// Make clusters of the parts of clusters that no link connects, as far as `cap` allows.
///
/// Where size does not attract this costs nothing, and mostly gains.
fn split(objects: &Level<'_>, partition: &mut Partition, cap: usize) -> bool {
    if objects.bond > 0.0 || objects.sign < 0.0 || partition.used() >= cap {
        return false;
    }
    let (parts, count) = components(objects, &partition.labels);
    if count == partition.used() || count > cap {
        return false;
    }
    let energy = objects.energy(&parts);
    *partition = Partition::new(objects, parts, energy);
    true
}

/// The connected parts of all clusters, and how many there are.
fn components(objects: &Level<'_>, labels: &[u32]) -> (Vec<u32>, usize) {
    let (mut parts, mut stack, mut count) = (vec![u32::MAX; labels.len()], Vec::new(), 0);
    for start in 0..labels.len() {
        if parts[start] != u32::MAX {
            continue;
        }
        parts[start] = count;
        stack.push(start);
        while let Some(i) = stack.pop() {
            objects.links(i, |j, w| {
                if w != 0.0 && labels[j] == labels[i] && parts[j] == u32::MAX {
                    parts[j] = count;
                    stack.push(j);
                }
            });
        }
        count += 1;
    }
    (parts, count as usize)
}
