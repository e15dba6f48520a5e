//! The candidates of an answer to a workload: a dot and its interval for each, the fastest on top.

use super::colour::Colour;
use super::dots::{Dot, sheet};
use crate::findings::Interval;
use crate::recommend::Recommendation;
use crate::recommend::entries::Entry;

/// Rows that are drawn; the table has them all.
const ROWS_MAX: usize = 24;

/// One SVG, in the colours of paper; `None` if there is nobody to compare.
#[must_use]
pub fn candidates(found: &Recommendation) -> Option<String> {
    let everybody = found.everybody();
    let is_named = |it: &&Entry<'_>| !it.roles.is_empty();
    let mut left = ROWS_MAX.saturating_sub(everybody.iter().filter(is_named).count());
    let shown = everybody.iter().filter(|it| {
        let is_shown = is_named(it) || left > 0;
        left = left.saturating_sub(usize::from(!is_named(it)));
        is_shown
    });
    let dots: Vec<Dot<'_>> = shown.map(|it| dot(found, it)).collect();
    if dots.len() < 2 {
        return None;
    }
    let more = match everybody.len() - dots.len() {
        0 => String::new(),
        more => format!(" · {more} more in the table"),
    };
    let title = "Time per message";
    let what = format!("median over launches, 95 % interval{more}");
    let canvas = sheet(title, &[found.asked.clone(), what], &dots, 0);
    let told: Vec<&str> = dots.iter().take(5).map(|it| it.spoken.as_str()).collect();
    let description = format!("From the fastest: {}.", told.join("; "));
    Some(canvas.svg("candidates", title, &description))
}

fn dot<'a>(found: &Recommendation, entry: &Entry<'a>) -> Dot<'a> {
    let row = entry.row;
    let time = row.message_ns.time();
    let interval = time.known_ends().map(|ends| format!(" (95 % {ends})"));
    let [name, call, ..] = entry.cells();
    let usual = &found.answer().best;
    let is_usual = (row.call, row.batch) == (usual.call, usual.batch);
    let mut about = entry.roles.clone();
    about.extend((!is_usual).then(|| call.clone().into()));
    Dot {
        data: ("mac", &row.mac),
        spoken: format!("{name} · {call}: {}{}", time.value(), interval.unwrap_or_default()),
        about: about.join(", "),
        name,
        median_ns: row.message_ns.value,
        ends_ns: row.message_ns.interval.map(Interval::ends),
        sign: "",
        colour: match (found.is_answer(row), found.is_today(row)) {
            (true, _) => Colour::Series(0),
            (false, true) => Colour::Series(1),
            (false, false) => Colour::Series(6),
        },
    }
}
