//! Messages handed over at once.

use lab::regimes::Room as _;
use lab::regimes::batch::Batch;

use super::Room;

impl Room for Batch {
    fn words(&self) -> String {
        let count = self.messages();
        let lengths = if self.mixes_lengths() { " of all lengths up to this" } else { "" };
        format!("{count} messages{lengths} under {count} keys at once")
    }
}
