//! Sums over objects that the cost functions are made of, kept up to date while rows of q move.

use ndarray::{Array2, ArrayView2};

/// Clusters with at most this mass are empty (section 1 of the specification).
pub(super) const EMPTY: f64 = 1e-12;

/// One object as its cost function sees it, with the shift already added.
#[derive(Debug, Clone, Copy)]
pub struct Object<'a> {
    /// g_ik = sum_{j != i} S_ij q_jk.
    pub field: &'a [f64],
    /// a_i = S_ii.
    pub own: f64,
    /// d_i = sum_j S_ij.
    pub degree: f64,
}

/// n_k, V_k, A_k and, where a cost function asks for them, L_kl.
#[derive(Debug, Clone, PartialEq)]
pub struct Totals {
    /// n_k = sum_i q_ik.
    pub sizes: Vec<f64>,
    /// V_k = sum_i q_ik d_i.
    pub volumes: Vec<f64>,
    /// A_k = sum_ij q_ik S_ij q_jk.
    pub within: Vec<f64>,
    /// L = q^T S q, row by row; empty unless the cost function needs it.
    pub links: Vec<f64>,
    /// D / N, the mean degree.
    pub mean_degree: f64,
    /// Number of objects N.
    pub n_objects: f64,
}

impl Totals {
    /// The sums for `q`, given `product` = S q and the degrees.
    pub fn new(
        q: ArrayView2<'_, f64>,
        product: &Array2<f64>,
        degrees: &[f64],
        with_links: bool,
    ) -> Self {
        let (n, k) = q.dim();
        let links = if with_links { q.t().dot(product) } else { Array2::zeros((0, 0)) };
        let mut totals = Self {
            sizes: vec![0.0; k],
            volumes: vec![0.0; k],
            within: vec![0.0; k],
            links: links.iter().copied().collect(),
            mean_degree: degrees.iter().sum::<f64>() / n as f64,
            n_objects: n as f64,
        };
        for (i, (row, fields)) in q.rows().into_iter().zip(product.rows()).enumerate() {
            for (c, (&share, field)) in row.iter().zip(fields).enumerate() {
                totals.sizes[c] += share;
                totals.volumes[c] += share * degrees[i];
                totals.within[c] += share * field;
            }
        }
        totals
    }

    /// Number of clusters K.
    pub fn n_clusters(&self) -> usize {
        self.sizes.len()
    }

    /// Take the values of `other` without allocating.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.sizes.copy_from_slice(&other.sizes);
        self.volumes.copy_from_slice(&other.volumes);
        self.within.copy_from_slice(&other.within);
        self.links.copy_from_slice(&other.links);
    }

    /// Remove an object with assignment `row`: A0, V0, n0, L0 of section 2.
    pub fn remove(&mut self, row: &[f64], object: Object<'_>) {
        self.change(row, object, -1.0);
    }

    /// Put an object that is not in the sums into them with assignment `row`.
    pub fn add(&mut self, row: &[f64], object: Object<'_>) {
        self.change(row, object, 1.0);
    }

    fn change(&mut self, row: &[f64], object: Object<'_>, sign: f64) {
        let k = row.len();
        for (c, &share) in row.iter().enumerate() {
            self.sizes[c] += sign * share;
            self.volumes[c] += sign * share * object.degree;
            self.within[c] += sign * share * (2.0 * object.field[c] + share * object.own);
        }
        if !self.links.is_empty() {
            for (u, line) in self.links.chunks_exact_mut(k).enumerate() {
                for (v, link) in line.iter_mut().enumerate() {
                    let cross = row[u] * object.field[v] + row[v] * object.field[u];
                    *link += sign * (cross + object.own * row[u] * row[v]);
                }
            }
        }
    }
}
