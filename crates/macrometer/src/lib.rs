//! Which message authentication code is fastest here? The command: it joins study, lab, providers,
//! statistics and report, and does nothing itself. One file a verb, in `verbs/`. A library only so
//! that its readers of foreign files can be fuzzed.
#![forbid(unsafe_code)]

mod asked_for;
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
mod verbs;
mod without;

use std::process::ExitCode;
use std::sync::Arc;

use clap::error::ErrorKind;

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
    let text = error.render().to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let what = lines.next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let what = if what.ends_with(':') {
        let items = lines.clone().take_while(|line| !line.starts_with("Usage"));
        format!("{what} {}", items.map(alternatives).collect::<Vec<_>>().join(", "))
    } else {
        what
    };
    // A tip names what is near; where nothing is, all that is possible is named.
    let tip = lines.clone().find(|line| line.starts_with("tip:"));
    let tip = tip.or_else(|| lines.find(|line| line.starts_with("[possible")));
    let tip = tip.map_or(String::new(), |tip| {
        let tip = tip.trim_start_matches("tip: ");
        let listed = tip.strip_prefix('[').and_then(|tip| tip.strip_suffix(']'));
        format!(" ({})", listed.unwrap_or(tip))
    });
    format!("{}{tip}; see --help", in_plain_words(&what))
}

/// What the standard library says of numbers that it cannot read.
const OF_NUMBERS: [(&str, &str); 5] = [
    ("invalid float literal", "must be a number, such as 30 or 0.5"),
    ("cannot parse float from empty string", "must be a number, such as 30 or 0.5"),
    ("invalid digit found in string", "must be a whole number"),
    ("cannot parse integer from empty string", "must be a whole number"),
    ("number too large to fit in target type", "is too large a number"),
];

fn in_plain_words(what: &str) -> String {
    let known = OF_NUMBERS.iter().find_map(|(end, word)| Some((what.strip_suffix(end)?, word)));
    known.map_or_else(|| what.to_owned(), |(begin, word)| format!("{begin}{word}"))
}
