//! Progress, pause and cancel: the one road between a running kernel and whoever waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::live::Live;

/// How long a paused kernel sleeps before it looks again.
const PAUSE_NAP: Duration = Duration::from_millis(5);

/// The two switches a caller may flip while kernels run; one pair can serve many runs at once.
#[derive(Debug, Default)]
pub struct Switches {
    cancelled: AtomicBool,
    paused: AtomicBool,
}

impl Switches {
    /// Ask every run that holds these switches to stop at its next tick.
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Hold (`true`) or release (`false`) every run that holds these switches.
    pub fn set_paused(&self, paused: bool) {
        self.paused.store(paused, Relaxed);
    }

    /// Whether [`Switches::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }

    /// Whether runs are held.
    pub fn is_paused(&self) -> bool {
        self.paused.load(Relaxed)
    }
}

/// What a run tells about itself while it lasts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Snapshot {
    /// Units of work finished.
    pub done: u64,
    /// Units of work in all; 0 while unknown.
    pub total: u64,
    /// Current inverse temperature; NaN where there is none.
    pub beta: f64,
    /// Current cost; NaN where there is none.
    pub energy: f64,
}

/// One run's counters together with the switches it obeys.
#[derive(Debug)]
pub struct Control {
    switches: Arc<Switches>,
    done: AtomicU64,
    total: AtomicU64,
    beta: AtomicU64,
    energy: AtomicU64,
    live: Option<Live>,
}

impl Default for Control {
    fn default() -> Self {
        Self::new(Arc::default())
    }
}

impl Control {
    /// A fresh set of counters that obeys `switches`.
    pub fn new(switches: Arc<Switches>) -> Self {
        let nan = f64::NAN.to_bits();
        Self {
            switches,
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            beta: AtomicU64::new(nan),
            energy: AtomicU64::new(nan),
            live: None,
        }
    }

    /// Let the run hand out its temperatures through `live`.
    #[must_use]
    pub fn with_live(self, live: Option<Live>) -> Self {
        Self { live, ..self }
    }

    /// Where temperatures go as soon as they are done; None where nobody asked for them.
    pub fn live(&self) -> Option<&Live> {
        self.live.as_ref()
    }

    /// Ask the run to stop at its next tick.
    pub fn cancel(&self) {
        self.switches.cancel();
    }

    /// The switches, to be shared with another run or another thread.
    pub fn switches(&self) -> &Arc<Switches> {
        &self.switches
    }

    /// Called by kernels at least every 20 ms: waits while paused, fails when cancelled.
    pub fn tick(&self) -> Result<()> {
        while self.switches.is_paused() && !self.switches.is_cancelled() {
            std::thread::sleep(PAUSE_NAP);
        }
        if self.switches.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// State how much work there is in all.
    pub fn set_total(&self, total: u64) {
        self.total.store(total, Relaxed);
    }

    /// One more unit of work is done, at inverse temperature `beta` and cost `energy`.
    pub fn advance(&self, beta: f64, energy: f64) {
        self.done.fetch_add(1, Relaxed);
        self.beta.store(beta.to_bits(), Relaxed);
        self.energy.store(energy.to_bits(), Relaxed);
    }

    /// The counters as they are now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            done: self.done.load(Relaxed),
            total: self.total.load(Relaxed),
            beta: f64::from_bits(self.beta.load(Relaxed)),
            energy: f64::from_bits(self.energy.load(Relaxed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancel_reaches_every_run_with_the_same_switches() {
        let first = Control::default();
        let second = Control::new(first.switches().clone());
        assert_eq!(second.tick(), Ok(()));
        first.cancel();
        assert_eq!(second.tick(), Err(Error::Cancelled));
    }

    #[test]
    fn a_paused_run_can_be_cancelled() {
        let control = Control::default();
        control.switches().set_paused(true);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| control.tick());
            control.cancel();
            assert_eq!(waiting.join().unwrap(), Err(Error::Cancelled));
        });
    }

    #[test]
    fn snapshot_counts_and_remembers_the_last_values() {
        let control = Control::default();
        control.set_total(3);
        control.advance(0.5, -2.0);
        control.advance(0.7, -3.0);
        let seen = control.snapshot();
        assert_eq!((seen.done, seen.total, seen.beta, seen.energy), (2, 3, 0.7, -3.0));
    }
}
