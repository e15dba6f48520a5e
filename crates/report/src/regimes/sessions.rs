//! Many sessions at once: how many, who serves them, where, and which time.

use lab::cell::Regime;
use lab::regimes::sessions::{Binding, Quantity, Serving, Sessions};
use lab::study::View;

use super::{Contrast, Room, Set};
use crate::chart_kind::ChartKind;

impl Room for Sessions {
    fn words(&self) -> String {
        let served = served(*self);
        format!("{served}, {}: {}", binding_words(self.binding), quantity_words(self.quantity))
    }

    fn set(&self, views: &[View]) -> Option<Set> {
        const SESSIONS: Set = Set::of_regimes(
            "sessions",
            &[
                ChartKind::AbsoluteOverSize,
                ChartKind::ProcessingOverSize,
                ChartKind::OverProcessors,
                ChartKind::OverSessions,
                ChartKind::Designs,
                ChartKind::BetweenSessions,
            ],
        );
        const CAPACITY: Set = Set::of_regimes("capacity", &[ChartKind::Capacity]);
        match self.quantity {
            Quantity::Capacity => views.contains(&View::Capacity).then_some(CAPACITY),
            Quantity::Absolute | Quantity::Apparent => {
                let crosses = self.quantity == Quantity::Apparent;
                views.contains(&View::Sessions).then_some(Set { crosses, ..SESSIONS })
            }
        }
    }

    fn beside(&self, other: Regime) -> Option<Contrast> {
        let other = other.sessions()?;
        let pair = [*self, other];
        if *self == (Self { quantity: self.quantity, ..other }) {
            return Some(Contrast {
                shared: Some(format!("{}, {}", served(*self), binding_words(self.binding))),
                own: pair.map(|it| quantity_words(it.quantity).into()),
                are_quantities: self.quantity != other.quantity,
            });
        }
        (*self == Self { binding: self.binding, ..other }).then(|| Contrast {
            shared: Some(format!("{}, {}", quantity_words(self.quantity), served(*self))),
            own: pair.map(|it| binding_words(it.binding)),
            are_quantities: false,
        })
    }
}

/// How many, and who serves them.
fn served(it: Sessions) -> String {
    let count = it.count.map_or(String::new(), |count| format!("{count} "));
    let served = match it.serving {
        Serving::Threads => "sessions, one thread per session",
        Serving::Pooled => "sessions, one thread per processor",
        Serving::Batched => "sessions in batches, one thread per processor",
    };
    format!("{count}{served}")
}

fn quantity_words(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Absolute => "absolute processing",
        Quantity::Apparent => "apparent processing",
        Quantity::Capacity => "capacity",
    }
}

/// A binding in words.
pub(crate) fn binding_words(binding: Binding) -> String {
    match binding {
        Binding::Free => "not bound".into(),
        Binding::On(count) if count.get() == 1 => "on one processor".into(),
        Binding::On(count) => format!("on {count} processors"),
        Binding::OnAll => "on all processors".into(),
        Binding::OnCores => "on one processor of each core".into(),
        Binding::Pinned(count) => format!("each on one of {count} processors"),
        Binding::PinnedAll => "each on one of all processors".into(),
    }
}
