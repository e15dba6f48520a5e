//! A plan on one page.

use lab::forecast::{Forecast, PartForecast, Waiting};
use lab::sessions::needs::Needs;
use lab::study::{Choose, Study};
use lab::worker::memory_limit::byte_text;
use providers::Cause;

use report::terminal::wrapped;

use super::Told;
use crate::discovery::Absence;
use crate::selection::Ready;

/// Columns before the texts of the head.
const NAMES_WIDTH: usize = 11;

/// The page, `width` columns wide.
pub fn page(told: &Told<'_>, width: usize) -> String {
    let study = &told.ready.study;
    let mut text = format!("{}\n{}\n\n", study.title, wrapped(&study.summary, width, ""));
    for (name, what) in who_and_where(told.ready) {
        let what = wrapped(&what, width, &" ".repeat(NAMES_WIDTH));
        text += &format!("{name:<NAMES_WIDTH$}{}\n", what.trim_start());
    }
    text += "\n";
    text += &table(told, width);
    if study.panels.iter().any(|panel| panel.choose == Choose::Fastest) {
        let then = "For each part and key life the pilot keeps the fastest implementation of each \
                    MAC; `cells` counts those kept.";
        text += &(wrapped(then, width, "") + "\n");
    }
    text + "\n" + &what_it_decides(told, width)
}

/// Who takes part and who does not, and what of the machine it takes.
fn who_and_where(ready: &Ready) -> Vec<(&'static str, String)> {
    let mut told = Vec::new();
    if let Some(sentence) = providers::restriction::left_out().sentence() {
        told.push(("machine", format!("this one, {sentence}")));
    }
    let names: Vec<&str> = ready.launches.iter().map(|launch| launch.name.as_str()).collect();
    told.push(("providers", format!("{} found: {}", names.len(), names.join(", "))));
    let (plain, others): (Vec<&Absence>, Vec<&Absence>) =
        ready.missing.iter().partition(|absence| absence.cause == Cause::NotInstalled);
    if !plain.is_empty() {
        let names: Vec<&str> = plain.iter().map(|it| it.name.as_str()).collect();
        let names = format!("{} (see `macrometer list providers`)", names.join(", "));
        told.push(("not found", names));
    }
    told.extend(others.into_iter().map(|absence| ("left out", absence.line.clone())));
    told.extend(ready.needs.as_ref().map(|needs| ("sessions", most(needs))));
    told
}

fn most(needs: &Needs) -> String {
    let memory = byte_text(needs.memory_bytes.next_multiple_of(1 << 20));
    let threads = needs.threads;
    format!("at most {threads} threads and {memory} of memory, in one worker")
}

/// A row a part, then what the rest takes.
fn table(told: &Told<'_>, width: usize) -> String {
    let Told { ready, forecast, .. } = told;
    let study = &ready.study;
    let part = |part: &PartForecast| {
        let own = &study.parts[part.part as usize];
        vec![
            own.name.clone(),
            part.cells.to_string(),
            span(&part.lengths),
            own.blocks.map_or("any".into(), |blocks| blocks.to_string()),
            seconds(part, study),
        ]
    };
    let rows = forecast.parts.iter().map(part).chain(rest(forecast)).collect();
    let head = ["part", "cells", "lengths", "blocks", "seconds"];
    report::terminal::table(&head, rows, &[0, 2], width)
}

/// Rows of what takes time beside the parts, and of all of it.
fn rest(forecast: &Forecast) -> [Vec<String>; 5] {
    let launches = forecast.launches;
    let rest = [
        ("looking for libraries".to_owned(), forecast.looking_s),
        ("choosing, comparing tags".to_owned(), forecast.before_s),
        (
            format!("starting workers, {}", words::counted(launches, "launch")),
            forecast.launch_s * f64::from(launches),
        ),
        ("the report".to_owned(), forecast.report_s),
        ("budget".to_owned(), forecast.budget_s),
    ];
    rest.map(|(what, took_s)| {
        let none = String::new;
        vec![what, none(), none(), none(), format!("{took_s:.0}")]
    })
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

const UNKNOWN: &str = "Whether the budget allows the launches that intervals need is unknown until \
                       this study has run once on this machine.";

const MORE: &str = "`--cells` lists every cell; `--power 2%` says what it takes to detect such a \
                    difference.";

fn what_it_decides(told: &Told<'_>, width: usize) -> String {
    let Told { ready, forecast, kept, .. } = told;
    let mut said = Vec::new();
    said.push(match forecast.too_little() {
        Some(too_little) => format!("Too little: {too_little}."),
        None if forecast.is_open() => UNKNOWN.to_owned(),
        None => enough(forecast, ready.study.claims.len()),
    });
    said.extend(what_waits(forecast, &ready.study));
    said.push(format!(
        "One look at everything takes about {:.0} s, from start to report: the budget is kept from \
         there on.",
        forecast.floor_s()
    ));
    said.push(match kept {
        Some(run) => format!("Times are taken from run {} on this machine.", run.id),
        None => "Times are estimates until this study has run here.".to_owned(),
    });
    said.push(MORE.to_owned());
    said.iter().map(|line| wrapped(line, width, "") + "\n").collect()
}

/// The part that waits, where one does.
fn what_waits(forecast: &Forecast, study: &Study) -> Option<String> {
    let (waits, budget_s) = forecast.waits.zip(forecast.budget_with_waiting_s())?;
    let Waiting { part, len_bytes, block_s } = waits;
    Some(format!(
        "Part {} at {len_bytes} B waits until the others have their launches, and what it decides \
         may stay open: each of its blocks takes about {block_s:.0} s. --budget {budget_s:.0} has \
         room for it.",
        study.parts[part as usize].name
    ))
}

fn enough(forecast: &Forecast, claims: usize) -> String {
    let (fitting, asked) = (forecast.launches_fitting(), forecast.launches);
    let what = if claims == 0 { "what is measured" } else { "what decides claims" };
    let left_s = (forecast.budget_s - forecast.deciding_s(fitting)).max(0.0);
    let then = if claims == 0 {
        "is spent where intervals are widest"
    } else {
        "goes to more blocks, and to more launches of what is still undecided"
    };
    format!(
        "{fitting} of {asked} launches of {what} fit, so every comparison gets a 95 % interval \
         over launches; the rest, about {left_s:.0} s, {then}."
    )
}
