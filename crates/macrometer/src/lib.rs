//! Which message authentication code is fastest here? The command: it joins study, lab, providers,
//! statistics and report, and does nothing itself. One file a verb, in `verbs/`. A library only so
//! that its readers of foreign files can be fuzzed.
#![forbid(unsafe_code)]

mod bounds;
mod condition;
mod crosscheck;
mod crprf;
mod discovery;
mod efficiency;
mod extent;
mod halves;
mod members;
mod memory_limit;
mod must_be;
mod output;
mod own_files;
mod packs;
mod paths;
mod policies;
mod progress;
mod proof;
mod reading;
mod refusals;
mod selection;
mod sessions;
mod sizes;
mod starved;
mod stores;
mod studies;
mod suggestions;
#[doc(hidden)]
pub mod tags;
mod unmeasured;
mod verbs;
mod without;

use std::error::Error as _;
use std::num::{IntErrorKind, ParseFloatError, ParseIntError};
use std::process::ExitCode;
use std::sync::Arc;

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Runs the verb that the arguments name; the exit code is the command's.
pub fn main() -> ExitCode {
    // Without a handler a file beyond `ulimit -f` would end the process without a word.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
    output::end(starved::with_room(run))
}

fn run() -> anyhow::Result<u8> {
    let command = match verbs::Command::of_arguments() {
        Ok(command) => command,
        Err(error)
            if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) =>
        {
            return output::print(&error.render().to_string()).map(|()| 0);
        }
        Err(error) => return Err(anyhow::anyhow!(one_line(&error))),
    };
    command.run()
}

/// `<--check <LIST>|--tag <TAG>>` as a sentence has it.
fn alternatives(item: &str) -> String {
    match item.strip_prefix('<').and_then(|item| item.strip_suffix('>')) {
        Some(both) if both.starts_with('-') => both.replace('|', " or "),
        _ => item.to_owned(),
    }
}

/// clap's message spreads over several lines: the first says what is wrong, a tip what would be
/// right.
fn one_line(error: &clap::Error) -> String {
    let tip = tip(error).map_or(String::new(), |tip| format!(" ({tip})"));
    format!("{}{tip}; see --help", what(error))
}

/// What is wrong: the first line, and the arguments that clap lists below it.
fn what(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let first = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let first = first.trim_start_matches("error: ");
    let listed = match error.kind() {
        ErrorKind::ArgumentConflict => error.get(ContextKind::PriorArg),
        ErrorKind::MissingRequiredArgument => error.get(ContextKind::InvalidArg),
        _ => None,
    };
    if let Some(ContextValue::Strings(items)) = listed {
        let items = items.iter().map(|item| alternatives(item));
        return format!("{first} {}", items.collect::<Vec<_>>().join(", "));
    }
    let in_plain_words = || {
        let source = error.source()?;
        let begin = first.strip_suffix(&source.to_string())?;
        Some(format!("{begin}{}", of_number(source)?))
    };
    in_plain_words().unwrap_or_else(|| first.to_owned())
}

/// What is near to what was meant; where nothing is, all that is possible.
fn tip(error: &clap::Error) -> Option<String> {
    let near = [
        (ContextKind::SuggestedSubcommand, "subcommand"),
        (ContextKind::SuggestedArg, "argument"),
        (ContextKind::SuggestedValue, "value"),
    ];
    let near = near.into_iter().find_map(|(kind, what)| similar(what, error.get(kind)?));
    let other = || match error.get(ContextKind::Suggested)? {
        ContextValue::StyledStrs(tips) => Some(tips.first()?.to_string()),
        _ => None,
    };
    let possible = || match error.get(ContextKind::ValidValue)? {
        ContextValue::Strings(all) if all.is_empty() => None,
        ContextValue::Strings(all) => Some(format!("possible values: {}", all.join(", "))),
        _ => None,
    };
    near.or_else(other).or_else(possible)
}

fn similar(what: &str, names: &ContextValue) -> Option<String> {
    let names = match names {
        ContextValue::String(name) => std::slice::from_ref(name),
        ContextValue::Strings(names) => &names[..],
        _ => return None,
    };
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let quoted = quoted.join(", ");
    match names.len() {
        0 => None,
        1 => Some(format!("a similar {what} exists: {quoted}")),
        _ => Some(format!("some similar {what}s exist: {quoted}")),
    }
}

/// What must be there instead of what the standard library cannot read as a number.
fn of_number(error: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    if error.is::<ParseFloatError>() {
        return Some("must be a number, such as 30 or 0.5");
    }
    match error.downcast_ref::<ParseIntError>()?.kind() {
        IntErrorKind::Empty | IntErrorKind::InvalidDigit => Some("must be a whole number"),
        IntErrorKind::PosOverflow => Some("is too large a number"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, ArgAction, Command, value_parser};

    use super::*;

    fn told(arguments: &[&str]) -> String {
        let option = |name: &'static str| Arg::new(name).long(name).value_name("X");
        let others = ["count", "share"];
        let alone = Arg::new("alone").long("alone").action(ArgAction::SetTrue);
        let command = Command::new("it")
            .arg(option("count").value_parser(value_parser!(u64)))
            .arg(option("share").value_parser(value_parser!(f64)))
            .arg(option("kind").value_parser(["fast", "slow"]))
            .arg(option("key").required(true))
            .arg(alone.conflicts_with_all(others));
        let error = command.try_get_matches_from([&["it"][..], arguments].concat()).unwrap_err();
        one_line(&error)
    }

    #[test]
    fn what_is_wrong_is_told_in_one_line_with_what_would_be_right() {
        let missing = "the following required arguments were not provided: --key <X>; see --help";
        assert_eq!(told(&[]), missing);
        let both = told(&["--alone", "--count", "1", "--share", "2", "--key", "k"]);
        assert!(both.contains(" cannot be used with: "), "{both}");
        assert!(both.contains("--count <X>, --share <X>; see --help"), "{both}");
        for (arguments, end) in [
            (["--count", "x"], "'--count <X>': must be a whole number; see --help"),
            (["--count", "99999999999999999999"], ": is too large a number; see --help"),
            (["--share", "x"], ": must be a number, such as 30 or 0.5; see --help"),
            (["--kind", "fats"], " (a similar value exists: 'fast'); see --help"),
            (["--kind", "zzz"], " (possible values: fast, slow); see --help"),
            (["--conut", "1"], " (a similar argument exists: '--count'); see --help"),
        ] {
            let told = told(&arguments);
            assert!(told.ends_with(end), "{told}");
            assert!(!told.starts_with("error") && !told.contains('\n'), "{told}");
        }
    }
}
