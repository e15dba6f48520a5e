//! The page of an answer to a workload: what `recommend` says on a terminal, with everybody who was
//! measured on, and everything that would change the answer.

use lab::study::ClassName;
use maud::{Markup, html};

use super::{Sheet, THEME, figure, top};
use crate::charts;
use crate::format::{self, bytes, list as list_of};
use crate::recommend::entries::{Entry, HEAD};
use crate::recommend::words::tied;
use crate::recommend::{Recommendation, servers};

/// Sections in the order of the page: anchor, title, and who writes it; one that has nothing to say
/// is left out.
const SECTIONS: [(&str, &str, Section); 7] = [
    ("candidates", "The candidates", candidates),
    ("servers", "Servers", servers),
    ("changes", "What would change the answer", changes),
    ("to-know", "To know", to_know),
    ("messages", "The messages", messages),
    ("basis", "What it rests on", basis),
    ("reproduce", "Reproduce this run", reproduce),
];

type Section = fn(&Recommendation) -> Option<Markup>;

/// The page of an answer.
#[must_use]
pub fn answer(found: &Recommendation) -> String {
    let told = |(id, title, write): (&'static str, &'static str, Section)| {
        Some((id, title, write(found)?))
    };
    let sheet = Sheet {
        title: format!("What to use: {}", found.asked),
        style: String::new(),
        scripts: vec![THEME.to_owned()],
        header: header(found),
        answers: card(found),
        controls: html! {},
        sections: SECTIONS.into_iter().filter_map(told).collect(),
        version: found.macrometer_version.clone(),
        run: found.run.clone(),
    };
    sheet.render()
}

fn header(found: &Recommendation) -> Markup {
    let about = html! {
        p .summary { (prose(&found.asked)) "." }
        p .machine { (found.cpu_model) }
    };
    top(found.measured_unix_s, "What to use", &about)
}

/// The answer: its first sentence large, the others below it.
fn card(found: &Recommendation) -> Markup {
    let told = found.answer_in_sentences();
    let lead = told.first().map_or("", |it| it.lead.as_str());
    let rest = told.first().map(|it| it.rest.clone()).filter(|rest| !rest.is_empty());
    let others = told.iter().skip(1).map(ToString::to_string);
    html! {
        div #answers tabindex="-1" {
            @if let Some(warning) = found.warning_told() { p .warning { (prose(&warning)) } }
            @for doubt in &found.doubts { p .warning { "Warning: " (doubt) "." } }
            div .cards { article .card {
                p .answer { (prose(lead)) }
                @for told in rest.into_iter().chain(others) { p .detail { (prose(&told)) } }
            } }
        }
    }
}

fn candidates(found: &Recommendation) -> Option<Markup> {
    let [head @ .., _] = HEAD;
    let head = [&head[..], &["what it is"]].concat();
    let rows = found.everybody();
    Some(html! {
        p .hint {
            "Median times of a message of the workload, with 95 % intervals that hold for another \
             run on this machine, too. Candidates that a first look showed to be too slow are left \
             out."
        }
        @if let Some(svg) = charts::candidates(found) { (figure(&svg)) }
        (table("The candidates", &head, &[0, 1, 5], rows.iter().map(Entry::cells)))
    })
}

fn servers(found: &Recommendation) -> Option<Markup> {
    let servers = found.servers.as_ref()?;
    Some(html! {
        p { (prose(&servers.title())) ":" }
        @for bound in found.by_the_mac_alone(servers) { p { (prose(&bound)) } }
        @if servers.is_usable {
            (table("Servers", &servers::HEAD, &[0], servers.shown()))
        }
        @for note in found.servers_notes() { p .hint { (prose(&note)) } }
    })
}

/// The first column names the row; `left` are columns of words.
fn table<const N: usize>(
    caption: &str,
    head: &[&str],
    left: &[usize],
    rows: impl IntoIterator<Item = [String; N]>,
) -> Markup {
    html! {
        div .scroll tabindex="0" {
            table .stack {
                caption .hidden { (caption) }
                thead { tr {
                    @for (column, word) in head.iter().enumerate() {
                        th scope="col" .l[left.contains(&column)] { (word) }
                    }
                } }
                tbody { @for row in rows { tr {
                    th scope="row" { (row[0]) }
                    @for (column, (cell, word)) in row.iter().zip(head).enumerate().skip(1) {
                        td .l[left.contains(&column)] data-label=(word) { (cell) }
                    }
                } } }
            }
        }
    }
}

fn changes(found: &Recommendation) -> Option<Markup> {
    let told = list(found.changes.iter().map(|it| found.change_line(it)).collect())?;
    Some(html! { p .hint { "Against " (found.subject().name()) ":" } (told) })
}

fn to_know(found: &Recommendation) -> Option<Markup> {
    list(found.to_know.clone())
}

fn list(lines: Vec<String>) -> Option<Markup> {
    (!lines.is_empty()).then(|| {
        html! { ul .sentences { @for line in &lines { li { (prose(line)) } } } }
    })
}

/// A text in which code stands between backquotes; no number is parted from its unit.
fn prose(text: &str) -> Markup {
    super::prose::prose(&tied(text, '\u{a0}'))
}

/// The lengths that count, as they were measured.
fn messages(found: &Recommendation) -> Option<Markup> {
    let keys = match found.workload.messages_per_key {
        None => "under keys that are kept".to_owned(),
        Some(1) => "with a new key for each".to_owned(),
        Some(count) => format!("{count} under a key"),
    };
    let lengths = found.workload.own().map(|it| {
        let share = format!("{} %", format::significant(100.0 * it.share, 3));
        [bytes(it.len_bytes), share]
    });
    Some(html! {
        p { "As they were measured, " (keys) "." }
        (table("The messages", &["length", "of all messages"], &[0], lengths))
    })
}

fn basis(found: &Recommendation) -> Option<Markup> {
    let widely = found.workload.classes.iter().find(|it| it.name == ClassName::Wide);
    Some(html! {
        p .hint { (prose(&found.rests_on())) }
        @if let Some(widely) = widely {
            p .hint { "Widely used, and possible here: " (list_of(&widely.macs)) "." }
        }
    })
}

fn reproduce(found: &Recommendation) -> Option<Markup> {
    Some(html! { pre tabindex="0" { code { (found.command) } } })
}
