//! The verbs, one file each. Without a verb the survey is run.

mod analyze;
mod cite;
mod claims;
mod compare;
mod completions;
mod doctor;
mod fleet;
mod gate;
mod keygen;
mod list;
mod man;
mod new;
mod open_claims;
mod pack;
mod plan;
mod recommend;
mod report;
mod run;
mod runs;
mod selftest;
mod tag;
mod verify;
mod worker;

use ::report::findings::{Background, Findings, KeyMaterial, Work};
use anyhow::{Result, bail};
use clap::builder::{ArgPredicate, PossibleValue};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use lab::cell::{Cell, KeyLife};
use lab::record::Run;
use macs::{MacInfo, Standing};
use words::MacName;

use crate::bounds;
use crate::condition::Condition;
use crate::paths::ArchiveArg;

/// Which message authentication code is fastest on this machine, for your messages?
///
/// Without a command, macrometer surveys the MACs of every library it finds and ends with a
/// ranking and a page.
#[derive(Debug, Parser)]
#[command(name = "macrometer", version, max_term_width = 100)]
pub struct Command {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    archive: ArchiveArg,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Analyze(analyze::Analyze),
    Cite(cite::Cite),
    /// List the claims of the studies and their latest verdicts on this machine
    Claims(claims::Claims),
    Compare(compare::Compare),
    Completions(completions::Completions),
    /// Check the clock and the machine, and run an A/A self-test
    Doctor(doctor::Doctor),
    Fleet(fleet::Fleet),
    /// Is a new version slower than its base? A gate for CI
    Gate(gate::Gate),
    Keygen(keygen::Keygen),
    /// List providers, MACs, policies, studies or runs
    List(list::List),
    Man(man::Man),
    New(new::New),
    Pack(pack::Pack),
    /// Show what a run would measure, how long it takes and what it can decide
    Plan(plan::Plan),
    /// What should I use for my messages, and is it worth changing?
    Recommend(recommend::Recommend),
    /// Re-render a stored run: tables, CSV, charts, HTML page, LaTeX, bundle
    Report(report::Report),
    /// Measure a study (the survey by default) and report the results
    Run(run::Run),
    Runs(runs::Runs),
    /// Check every provider against test vectors, and cross-check providers
    Selftest(selftest::Selftest),
    Tag(tag::Tag),
    Verify(verify::Verify),
    /// Serve one provider to the lab (started by macrometer itself)
    #[command(hide = true)]
    Worker(worker::Worker),
}

/// What asks for help wherever it stands.
const HELP: [&str; 2] = ["-h", "--help"];

/// Whether it may come of `help --help`, where clap takes the second word for a verb.
fn is_of_help(error: &clap::Error) -> bool {
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(verb)) => HELP.contains(&verb.as_str()),
        _ => false,
    }
}

/// The command line: what the verbs declare, and `--json` wherever there is a `--format json`.
pub fn command() -> clap::Command {
    with_json(Command::command())
}

fn with_json(command: clap::Command) -> clap::Command {
    let has_json = |arg: &Arg| {
        let is_json = |value: &PossibleValue| value.get_name() == "json";
        arg.get_id() == "format" && arg.get_possible_values().iter().any(is_json)
    };
    let has_json = command.get_arguments().any(has_json);
    let command = command.mut_subcommands(with_json);
    if !has_json {
        return command;
    }
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue);
    command
        .mut_arg("format", |format| {
            format.default_value_if("json", ArgPredicate::IsPresent, Some("json"))
        })
        .arg(json.conflicts_with("format").help("Short for --format json"))
}

impl Command {
    /// The verb that the arguments of this process name.
    pub fn of_arguments() -> Result<Self, clap::Error> {
        let matches = command().try_get_matches().map_err(|error| {
            let others = std::env::args_os().filter(|it| !HELP.iter().any(|help| it == help));
            match is_of_help(&error).then(|| command().try_get_matches_from(others)) {
                Some(Err(help)) if help.kind() == ErrorKind::DisplayHelp => help,
                _ => error,
            }
        })?;
        Self::from_arg_matches(&matches)
    }

    /// Runs the verb and returns the exit code.
    pub fn run(mut self) -> Result<u8> {
        // `--archive` before the verb is the verb's.
        if let Some(verb) = &mut self.verb
            && self.archive.is_given()
        {
            let Some(archive) = verb.archive() else {
                bail!("--archive: this command reads and writes no archive");
            };
            *archive = archive.clone().or(&self.archive);
        }
        match self.verb {
            None => run::Run::survey(self.archive).run(),
            Some(Verb::Analyze(verb)) => verb.run(),
            Some(Verb::Cite(verb)) => verb.run(),
            Some(Verb::Claims(verb)) => verb.run(),
            Some(Verb::Compare(verb)) => verb.run(),
            Some(Verb::Completions(verb)) => verb.run(),
            Some(Verb::Doctor(verb)) => verb.run(),
            Some(Verb::Fleet(verb)) => verb.run(),
            Some(Verb::Gate(verb)) => verb.run(),
            Some(Verb::Keygen(verb)) => verb.run(),
            Some(Verb::List(verb)) => verb.run(),
            Some(Verb::Man(verb)) => verb.run(),
            Some(Verb::New(verb)) => verb.run(),
            Some(Verb::Pack(verb)) => verb.run(),
            Some(Verb::Plan(verb)) => verb.run(),
            Some(Verb::Recommend(verb)) => verb.run(),
            Some(Verb::Report(verb)) => verb.run(),
            Some(Verb::Run(verb)) => verb.run(),
            Some(Verb::Runs(verb)) => verb.run(),
            Some(Verb::Selftest(verb)) => verb.run(),
            Some(Verb::Tag(verb)) => verb.run(),
            Some(Verb::Verify(verb)) => verb.run(),
            Some(Verb::Worker(verb)) => verb.run(),
        }
    }
}

impl Verb {
    /// The archive of a verb that has one.
    fn archive(&mut self) -> Option<&mut ArchiveArg> {
        match self {
            Self::Analyze(verb) => Some(&mut verb.archive),
            Self::Cite(verb) => Some(&mut verb.archive),
            Self::Claims(verb) => Some(&mut verb.archive),
            Self::Compare(verb) => Some(&mut verb.archive),
            Self::Doctor(verb) => Some(&mut verb.archive),
            Self::Gate(verb) => Some(&mut verb.archive),
            Self::List(verb) => Some(&mut verb.archive),
            Self::Plan(verb) => Some(&mut verb.archive),
            Self::Recommend(verb) => Some(&mut verb.archive),
            Self::Report(verb) => Some(&mut verb.archive),
            Self::Run(verb) => Some(&mut verb.archive),
            Self::Runs(verb) => Some(&mut verb.archive),
            Self::Completions(_)
            | Self::Fleet(_)
            | Self::Keygen(_)
            | Self::Man(_)
            | Self::New(_)
            | Self::Pack(_)
            | Self::Selftest(_)
            | Self::Tag(_)
            | Self::Verify(_)
            | Self::Worker(_) => None,
        }
    }
}

/// How results are written to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables as plain text.
    Text,
    /// One JSON document.
    Json,
}

/// Tags from this length on are answers to the question which mac to take; shorter ones are for who
/// has counted how often a forger may try.
const TAG_LEN_BYTES: usize = 12;

/// What a run tells, with what the catalog knows of the macs' security and work, and what bounds
/// them.
fn findings(run: &Run) -> Findings {
    with_background(run, |background| Findings::with_background(run, background))
}

/// What is known of macs beside what was measured, handed to `tell`.
fn with_background<T>(run: &Run, tell: impl FnOnce(&Background<'_>) -> T) -> T {
    let caution = |mac: &str| {
        let mac = macs::find(mac)?;
        let short = (mac.tag_len_bytes < TAG_LEN_BYTES)
            .then(|| format!("{}-bit tag", 8 * mac.tag_len_bytes));
        match (mac.standing(), short) {
            (Standing::Sound, short) => short,
            (Standing::Conditional, None) => Some(Condition::of(mac).words().to_owned()),
            (Standing::Conditional, Some(short)) => {
                Some(format!("{}, {short}", Condition::of(mac).words()))
            }
            (standing, _) => Some(standing.name().to_owned()),
        }
    };
    let bound = |cell: &Cell| bounds::of_cell(cell, &run.instructions);
    let language = recommend::callers::caller;
    tell(&Background { caution: &caution, bound: &bound, language: &language, work: &work })
}

/// What a mac computes by its definition for a message of the cell, the set-up of the key included
/// where every call has it.
fn work(cell: &Cell) -> Option<Work> {
    // Of messages of several lengths there is no one count.
    if cell.regime.mixes_lengths() {
        return None;
    }
    let info = macs::find(&cell.candidate.mac)?;
    let work = info.work(cell.len_bytes)?;
    let key_material = key_material(info, work.key_schedules);
    Some(match cell.key_life {
        KeyLife::Prepared => Work { calls: work.message_calls, key_schedules: 0, key_material },
        KeyLife::NewKey | KeyLife::OneShot => Work {
            calls: work.message_calls + work.set_up_calls,
            key_schedules: work.key_schedules,
            key_material,
        },
    })
}

/// What the key of a mac over a block cipher is made of: a key for each schedule, and blocks.
fn key_material(info: &MacInfo, keys: u64) -> Option<KeyMaterial> {
    let cipher = MacName::of(info.name).primitive?;
    let bare = macs::find(&format!("cbc-mac-{cipher}"))?;
    let of_keys = bare.key_len_bytes.checked_mul(usize::try_from(keys).ok()?)?;
    let rest = info.key_len_bytes.checked_sub(of_keys)?;
    let is_whole = rest.is_multiple_of(bare.tag_len_bytes);
    is_whole.then_some(KeyMaterial { keys, blocks: (rest / bare.tag_len_bytes) as u64 })
}

/// Columns of a list: those of the terminal; in a pipe a row stays one line.
fn list_width() -> usize {
    comfy_table::Table::new().width().map_or(usize::from(u16::MAX), usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_made_of_keys_of_the_cipher_and_blocks() {
        let made_of = |mac: &str| {
            let info = macs::find(mac).unwrap();
            let work = info.work(64)?;
            key_material(info, work.key_schedules).map(|it| (it.keys, it.blocks))
        };
        for cipher in ["aes-128", "aes-256", "tdes-3"] {
            let of = |mode: &str| made_of(&format!("{mode}-{cipher}"));
            assert_eq!((of("cbc-mac"), of("emac")), (Some((1, 0)), Some((2, 0))), "{cipher}");
            assert_eq!((of("xcbc"), of("tmac")), (Some((1, 2)), Some((1, 1))), "{cipher}");
            assert_eq!((of("cmac"), of("omac2")), (Some((1, 0)), Some((1, 0))), "{cipher}");
        }
        assert_eq!(made_of("hmac-sha256"), None, "it is over no block cipher");
    }
}
