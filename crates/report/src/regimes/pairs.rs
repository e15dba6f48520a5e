//! Two messages handed over at once.

use lab::regimes::pairs::Pairs;

use super::Room;

impl Room for Pairs {
    fn words(&self) -> String {
        "two messages under two keys at once".into()
    }
}
