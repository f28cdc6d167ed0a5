//! Helpers for tests: all assignments of tiny problems, and a job that only passes time.

use std::time::{Duration, Instant};

use crate::control::Control;
use crate::error::Result;

/// Pass `seconds`, ticking every 5 ms, and return how many ticks that took.
///
/// # Panics
/// At once, if `panic` is set: the boundary must turn that into an exception.
pub fn exercise(control: &Control, seconds: f64, panic: bool) -> Result<u64> {
    assert!(!panic, "this panic was asked for");
    let start = Instant::now();
    control.set_total((seconds / 0.005).ceil() as u64);
    while start.elapsed().as_secs_f64() < seconds {
        control.tick()?;
        std::thread::sleep(Duration::from_millis(5));
        control.advance(f64::NAN, f64::NAN);
    }
    Ok(control.snapshot().done)
}

/// All `k^n` assignments of `n` objects to `k` labels, in counting order.
pub fn all_assignments(n: usize, k: usize) -> Vec<Vec<usize>> {
    (0..k.pow(n as u32))
        .map(|code| {
            (0..n)
                .scan(code, |rest, _| {
                    let label = *rest % k;
                    *rest /= k;
                    Some(label)
                })
                .collect()
        })
        .collect()
}
