//! One sequential sweep: every object leaves the sums, looks at its potentials, and returns.

use ndarray::{Array2, ArrayView2};
use rand_chacha::ChaCha8Rng;

use super::{Graph, Object, Totals};
use crate::error::Result;
use crate::similarity::Fields;
use crate::workers::Context;

/// Visits between two looks at the switches.
const TICK: usize = 32;

/// The book-keeping of sweeps over one state; made anew at every temperature.
pub(super) struct Sweeper<'g> {
    graph: &'g Graph<'g>,
    fields: Box<dyn Fields + 'g>,
    totals: Totals,
    rest: Totals,
    field: Vec<f64>,
    potentials: Vec<f64>,
    row: Vec<f64>,
    delta: Vec<f64>,
    /// Rows that move by at most this stay where they are: converged rows cost nothing.
    lazy: f64,
}

impl<'g> Sweeper<'g> {
    /// Sums and fields of `q`.
    pub(super) fn new(
        graph: &'g Graph<'g>,
        q: ArrayView2<'_, f64>,
        lazy: f64,
        context: Context<'_>,
    ) -> Result<Self> {
        let k = q.ncols();
        let totals = graph.totals(q, context)?;
        Ok(Self {
            graph,
            fields: graph.similarity.fields(q, context)?,
            rest: totals.clone(),
            totals,
            field: vec![0.0; k],
            potentials: vec![0.0; k],
            row: vec![0.0; k],
            delta: vec![0.0; k],
            lazy,
        })
    }

    /// R of the state as it is now.
    pub(super) fn cost(&self) -> f64 {
        self.graph.cost.value(&self.totals)
    }

    /// Visit every object once; `choose(i, h, row)` replaces its `row` given its potentials h.
    ///
    /// Returns the largest change of a single entry of q.
    pub(super) fn sweep(
        &mut self,
        q: &mut Array2<f64>,
        rng: &mut ChaCha8Rng,
        context: Context<'_>,
        mut choose: impl FnMut(usize, &[f64], &mut [f64]),
    ) -> Result<f64> {
        let mut largest: f64 = 0.0;
        for (count, i) in self.fields.order(rng).into_iter().enumerate() {
            if count % TICK == 0 {
                context.control.tick()?;
            }
            largest = largest.max(self.visit(i, q, &mut choose));
        }
        Ok(largest)
    }

    fn visit(
        &mut self,
        i: usize,
        q: &mut Array2<f64>,
        choose: &mut impl FnMut(usize, &[f64], &mut [f64]),
    ) -> f64 {
        let graph = self.graph;
        self.fields.field(i, q.view(), &mut self.field);
        for (c, &share) in q.row(i).iter().enumerate() {
            self.field[c] += graph.shift * (self.totals.sizes[c] - share);
            self.row[c] = share;
        }
        let (own, degree) = (graph.own[i], graph.degrees[i]);
        let object = Object { field: &self.field, own, degree };
        self.rest.copy_from(&self.totals);
        self.rest.remove(&self.row, object);
        graph.cost.potentials(&self.rest, object, &mut self.potentials);
        choose(i, &self.potentials, &mut self.row);
        let mut moved: f64 = 0.0;
        for ((delta, &new), &old) in self.delta.iter_mut().zip(&self.row).zip(q.row(i)) {
            *delta = new - old;
            moved = moved.max(delta.abs());
        }
        if moved > self.lazy {
            self.rest.add(&self.row, object);
            std::mem::swap(&mut self.rest, &mut self.totals);
            q.row_mut(i).iter_mut().zip(&self.row).for_each(|(slot, &new)| *slot = new);
            self.fields.moved(i, &self.delta);
        }
        moved
    }
}
