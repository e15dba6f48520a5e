//! Calls one after another.

pub mod crprf;

use lab::regimes::calls::Calls;

use super::Room;

impl Room for Calls {
    fn words(&self) -> String {
        match self {
            Self::Single => "independent messages".into(),
            Self::Latency => "each message depends on the previous tag".into(),
        }
    }
}
