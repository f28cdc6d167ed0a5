//! Capacity: sums over weighted solutions of two instances, in log space.

pub mod assignment;
pub mod hamming;
pub mod probabilities;
pub mod weights;
