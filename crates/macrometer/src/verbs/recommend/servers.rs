//! How many servers the sessions need: what is recommended, and what is used today, carried by this
//! machine as the study `servers` measures it.

use std::str::FromStr;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use lab::machine;
use lab::plan::cells;
use lab::regimes::sessions::SESSIONS_MAX;
use lab::study::{ClassName, Length, Mix, Part, Study};
use report::findings::sessions::thousands;
use report::format::list;
use report::recommend::{Load, Recommendation};

use super::lengths::Lengths;
use crate::must_be::MustBe;
use crate::selection::{Ready, facts};
use crate::studies;

/// Messages per second of one session.
const RATE: std::ops::RangeInclusive<f64> = 0.1..=1e6;

/// Sum of the weights of a mix of lengths.
const WEIGHTS: f64 = 1000.0;

/// Options for counting servers.
#[derive(Debug, Args)]
pub struct ServersArgs {
    /// Also show how many servers N simultaneous sessions need, each with its own key, that send
    /// --rate messages per second in total
    #[arg(long, value_name = "N")]
    sessions: Option<u32>,
    /// Processors per server [default: as many as here]
    #[arg(long, value_name = "N", requires = "sessions")]
    cores: Option<u32>,
    /// Tail latency: which share of messages must be done within which time [default: 99%=10ms]
    #[arg(long, value_name = "SHARE=TIME", requires = "sessions")]
    tail: Option<Tail>,
}

/// A share of the messages, and the time in which they must be done.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Tail {
    quantile: f64,
    ms: f64,
}

impl Default for Tail {
    fn default() -> Self {
        Self { quantile: 0.99, ms: 10.0 }
    }
}

impl FromStr for Tail {
    type Err = MustBe;

    fn from_str(text: &str) -> Result<Self, MustBe> {
        let wrong = MustBe(
            "a share and a time, such as 99%=10ms or 99.9%=500us: 50 to 99.99 %, 1 µs to 60 s",
        );
        let (share, time) = text.split_once('=').ok_or(wrong)?;
        let share = share.trim().strip_suffix('%').ok_or(wrong)?;
        let time = time.trim();
        let units = [("us", 1e-3), ("µs", 1e-3), ("ms", 1.0), ("s", 1e3)];
        let unit = units.iter().find_map(|(unit, ms)| Some((time.strip_suffix(unit)?, ms)));
        let (time, ms) = unit.ok_or(wrong)?;
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong);
        let tail = Self { quantile: number(share)? / 100.0, ms: number(time)? * ms };
        let is_right =
            (0.5..=0.9999).contains(&tail.quantile) && (0.001..=60_000.0).contains(&tail.ms);
        if is_right { Ok(tail) } else { Err(wrong) }
    }
}

/// A mac and its provider.
pub type Named = (String, String);

/// One length, or the mix of several.
fn set_lengths(part: &mut Part, lengths: &[Length]) {
    let own: Vec<&Length> = lengths.iter().filter(|it| it.share > 0.0).collect();
    part.sizes = own.iter().map(|it| it.len_bytes).collect();
    if own.len() > 1 {
        part.sizes.clear();
        let weight = |it: &Length| (it.share * WEIGHTS).round().max(1.0) as u32;
        let rows = own.iter().map(|it| [it.len_bytes as u32, weight(it)]).collect();
        part.sessions.mix = Some(Mix::Histogram(rows));
    }
}

impl ServersArgs {
    /// Whether servers are asked for.
    pub fn are_counted(&self) -> bool {
        self.sessions.is_some()
    }

    /// Whose keys they are, in words; `None` without `--sessions`.
    pub fn keys(&self) -> Option<String> {
        let sessions = self.sessions?;
        let sessions = words::counted(thousands(f64::from(sessions)), "session");
        Some(format!("{sessions} with a key each"))
    }

    /// The load that servers must carry; `None` without `--sessions`.
    pub fn load(&self, rate_per_s: Option<f64>) -> Result<Option<Load>> {
        let Some(sessions) = self.sessions else { return Ok(None) };
        let Some(all_per_s) = rate_per_s else {
            bail!("--sessions {sessions}: needs --rate, the messages per second of all of them");
        };
        if !(1..=SESSIONS_MAX).contains(&sessions) {
            bail!("--sessions {sessions}: must be 1 to {SESSIONS_MAX}");
        }
        let rate_per_s = all_per_s / f64::from(sessions);
        if !RATE.contains(&rate_per_s) {
            bail!(
                "--rate {all_per_s} over --sessions {sessions}: {rate_per_s} messages per second \
                 per session; must be 0.1 to 1,000,000"
            );
        }
        if self.cores == Some(0) {
            bail!("--cores 0: must be at least 1");
        }
        let here = || u32::try_from(machine::processors().len()).unwrap_or(1);
        Ok(Some(Load { sessions, rate_per_s, cores: self.cores.unwrap_or_else(here) }))
    }

    /// The study that measures what they carry.
    fn study(&self, asked: &Asked<'_>) -> Result<Study> {
        let mut study = studies::find("servers")?;
        study.budget_s = asked.budget_s;
        let part = &mut study.parts[0];
        let lengths = asked.lengths.measured();
        set_lengths(part, &lengths);
        let sessions = &mut part.sessions;
        let tail = self.tail.unwrap_or_default();
        sessions.rate_per_s = asked.load.rate_per_s;
        sessions.tail_ms = tail.ms;
        sessions.tail_quantile = tail.quantile;
        let messages = asked.messages_per_key.and_then(|it| u32::try_from(it).ok());
        sessions.rekey_every = messages.unwrap_or(0);
        part.cases[0].macs = asked.named.iter().map(|(mac, _)| mac.clone()).collect();
        part.cases[0].macs.dedup();
        part.cases[0].on_request.clear();
        study.check()?;
        Ok(study)
    }

    /// That study, with the named candidates of the `first` run that can serve sessions.
    pub fn ready(&self, first: &Ready, asked: &Asked<'_>) -> Result<Ready> {
        let study = self.study(asked)?;
        let processors = machine::processors();
        let mut planned = cells(&study, &first.providers, &facts(), &processors)?;
        planned.retain(|it| {
            let own = &it.cell.candidate;
            asked.named.iter().any(|(mac, from)| (mac, from) == (&own.mac, &own.provider))
        });
        if planned.is_empty() {
            let named = asked.named.iter().map(|(mac, from)| format!("{mac}@{from}"));
            bail!("no worker of {} can serve sessions", list(&named.collect::<Vec<_>>()));
        }
        let takes_part = |name: &str| planned.iter().any(|it| it.cell.candidate.provider == name);
        let providers = first.providers.iter().filter(|it| takes_part(&it.name));
        let launches = first.launches.iter().filter(|it| takes_part(&it.name));
        let needs = lab::measure::needs(&study, &planned, &processors);
        let needs = needs.map_err(|error| anyhow!("{error}"))?;
        let (providers, launches) = (providers.cloned().collect(), launches.cloned().collect());
        Ok(Ready { needs, processors, ..Ready::new(study, planned, providers, launches) })
    }

    /// The options as they would be typed.
    pub fn words(&self) -> String {
        let text = |name: &str, value: Option<String>| value.map(|it| format!(" --{name} {it}"));
        let share = |it: &Tail| (it.quantile * 1e6).round() / 1e4;
        let tail = self.tail.map(|it| format!("{}%={}ms", share(&it), it.ms));
        let options = [
            text("sessions", self.sessions.map(|it| it.to_string())),
            text("cores", self.cores.map(|it| it.to_string())),
            text("tail", tail),
        ];
        options.into_iter().flatten().collect()
    }
}

/// For which workload and candidates servers are counted.
pub struct Asked<'a> {
    pub load: Load,
    pub lengths: &'a Lengths,
    pub messages_per_key: Option<u64>,
    /// Seconds for it.
    pub budget_s: f64,
    /// The candidates that are measured.
    pub named: &'a [Named],
}

/// The candidates to measure: what is recommended, the fastest of all, and what is used today.
pub fn named(found: &Recommendation) -> Vec<Named> {
    let mut rows = vec![&found.answer().best];
    rows.extend(found.class(&ClassName::All).map(|it| &it.best));
    rows.extend(found.today.iter().map(|it| &it.row));
    let mut named: Vec<Named> =
        rows.iter().map(|it| (it.mac.clone(), it.provider.clone())).collect();
    named.sort_unstable();
    named.dedup();
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_are_a_share_and_a_time() {
        let read = |text: &str| text.parse::<Tail>().ok().map(|it| (it.quantile, it.ms));
        for (text, quantile, ms) in
            [("99%=10ms", 0.99, 10.0), ("99.9 % = 500us", 0.999, 0.5), ("50%=2s", 0.5, 2000.0)]
        {
            let (own, time) = read(text).unwrap();
            assert!((own - quantile).abs() < 1e-9 && (time - ms).abs() < 1e-9, "{text}");
        }
        for wrong in ["", "99=10ms", "99%", "99%=10", "100%=1ms", "10%=1ms", "99%=0ms", "99%=-1s"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_session_sends_its_share_of_the_rate() {
        let args = |sessions| ServersArgs { sessions: Some(sessions), cores: Some(16), tail: None };
        let load = args(10_000).load(Some(1e6)).unwrap().unwrap();
        assert_eq!((load.rate_per_s, load.cores), (100.0, 16));
        assert!(args(10_000).load(Some(10.0)).unwrap_err().to_string().contains("0.001 messages"));
        assert!(args(0).load(Some(10.0)).is_err());
        let none = ServersArgs { sessions: None, cores: None, tail: None };
        assert_eq!(none.load(Some(10.0)).unwrap(), None);
    }
}
