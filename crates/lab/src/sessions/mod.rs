//! Many sessions at once: puts them on and measures a window of them.
//!
//! After the paper that introduces apparent processing: n sessions, each with a key and messages of
//! its own, all at work from 0 to t; what counts lies between t1 and t2. What is asked for and what
//! was seen are records: `record::sessions`.

pub(crate) mod account;
mod engine;
mod error;
pub mod needs;
mod paced;
mod share;
mod tally;
mod thread;
mod watch;
mod window;
mod workload;

use crate::record::Processor;
use crate::regimes::sessions::Binding;

pub use account::NotBound;
pub use engine::{measure, measure_on};
pub use error::SessionsError;
pub use workload::{Workload, key_of};

/// Processors that a binding means, of those of a run in its order.
#[must_use]
pub fn cpus_of(binding: Binding, processors: &[Processor]) -> Vec<u32> {
    let cpus = processors.iter().map(|it| it.cpu);
    match binding {
        Binding::Free => Vec::new(),
        Binding::On(count) | Binding::Pinned(count) => cpus.take(count.get() as usize).collect(),
        Binding::OnAll | Binding::PinnedAll => cpus.collect(),
        Binding::OnCores => {
            let mut known = std::collections::BTreeSet::new();
            let first = processors.iter().filter(|it| known.insert((it.package, it.core)));
            first.map(|it| it.cpu).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_of_different_cores_are_siblings_whatever_their_order() {
        let of = |(cpu, core)| Processor { cpu, core, package: 0 };
        let own = [(0, 0), (1, 0), (3, 1), (2, 1)].map(of);
        let two = std::num::NonZeroU32::new(2).unwrap();
        assert_eq!(cpus_of(Binding::OnCores, &own), [0, 3]);
        assert_eq!(cpus_of(Binding::On(two), &own), [0, 1]);
        assert_eq!(cpus_of(Binding::PinnedAll, &own), [0, 1, 3, 2]);
        assert!(cpus_of(Binding::Free, &own).is_empty());
    }
}
