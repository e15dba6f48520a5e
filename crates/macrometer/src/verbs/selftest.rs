//! `selftest`: is what the providers compute right?

mod policy;
mod record;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::thread::{Builder, ScopedJoinHandle};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use lab::plan::{NULL, is_floor};
use lab::record::ProviderRecord;
use lab::worker::client::Launch;
use rand::RngExt;
use vectors::Case;

use crate::crosscheck::{Agreement, crosscheck};
use crate::proof::{Proof, Verdict, prove};
use crate::selection::ProviderArgs;
use crate::verbs::Format;
use crate::without::WithoutArgs;
use crate::{output, policies, reading};

pub use record::of;

/// Failures and refusals of one kind that are named one by one.
const NAMED_MAX: usize = 8;

/// Check every provider against test vectors, and cross-check providers.
///
/// A case passes if every provider that offers its MAC gives the expected result, and fails if one
/// does not. A valid case that a provider refuses is listed with the reason; one that every
/// provider refuses counts as neither. The exit code is 0 if nothing failed.
///
/// With `--policy` it tells instead what each provider does, here and now, about that which the
/// policy disallows: MACs, keys and tags that are too short. It certifies nothing.
#[derive(Debug, Args)]
pub struct Selftest {
    /// Test vector files (docs/vectors.md) [default: the built-in set]
    #[arg(long, value_name = "FILE", num_args = 1..)]
    vectors: Vec<PathBuf>,
    #[command(flatten)]
    without: WithoutArgs,
    #[command(flatten)]
    providers: ProviderArgs,
    /// Show which MACs disallowed by this policy each provider computes, and which it refuses. A
    /// name from `list policies` or a TOML file of your own (docs/policies.md)
    #[arg(long, value_name = "NAME|FILE", conflicts_with_all = ["vectors", "random", "seed"])]
    policy: Option<String>,
    /// Output format, with --policy
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Random inputs per MAC, on which all its providers must agree
    #[arg(long, value_name = "COUNT", default_value_t = 100)]
    random: usize,
    /// Seed of the random inputs [default: random]
    #[arg(long)]
    seed: Option<u64>,
}

impl Selftest {
    pub fn run(self) -> Result<u8> {
        let policy = self.policy.as_deref().map(policies::find).transpose()?;
        if policy.is_none() && self.format == Format::Json {
            bail!("--format json: only with --policy");
        }
        self.without.apply()?;
        let cases = self.cases()?;
        let (launches, providers) = self.tested()?;
        if let Some(policy) = policy {
            return policy::run(&launches, &providers, &policy, self.format);
        }
        let proofs = prove_all(&launches, &providers, &cases);
        let seed = self.seed.unwrap_or_else(|| rand::rng().random());
        let agreement = crosscheck(&launches, &providers, self.random, seed);

        let outcome = Outcome::of(&cases, &proofs);
        let failed = outcome.failed + agreement.differences.len() + ended_early(&proofs);
        let mut text = by_provider(&providers, &proofs);
        text += &complaints(&cases, &proofs);
        text += &unasked(&cases, &outcome);
        text += &agreed(&agreement, self.random, seed);
        writeln!(text, "{} passed, {failed} failed", outcome.passed)?;
        output::print_text(&text)?;
        match (failed, outcome.passed) {
            (0, 0) => bail!("nothing was tested: no provider offers any of these MACs"),
            (0, _) => Ok(0),
            _ => Ok(1),
        }
    }

    /// The providers, but for the one that computes nothing.
    fn tested(&self) -> Result<(Vec<Launch>, Vec<ProviderRecord>)> {
        let (launches, providers) = self.providers.find()?;
        let pairs = launches.into_iter().zip(providers);
        let (launches, providers): (Vec<_>, Vec<_>) =
            pairs.filter(|(_, provider)| provider.name != NULL).unzip();
        if providers.is_empty() {
            bail!("no provider is left to test");
        }
        Ok((launches, providers))
    }

    fn cases(&self) -> Result<Vec<Case>> {
        if self.vectors.is_empty() {
            return Ok(vectors::compact().flat_map(|(_, cases)| cases).collect());
        }
        let mut all = Vec::new();
        for file in &self.vectors {
            let name = file.display().to_string();
            let bytes = reading::whole(file, reading::TABLE_BYTES_MAX);
            let bytes = bytes.map_err(|error| anyhow!("{name}: cannot be read: {error}"))?;
            all.extend(vectors::parse(&name, &bytes)?);
        }
        Ok(all)
    }
}

fn prove_all(launches: &[Launch], providers: &[ProviderRecord], cases: &[Case]) -> Vec<Proof> {
    let unproved = |provider: &ProviderRecord| Proof {
        provider: provider.name.clone(),
        verdicts: BTreeMap::new(),
        ended_by: Some(TEST_FAILED.into()),
    };
    of_each(launches, providers, |launch, provider| prove(launch, provider, cases), unproved)
}

/// What is told of a provider about which this program itself failed.
const TEST_FAILED: &str = "the test itself failed";

/// Every provider at once: their processes do not know of each other.
fn of_each<T: Send>(
    launches: &[Launch],
    providers: &[ProviderRecord],
    work: impl Fn(&Launch, &ProviderRecord) -> T + Sync,
    otherwise: impl Fn(&ProviderRecord) -> T,
) -> Vec<T> {
    let work = &work;
    let done: Vec<_> = std::thread::scope(|scope| {
        let pairs = launches.iter().zip(providers);
        // Where no thread can be had, this one does it.
        let doing: Vec<_> = pairs
            .map(|(launch, provider)| {
                let work = move || work(launch, provider);
                Builder::new().spawn_scoped(scope, work).map_err(|_| work())
            })
            .collect();
        doing.into_iter().map(|done| done.map_or_else(Ok, ScopedJoinHandle::join)).collect()
    });
    let pairs = done.into_iter().zip(providers);
    pairs.map(|(done, provider)| done.unwrap_or_else(|_| otherwise(provider))).collect()
}

/// The cases over all providers.
struct Outcome {
    passed: usize,
    failed: usize,
    /// Numbers of cases whose mac no provider offers, or was asked for.
    unasked: Vec<usize>,
}

impl Outcome {
    fn of(cases: &[Case], proofs: &[Proof]) -> Self {
        let mut outcome = Self { passed: 0, failed: 0, unasked: vec![] };
        for number in 0..cases.len() {
            let verdicts = || proofs.iter().filter_map(|proof| proof.verdicts.get(&number));
            if verdicts().any(|verdict| matches!(verdict, Verdict::Failed(_))) {
                outcome.failed += 1;
            } else if verdicts().any(|verdict| *verdict == Verdict::Passed) {
                outcome.passed += 1;
            } else if verdicts().next().is_none() {
                outcome.unasked.push(number);
            }
        }
        outcome
    }
}

/// Providers that died or hung at something that is no case, such as their start.
fn ended_early(proofs: &[Proof]) -> usize {
    let has_failed = |proof: &&Proof| proof.count(|v| matches!(v, Verdict::Failed(_))) > 0;
    proofs.iter().filter(|proof| proof.ended_by.is_some() && !has_failed(proof)).count()
}

/// One row a provider.
fn by_provider(providers: &[ProviderRecord], proofs: &[Proof]) -> String {
    let head = ["provider", "version", "macs", "passed", "failed", "refused"];
    let row = |(provider, proof): (&ProviderRecord, &Proof)| {
        let counts = [
            provider.offers.iter().filter(|offer| !is_floor(&offer.mac)).count(),
            proof.count(|verdict| *verdict == Verdict::Passed),
            proof.count(|verdict| matches!(verdict, Verdict::Failed(_))),
            proof.count(|verdict| matches!(verdict, Verdict::Refused(_))),
        ];
        let words = [provider.name.clone(), provider.version.clone()];
        words.into_iter().chain(counts.map(|count| count.to_string())).collect()
    };
    let rows = providers.iter().zip(proofs).map(row).collect();
    report::terminal::table(&head, rows, &[0, 1], super::list_width()) + "\n"
}

/// The first of them, and how many more there are.
fn named(ids: &[&str]) -> String {
    let first = ids[..ids.len().min(NAMED_MAX)].join(", ");
    match ids.len().saturating_sub(NAMED_MAX) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// A reason behind the name of its MAC, with which some begin.
fn without_mac<'a>(reason: &'a str, mac: &str) -> &'a str {
    let rest = reason.strip_prefix(mac).and_then(|rest| rest.strip_prefix([' ', ':']));
    rest.map_or(reason, str::trim_start)
}

fn complaint(verdict: &Verdict) -> Option<(&'static str, &str)> {
    match verdict {
        Verdict::Passed => None,
        Verdict::Failed(reason) => Some(("FAILED", reason)),
        Verdict::Refused(reason) => Some(("refused", reason)),
    }
}

/// Failures and refusals, gathered by provider, mac and reason.
fn complaints(cases: &[Case], proofs: &[Proof]) -> String {
    let mut text = String::new();
    for proof in proofs {
        let mut gathered: BTreeMap<(&str, &str, &str), Vec<&str>> = BTreeMap::new();
        for (&number, verdict) in &proof.verdicts {
            let Some((what, reason)) = complaint(verdict) else { continue };
            let case = &cases[number];
            gathered.entry((what, &case.mac, reason)).or_default().push(&case.id);
        }
        for ((what, mac, reason), ids) in gathered {
            let (named, reason) = (named(&ids), without_mac(reason, mac));
            text += &format!("{what}: {}: {mac}: {reason} ({named})\n", proof.provider);
        }
        if let Some(error) = &proof.ended_by {
            text += &format!("FAILED: {}: {error}; not asked any further\n", proof.provider);
        }
    }
    text
}

/// Macs that nobody could be asked about.
fn unasked(cases: &[Case], outcome: &Outcome) -> String {
    let mut by_mac: BTreeMap<&str, usize> = BTreeMap::new();
    for &number in &outcome.unasked {
        *by_mac.entry(&cases[number].mac).or_default() += 1;
    }
    let line = |(mac, count)| format!("not tested: {mac}: {}\n", words::counted(count, "case"));
    by_mac.iter().map(line).collect()
}

fn agreed(agreement: &Agreement, count: usize, seed: u64) -> String {
    let mut text: String =
        agreement.differences.iter().map(|line| format!("FAILED: {line}\n")).collect();
    text.extend(agreement.refusals.iter().map(|line| format!("refused: {line}\n")));
    if agreement.macs > 0 && count > 0 {
        text += &format!(
            "{} MACs of two or more providers agree on {} of {} random inputs (--seed {seed})\n",
            agreement.macs,
            agreement.equal,
            agreement.macs * count,
        );
    }
    text
}
