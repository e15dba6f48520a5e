//! The working set: time over the number of keys in use.

use lab::regimes::keys::Keys;
use lab::study::View;

use super::{Room, Set};
use crate::chart_kind::ChartKind;

impl Room for Keys {
    fn words(&self) -> String {
        format!("keys in turn: {}", self.0)
    }

    fn set(&self, views: &[View]) -> Option<Set> {
        const SET: Set = Set::of_regimes("working set", &[ChartKind::WorkingSet]);
        views.contains(&View::WorkingSet).then_some(SET)
    }
}
