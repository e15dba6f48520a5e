//! The regimes of many sessions at once, and of many keys.
//!
//! A cell of sessions is opened and proved as one of `single`: who serves how many sessions, and
//! where, comes with each load. A memory limit is not held while they are at work: what they need
//! is known beforehand, and a thread that finds none cannot refuse in a line.

use std::num::NonZeroU32;

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use serde_json::{Value, json};
use words::{KeyLife, Provider, Refused, Tagger};

use super::{NotDone, Open, Serving};
use crate::clock::Clock;
use crate::record::sessions::Load;
use crate::sessions::needs::Needs;
use crate::sessions::{self, Workload, key_of};

/// The prepared contexts of many keys, used in an order without pattern that visits all of them
/// before any comes again.
pub(super) struct ManyKeys {
    taggers: Vec<Tagger>,
    order: Vec<u32>,
    place: usize,
}

impl ManyKeys {
    pub(super) fn open(
        provider: &dyn Provider,
        mac: &str,
        keys: &[u8],
        count: NonZeroU32,
    ) -> Result<Self, NotDone> {
        Needs::of_keys(count.get()).check()?;
        let numbers = 0..count.get();
        let open = |i| provider.tagger(mac, KeyLife::Prepared, &key_of(keys, i));
        let taggers = numbers.clone().map(open).collect::<Result<_, Refused>>()?;
        let mut order: Vec<u32> = numbers.collect();
        order.shuffle(&mut StdRng::seed_from_u64(count.get().into()));
        Ok(Self { taggers, order, place: 0 })
    }

    /// That of key 0.
    pub(super) fn first(&mut self) -> &mut Tagger {
        &mut self.taggers[0]
    }

    /// The next in the order, which goes on from one sample to the next.
    #[inline(always)]
    pub(super) fn next(&mut self) -> &mut Tagger {
        let tagger = self.order[self.place] as usize;
        self.place += 1;
        if self.place == self.order.len() {
            self.place = 0;
        }
        &mut self.taggers[tagger]
    }
}

impl Open {
    /// A cell of sessions knows windows only.
    pub(super) fn check_is_timed_by_calls(&self) -> Result<(), NotDone> {
        match self.regime.is_of_windows() {
            true => Err(format!("{} is timed by `sessions`", self.regime).into()),
            false => Ok(()),
        }
    }
}

impl Serving<'_> {
    /// One window of sessions.
    pub(super) fn sessions(&mut self, id: u32, load: &str) -> Result<Value, NotDone> {
        let clock = *self.clock.get_or_insert_with(Clock::calibrate);
        let load: Load = serde_json::from_str(load).map_err(|error| format!("no load: {error}"))?;
        let cell = self.cells.get(&id).ok_or(NotDone::NoCell(id))?;
        if !cell.regime.is_of_windows() {
            return Err(format!("cell {id} is one of {}, not of sessions", cell.regime).into());
        }
        let workload = Workload {
            provider: self.provider,
            mac: &cell.mac,
            key_life: cell.key_life,
            keys: &cell.keys,
            pool: &self.pool,
            tag_len: cell.tags.len(),
        };
        Ok(json!(sessions::measure(&workload, &load, clock)?))
    }
}
