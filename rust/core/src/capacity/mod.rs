//! Capacity: sums over weighted solutions of two instances, in log space.

pub mod assignment;
pub mod hamming;
pub mod overlap;
pub mod pair;
pub mod probabilities;
pub mod weights;
