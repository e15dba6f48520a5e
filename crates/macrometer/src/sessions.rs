//! The options of sessions: how many, on which processors, with which messages. For any study that
//! has regimes of sessions, by itself or by `--regime`.

use std::num::NonZeroU32;
use std::str::FromStr;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use lab::cell::Regime;
use lab::machine;
use lab::record::Processor;
use lab::regimes::RegimeError;
use lab::regimes::sessions::SESSIONS_MAX;
use lab::regimes::sessions::{Quantity, Sessions};
use lab::study::{Mix, Part, Study};

use crate::must_be::MustBe;

/// What is missing where an option of sessions finds none.
const WITHOUT: &str = "no session regime is left to measure (`--regime sessions` adds one)";

/// What is missing where an option of capacities finds none.
const WITHOUT_CAPACITY: &str =
    "no capacity is left to search for (`--regime sessions-on-all-capacity` adds one)";

/// Options of sessions.
#[derive(Debug, Clone, Args)]
pub struct SessionsArgs {
    /// Processors for sessions, in this order: 0,2-5; or no-siblings for one per core [default:
    /// all, one per core first]
    #[arg(long, value_name = "LIST")]
    cores: Option<Cores>,
    /// Number of sessions in all session regimes, overriding their names
    #[arg(long, value_name = "N")]
    sessions: Option<u64>,
    /// Measure from T1 to T2 milliseconds after all sessions have started [default: adjusted]
    #[arg(long, value_name = "T1,T2")]
    window: Option<Window>,
    /// Messages of several lengths: imix; 64,1500; or with weights 64:7,576:4
    #[arg(long, value_name = "LENGTHS", conflicts_with = "size")]
    mix: Option<GivenMix>,
    /// Sessions verify tags instead of making them
    #[arg(long)]
    verify: bool,
    /// Rekey each session after this many messages
    #[arg(long, value_name = "N")]
    rekey_every: Option<u32>,
    /// When searching for a capacity: messages per second per session
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    rate: Option<f64>,
    /// When searching for a capacity: longest acceptable tail latency in milliseconds
    #[arg(long, value_name = "MS")]
    tail: Option<f64>,
    /// When searching for a capacity: share of messages that must meet this latency
    #[arg(long, value_name = "SHARE")]
    tail_quantile: Option<f64>,
}

impl SessionsArgs {
    /// A narrowed study with these sessions.
    pub fn apply(&self, mut study: Study) -> Result<Study> {
        self.check()?;
        if let Some(option) = self.of_sessions().first() {
            require(&study, option, WITHOUT, |_| true)?;
        }
        if let Some(option) = self.of_capacity().first() {
            let is_capacity = |it: &Sessions| it.quantity == Quantity::Capacity;
            require(&study, option, WITHOUT_CAPACITY, is_capacity)?;
        }
        if let Some(count) = self.sessions.and_then(|count| u32::try_from(count).ok()) {
            require(&study, "--sessions", WITHOUT, |it| it.quantity != Quantity::Capacity)?;
            study.parts.iter_mut().for_each(|part| recount(part, NonZeroU32::new(count)));
        }
        for part in study.parts.iter_mut().filter(|part| has(part, |_| true)) {
            self.ask(part);
            part.check()?;
        }
        Ok(study)
    }

    fn ask(&self, part: &mut Part) {
        let asked = &mut part.sessions;
        if let Some(mix) = &self.mix {
            asked.mix = Some(mix.0.clone());
            part.sizes.clear();
            part.size_range = None;
        }
        asked.verify |= self.verify;
        asked.rekey_every = self.rekey_every.unwrap_or(asked.rekey_every);
        asked.window_ms = self.window.map(|window| window.0).or(asked.window_ms);
        asked.rate_per_s = self.rate.unwrap_or(asked.rate_per_s);
        asked.tail_ms = self.tail.unwrap_or(asked.tail_ms);
        asked.tail_quantile = self.tail_quantile.unwrap_or(asked.tail_quantile);
    }

    fn check(&self) -> Result<()> {
        if let Some(count) = self.sessions.filter(|n| !(1..=u64::from(SESSIONS_MAX)).contains(n)) {
            bail!("--sessions {count}: must be 1 to {SESSIONS_MAX}");
        }
        if self.rekey_every == Some(0) {
            bail!("--rekey-every 0: must be at least 1 message");
        }
        let ranges = [
            ("--rate", self.rate, 0.1, 1e6),
            ("--tail", self.tail, 0.001, 60_000.0),
            ("--tail-quantile", self.tail_quantile, 0.5, 0.9999),
        ];
        for (name, value, least, most) in ranges {
            if let Some(value) = value.filter(|value| !(least..=most).contains(value)) {
                bail!("{name} {value}: must be {least} to {most}");
            }
        }
        Ok(())
    }

    /// The processors of the run, in its order.
    pub fn processors(&self) -> Result<Vec<Processor>> {
        let all = machine::processors();
        match &self.cores {
            None => Ok(all),
            Some(Cores::NoSiblings) => Ok(all[..machine::core_count(&all)].to_vec()),
            Some(Cores::List(numbers)) => {
                let of = |number: &u32| {
                    let own = all.iter().find(|it| it.cpu == *number).copied();
                    own.ok_or_else(|| {
                        let mut allowed: Vec<u32> = all.iter().map(|it| it.cpu).collect();
                        allowed.sort_unstable();
                        let allowed = list(&allowed);
                        anyhow!(
                            "--cores: this process may not use processor {number}, only {allowed}"
                        )
                    })
                };
                numbers.iter().map(of).collect()
            }
        }
    }

    /// The options again, as they would be typed.
    pub fn words(&self) -> String {
        let options = [self.of_sessions(), self.of_capacity()].concat();
        options.into_iter().map(|option| format!(" {option}")).collect()
    }

    /// The given options that need sessions, as they would be typed.
    fn of_sessions(&self) -> Vec<String> {
        let text = |name: &str, value: Option<String>| value.map(|it| format!("{name} {it}"));
        let options = [
            text("--cores", self.cores.as_ref().map(Cores::word)),
            text("--sessions", self.sessions.map(|it| it.to_string())),
            text("--window", self.window.map(|Window([from, to])| format!("{from},{to}"))),
            text("--mix", self.mix.as_ref().map(GivenMix::word)),
            self.verify.then(|| "--verify".into()),
            text("--rekey-every", self.rekey_every.map(|it| it.to_string())),
        ];
        options.into_iter().flatten().collect()
    }

    /// Those that need a capacity to be sought.
    fn of_capacity(&self) -> Vec<String> {
        let options =
            [("--rate", self.rate), ("--tail", self.tail), ("--tail-quantile", self.tail_quantile)];
        options.into_iter().filter_map(|(name, it)| Some(format!("{name} {}", it?))).collect()
    }
}

/// Whether a part has such sessions.
fn has(part: &Part, is_such: impl Fn(&Sessions) -> bool) -> bool {
    part.regimes.iter().filter_map(|regime| regime.sessions()).any(|it| is_such(&it))
}

fn require(
    study: &Study,
    option: &str,
    without: &str,
    is_such: impl Fn(&Sessions) -> bool,
) -> Result<()> {
    if study.parts.iter().any(|part| has(part, &is_such)) {
        return Ok(());
    }
    bail!("{option}: in the study {:?} {without}", study.name)
}

/// Sets the number in all regimes of sessions; a capacity is a number that is sought.
fn recount(part: &mut Part, count: Option<NonZeroU32>) {
    let mut regimes: Vec<Regime> = Vec::new();
    for regime in &part.regimes {
        let regime = match regime {
            Regime::Sessions(it) if it.quantity != Quantity::Capacity => {
                Sessions { count, ..*it }.into()
            }
            other => *other,
        };
        if !regimes.contains(&regime) {
            regimes.push(regime);
        }
    }
    part.regimes = regimes;
}

/// Which processors.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Cores {
    NoSiblings,
    List(Vec<u32>),
}

impl Cores {
    fn word(&self) -> String {
        match self {
            Self::NoSiblings => "no-siblings".into(),
            Self::List(numbers) => list(numbers),
        }
    }
}

impl FromStr for Cores {
    type Err = MustBe;

    fn from_str(text: &str) -> Result<Self, MustBe> {
        if text == "no-siblings" {
            return Ok(Self::NoSiblings);
        }
        let wrong = MustBe("processors such as 0,2-5, each once, or no-siblings");
        let number = |word: &str| word.parse::<u16>().map(u32::from).map_err(|_| wrong);
        let mut numbers = Vec::new();
        for word in text.split(',') {
            let (from, to) = word.split_once('-').unwrap_or((word, word));
            let range = number(from)?..=number(to)?;
            if range.is_empty() || range.clone().any(|it| numbers.contains(&it)) {
                return Err(wrong);
            }
            numbers.extend(range);
        }
        Ok(Self::List(numbers))
    }
}

/// `0,2-5` of processors in this order.
fn list(numbers: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, to)) if *to + 1 == number => *to = number,
            _ => ranges.push((number, number)),
        }
    }
    let word = |(from, to): &(u32, u32)| {
        if from == to { from.to_string() } else { format!("{from}-{to}") }
    };
    ranges.iter().map(word).collect::<Vec<_>>().join(",")
}

/// From t1 to t2, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Window([f64; 2]);

impl FromStr for Window {
    type Err = MustBe;

    fn from_str(text: &str) -> Result<Self, MustBe> {
        let ends = text.split_once(',').and_then(|(from, to)| {
            let ends = [from.trim().parse::<f64>().ok()?, to.trim().parse::<f64>().ok()?];
            (ends[0] >= 0.0 && ends[1] > ends[0] && ends[1].is_finite()).then_some(ends)
        });
        ends.map(Self).ok_or(MustBe("T1,T2 in milliseconds, 0 <= T1 < T2"))
    }
}

/// Messages of several lengths.
#[derive(Debug, Clone, PartialEq)]
struct GivenMix(Mix);

impl GivenMix {
    fn word(&self) -> String {
        let joined = |words: Vec<String>| words.join(",");
        match &self.0 {
            Mix::Named(name) => name.clone(),
            Mix::List(lengths) => joined(lengths.iter().map(ToString::to_string).collect()),
            Mix::Histogram(rows) => {
                joined(rows.iter().map(|[len, weight]| format!("{len}:{weight}")).collect())
            }
        }
    }
}

impl FromStr for GivenMix {
    type Err = MustBe;

    fn from_str(text: &str) -> Result<Self, MustBe> {
        if text == "imix" {
            return Ok(Self(Mix::Named(text.into())));
        }
        let number = |word: &str| word.trim().parse::<u32>().ok();
        let lengths = || text.split(',').map(number).collect::<Option<Vec<u32>>>();
        let row = |word: &str| {
            let (len, weight) = word.split_once(':')?;
            Some([number(len)?, number(weight)?])
        };
        let rows = || text.split(',').map(row).collect::<Option<Vec<[u32; 2]>>>();
        let mix = lengths().map(Mix::List).or_else(|| rows().map(Mix::Histogram));
        mix.map(Self).ok_or(MustBe(
            "imix, lengths such as 64,1500, or lengths with weights such as 64:7,576:4",
        ))
    }
}

/// Regimes that one name stands for.
#[derive(Debug, Clone)]
pub struct Regimes(pub Vec<Regime>);

impl FromStr for Regimes {
    type Err = RegimeError;

    fn from_str(name: &str) -> Result<Self, RegimeError> {
        Regime::parse_all(name).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors_are_read_as_they_are_written() {
        for text in ["0", "0,2-5", "4-5,0-1,9", "no-siblings"] {
            assert_eq!(text.parse::<Cores>().unwrap().word(), text);
        }
        for wrong in ["", "a", "3-1", "0,0", "0-3,2", "1-", "-1", "70000"] {
            assert!(wrong.parse::<Cores>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn mixes_and_windows_are_read_as_they_are_written() {
        for text in ["imix", "64,1500", "64:7,576:4"] {
            assert_eq!(text.parse::<GivenMix>().unwrap().word(), text);
        }
        for wrong in ["", "imux", "64:7,576", "64:x", "-1"] {
            assert!(wrong.parse::<GivenMix>().is_err(), "{wrong:?}");
        }
        assert_eq!("20,100.5".parse(), Ok(Window([20.0, 100.5])));
        for wrong in ["20", "100,20", "-1,5", "5,5", "0,inf", "NaN,1"] {
            assert!(wrong.parse::<Window>().is_err(), "{wrong:?}");
        }
    }
}
