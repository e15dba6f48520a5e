//! Words and figures of an answer: calls, shares of a core, ratios, wrapped paragraphs.

use lab::cell::KeyLife;
use words::ProviderName;

use super::{Against, Rival, Row};
use crate::findings::sessions::thousands;
use crate::format::{self, three};
use crate::terminal::wrapped;

/// Stands for a space within a number and its unit until lines are wrapped.
const TIE: char = '\u{e000}';

/// The provider that is ours, and what the names of other ways to it begin with.
const OWN: &str = "macs";
const OWN_WAYS: &str = "macs-";

/// How far its releases are: until the first one nobody else has it.
const OWN_STATE: &str = "not released yet";

/// A ratio of two medians, which has no interval: `about 6.9 × faster`, `about 4 % faster`.
pub(super) fn faster(ratio: f64) -> String {
    if ratio < 1.2 {
        return format!("about {:.0} % faster", 100.0 * (ratio - 1.0));
    }
    let (ratio, decimals) = (two(ratio), usize::from(ratio < 9.95));
    format!("about {ratio:.decimals$} × faster")
}

/// The first of some names, and how many more there are; `None` of none.
pub(super) fn first_of(all: impl IntoIterator<Item = String>, most: usize) -> Option<String> {
    let mut names = all.into_iter();
    let mut named: Vec<String> = names.by_ref().take(most).collect();
    let more = names.count();
    named.extend((more > 0).then(|| format!("{more} more")));
    (!named.is_empty()).then(|| format::list(&named))
}

/// Wrapped, a paragraph each; no number is parted from its unit.
pub(super) fn lines(all: &[String], width: usize, indent: &str) -> String {
    let each = all.iter().map(|text| wrapped(&tied(text, TIE), width, indent).replace(TIE, " "));
    each.collect::<Vec<_>>().join("\n")
}

/// With this character between a number and its unit.
pub(crate) fn tied(text: &str, tie: char) -> String {
    let mut tied = text.to_owned();
    for unit in ["%", "×", "ns", "µs", "ms", "B", "KiB", "MiB", "bits"] {
        for digit in '0'..='9' {
            tied = tied.replace(&format!("{digit} {unit}"), &format!("{digit}{tie}{unit}"));
        }
    }
    tied
}

/// `5.6 % of a core`, `14 cores`.
pub(super) fn share(cores: f64) -> String {
    match cores < 1.0 {
        true => format!("{} % of a core", format::significant(100.0 * cores, 2)),
        false => format!("{} cores", format::significant(cores, 2)),
    }
}

/// The library that a provider calls: the ways to macrometer's own are one.
pub(super) fn library(provider: &str) -> &str {
    let library = ProviderName::of(provider).library;
    if library.starts_with(OWN_WAYS) { OWN } else { library }
}

/// Whether it is macrometer's own.
pub(super) fn is_own(provider: &str) -> bool {
    library(provider) == OWN
}

/// `macs is macrometer's own library (0.1.0, not released yet)`.
pub(super) fn own_library(provider: &str, version: &str) -> String {
    let version = if version.is_empty() { String::new() } else { format!("{version}, ") };
    format!("{provider} is macrometer's own library ({version}{OWN_STATE})")
}

/// A call in words, and as it is written where that is known: ``the one-shot call (`HMAC()`)``.
pub(super) fn named_call(call: KeyLife, written: Option<&str>) -> String {
    match written {
        None => call_words(call).to_owned(),
        Some(written) => format!("{} `{written}`", call_words(call)),
    }
}

/// What a call is, in a word or two.
pub(super) fn call_words(call: KeyLife) -> &'static str {
    match call {
        KeyLife::Prepared => "the key kept (prepared)",
        KeyLife::NewKey => "a new key each (new-key)",
        KeyLife::OneShot => "the one-shot call",
    }
}

/// `1.21 µs per message (95 % interval 1.20 to 1.23), 826,000 per second on one core`.
pub(super) fn figures(row: &Row) -> String {
    let time = row.message_ns.time();
    let interval = time.ends_in_words().map(|ends| format!(" (95 % interval {ends})"));
    let rate = grouped(three_digits(row.per_core_second.value));
    format!(
        "{} per message{}, {rate} per second on one core",
        time.value(),
        interval.unwrap_or_default()
    )
}

/// `1.30 × (1.25 to 1.36)`.
pub(super) fn ratio(rival: &Rival, margin: f64) -> String {
    ratio_of(&rival.to_best, margin)
}

/// The same of one against another.
pub(super) fn ratio_of(against: &Against, margin: f64) -> String {
    let figure = against.ratio.ratio(margin);
    let ends = figure.ends_in_words().map(|ends| format!(" ({ends})"));
    format!("{}{}", figure.times(), ends.unwrap_or_default())
}

/// `0.99 to 1.04 ×`.
pub(super) fn ends(against: &Against, margin: f64) -> String {
    let figure = against.ratio.ratio(margin);
    figure.ends_in_words().map_or_else(|| figure.times(), |ends| format!("{ends} ×"))
}

/// Three and two significant digits of a number that is counted.
pub(super) fn three_digits(value: f64) -> f64 {
    to_digits(value, 3)
}

pub(super) fn two(value: f64) -> f64 {
    to_digits(value, 2)
}

/// Of a number from which on, or below which, something holds: rounded to where it does.
pub(super) fn two_up(value: f64) -> f64 {
    digits(value, 2, f64::ceil)
}

pub(super) fn two_down(value: f64) -> f64 {
    digits(value, 2, f64::floor)
}

pub(super) fn to_digits(value: f64, count: i32) -> f64 {
    digits(value, count, f64::round)
}

fn digits(value: f64, count: i32, rounded: fn(f64) -> f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10f64.powi(value.log10().floor() as i32 + 1 - count);
    rounded(value / scale) * scale
}

/// `826,000`; below 10 with its decimals.
pub(super) fn grouped(value: f64) -> String {
    if value < 10.0 && value.fract() != 0.0 {
        return three(value);
    }
    thousands(value)
}
