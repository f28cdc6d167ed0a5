//! The computing core of gencap: annealing of clustering models and sums over their weights.
//!
//! Plain Rust: nothing here knows Python, prints, reads files or keeps global state.
#![forbid(unsafe_code)]

pub mod annealing;
pub mod capacity;
pub mod channel;
pub mod control;
pub mod data;
pub mod error;
pub mod graph;
pub mod linear;
pub mod live;
pub mod model;
pub mod numeric;
pub mod replicator;
pub mod rng;
pub mod sampling;
pub mod similarity;
pub mod testing;
pub mod workers;

pub use control::Control;
pub use error::{Error, Result};
