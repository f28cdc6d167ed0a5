//! Threads: a local pool per run, and sums that do not depend on how many threads there are.

use rayon::prelude::*;

use crate::control::Control;
use crate::error::{Error, Result};

/// What a computation runs on: its threads, and the control it reports to and obeys.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The threads.
    pub workers: &'a Workers,
    /// Progress, pause and cancel.
    pub control: &'a Control,
}

/// The threads that one computation may use.
pub struct Workers {
    pool: Option<rayon::ThreadPool>,
}

impl Workers {
    /// A local pool of `threads` threads; 1 runs everything on the calling thread.
    pub fn new(threads: usize) -> Result<Self> {
        if threads <= 1 {
            return Ok(Self { pool: None });
        }
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
                Error::invalid(
                    "n_jobs",
                    format!("asked for {threads} threads: {error}"),
                    "use fewer",
                )
            })?;
        Ok(Self { pool: Some(pool) })
    }

    /// Apply `job` to 0..count, results in index order whatever the number of threads.
    ///
    /// The first error in index order is returned.
    pub fn map<T: Send>(
        &self,
        count: usize,
        job: impl Fn(usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        match &self.pool {
            Some(pool) if count > 1 => {
                pool.install(|| (0..count).into_par_iter().map(&job).collect())
            }
            _ => (0..count).map(job).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_for_any_number_of_threads() {
        for threads in [1, 2, 8] {
            let squares = Workers::new(threads).unwrap().map(100, |i| Ok(i * i)).unwrap();
            assert_eq!(squares, (0..100).map(|i| i * i).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_ends_the_map() {
        let workers = Workers::new(2).unwrap();
        let outcome = workers.map(10, |i| if i == 4 { Err(Error::Cancelled) } else { Ok(i) });
        assert_eq!(outcome, Err(Error::Cancelled));
    }
}
