//! What the names of columns say of their values: times or speeds, and in which unit.

use anyhow::{Result, bail};
use serde::Serialize;

/// What the values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Values {
    Times,
    Speeds,
}

impl From<Values> for report::paper::Values {
    fn from(values: Values) -> Self {
        match values {
            Values::Times => Self::Times,
            Values::Speeds => Self::Speeds,
        }
    }
}

impl Values {
    /// The word for one of them.
    pub fn one(self) -> &'static str {
        match self {
            Self::Times => "time",
            Self::Speeds => "speed",
        }
    }

    /// Of columns with these names: as `asked`, or by the units that the names end in.
    pub fn of_columns(names: &[&str], asked: Option<Self>) -> Result<Self> {
        let known: Vec<(&str, Unit)> =
            names.iter().filter_map(|&name| Some((name, Unit::of(name)?))).collect();
        if let Some(((first, unit), others)) = known.split_first()
            && let Some((other, _)) = others.iter().find(|(_, other)| other != unit)
        {
            bail!("columns are in different units ({first}, {other}): give all in one");
        }
        match (asked, known.first()) {
            (Some(asked), _) => Ok(asked),
            (None, Some((_, unit))) if known.len() == names.len() => Ok(unit.values),
            (None, _) => bail!(
                "times or speeds? Add --times or --speeds, or end all column names in a unit, such \
                 as hmac_ns or hmac_per_s"
            ),
        }
    }
}

/// A unit, as the names of columns that can be compared share it.
#[derive(Debug, PartialEq)]
struct Unit {
    values: Values,
    /// One spelling of each: `us`, `us/byte`, `MB/s`; of counts `/s`, whatever is counted.
    name: String,
}

impl Unit {
    /// The unit that a name ends in: `hmac_ns`, `hmac (µs)`, `hmac ns/op`; `hmac_per_s`, `hmac
    /// MB/s`.
    fn of(name: &str) -> Option<Self> {
        let open = name.trim_end_matches([')', ']']);
        let inside = open.rsplit_once(['(', '[']).filter(|_| open.len() < name.len());
        let text = inside.map_or(open, |(_, inside)| inside);
        let mut words: Vec<&str> = text.split([' ', '_']).filter(|it| !it.is_empty()).collect();
        let last = words.pop()?;
        let is_per = |word: &&&str| **word == "/" || word.eq_ignore_ascii_case("per");
        if let Some((amount, over)) = last.rsplit_once('/') {
            let amount = Some(amount).filter(|it| !it.is_empty()).or(words.last().copied());
            return Self::of_quotient(amount, over);
        }
        if words.last().filter(is_per).is_some() {
            words.pop();
            return Self::of_quotient(words.last().copied(), last);
        }
        // A name that is a unit and nothing else names a candidate.
        if words.is_empty() && inside.is_none() {
            return None;
        }
        if last.eq_ignore_ascii_case("ops") {
            return Some(Self { values: Values::Speeds, name: "/s".into() });
        }
        let unit = time(last)?;
        // `hmac_s` may be a plural, and `MB_s` a speed.
        let is_apart = inside.is_some() || text.trim_end().ends_with(&format!(" {last}"));
        let is_amount = words.last().is_some_and(|it| is_count(it) || is_data(it));
        let is_time = !last.eq_ignore_ascii_case("s") || (is_apart && !is_amount);
        is_time.then(|| Self { values: Values::Times, name: unit.into() })
    }

    /// Of so much for each, or over all, of another.
    fn of_quotient(amount: Option<&str>, over: &str) -> Option<Self> {
        let over = over.to_ascii_lowercase();
        let unit_of_time = match over.as_str() {
            "second" => Some("s"),
            "cycle" => Some("cycles"),
            "tick" => Some("ticks"),
            other => time(other),
        };
        if let Some(unit) = unit_of_time {
            let data = amount.filter(|it| is_data(it)).unwrap_or_default();
            return Some(Self { values: Values::Speeds, name: format!("{data}/{unit}") });
        }
        let unit = time(amount?)?;
        let of_each = match over.as_str() {
            "b" | "byte" => "/byte",
            "op" | "call" | "iter" | "iteration" | "message" | "msg" | "req" | "request"
            | "tag" => "",
            _ => return None,
        };
        Some(Self { values: Values::Times, name: format!("{unit}{of_each}") })
    }
}

/// A unit of time, in one spelling.
fn time(word: &str) -> Option<&'static str> {
    match word.to_ascii_lowercase().as_str() {
        "ns" => Some("ns"),
        "us" | "µs" | "μs" => Some("us"),
        "ms" => Some("ms"),
        "s" | "sec" | "seconds" => Some("s"),
        "cycles" => Some("cycles"),
        "ticks" => Some("ticks"),
        _ => None,
    }
}

/// Whether a word says what is counted.
fn is_count(word: &str) -> bool {
    let counts = ["calls", "messages", "msgs", "op", "ops", "req", "requests", "tags"];
    counts.iter().any(|it| word.eq_ignore_ascii_case(it))
}

/// Whether a word is a unit of data. A letter alone is more likely a candidate's name.
fn is_data(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let named = ["bit", "bits", "byte", "bytes"].iter().any(|end| word.ends_with(end));
    let prefix = word.strip_suffix('b');
    named || matches!(prefix, Some("k" | "m" | "g" | "t" | "ki" | "mi" | "gi" | "ti"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_in_the_unit_of_a_time_or_of_a_speed_or_in_none() {
        let of = |name: &str| Unit::of(name).map(|it| (it.values, it.name));
        for (name, unit) in [
            ("hmac_ns", "ns"),
            ("hmac (µs)", "us"),
            ("hmac [us]", "us"),
            ("c ms", "ms"),
            ("hmac (s)", "s"),
            ("hmac s", "s"),
            ("hmac_sec", "s"),
            ("hmac ns/op", "ns"),
            ("hmac_s/op", "s"),
            ("hmac cycles/byte", "cycles/byte"),
            ("hmac (cycles per byte)", "cycles/byte"),
            ("hmac-sha256/openssl_ns", "ns"),
            ("hmac_64_bytes_ns", "ns"),
        ] {
            assert_eq!(of(name), Some((Values::Times, unit.to_owned())), "{name}");
        }
        for (name, unit) in [
            ("a_per_s", "/s"),
            ("c/s", "/s"),
            ("b/s", "/s"),
            ("hmac ops/sec", "/s"),
            ("hmac_ops", "/s"),
            ("hmac MB/s", "MB/s"),
            ("hmac (Mb / second)", "Mb/s"),
            ("hmac_calls_per_ms", "/ms"),
            ("hmac GB_per_cycles", "GB/cycles"),
            ("hmac bytes/cycle", "bytes/cycles"),
        ] {
            assert_eq!(of(name), Some((Values::Speeds, unit.to_owned())), "{name}");
        }
        for name in [
            "hmac",
            "ns",
            "a",
            "hmac_s",
            "hmac-s",
            "sphincs.s",
            "hmac_ops_s",
            "hmac ops s",
            "hmac_MB_s",
            "hmac_req_s",
            "B/op",
            "hmac-sha256/openssl",
            "hmac (sha256)",
            "",
            "()",
        ] {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn columns_are_of_one_unit_and_what_they_are_is_said() {
        let of =
            |names: &[&str], asked| Values::of_columns(names, asked).map_err(|it| it.to_string());
        assert_eq!(of(&["a_ns", "b (ns)"], None), Ok(Values::Times));
        assert_eq!(of(&["a_per_s", "b ops/s"], None), Ok(Values::Speeds));
        assert_eq!(of(&["a", "b"], Some(Values::Speeds)), Ok(Values::Speeds));
        assert_eq!(of(&["a_ns", "b"], Some(Values::Times)), Ok(Values::Times));
        for (names, asked) in [
            (&["a_ns", "b", "c_us"][..], None),
            (&["a_ns", "c_us"], Some(Values::Times)),
            (&["a MB/s", "b GB/s"], Some(Values::Speeds)),
            (&["a_ns", "b_per_s"], None),
        ] {
            let error = of(names, asked).unwrap_err();
            let last = names.last().unwrap();
            let said = format!("columns are in different units ({}, {last}): ", names[0]);
            assert!(error.starts_with(&said), "{error}");
        }
        for names in [&["a_ns", "b"][..], &["a", "b"], &[]] {
            assert!(of(names, None).unwrap_err().starts_with("times or speeds? "), "{names:?}");
        }
    }
}
