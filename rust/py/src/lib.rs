//! Python face of `gencap-core`: borrow, check, run, wrap. No arithmetic lives here.
#![forbid(unsafe_code)]

use pyo3::prelude::*;

mod annealing;
mod arrays;
mod capacity;
mod channel;
mod errors;
mod graph;
mod graph_annealer;
mod pair;
mod params;
mod replicator;
mod run;
mod sampling;
mod similarity;

#[pymodule]
#[pyo3(name = "_core")]
fn core_module(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("HARD", gencap_core::annealing::HARD)?;
    module.add("Cancelled", module.py().get_type::<errors::Cancelled>())?;
    module.add_class::<run::PySwitches>()?;
    module.add_class::<params::PyParams>()?;
    module.add_class::<annealing::PyAnnealer>()?;
    module.add_function(wrap_pyfunction!(annealing::largest_variance, module)?)?;
    module.add_function(wrap_pyfunction!(annealing::beta_grid, module)?)?;
    module.add_function(wrap_pyfunction!(annealing::anneal, module)?)?;
    module.add_function(wrap_pyfunction!(annealing::probabilities, module)?)?;
    module.add_function(wrap_pyfunction!(annealing::potentials, module)?)?;
    module.add_function(wrap_pyfunction!(pair::anneal_pair, module)?)?;
    module.add_function(wrap_pyfunction!(run::exercise_boundary, module)?)?;
    module.add_function(wrap_pyfunction!(capacity::measure_agreement, module)?)?;
    module.add_function(wrap_pyfunction!(capacity::entropy, module)?)?;
    module.add_function(wrap_pyfunction!(capacity::hamming_capacity, module)?)?;
    module.add_class::<sampling::PyAnnealed>()?;
    module.add_function(wrap_pyfunction!(sampling::sample_assignments, module)?)?;
    module.add_function(wrap_pyfunction!(sampling::simulated_annealing, module)?)?;
    module.add_function(wrap_pyfunction!(capacity::log_weights, module)?)?;
    module.add_function(wrap_pyfunction!(capacity::weights_information, module)?)?;
    module.add_function(wrap_pyfunction!(capacity::respects_order, module)?)?;
    module.add_function(wrap_pyfunction!(capacity::mean_information, module)?)?;
    module.add_function(wrap_pyfunction!(channel::transmit_messages, module)?)?;
    module.add_class::<graph::PyGraphCost>()?;
    module.add_class::<graph::PyGraphPlans>()?;
    module.add_function(wrap_pyfunction!(graph::graph_critical, module)?)?;
    module.add_function(wrap_pyfunction!(graph::graph_grid, module)?)?;
    module.add_function(wrap_pyfunction!(graph::graph_cost, module)?)?;
    module.add_function(wrap_pyfunction!(graph::graph_fit, module)?)?;
    module.add_function(wrap_pyfunction!(graph::graph_search, module)?)?;
    module.add_function(wrap_pyfunction!(graph::graph_pair, module)?)?;
    module.add_function(wrap_pyfunction!(graph::graph_pair_probabilities, module)?)?;
    module.add_function(wrap_pyfunction!(graph::graph_pair_again, module)?)?;
    module.add_class::<graph_annealer::PyGraphAnnealer>()?;
    module.add_class::<similarity::PySimilarity>()?;
    module.add_function(wrap_pyfunction!(similarity::euclidean_distances, module)?)?;
    module.add_function(wrap_pyfunction!(similarity::largest_squared_distance, module)?)?;
    module.add_function(wrap_pyfunction!(similarity::spanning_tree, module)?)?;
    module.add_function(wrap_pyfunction!(similarity::spanning_tree_of_matrix, module)?)?;
    module.add_function(wrap_pyfunction!(similarity::spanning_forest_of_graph, module)?)?;
    module.add_function(wrap_pyfunction!(similarity::minimax_distances, module)?)?;
    module.add_function(wrap_pyfunction!(replicator::peel_dominant_sets, module)?)?;
    Ok(())
}
