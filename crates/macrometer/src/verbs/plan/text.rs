//! A plan on one page.

use lab::forecast::{Forecast, PartForecast, Waiting};
use lab::study::{Choose, Study};
use lab::worker::memory_limit::byte_text;

use super::Told;
use crate::selection::Ready;

/// Columns of the page.
const WIDTH: usize = 80;

pub fn page(told: &Told<'_>) -> String {
    let Ready { study, launches, needs, missing, .. } = told.ready;
    let mut text = format!("{}\n{}\n", study.title, wrapped(&study.summary, ""));
    let names: Vec<&str> = launches.iter().map(|launch| launch.name.as_str()).collect();
    let found = format!("{} found: {}", names.len(), names.join(", "));
    text += &format!("\nproviders  {}\n", wrapped(&found, "           "));
    if !missing.is_empty() {
        let names: Vec<&str> = missing.iter().map(|it| it.name.as_str()).collect();
        let names = format!("{} (`macrometer list providers` tells why)", names.join(", "));
        text += &format!("not here   {}\n", wrapped(&names, "           "));
    }
    if let Some(needs) = needs {
        let memory = byte_text(needs.memory_bytes.next_multiple_of(1 << 20));
        let threads = needs.threads;
        text += &format!(
            "sessions   at most {threads} threads and {memory} of memory, in one worker\n"
        );
    }
    text += "\n";
    text += &table(told);
    if study.panels.iter().any(|panel| panel.choose == Choose::Fastest) {
        text += "For each part and key life the pilot keeps the fastest of each mac: cells then.\n";
    }
    text + "\n" + &what_it_decides(told)
}

/// A row a part, then what the rest takes.
fn table(told: &Told<'_>) -> String {
    let Told { ready, forecast, .. } = told;
    let study = &ready.study;
    let parts: Vec<&str> =
        forecast.parts.iter().map(|it| study.parts[it.part as usize].name.as_str()).collect();
    let width = parts.iter().map(|name| name.len()).max().unwrap_or(0).max(20);
    let lengths = 26;
    let mut text = format!(
        "{:width$} {:>6} {:lengths$} {:>7} {:>8}\n",
        "part", "cells", " lengths", "blocks", "seconds"
    );
    for (part, name) in forecast.parts.iter().zip(parts) {
        let blocks = study.parts[part.part as usize].blocks;
        let seconds = seconds(part, study);
        text += &format!(
            "{name:width$} {:>6}  {:lengths$}{:>7} {:>8}\n",
            part.cells,
            span(&part.lengths),
            blocks.map_or("any".into(), |blocks| blocks.to_string()),
            seconds,
        );
    }
    let launches = forecast.launches;
    let rest = [
        ("choosing, comparing tags".to_owned(), forecast.before_s),
        (format!("starting workers, {launches} launches"), forecast.launch_s * f64::from(launches)),
    ];
    let before = width + 1 + 6 + 1 + lengths + 1 + 7 + 1;
    for (what, took_s) in rest {
        text += &format!("{what:before$}{took_s:>9.0}\n");
    }
    text + &format!("{:before$}{:>9.0}\n", "budget", forecast.budget_s)
}

/// Seconds of the blocks asked for, or of one in each launch.
fn seconds(part: &PartForecast, study: &Study) -> String {
    let asked = study.parts[part.part as usize].blocks;
    let seconds = part.block_s * f64::from(asked.unwrap_or(study.launches));
    let more = if asked.is_none() { "≥ " } else { "" };
    format!("{more}{seconds:.0}")
}

fn span(lengths: &[u64]) -> String {
    match lengths {
        [only] => format!("{only} B"),
        [first, .., last] => format!("{}: {first} to {last} B", lengths.len()),
        [] => String::new(),
    }
}

fn what_it_decides(told: &Told<'_>) -> String {
    let Told { ready, forecast, kept, .. } = told;
    let mut said = Vec::new();
    let claims = ready.study.claims.len();
    match forecast.too_little() {
        Some(too_little) => said.push(format!("Too little: {too_little}.")),
        None => said.push(enough(forecast, claims)),
    }
    if let Some((waits, budget_s)) = forecast.waits.zip(forecast.budget_with_waiting_s()) {
        let Waiting { part, len_bytes, block_s } = waits;
        said.push(format!(
            "Part {} at {len_bytes} B waits until the others have their launches, and what it \
             decides may stay open: each of its blocks takes about {block_s:.0} s. --budget \
             {budget_s:.0} has room for it.",
            ready.study.parts[part as usize].name
        ));
    }
    said.push(match kept {
        Some(run) => format!("Times are those of run {} on this machine.", run.id),
        None => "Times are estimates, until a run of this study is kept.".to_owned(),
    });
    let more = "`--cells` lists every cell; `--power 2%` tells what it takes to show such a \
                difference.";
    said.push(more.to_owned());
    said.iter().map(|line| wrapped(line, "") + "\n").collect()
}

fn enough(forecast: &Forecast, claims: usize) -> String {
    let (fitting, asked) = (forecast.launches_fitting(), forecast.launches);
    let what = if claims == 0 { "what is measured" } else { "what decides claims" };
    let left_s = (forecast.budget_s - forecast.deciding_s(fitting)).max(0.0);
    let then = if claims == 0 {
        "is spent where intervals are widest"
    } else {
        "goes to more blocks, and to more launches of what is still open"
    };
    format!(
        "{fitting} of {asked} launches of {what} fit, so every comparison gets a 95 % interval \
         over launches; the rest, about {left_s:.0} s, {then}."
    )
}

/// Lines of at most [`WIDTH`] columns; those after the first begin with `indent`.
pub fn wrapped(text: &str, indent: &str) -> String {
    let room = WIDTH - indent.len();
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last().map_or(0, |line| line.chars().count());
        let is_full = last > 0 && last + 1 + word.chars().count() > room;
        match lines.last_mut() {
            Some(line) if !is_full => {
                line.push_str(if line.is_empty() { "" } else { " " });
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join(&format!("\n{indent}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_before_the_margin_and_no_word_is_lost() {
        let text = "some words ".repeat(40);
        let told = wrapped(&text, "    ");
        assert!(told.lines().all(|line| line.chars().count() <= WIDTH), "{told}");
        assert_eq!(told.split_whitespace().count(), 80);
        assert_eq!(wrapped("", "  "), "");
    }
}
