//! Which centroids are one effective cluster.

use crate::model::Components;

/// Two equal Gaussians are unimodal below a distance of two standard deviations; 1.5 thermal
/// widths is the factor that finds the planted clusters at the optimal temperature.
const WIDTHS: f64 = 1.5;

/// Group numbers of the components: single linkage at 1.5 / sqrt(2 a beta) for h = a |x - mu|^2.
///
/// Numbers run from 0 in the order in which groups first appear.
pub fn group(model: &Components, beta: f64) -> Vec<usize> {
    let k = model.len();
    let limit = WIDTHS * WIDTHS / (2.0 * model.shape().scale() * beta);
    let mut root: Vec<usize> = (0..k).collect();
    for a in 0..k {
        for b in a + 1..k {
            if model.squared_distance(a, b) < limit {
                let (keep, drop) = (root[a].min(root[b]), root[a].max(root[b]));
                root.iter_mut().filter(|r| **r == drop).for_each(|r| *r = keep);
            }
        }
    }
    let mut order = Vec::new();
    root.iter()
        .map(|r| {
            order.iter().position(|seen| seen == r).unwrap_or_else(|| {
                order.push(*r);
                order.len() - 1
            })
        })
        .collect()
}

/// Groups that hold at least half an object.
pub fn count_groups(groups: &[usize], masses: &[f64]) -> usize {
    let n_groups = groups.iter().max().map_or(0, |last| last + 1);
    let mut held = vec![0.0; n_groups];
    groups.iter().zip(masses).for_each(|(&g, mass)| held[g] += mass);
    held.iter().filter(|mass| **mass >= 0.5).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Shape;
    use ndarray::array;

    #[test]
    fn chains_of_near_centroids_are_one_group() {
        // Thermal width at beta = 0.5 is 1: neighbors closer than 1.5 belong together.
        let means = array![[0.0], [10.0], [1.4], [2.8], [11.6]];
        let model = Components::fixed(means, Shape::Distance);
        assert_eq!(group(&model, 0.5), vec![0, 1, 0, 0, 2]);
        assert_eq!(group(&model, 50.0), vec![0, 1, 2, 3, 4]);
    }

    #[test]
    fn empty_groups_do_not_count() {
        assert_eq!(count_groups(&[0, 1, 1, 2], &[3.0, 0.2, 0.1, 4.0]), 2);
    }
}
