//! Numbers as people read them: three significant digits, units scaled in print only, absent as a
//! dash. Files and data never come through here; tables, charts, sentences and the page do.

mod figure;

use jiff::Timestamp;
use lab::record::Machine;

pub use figure::Figure;

/// What stands where there is no value.
pub const ABSENT: &str = "–";

/// A machine in a few words: its processor, and what is left out of it.
#[must_use]
pub fn processor(machine: &Machine) -> String {
    let without = machine.without.sentence().map(|it| format!(", {it}"));
    machine.cpu_model.clone() + &without.unwrap_or_default()
}

/// Three significant digits, without a power of ten.
#[must_use]
pub fn three(value: f64) -> String {
    significant(value, 3)
}

/// `digits` significant digits, without a power of ten; whole numbers above that stay whole.
#[must_use]
pub fn significant(value: f64, digits: i32) -> String {
    if !value.is_finite() {
        return ABSENT.into();
    }
    if value == 0.0 {
        return "0".into();
    }
    // Rounding first: 9.996 has its first digit at the tens once three digits are kept.
    let magnitude = |x: f64| x.abs().log10().floor() as i32;
    let scale = 10f64.powi(digits - 1 - magnitude(value));
    let rounded = (value * scale).round() / scale;
    let decimals = (digits - 1 - magnitude(rounded)).max(0) as usize;
    format!("{value:.decimals$}")
}

/// A unit of time for print: how many nanoseconds it has, and its sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeUnit(f64, &'static str);

impl TimeUnit {
    /// The unit in which `time_ns` has one to three digits before the point.
    #[must_use]
    pub fn of(time_ns: f64) -> Self {
        match time_ns.abs() {
            t if t < 999.5 => TimeUnit(1.0, "ns"),
            t if t < 999.5e3 => TimeUnit(1e3, "µs"),
            t if t < 999.5e6 => TimeUnit(1e6, "ms"),
            _ => TimeUnit(1e9, "s"),
        }
    }

    /// Its sign.
    #[must_use]
    pub fn sign(self) -> &'static str {
        self.1
    }

    /// `time_ns` in this unit.
    #[must_use]
    pub fn scale(self, time_ns: f64) -> f64 {
        time_ns / self.0
    }
}

/// `61.2 ns`, `1.34 µs`.
#[must_use]
pub fn time(time_ns: f64) -> String {
    let unit = TimeUnit::of(time_ns);
    format!("{} {}", three(unit.scale(time_ns)), unit.sign())
}

/// A time for an axis, where ticks are round: `500 ns`, `1 µs`.
#[must_use]
pub fn tick_time(time_ns: f64) -> String {
    let unit = TimeUnit::of(time_ns);
    format!("{} {}", tick(unit.scale(time_ns)), unit.sign())
}

/// A round number for an axis: three digits at most, no trailing zeros, `k` and `M` for thousands
/// and millions.
#[must_use]
pub fn tick(value: f64) -> String {
    let (value, sign) = match value.abs() {
        size if size >= 999.5e6 => (value / 1e9, " G"),
        size if size >= 999.5e3 => (value / 1e6, " M"),
        size if size >= 9995.0 => (value / 1e3, " k"),
        _ => (value, ""),
    };
    let text = three(value);
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{text}{sign}")
}

/// `16 B`, `1 KiB`, `1.5 KiB`, `1500 B`: binary units only where they come out even.
#[must_use]
pub fn bytes(len_bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let even =
        UNITS.iter().find(|(unit, _)| len_bytes >= *unit && len_bytes.is_multiple_of(unit / 2));
    match even {
        Some((unit, sign)) if len_bytes.is_multiple_of(*unit) => {
            format!("{} {sign}", len_bytes / unit)
        }
        Some((unit, sign)) => format!("{}.5 {sign}", len_bytes / unit),
        None => format!("{len_bytes} B"),
    }
}

/// A length that need not be whole, for crossovers: `about 140 B`, `1.3 KiB`.
#[must_use]
pub fn about_bytes(len_bytes: f64) -> String {
    match len_bytes {
        len if len < 1024.0 => format!("{} B", len.round()),
        len if len < 1048576.0 => format!("{} KiB", significant(len / 1024.0, 2)),
        len => format!("{} MiB", significant(len / 1048576.0, 2)),
    }
}

/// `1.08 ×`.
#[must_use]
pub fn times(ratio: f64) -> String {
    format!("{} ×", three(ratio))
}

/// A share as a percentage: `95 %`.
#[must_use]
pub fn percent(share: f64) -> String {
    let value = (share * 1e8).round() / 1e6;
    format!("{} %", if value.fract() == 0.0 { format!("{value:.0}") } else { three(value) })
}

/// The paper prints four decimals and drops trailing zeros: `0.0017`, `0`, `1.96`.
#[must_use]
pub fn four_decimals(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" || text.is_empty() { "0".into() } else { text.into() }
}

/// The outcome of a test: `p = 0.0017`, `p < 0.0001`.
#[must_use]
pub fn probability(p: f64) -> String {
    if p < 1e-4 { "p < 0.0001".into() } else { format!("p = {}", four_decimals(p)) }
}

/// A frequency: `3.70 GHz`.
#[must_use]
pub fn hertz(hz: f64) -> String {
    match hz {
        hz if hz >= 999.5e6 => format!("{} GHz", three(hz / 1e9)),
        hz => format!("{} MHz", three(hz / 1e6)),
    }
}

/// Seconds since the Unix epoch as `2026-11-21 10:30 UTC`.
#[must_use]
pub fn date(unix_s: u64) -> String {
    civil(unix_s, "%Y-%m-%d %H:%M UTC").unwrap_or_else(|| ABSENT.into())
}

/// The same to the second, for files: `2026-11-21 10:30:00`, in UTC; empty beyond the year 9999.
#[must_use]
pub fn date_and_seconds(unix_s: u64) -> String {
    civil(unix_s, "%Y-%m-%d %H:%M:%S").unwrap_or_default()
}

fn civil(unix_s: u64, format: &str) -> Option<String> {
    let time = Timestamp::from_second(unix_s.try_into().ok()?).ok()?;
    Some(time.strftime(format).to_string())
}

/// `2026-11-24T01:52:05Z`, of RFC 3339.
#[must_use]
pub fn date_rfc3339(unix_s: u64) -> String {
    civil(unix_s, "%Y-%m-%dT%H:%M:%SZ").unwrap_or_default()
}

/// `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// `a`, `a or b`, `a, b or c`.
#[must_use]
pub fn any_of<S: AsRef<str>>(items: &[S]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match &items[..] {
        [most @ .., before, last] => {
            most.iter().chain([before]).copied().collect::<Vec<_>>().join(", ") + " or " + last
        }
        few => few.concat(),
    }
}

/// A text with its first letter raised.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |it| it.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_are_kept_and_no_more() {
        let cases =
            [(61.23, "61.2"), (9.996, "10.0"), (0.12345, "0.123"), (1234.5, "1234"), (0.0, "0")];
        for (value, text) in cases {
            assert_eq!(three(value), text);
        }
        assert_eq!(three(f64::NAN), ABSENT);
    }

    #[test]
    fn times_and_sizes_find_their_unit() {
        assert_eq!(time(61.23), "61.2 ns");
        assert_eq!(time(999.9), "1.00 µs");
        assert_eq!(time(2.5e7), "25.0 ms");
        assert_eq!(
            [16, 1024, 1536, 1500, 1 << 20].map(bytes),
            ["16 B", "1 KiB", "1.5 KiB", "1500 B", "1 MiB"]
        );
        assert_eq!(about_bytes(104.3), "104 B");
    }

    #[test]
    fn numbers_of_the_paper_look_as_it_prints_them() {
        assert_eq!(
            [0.00165, 1.959964, 0.0, 5.991465, -8.6214].map(four_decimals),
            ["0.0016", "1.96", "0", "5.9915", "-8.6214"]
        );
    }

    #[test]
    fn dates_are_civil() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(1_795_257_000), "2026-11-21 10:30 UTC");
        assert_eq!(date_and_seconds(1_286_169_243), "2010-10-04 05:14:03");
        assert_eq!((date(u64::MAX).as_str(), date_and_seconds(1 << 60).as_str()), (ABSENT, ""));
    }
}
