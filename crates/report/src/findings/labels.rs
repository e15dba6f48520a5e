//! The conditions of a cell in words.

use std::collections::{BTreeMap, BTreeSet};

use lab::cell::{
    Action, Binding, Candidate, KeyLife, Medium, Quantity, Regime, Serving, Sessions, Turns,
};
use lab::record::Processor;
use words::MacName;

/// A key life in words that stand after a comma.
#[must_use]
pub fn key_life_words(key_life: KeyLife) -> &'static str {
    match key_life {
        KeyLife::Prepared => "key prepared",
        KeyLife::NewKey => "new key for each message",
        KeyLife::OneShot => "one-shot call",
    }
}

/// A regime in words.
#[must_use]
pub fn regime_words(regime: Regime) -> String {
    match regime {
        Regime::Single => "independent messages".into(),
        Regime::Latency => "each message depends on the previous tag".into(),
        Regime::Batch4 => "4 messages under 4 keys at once".into(),
        Regime::Batch16 => "16 messages under 16 keys at once".into(),
        Regime::Batch64 => "64 messages under 64 keys at once".into(),
        Regime::Batch256 => "256 messages under 256 keys at once".into(),
        Regime::Batch64Mixed => {
            "64 messages of all lengths up to this under 64 keys at once".into()
        }
        Regime::Segments(medium, action) => segment_words(medium, action).into(),
        Regime::Sessions(sessions) => session_words(sessions),
        Regime::Keys(count) => format!("keys in turn: {count}"),
        Regime::Cold(Turns::Fixed) => "first call in a new process, fixed order".into(),
        Regime::Cold(Turns::Rotated) => "first call in a new process, rotated order".into(),
    }
}

/// Sessions in words: how many, who serves them, where, and which time.
fn session_words(it: Sessions) -> String {
    let (count, served) = (count_words(it.count), serving_words(it.serving));
    format!("{count}{served}, {}: {}", binding_words(it.binding), quantity_words(it.quantity))
}

fn serving_words(serving: Serving) -> &'static str {
    match serving {
        Serving::Threads => "sessions, one thread each",
        Serving::Pooled => "sessions, one thread per processor",
        Serving::Batched => "sessions in batches, one thread per processor",
    }
}

fn quantity_words(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Absolute => "absolute processing",
        Quantity::Apparent => "apparent processing",
        Quantity::Capacity => "capacity",
    }
}

/// What two regimes share, and what each has for itself. Where they are no sessions that differ in
/// one thing, they share nothing.
pub(crate) fn contrasted(one: Regime, other: Regime) -> (Option<String>, [String; 2]) {
    let as_they_are = || (None, [one, other].map(|it| format!("as {}", regime_words(it))));
    let (Some(first), Some(second)) = (one.sessions(), other.sessions()) else {
        return as_they_are();
    };
    let pair = [first, second];
    let quantity = quantity_words(first.quantity);
    let (count, served) = (count_words(first.count), serving_words(first.serving));
    if first == (Sessions { quantity: first.quantity, ..second }) {
        let shared = format!("{count}{served}, {}", binding_words(first.binding));
        return (Some(shared), pair.map(|it| quantity_words(it.quantity).into()));
    }
    if first == (Sessions { binding: first.binding, ..second }) {
        let shared = format!("{quantity}, {count}{served}");
        return (Some(shared), pair.map(|it| binding_words(it.binding)));
    }
    as_they_are()
}

fn count_words(count: Option<std::num::NonZeroU32>) -> String {
    count.map_or(String::new(), |count| format!("{count} "))
}

/// A binding in words.
#[must_use]
pub fn binding_words(binding: Binding) -> String {
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

/// Packages, cores, processors and which of them share a core; nothing where that is not known.
#[must_use]
pub fn topology_words(processors: &[Processor]) -> Option<String> {
    let mut cores: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for it in processors {
        cores.entry((it.package, it.core)).or_default().push(it.cpu);
    }
    let packages: BTreeSet<u32> = processors.iter().map(|it| it.package).collect();
    let count = |count: usize, what: &str| {
        if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
    };
    let siblings: Vec<String> = cores
        .values()
        .filter(|own| own.len() > 1)
        .map(|own| own.iter().map(ToString::to_string).collect::<Vec<_>>().join("+"))
        .collect();
    let siblings = match siblings.len() {
        0 => "none share a core".into(),
        1..=8 => format!("sharing a core: {}", siblings.join(", ")),
        more => format!("sharing a core: {} and so on, on {more} cores", siblings[0]),
    };
    (!processors.is_empty()).then(|| {
        format!(
            "{}, {}, {}; {siblings}",
            count(packages.len(), "package"),
            count(cores.len(), "core"),
            count(processors.len(), "processor")
        )
    })
}

/// A medium in words.
#[must_use]
pub fn medium_words(medium: Medium) -> &'static str {
    match medium {
        Medium::Memory => "segments in memory",
        Medium::Disk => "segments on disk",
        Medium::Fsync => "segments on disk with fsync",
    }
}

fn segment_words(medium: Medium, action: Action) -> &'static str {
    match (medium, action) {
        (Medium::Memory, Action::Splitting) => "splitting, segments in memory",
        (Medium::Memory, Action::Combining) => "combining, segments in memory",
        (Medium::Memory, Action::Encryption) => "encryption, segments in memory",
        (Medium::Memory, Action::Decryption) => "decryption, segments in memory",
        (Medium::Memory, Action::Transaction) => "whole transaction, segments in memory",
        (Medium::Disk, Action::Splitting) => "splitting, segments on disk",
        (Medium::Disk, Action::Combining) => "combining, segments on disk",
        (Medium::Disk, Action::Encryption) => "encryption, segments on disk",
        (Medium::Disk, Action::Decryption) => "decryption, segments on disk",
        (Medium::Disk, Action::Transaction) => "whole transaction, segments on disk",
        (Medium::Fsync, Action::Splitting) => "splitting, segments on disk with fsync",
        (Medium::Fsync, Action::Combining) => "combining, segments on disk with fsync",
        (Medium::Fsync, Action::Encryption) => "encryption, segments on disk with fsync",
        (Medium::Fsync, Action::Decryption) => "decryption, segments on disk with fsync",
        (Medium::Fsync, Action::Transaction) => "whole transaction, segments on disk with fsync",
    }
}

/// The mode of a mac and what it is made of: `cmac` and `aes-128`, `hmac` and `sha512-256`.
#[must_use]
pub fn mode_and_primitive(mac: &str) -> (&str, &str) {
    let MacName { mode, primitive } = MacName::of(mac);
    (mode, primitive.unwrap_or_default())
}

/// A mac by the name that a study has for its mode.
pub(super) fn own_name(names: &BTreeMap<String, String>, mac: &str) -> String {
    let MacName { mode, primitive } = MacName::of(mac);
    match (names.get(mode), primitive) {
        (Some(own), Some(primitive)) => format!("{own}-{primitive}"),
        _ => mac.into(),
    }
}

/// What is left out of JSON.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
pub(super) fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// `hmac-sha256 from openssl[sha-ni]`.
pub(crate) fn in_words(candidate: &Candidate) -> String {
    format!("{} from {}", candidate.mac, candidate.source())
}
