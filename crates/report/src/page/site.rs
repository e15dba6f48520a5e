//! A site of many machines: a folder of pages that open from disk, and data to take away. A page of
//! its own has every machine (its run's page), MAC and provider. No page asks for anything but what
//! is in it; links lead within the site.

mod data;
mod index;
mod mac;
mod provider;

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use stats::OverUnits;

use super::{Sheet, THEME};
use crate::findings::condition_words;
use crate::format::{self, Figure};
use crate::machines::{Catalog, Group, Kind, Machines, Member, Row, Trait};

const STYLE: &str = include_str!("site/site.css");
const SCRIPT: &str = include_str!("site/site.js");

/// The length that stands for all, or the one nearest to it.
const TELLING_BYTES: f64 = 1024.0;

/// A file of the site: its path from the site's folder, and its content.
pub type File = (String, String);

/// What the pages tell.
pub struct Site<'a> {
    machines: &'a Machines,
    members: &'a [Member],
    catalog: &'a Catalog,
    version: &'a str,
    /// Files of MACs and providers, by their names.
    files: BTreeMap<(&'static str, String), String>,
}

impl<'a> Site<'a> {
    /// Of machines that were compared with providers' versions told apart.
    #[must_use]
    pub fn of(
        machines: &'a Machines,
        members: &'a [Member],
        catalog: &'a Catalog,
        version: &'a str,
    ) -> Self {
        let whos = catalog.whos();
        let macs: BTreeSet<String> = whos.iter().map(|it| it.0.mac.clone()).collect();
        let providers: BTreeSet<String> = whos.iter().map(|it| it.0.provider.clone()).collect();
        let mut files = BTreeMap::new();
        for (folder, names) in [("mac", macs), ("provider", providers)] {
            let mut taken = BTreeSet::new();
            for name in names {
                let plain = slug(&name);
                let mut own = plain.clone();
                let mut number = 1;
                while !taken.insert(own.clone()) {
                    number += 1;
                    own = format!("{plain}-{number}");
                }
                files.insert((folder, name), format!("{folder}/{own}.html"));
            }
        }
        Site { machines, members, catalog, version, files }
    }

    /// All files but the pages of the runs.
    #[must_use]
    pub fn files(&self) -> Vec<File> {
        let mut all = vec![("index.html".to_owned(), index::page(self))];
        for ((folder, name), file) in &self.files {
            let page =
                if *folder == "mac" { mac::page(self, name) } else { provider::page(self, name) };
            all.push((file.clone(), page));
        }
        all.extend(data::all(self));
        all
    }

    fn sheet(&self, told: Told<'_>) -> String {
        let sheet = Sheet {
            title: told.title,
            style: STYLE.to_owned(),
            scripts: vec![[THEME, SCRIPT].concat()],
            header: told.header,
            answers: told.answers,
            controls: told.controls,
            sections: told.sections,
            version: self.version.to_owned(),
            run: self.machines.study_id.clone(),
        };
        sheet.render_as("study")
    }

    fn header(&self, title: &str, about: &Markup, is_index: bool) -> Markup {
        html! {
            header .top {
                div .brand {
                    span .word { "macrometer" }
                    @if is_index { span .run { (self.machines.study) } }
                    @else { a .run href="../index.html" { "All machines" } }
                }
                button #theme type="button" hidden { "Dark" }
                h1 { (title) }
                (about)
                @if self.machines.simulated > 0 {
                    p .warning { (self.machines.simulated) " of " (self.machines.runs)
                        " runs are simulated: nobody measured them." }
                }
            }
        }
    }

    /// The link to a MAC or provider from a page in a folder of the site.
    fn link(&self, folder: &'static str, name: &str, up: &str) -> Markup {
        match self.files.get(&(folder, name.to_owned())) {
            Some(file) => html! { a href={ (up) (file) } { (name) } },
            None => html! { (name) },
        }
    }

    /// The page of the newest run of a machine.
    fn machine_file(&self, kind: &Kind) -> String {
        let run = kind.members.iter().map(|at| &self.members[*at].traits.run_id).max();
        machine_file(&kind.machine_id, run.map_or("", String::as_str))
    }

    /// The group that the first page tells, and the length that stands for it.
    fn telling(&self) -> Option<(&Group, u64)> {
        let group = &self.machines.references.first()?.group;
        Some((group, self.telling_len(group)?))
    }

    /// The length of a group nearest to 1 KiB.
    fn telling_len(&self, group: &Group) -> Option<u64> {
        let far = |len: u64| ((len.max(1) as f64) / TELLING_BYTES).ln().abs();
        let rows = self.machines.rows.iter().filter(|row| row.place.group == *group);
        rows.map(|row| row.place.len_bytes).min_by(|x, y| far(*x).total_cmp(&far(*y)))
    }

    fn group_words(&self, group: &Group) -> String {
        let parts: BTreeSet<&str> =
            self.machines.references.iter().map(|it| it.group.part.as_str()).collect();
        let mut words = condition_words(group.key_life, group.regime);
        if parts.len() > 1 {
            words.push_str(&format!(", {}", group.part));
        }
        words
    }
}

/// What one page tells.
struct Told<'a> {
    title: String,
    header: Markup,
    answers: Markup,
    controls: Markup,
    sections: Vec<(&'a str, &'a str, Markup)>,
}

/// So many machines in words.
fn counted(machines: usize) -> String {
    words::counted(machines, "machine")
}

/// The file of a machine's run.
#[must_use]
pub fn machine_file(machine_id: &str, run_id: &str) -> String {
    format!("machine/{machine_id}-{run_id}.html")
}

/// The page of a run within the site: as `report` writes it, with a way back.
#[must_use]
pub fn within(page: &str) -> String {
    let back = "<a class=\"run\" href=\"../index.html\">All machines</a>";
    page.replacen(
        "<span class=\"word\">macrometer</span>",
        &format!("<span class=\"word\">macrometer</span>{back}"),
        1,
    )
}

fn slug(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let slug: String = name.chars().take(80).map(letter).collect();
    match slug.trim_matches('-') {
        "" => "other".into(),
        some => some.into(),
    }
}

fn ratio(over: &OverUnits, margin: f64) -> [String; 2] {
    let figure = Figure::ratio(over.ratio, over.interval.map(|it| (it.low, it.high)), margin);
    [figure.value(), figure.ends()]
}

fn trait_words(it: &Trait) -> String {
    let ([some, all], [other, others]) = (it.of_disagreeing, it.of_others);
    format!("{some} of {all} {}, others {other} of {others}", it.what)
}

fn next(over: &OverUnits) -> String {
    over.next.map_or(format::ABSENT.into(), |it| {
        let chance = (100.0 * it.chance).floor();
        format!("{}–{} ({chance} %)", format::three(it.low), format::three(it.high))
    })
}

fn verdict(row: &Row) -> String {
    let word = row.verdict.to_string();
    if row.depends { format!("{word}, depends on the machine") } else { word }
}

/// A table that scrolls by itself where it is too wide, by keyboard too.
fn scrolled(label: &str, table: &Markup) -> Markup {
    html! { div .scroll tabindex="0" role="region" aria-label=(label) { (table) } }
}
