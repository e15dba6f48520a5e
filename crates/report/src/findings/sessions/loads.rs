//! Loads in words: how many sessions, where they run and who serves them.

use lab::regimes::sessions::{Binding, Serving, Sessions};

use super::{LoadFinding, SessionsFinding};
use crate::regimes::sessions::binding_words;

/// A count as people write it: `10,000`.
#[must_use]
pub fn thousands(count: f64) -> String {
    let digits = format!("{:.0}", count.max(0.0));
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Who serves sessions, in few words.
#[must_use]
pub fn serving_words(serving: Serving) -> &'static str {
    match serving {
        Serving::Threads => "one thread per session",
        Serving::Pooled => "pooled",
        Serving::Batched => "batched",
    }
}

/// Where they run, with the number of processors where its name does not have it.
#[must_use]
pub fn place_words(binding: Binding, processors: u32) -> String {
    match binding {
        Binding::OnAll if processors > 2 => format!("on all {processors} processors"),
        Binding::OnAll if processors == 2 => "on both processors".into(),
        Binding::OnAll => "on the only processor".into(),
        Binding::PinnedAll if processors == 2 => "each on one of the two processors".into(),
        Binding::PinnedAll => format!("each on one of all {processors} processors"),
        Binding::OnCores => format!("on one processor of each of {processors} cores"),
        other => binding_words(other),
    }
}

/// The same where there is little room: `on all 8`, `each on one of the two`.
fn place_words_short(binding: Binding, processors: u32) -> String {
    match binding {
        Binding::Free => binding_words(binding),
        Binding::On(count) => format!("on {count}"),
        Binding::OnAll if processors > 2 => format!("on all {processors}"),
        Binding::OnAll if processors == 2 => "on both".into(),
        Binding::OnAll => place_words(binding, processors),
        Binding::OnCores => format!("on 1 of each of {processors} cores"),
        Binding::Pinned(count) => format!("each on one of {count}"),
        Binding::PinnedAll if processors == 2 => "each on one of the two".into(),
        Binding::PinnedAll => format!("each on one of all {processors}"),
    }
}

/// What one load may have and another not, in words.
struct Words {
    count: fn(Option<u32>) -> String,
    place: fn(Binding, u32) -> String,
    serving: fn(Serving) -> &'static str,
}

/// For a line of its own: `1,000 sessions, on both processors, pooled`.
const IN_A_LINE: Words = Words {
    count: |count| match count {
        Some(1) => "1 session".into(),
        Some(count) => format!("{} sessions", thousands(count.into())),
        None => "usual sessions".into(),
    },
    place: place_words,
    serving: serving_words,
};

/// For a narrow column: `1,000, on both, pooled`.
const IN_A_COLUMN: Words = Words {
    count: |count| count.map_or("usual".into(), |count| thousands(count.into())),
    place: place_words_short,
    serving: |serving| match serving {
        Serving::Threads => "threads",
        other => serving_words(other),
    },
};

/// A load in words: `100 sessions on both processors, batched`.
#[must_use]
pub fn load_words(load: &LoadFinding) -> String {
    let Some(asked) = load.asked() else { return String::new() };
    let sessions = match load.sessions {
        Some(1) => "1 session".into(),
        Some(count) => format!("{} sessions", thousands(count.into())),
        None => "sessions".into(),
    };
    let place = place_words(asked.binding, load.processors);
    let served = match asked.serving {
        Serving::Threads => String::new(),
        other => format!(", {}", serving_words(other)),
    };
    format!("{sessions} {place}{served}")
}

impl SessionsFinding {
    /// What tells a load from the others of its part, in a word or two: a column's or line's name.
    #[must_use]
    pub fn short(&self, load: &LoadFinding) -> String {
        self.distinguished(load, &IN_A_LINE)
    }

    /// The same for a narrow column: `on all 8`, `1,000`, `pooled`.
    #[must_use]
    pub fn narrow(&self, load: &LoadFinding) -> String {
        self.distinguished(load, &IN_A_COLUMN)
    }

    fn distinguished(&self, load: &LoadFinding, words: &Words) -> String {
        let Some(own) = load.asked() else { return String::new() };
        let differs = |what: &dyn Fn(Sessions, &LoadFinding) -> String| {
            let of = |it: &LoadFinding| it.asked().map(|sessions| what(sessions, it));
            let own = of(load)?;
            self.at(load.len_bytes).any(|it| of(it).as_ref() != Some(&own)).then_some(own)
        };
        let different = [
            differs(&|_, it| (words.count)(it.sessions)),
            differs(&|own, it| (words.place)(own.binding, it.processors)),
            differs(&|own, _| (words.serving)(own.serving).into()),
        ];
        let different: Vec<String> = different.into_iter().flatten().collect();
        match different.is_empty() {
            true => (words.place)(own.binding, load.processors),
            false => different.join(", "),
        }
    }
}
