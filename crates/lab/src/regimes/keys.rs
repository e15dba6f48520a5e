//! The working set: as single calls, each message under the next of so many keys, in an order
//! without pattern, so that the contexts of all keys are in use.

use std::fmt;
use std::num::NonZeroU32;

use words::KeyLife;

use super::{Named, RegimeError, Room};

/// Most keys that `keys-N` rotates through.
pub const KEYS_MAX: u32 = 10_000_000;

/// So many keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Keys(pub NonZeroU32);

impl fmt::Display for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "keys-{}", self.0)
    }
}

impl Room for Keys {
    fn keys_in_turn(&self) -> Option<NonZeroU32> {
        Some(self.0)
    }

    fn has(&self, key_life: KeyLife) -> bool {
        key_life == KeyLife::Prepared
    }

    fn has_own_keys(&self) -> bool {
        true
    }
}

impl Named for Keys {
    const PATTERN: Option<&'static str> = Some("keys-N");

    fn known() -> Vec<Self> {
        vec![Self(NonZeroU32::MIN)]
    }

    fn read(name: &str) -> Option<Result<Vec<Self>, RegimeError>> {
        let count = name.strip_prefix("keys-")?;
        let count = count.parse().ok().filter(|n: &NonZeroU32| n.get() <= KEYS_MAX);
        let wrong = || RegimeError::Keys { name: name.into(), most: KEYS_MAX };
        Some(count.map(|count| vec![Self(count)]).ok_or_else(wrong))
    }
}
