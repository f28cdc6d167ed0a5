//! Annealing of models whose weights factorize over objects.

mod annealer;
mod grouping;
mod mass_constrained;
mod params;
pub mod pass;
mod restarts;
mod schedule;
mod trajectory;

pub use annealer::{Annealer, Place, Scale};
pub use grouping::group;
pub use params::{AnnealParams, CheckedParams, Solver};
pub use restarts::{best_restart, run};
pub use schedule::{HARD, critical_beta, grid};
pub use trajectory::{Step, Trajectory};
