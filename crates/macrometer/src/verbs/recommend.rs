//! `recommend`: what to use for somebody's messages, and whether it is worth changing.

pub(super) mod callers;
mod calls;
mod capture;
mod classes;
mod lengths;
mod needs;
mod request;
mod servers;
mod today;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use lab::archive::Outline;
use lab::cell::{KeyLife, Regime};
use lab::plan::{MacFacts, Planned, cells, is_floor};
use lab::record::{ProviderRecord, Run as RunRecord, RunState};
use lab::study::{Batch, Class, LAUNCHES_MIN, Part, Study, Workload, fits_any};
use lab::worker::client::PATIENCE;
use providers::Row;

use report::recommend::{Asked, Load, Recommendation, Servers};

use super::run::{Conditions, begin, measure_run, pinned_to};
use crate::discovery::{self, Absence};
use crate::extent::check_budget;
use crate::output;
use crate::paths::{ArchiveArg, if_sound, sound};
use crate::progress::Stop;
use crate::selection::{ProviderArgs, Ready, check_macs, facts, say_missing};
use crate::{studies, unmeasured};
use callers::{Language, add_common, is_callable, languages, limited, titles};
use lengths::Lengths;
use needs::Needs;
use servers::ServersArgs;
use today::Today;

/// Share of the time that counting servers leaves for what comes before it.
const FIRST_SHARE: f64 = 0.25;

/// Counting servers is given as much, even if what comes before it took all the time.
const SERVERS_S_MIN: f64 = 1.0;

/// A run that had this share of the time allowed is as good as one that has all of it.
const AS_GOOD: f64 = 0.7;

/// Most messages under a key, and messages a second, that anybody has.
const MESSAGES_MAX: u64 = 1 << 62;
const RATE_MAX: f64 = 1e12;

/// What should I use for my messages, and is it worth changing?
///
/// Measures what may be used for a workload, everything at first and then only what can still be
/// the fastest, and answers in words (docs/recommend.md). The next time, the same workload is
/// answered from the archive.
#[derive(Debug, Args)]
pub struct Recommend {
    /// Message lengths: 300, 1KiB; with weights 64:7,576:4; imix; or a file with LENGTH WEIGHT on
    /// each line
    #[arg(long, value_name = "LENGTHS", conflicts_with = "pcap", allow_hyphen_values = true)]
    size: Option<String>,
    /// Take message lengths from a capture (pcap, pcapng): payloads of TCP and UDP
    #[arg(long, value_name = "FILE")]
    pcap: Option<PathBuf>,
    /// Messages per key; 1: a new key for each message [default: one key for all]
    #[arg(long, value_name = "N")]
    messages_per_key: Option<u64>,
    /// Messages available at once: compares batches with one message at a time
    #[arg(long, value_name = "N", conflicts_with = "sessions")]
    batch: Option<u64>,
    /// Messages per second, to show what share of a core the answer takes, and what a change saves
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    rate: Option<f64>,
    /// Language of the calling code: c, rust, python, java, go, node; several that must compute the
    /// same tags: python,go [default: that of --provider or --now, else c and rust]
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',')]
    from: Vec<Language>,
    /// What you use today: hmac-sha256@python, or with the key life hmac-sha256@python/one-shot
    #[arg(long, value_name = "MAC@PROVIDER")]
    now: Option<Today>,
    #[command(flatten)]
    servers: ServersArgs,
    #[command(flatten)]
    needs: Needs,
    /// Only these MACs, by name or pattern with * (`hmac-*`)
    #[arg(long, value_name = "MAC", value_delimiter = ',')]
    mac: Vec<String>,
    #[command(flatten)]
    providers: ProviderArgs,
    /// Time limit in seconds, three quarters of it for counting servers [default: 30, with
    /// --sessions 120]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    budget: Option<f64>,
    /// Measure again, even if the archive has the answer
    #[arg(long)]
    again: bool,
    /// Seed; implies --again [default: random]
    #[arg(long)]
    seed: Option<u64>,
    /// Processor to pin workers to, or `none` [default: the last one allowed]
    #[arg(long, value_name = "N")]
    cpu: Option<String>,
    #[command(flatten)]
    pub archive: ArchiveArg,
    /// Output format; `html` prints a page: one file that loads nothing
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// How the answer is written to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One screen
    Text,
    /// One JSON document
    Json,
    /// The page: all candidates, and all that would change the answer
    Html,
}

impl Recommend {
    pub fn run(self) -> Result<u8> {
        let began = Instant::now();
        let cpu = pinned_to(self.cpu.as_deref())?;
        self.check()?;
        self.archive.check()?;
        let lengths = self.lengths()?;
        let from = self.callers()?;
        let load = self.servers.load(self.rate)?;
        let ready = self.ready(&lengths, &from)?;
        // What is compiled once would leave a first answer less time than all others have.
        let began = began + providers::compiling_took();
        let stop = Stop::listen()?;
        let conditions = Conditions { cpu, began, stop: stop.clone() };
        let run = self.measured(&ready, conditions.clone())?;
        if run.state == RunState::Interrupted && run.launches() < 2 {
            output::say("interrupted before anything could be compared");
            return Ok(130);
        }
        let mut found = self.answer(&run, &lengths, &from)?;
        if let Some(load) = load.filter(|_| !stop.is_set()) {
            // What was found is not lost with them.
            match self.servers_for(load, &found, (&ready, &lengths), conditions) {
                Ok(servers) => found.servers = Some(servers),
                Err(error) => found.doubts.push(format!("servers are not counted: {error:#}")),
            }
        }
        self.print(&found)?;
        Ok(if stop.is_set() { 130 } else { 0 })
    }

    /// The languages of who calls.
    fn callers(&self) -> Result<Vec<Language>> {
        let now = self.now.as_ref().map(|now| now.0.provider.as_str());
        let asked =
            self.providers.rows(|row| self.from.is_empty() || is_callable(&self.from, row.name));
        // What is used today may be from elsewhere.
        let is_floor_or_now = |row: &&Row| row.name == "null" || Some(row.name) == now;
        let asked: Vec<&Row> = asked.into_iter().filter(|row| !is_floor_or_now(row)).collect();
        let from = languages(&self.from, &asked, now.and_then(providers::row));
        callers::check(&from, &asked)?;
        Ok(from)
    }

    fn print(&self, found: &Recommendation) -> Result<()> {
        match self.format {
            Format::Text => output::print_text(&found.text(output::width())),
            Format::Json => output::print(&found.json()?),
            Format::Html => output::print(&report::page::answer(found)),
        }
    }

    /// The run of these cells that the archive has, or a new one.
    fn measured(&self, ready: &Ready, conditions: Conditions) -> Result<RunRecord> {
        if let Some(run) = self.kept(ready)? {
            return Ok(run);
        }
        let mut archive = self.archive.create()?;
        let seed = self.seed.unwrap_or_else(rand::random);
        let mut run = begin(&mut archive, ready, self.called(seed), seed, conditions.cpu)?;
        measure_run(&mut archive, &mut run, ready.cells.clone(), &ready.launches, conditions)?;
        Ok(run)
    }

    /// Seconds for all of it.
    fn budget_s(&self) -> f64 {
        let usual_s = if self.servers.are_counted() { 120.0 } else { 30.0 };
        self.budget.unwrap_or(usual_s)
    }

    /// What of it is for what comes before counting servers.
    fn budget_share(&self) -> f64 {
        if self.servers.are_counted() { FIRST_SHARE } else { 1.0 }
    }

    /// How many servers the sessions need with what was found under these conditions.
    fn servers_for(
        &self,
        load: Load,
        found: &Recommendation,
        (first, lengths): (&Ready, &Lengths),
        conditions: Conditions,
    ) -> Result<Servers> {
        let left_s = self.budget_s() - conditions.began.elapsed().as_secs_f64();
        let own_s = (1.0 - FIRST_SHARE) * self.budget_s();
        let named = servers::named(found);
        let asked = servers::Asked {
            load,
            lengths,
            messages_per_key: self.messages_per_key,
            budget_s: left_s.min(own_s).max(SERVERS_S_MIN),
            named: &named,
        };
        let conditions = Conditions { began: Instant::now(), ..conditions };
        let ready = self.servers.ready(first, &asked)?;
        let run = self.measured(&ready, conditions)?;
        Ok(Servers::of(&run, load, &named)?)
    }

    fn check(&self) -> Result<()> {
        check_budget(self.budget)?;
        self.needs.check()?;
        if let Some(count) = self.messages_per_key
            && !(1..=MESSAGES_MAX).contains(&count)
        {
            bail!("--messages-per-key {count}: must be 1 to {MESSAGES_MAX}");
        }
        if let Some(rate) = self.rate
            && !(rate > 0.0 && rate <= RATE_MAX)
        {
            let rate = crate::extent::given(rate);
            bail!("--rate {rate}: must be more than 0 and at most {RATE_MAX} messages per second");
        }
        match &self.now {
            Some(now) => now.check(self.messages_per_key),
            None => Ok(()),
        }
    }

    fn lengths(&self) -> Result<Lengths> {
        match (&self.size, &self.pcap) {
            (Some(size), _) => Lengths::parse(size),
            (None, Some(pcap)) => capture::read(pcap),
            (None, None) => bail!(
                "how long are your messages? --size 300, --size 64:7,576:4, --size imix, --size \
                 FILE or --pcap FILE"
            ),
        }
    }

    /// What is to be measured, and with whom.
    fn ready(&self, lengths: &Lengths, from: &[Language]) -> Result<Ready> {
        let facts = facts();
        check_macs(&self.mac, &facts)?;
        let mut study = self.study(lengths, &facts, from)?;
        let today = self.now.as_ref().map(|now| now.0.provider.as_str());
        let found = self.providers.find_among(today, |name| is_callable(from, name))?;
        let (mut launches, mut providers) = found;
        if !providers.iter().any(|it| it.name == "null") {
            discovery::add_floor(PATIENCE, &mut launches, &mut providers);
        }
        let planned = cells(&study, &providers, &facts, &[])
            .map_err(|error| anyhow!("for callers in {}: {error}", titles(from)))?;
        let planned = self.wanted(from, planned, &providers)?;
        self.say_not_measured(&facts, &study, &planned);
        if let Some(workload) = &mut study.workload {
            add_common(workload, &planned);
        }
        let takes_part = |name: &str| planned.iter().any(|it| it.cell.candidate.provider == name);
        launches.retain(|it| takes_part(&it.name));
        providers.retain(|it| takes_part(&it.name));
        Ok(Ready::new(study, planned, providers, launches))
    }

    /// The study `recommend` for these messages, and the macs that may be used for them.
    fn study(&self, lengths: &Lengths, facts: &[MacFacts], from: &[Language]) -> Result<Study> {
        let mut study = studies::find("recommend")?;
        study.budget_s = self.budget_share() * self.budget_s();
        let now = self.now.as_ref().map(|now| now.0.clone());
        let part = study.parts.first_mut().context("the study recommend has no part")?;
        let admitted = self.admitted(part, facts)?;
        let same = now.iter().map(|now| now.mac.clone()).collect();
        let classes = classes::of(&self.needs, &admitted, &study.named, same)?;
        let lengths = lengths.measured();
        part.sizes = lengths.iter().map(|it| it.len_bytes).collect();
        measure_classes(part, &classes);
        if now.is_some() {
            part.key_lives.push(KeyLife::OneShot);
        }
        let batch = self.batch.map(batches).transpose()?.flatten();
        part.regimes.extend(batch.map(|it| it.regime));
        let (messages_per_key, callers) = (self.messages_per_key, limited(from));
        study.workload = Some(Workload { lengths, messages_per_key, batch, callers, classes, now });
        study.check()?;
        Ok(study)
    }

    /// The macs of the study, or those that are named, that may be used.
    fn admitted(&self, part: &Part, facts: &[MacFacts]) -> Result<Vec<&'static macs::MacInfo>> {
        let patterns: Vec<String> = match &self.mac[..] {
            [] => part.cases.iter().flat_map(|case| case.macs.clone()).collect(),
            named => named.to_vec(),
        };
        let asked = facts.iter().filter(|fact| fits_any(&patterns, &fact.name));
        let found = asked.filter_map(|fact| macs::find(&fact.name));
        let admitted: Vec<_> =
            found.filter(|mac| self.needs.admit(mac, self.messages_per_key)).collect();
        if admitted.is_empty() {
            return Err(self.nobody(facts));
        }
        Ok(admitted)
    }

    /// Why no mac is left.
    fn nobody(&self, facts: &[MacFacts]) -> anyhow::Error {
        match self.not_admitted(facts).next() {
            Some((name, why)) => anyhow!("--mac: {name} does not meet these needs: {why}"),
            None => anyhow!("no MAC considered meets these needs: relax them"),
        }
    }

    /// Of the macs that are named those that these needs do not admit, and why.
    fn not_admitted<'a>(
        &'a self,
        facts: &'a [MacFacts],
    ) -> impl Iterator<Item = (&'static str, String)> + 'a {
        let named = facts.iter().filter(|fact| fits_any(&self.mac, &fact.name));
        named.filter_map(|fact| {
            let mac = macs::find(&fact.name)?;
            Some((mac.name, self.needs.why_not(mac, self.messages_per_key)?))
        })
    }

    /// Says which macs that are named one by one are not measured.
    fn say_not_measured(&self, facts: &[MacFacts], study: &Study, planned: &[Planned]) {
        let why: BTreeMap<&str, String> = self.not_admitted(facts).collect();
        let (refused, others): (Vec<String>, Vec<String>) =
            self.mac.iter().cloned().partition(|mac| why.contains_key(mac.as_str()));
        let told = |mac: &String| {
            Absence::of(mac, &format!("does not meet these needs: {}", why[mac.as_str()]))
        };
        say_missing(&refused.iter().map(told).collect::<Vec<_>>());
        say_missing(&unmeasured::macs(&others, (study, study), planned, facts));
    }

    /// Of who can be called, and of what is used today, which must be there; the one call for all
    /// is measured of that alone.
    fn wanted(
        &self,
        from: &[Language],
        mut planned: Vec<Planned>,
        providers: &[ProviderRecord],
    ) -> Result<Vec<Planned>> {
        let now = self.now.as_ref().map(|now| &now.0);
        let is_now = |it: &Planned| now.is_some_and(|now| now.is(&it.cell.candidate));
        planned.retain(|it| {
            let is_callable = is_callable(from, &it.cell.candidate.provider);
            let is_other = it.cell.key_life != KeyLife::OneShot && is_callable;
            is_floor(&it.cell.candidate.mac) || is_now(it) || is_other
        });
        if let Some(today) = &self.now {
            today.check_is_there(&planned, providers, self.messages_per_key)?;
        }
        if planned.iter().all(|it| is_floor(&it.cell.candidate.mac)) {
            bail!("no provider found offers what the workload needs");
        }
        Ok(planned)
    }

    /// The newest whole run of the same workload that had as much time, or nearly as much and
    /// enough launches for an interval without the look, with the same libraries on the same
    /// processor; none where it is to be measured again.
    fn kept(&self, ready: &Ready) -> Result<Option<RunRecord>> {
        if self.again || self.seed.is_some() || self.cpu.is_some() {
            return Ok(None);
        }
        let Some(archive) = self.archive.open_if_there()? else { return Ok(None) };
        let here = lab::machine::read(None);
        let wanted_s = ready.study.budget_s;
        let is_same = |outline: &Outline| {
            let study = Study { budget_s: wanted_s, ..outline.study.clone() };
            let had_time = outline.study.budget_s >= AS_GOOD * wanted_s;
            had_time && study == ready.study && outline.is_of(&here)
        };
        for outline in sound(archive.outlines()?).iter().filter(|it| is_same(it)) {
            let run = if_sound(&archive, &outline.id)?;
            if let Some(run) = run.filter(|run| is_as_good(run, outline, ready)) {
                let date = report::format::date(run.created_unix_s);
                output::say(&format!("from the archive, measured {date}; --again measures afresh"));
                return Ok(Some(run));
            }
        }
        Ok(None)
    }

    fn answer(
        &self,
        run: &RunRecord,
        lengths: &Lengths,
        from: &[Language],
    ) -> Result<Recommendation> {
        let messages_per_key = self.messages_per_key;
        let may = |mac: &str, messages: Option<u64>| {
            macs::find(mac).is_some_and(|mac| self.needs.admit(mac, messages))
        };
        let asked = Asked {
            command: self.called(run.seed).to_string(),
            words: self.asked(lengths, from),
            rate_per_s: self.rate,
            budget_share: self.budget_share(),
            caveats: self.needs.caveats(),
            policy: &Needs::says,
            to_know: &|mac| needs::to_know(mac, messages_per_key),
            asks: &needs::asks,
            may: &may,
            written: &calls::written,
            can_call: &|provider| is_callable(from, provider),
            why_not: &|mac, messages| {
                macs::find(mac).and_then(|mac| self.needs.why_not(mac, messages))
            },
        };
        Recommendation::of(run, &asked).with_context(|| {
            format!("run {} measured nothing of the workload: use a larger --budget", run.id)
        })
    }
}

/// Whether a run of the same study answers what a new one would: it is complete and has the same
/// providers, as they are, and the same cells.
fn is_as_good(run: &RunRecord, outline: &Outline, ready: &Ready) -> bool {
    // One in which nothing was measured answers nothing.
    let is_whole = run.state == RunState::Complete
        && run.providers == ready.providers
        && !run.samples.is_empty();
    // With more time it would be decided: that is what a larger budget was advised for.
    let has_enough =
        run.launches() > LAUNCHES_MIN || outline.study.budget_s >= ready.study.budget_s;
    // Whose code calls decides who is measured, and is not in the study.
    let wanted: BTreeSet<String> = ready.cells.iter().map(|it| it.cell.to_string()).collect();
    let has_all = || wanted == run.cells.iter().map(|it| it.cell.to_string()).collect();
    is_whole && has_enough && run.machine.processors == ready.processors && has_all()
}

/// Has a part measure what is in any of the classes.
fn measure_classes(part: &mut Part, classes: &[Class]) {
    let mut all: Vec<String> = classes.iter().flat_map(|class| class.macs.clone()).collect();
    all.sort_unstable();
    all.dedup();
    part.cases.truncate(1);
    for case in &mut part.cases {
        case.macs.clone_from(&all);
        case.on_request.clear();
    }
}

/// The largest batches that are measured of so many messages at once; none of one message.
fn batches(messages: u64) -> Result<Option<Batch>> {
    if messages == 1 {
        return Ok(None);
    }
    match Regime::batch_of(messages) {
        Some(regime) => Ok(Some(Batch { messages, regime })),
        None => bail!("--batch {messages}: must be 1, or at least 4, the smallest batch measured"),
    }
}
