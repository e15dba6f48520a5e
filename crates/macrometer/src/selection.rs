//! What a user narrows a study down to: the options that `run` and `plan` share.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use lab::cell::{Flow, KeyLife, Regime, Scheme};
use lab::plan::{MacFacts, NULL, Planned, Selection, cells, keep_claims, narrow, with_key_len};
use lab::record::{Different, Packed, Processor, ProviderRecord};
use lab::sessions::needs::Needs;
use lab::study::{Study, fits, fits_any};
use lab::worker::client::{Launch, PATIENCE};
use providers::{Cause, Row};
use words::ProviderName;

use crate::crprf::CrprfArgs;
use crate::discovery::{self, Absence, Found, Sought};
pub use crate::extent::ExtentArgs;
use crate::memory_limit::{self, MemoryLimitArgs};
use crate::output::{quoted, say};
use crate::own_files::{OwnFiles, OwnFilesArgs};
use crate::sessions::{Regimes, SessionsArgs};
use crate::{sizes, suggestions, unmeasured};

/// Longest time that a provider is waited for: an hour.
const PATIENCE_S_MAX: f64 = 3600.0;

/// Options that narrow a study.
#[derive(Debug, Clone, Args)]
pub struct SelectionArgs {
    /// Parts of the study to run
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    part: Vec<String>,
    /// MACs to compare, by name or pattern with * (`hmac-*`)
    #[arg(long, value_name = "MAC", value_delimiter = ',')]
    mac: Vec<String>,
    #[command(flatten)]
    providers: ProviderArgs,
    /// Message lengths: 300, 300B, 1k, 64KiB (k and K are 1000 bytes, Ki is 1024)
    #[arg(
        long, value_name = "LENGTH", value_delimiter = ',', value_parser = sizes::parse,
        allow_hyphen_values = true
    )]
    size: Vec<u64>,
    /// Key length in bytes; MACs that do not take it are left out, as are cases with another key
    /// length
    #[arg(long, value_name = "BYTES")]
    key_len: Option<u32>,
    /// Key lives: prepared, new-key, one-shot
    #[arg(long, value_name = "LIFE", value_delimiter = ',')]
    key_life: Vec<KeyLife>,
    /// Regimes: single (independent messages), latency (each depends on the last tag), batch-4,
    /// batch-16, batch-64, batch-256, batch-64-mixed (that many messages under as many keys in one
    /// call), keys-N (N keys in turn), sessions-100-on-all and so on (docs/studies.md)
    #[arg(long, value_name = "REGIME", value_delimiter = ',')]
    regime: Vec<Regimes>,
    #[command(flatten)]
    sessions: SessionsArgs,
    #[command(flatten)]
    crprf: CrprfArgs,
    #[command(flatten)]
    memory: MemoryLimitArgs,
    #[command(flatten)]
    own_files: OwnFilesArgs,
    /// The options as they were typed, where others were put in for them.
    #[arg(skip)]
    typed: Option<String>,
}

/// Options that choose providers.
#[derive(Debug, Clone, Args)]
pub struct ProviderArgs {
    /// Providers to use, by name or pattern with *; macs[soft] is macs forced to that code path
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    provider: Vec<String>,
    /// Providers to exclude
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    not: Vec<String>,
    /// A library to use instead (openssl=PATH), or one more of its kind (openssl-4.0=PATH)
    #[arg(long, value_name = "NAME=PATH")]
    lib: Vec<String>,
    /// Seconds to wait for a provider's reply before it is dropped
    #[arg(
        long, allow_negative_numbers = true, value_name = "SECONDS",
        default_value_t = PATIENCE.as_secs_f64()
    )]
    patience: f64,
}

/// Providers that were found, and a line for each that was not.
pub struct Present {
    /// How to start them.
    launches: Vec<Launch>,
    /// What they say of themselves.
    providers: Vec<ProviderRecord>,
    /// Those that were not found, and why.
    missing: Vec<Absence>,
}

/// A study ready to be measured.
pub struct Ready {
    /// The study as it was narrowed.
    pub study: Study,
    /// Its cells, before the pilot.
    pub cells: Vec<Planned>,
    /// Who takes part.
    pub providers: Vec<ProviderRecord>,
    /// How to start them.
    pub launches: Vec<Launch>,
    /// Processors that sessions may be given, in the order of the run.
    pub processors: Vec<Processor>,
    /// Providers that were looked for and are not there, and whatever else was asked for and is not
    /// measured.
    pub missing: Vec<Absence>,
    /// A line for each provider with macs of the study that it does not offer, for it gives other
    /// answers.
    pub different: Vec<String>,
    /// What its sessions and many keys need, where it has any.
    pub needs: Option<Needs>,
    /// The pack that it is of, where it is of one.
    pub packed: Option<Packed>,
    /// Where the user wants the files of segments.
    pub segments_dir: Option<PathBuf>,
}

impl Ready {
    /// One that is of no pack, needs nothing of the machine, and misses nobody.
    pub fn new(
        study: Study,
        cells: Vec<Planned>,
        providers: Vec<ProviderRecord>,
        launches: Vec<Launch>,
    ) -> Self {
        Self {
            study,
            cells,
            providers,
            launches,
            processors: vec![],
            missing: vec![],
            different: vec![],
            needs: None,
            packed: None,
            segments_dir: None,
        }
    }
}

/// Values as they would be typed.
fn each(values: &[impl ToString]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

impl SelectionArgs {
    /// Takes these parts, unless the user named some.
    pub fn with_parts(&mut self, names: Vec<String>) {
        if self.part.is_empty() {
            self.part = names;
        }
    }

    /// Takes a few lengths of these MACs with prepared keys, unless the user named others.
    pub fn quickly(&mut self, macs: &[String]) {
        self.typed = Some(self.words() + " --quick");
        if self.mac.is_empty() {
            self.mac = macs.to_vec();
        }
        if self.size.is_empty() {
            self.size = vec![64, 1024, 16_384];
        }
        if self.key_life.is_empty() {
            self.key_life = vec![KeyLife::Prepared];
        }
    }

    /// How long a provider may take for an answer.
    pub fn patience(&self) -> Result<Duration> {
        self.providers.patience()
    }

    /// Whether providers are waited for as long as usual.
    pub fn has_usual_patience(&self) -> bool {
        self.providers.patience == PATIENCE.as_secs_f64()
    }

    /// The same, and providers are waited for as long as by `other`.
    pub fn with_patience_of(self, other: &Self) -> Self {
        let patience = other.providers.patience;
        Self { providers: ProviderArgs { patience, ..self.providers }, ..self }
    }

    /// The user's own files, read.
    pub fn own_files(&self) -> Result<OwnFiles> {
        self.own_files.read()
    }

    /// Libraries named by the user.
    pub fn libs(&self) -> &[String] {
        &self.providers.lib
    }

    /// The providers to look for: those that the study or the user asks for. Starting a runtime
    /// that takes no part would cost a second.
    pub fn sought(&self, study: &Study) -> Result<Vec<Sought>> {
        let panels = study.panels.iter().flat_map(|panel| &panel.providers);
        let names = self.providers.provider.iter().chain(panels);
        let mut sought = discovery::sought_with_forced(&self.providers.lib, names)?;
        self.providers.check_patterns(sought.iter().map(Sought::name))?;
        let is_asked = |name: &str| match self.providers.provider.is_empty() {
            true => study.panels.iter().any(|panel| panel.takes(name)),
            false => self.providers.wants(name),
        };
        let is_wanted = |name: &str| is_asked(name) && !fits_any(&self.providers.not, name);
        let limited = discovery::limited(&sought, self.memory.limits_bytes(), is_wanted);
        // Whether a library is here says why a code path of it is not. The floor has no panel.
        let wanted = sought.iter().map(Sought::name).filter(|name| is_wanted(name));
        let libraries = wanted.map(|name| ProviderName::of(name).library.to_owned());
        let more: BTreeSet<String> =
            libraries.chain(self.providers.placed().chain([NULL]).map(str::to_owned)).collect();
        sought.retain(|it| is_wanted(it.name()) || more.contains(it.name()));
        sought.extend(limited);
        Ok(sought)
    }

    /// The regimes that are named; of sessions, a name without a quantity stands for both.
    fn regimes(&self) -> Vec<Regime> {
        let mut regimes = Vec::new();
        for &regime in self.regime.iter().flat_map(|named| &named.0) {
            if !regimes.contains(&regime) {
                regimes.push(regime);
            }
        }
        regimes
    }

    /// The options again, as they would be typed.
    pub fn words(&self) -> String {
        if let Some(typed) = &self.typed {
            return typed.clone();
        }
        let lists = [
            ("part", self.part.clone()),
            ("mac", self.mac.clone()),
            ("size", each(&self.size)),
            ("key-len", each(self.key_len.as_slice())),
            ("key-life", each(&self.key_life)),
            ("regime", each(&self.regimes())),
        ];
        let given = lists.into_iter().filter(|(_, values)| !values.is_empty());
        let words: String = given
            .map(|(name, values)| format!(" --{name} {}", quoted(&values.join(","))))
            .collect();
        words
            + &self.providers.words()
            + &self.sessions.words()
            + &self.crprf.words()
            + &self.memory.words()
            + &self.own_files.words()
    }

    /// Looks for providers and plans the cells.
    pub fn ready(&self, whole: &Study, sought: &[Sought]) -> Result<Ready> {
        let (facts, study) = (facts(), self.narrowed(whole)?);
        let processors = self.sessions.processors()?;
        let Present { mut launches, providers, mut missing } =
            self.providers.present(discovery::find(sought, self.providers.patience()?))?;
        memory_limit::same_allocator(&mut launches);
        let cells = cells(&study, &providers, &facts, &processors)?;
        let needs = lab::measure::needs(&study, &cells, &processors).map_err(|it| anyhow!(it))?;
        let wanted = providers.iter().filter(|provider| self.providers.wants(&provider.name));
        let different = wanted.filter_map(|provider| other_answers(provider, &study)).collect();
        let takes_part =
            |name: &str| cells.iter().any(|planned| planned.cell.candidate.provider == name);
        missing.extend(unmeasured::macs(&self.mac, (whole, &study), &cells, &facts));
        let is_here = |name: &str| launches.iter().any(|it| it.name == name);
        missing.extend(unmeasured::providers(&self.providers.provider, is_here, takes_part));
        let launches = launches.into_iter().filter(|launch| takes_part(&launch.name)).collect();
        let providers =
            providers.into_iter().filter(|provider| takes_part(&provider.name)).collect();
        let ready = Ready::new(study, cells, providers, launches);
        Ok(Ready { processors, missing, different, needs, ..ready })
    }

    /// The study as these options narrow it, whatever providers there are.
    pub fn narrowed(&self, study: &Study) -> Result<Study> {
        let facts = facts();
        check_macs(&self.mac, &facts)?;
        for case in study.parts.iter().flat_map(|part| &part.cases) {
            check_macs(&case.macs, &facts)
                .map_err(|error| anyhow!("the study's case \"{}\": {error}", case.name))?;
        }
        let selection = Selection {
            providers: self.providers.provider.clone(),
            not: self.providers.not.clone(),
            macs: self.mac.clone(),
            sizes: self.size.clone(),
            key_lives: self.key_life.clone(),
            regimes: self.regimes(),
            parts: self.part.clone(),
        };
        let study = narrow(&self.crprf.apply(study)?, &selection, &facts)?;
        let mut study = self.memory.apply(self.sessions.apply(study)?)?;
        if let Some(len_bytes) = self.key_len {
            with_key_len(&mut study, len_bytes, &facts)?;
        }
        keep_claims(&mut study, !self.mac.is_empty() || self.key_len.is_some());
        Ok(study)
    }
}

/// Refuses patterns that no mac fits.
pub fn check_macs(patterns: &[String], facts: &[MacFacts]) -> Result<()> {
    for pattern in patterns {
        if !facts.iter().any(|mac| fits(pattern, &mac.name)) {
            let unknown = suggestions::unknown_mac(pattern);
            let more = "`macrometer list macs` shows all";
            match suggestions::pattern_for(pattern, facts.iter().map(|mac| &*mac.name)) {
                Some(wider) => bail!("{unknown} ('{wider}' takes all of that name; {more})"),
                None => bail!("{unknown} ({more})"),
            }
        }
    }
    Ok(())
}

impl ProviderArgs {
    /// Looks for the providers that are wanted, and leaves out the others. Of those that are not
    /// here it says so.
    pub fn find(&self) -> Result<(Vec<Launch>, Vec<ProviderRecord>)> {
        self.find_among(None, |_| true)
    }

    /// The same among those that `is_asked` names, and those that are named here; one `more` is
    /// looked for beside them, perhaps on a code path.
    pub fn find_among(
        &self,
        more: Option<&str>,
        is_asked: impl Fn(&str) -> bool,
    ) -> Result<(Vec<Launch>, Vec<ProviderRecord>)> {
        let more: Option<String> = more.map(str::to_owned);
        let mut sought =
            discovery::sought_with_forced(&self.lib, self.provider.iter().chain(&more))?;
        let is_more = |name: &str| more.as_deref() == Some(name);
        sought.retain(|it| is_asked(it.name()) || self.names(it.name()) || is_more(it.name()));
        self.check_patterns(sought.iter().map(Sought::name))?;
        let Present { launches, providers, missing } =
            self.present(discovery::find(&sought, self.patience()?))?;
        say_missing(&missing);
        let pairs = launches.into_iter().zip(providers);
        let is_wanted =
            |it: &(Launch, ProviderRecord)| self.wants(&it.0.name) || is_more(&it.0.name);
        Ok(pairs.filter(is_wanted).unzip())
    }

    /// The options again, as they would be typed.
    pub fn words(&self) -> String {
        let lists = [("provider", &self.provider), ("not", &self.not)];
        let given = lists.into_iter().filter(|(_, values)| !values.is_empty());
        let mut words: String = given
            .map(|(name, values)| format!(" --{name} {}", quoted(&values.join(","))))
            .collect();
        words.extend(self.lib.iter().map(|lib| format!(" --lib {}", quoted(lib))));
        words
    }

    /// The rows of those that are asked for: of a name its own, of a pattern those that fit it and
    /// that `is_right` holds for, or all that fit it.
    pub fn rows(&self, is_right: impl Fn(&Row) -> bool) -> Vec<&'static Row> {
        let of = |asked: &String| match providers::row(asked) {
            Some(row) => vec![row],
            None => {
                let fitting = providers::ROWS.iter().filter(|row| fits(asked, row.name));
                let (right, others): (Vec<_>, Vec<_>) = fitting.partition(|row| is_right(row));
                if right.is_empty() { others } else { right }
            }
        };
        self.provider.iter().flat_map(of).collect()
    }

    /// Whether a provider was asked for by name or pattern.
    pub fn names(&self, name: &str) -> bool {
        !self.provider.is_empty() && self.wants(name)
    }

    /// Whether a provider was asked for, or none was.
    fn wants(&self, name: &str) -> bool {
        self.provider.is_empty() || self.provider.iter().any(|pattern| fits(pattern, name))
    }

    /// Refuses patterns that no provider fits.
    fn check_patterns<'a>(&self, names: impl Iterator<Item = &'a str> + Clone) -> Result<()> {
        for pattern in self.provider.iter().chain(&self.not) {
            if !names.clone().any(|name| fits(pattern, name)) {
                bail!("{}", discovery::unknown(pattern, names));
            }
        }
        Ok(())
    }

    /// The names whose place the user gives.
    fn placed(&self) -> impl Iterator<Item = &str> {
        self.lib.iter().filter_map(|lib| Some(lib.split_once('=')?.0))
    }

    /// Those that were found and not left out. One that was asked for by name, or whose place was
    /// given, must be there.
    fn present(&self, found: Vec<Found>) -> Result<Present> {
        let placed = self.placed().filter(|name| self.wants(name) && !fits_any(&self.not, name));
        for name in self.provider.iter().map(String::as_str).chain(placed) {
            let named = found.iter().find(|found| found.name == name);
            if let Some(Err(absence)) = named.map(|found| &found.outcome) {
                bail!("provider {}", absence.line);
            }
        }
        let patience = self.patience()?;
        let here = found.iter().filter(|found| found.outcome.is_ok());
        let here: Vec<String> = here.map(|found| found.name.clone()).collect();
        let is_here = |name: &str| here.iter().any(|it| it == name);
        let mut present = Present { launches: vec![], providers: vec![], missing: vec![] };
        for found in found {
            if self.not.iter().any(|pattern| fits(pattern, &found.name)) {
                continue;
            }
            match found.outcome {
                Ok((launch, provider)) => {
                    present.launches.push(Launch { patience, ..launch });
                    present.providers.push(provider);
                }
                Err(absence) if self.wants(&found.name) => {
                    present.missing.push(absence.beside(is_here));
                }
                Err(_) => {}
            }
        }
        Ok(present)
    }

    fn patience(&self) -> Result<Duration> {
        check_patience(self.patience)
    }
}

/// How long a worker is waited for, where that is neither no time nor too long.
pub fn check_patience(given: f64) -> Result<Duration> {
    if given > 0.0 && given <= PATIENCE_S_MAX {
        return Ok(Duration::from_secs_f64(given));
    }
    let given = crate::extent::given(given);
    bail!("--patience {given}: must be more than 0 and at most {PATIENCE_S_MAX} seconds")
}

/// What a provider has of the study and does not offer, in one line; `None` where that is nothing.
fn other_answers(provider: &ProviderRecord, study: &Study) -> Option<String> {
    let is_asked = |what: &&Different| {
        let mut cases = study.parts.iter().flat_map(|part| &part.cases);
        cases.any(|case| case.macs.contains(&what.mac))
    };
    let wrong: Vec<String> =
        provider.different.iter().filter(is_asked).map(ToString::to_string).collect();
    let told = || format!("{}: left out for wrong tags: {}", provider.name, wrong.join(", "));
    (!wrong.is_empty()).then(told)
}

/// Says on standard error who was not found: those that are not installed in one line, and of
/// others why.
pub fn say_missing(missing: &[Absence]) {
    let (plain, others): (Vec<&Absence>, Vec<&Absence>) =
        missing.iter().partition(|absence| absence.cause == Cause::NotInstalled);
    for absence in others {
        say(&format!("left out: {}", absence.line));
    }
    let names: Vec<&str> = plain.iter().map(|absence| absence.name.as_str()).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        say(&format!("not found: {names} (`macrometer list providers` says what to install)"));
    }
}

/// What the plan must know of each mac, from the catalog, and of the frames of macs; a scheme has
/// the keys of its composition.
pub fn facts() -> Vec<MacFacts> {
    let fact = |mac: &macs::MacInfo| MacFacts {
        name: mac.name.into(),
        key_len_bytes: mac.key_len_bytes as u32,
        any_key_len: mac.accepted_key_len == macs::Len::Any,
    };
    let macs = || macs::catalog().iter();
    let schemes = macs().filter(|mac| mac.is_composition()).flat_map(|mac| {
        Flow::ALL.iter().map(move |&flow| MacFacts {
            name: Scheme { composition: mac.name, flow }.to_string(),
            ..fact(mac)
        })
    });
    macs().chain(macs::frame::FRAMES).map(fact).chain(schemes).collect()
}
