//! Capacity: sums over weighted solutions of two instances, in log space.
// Array views are borrows: handing them over by value costs nothing and reads best.
#![allow(clippy::needless_pass_by_value)]

pub mod assignment;
pub mod hamming;
pub mod overlap;
pub mod pair;
pub mod probabilities;
pub mod weights;
