//! Cold starts.

use lab::regimes::cold::Cold;

use super::Room;

impl Room for Cold {
    fn words(&self) -> String {
        let order = match self {
            Self::Fixed => "fixed",
            Self::Rotated => "rotated",
        };
        format!("first call in a new process, {order} order")
    }
}
