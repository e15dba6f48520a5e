//! Many machines for a terminal: a first screen with the claims, what depends on the machine and
//! what all have in common; with details every row.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use stats::{OverUnits, Verdict};

use super::{Group, Machines, MachinesClaim, Row, Trait};
use crate::findings::condition_words;
use crate::format::{self, Figure};
use crate::terminal::layout::{Style, legible, wrapped};
use crate::terminal::table;

/// Lines of the first screen.
const LINES_MAX: usize = 40;

/// Rows of a table of the first screen, and claims of it.
const ROWS_MAX: usize = 8;

/// Providers that are named as having several versions.
const NAMED_MAX: usize = 4;

/// The length that stands for all, or the one nearest to it.
const TELLING_BYTES: f64 = 1024.0;

impl Machines {
    /// For a terminal `width` columns wide; all rows with `details`.
    #[must_use]
    pub fn render(&self, width: usize, colour: bool, details: bool) -> String {
        let (width, style) = (width.max(40), Style { colour });
        let mut text = format!("{}\n", style.bold(&wrapped(&self.sentence(), width, "")));
        text.push_str(&format!("{}\n", style.quiet(&wrapped(&self.how(), width, ""))));
        let shown = if details { usize::MAX } else { ROWS_MAX };
        let sections = [
            self.claims_told(width, style, shown),
            self.depending(width, style, shown),
            self.all_told(width, style, shown),
        ];
        for section in sections {
            let lines = |text: &str| text.lines().count();
            let room = LINES_MAX.saturating_sub(lines(&text) + 1);
            match details || lines(&section) <= room {
                true => text.push_str(&section),
                // Its last line says how to see the rest.
                false => {
                    let cut: Vec<&str> = section.lines().take(room.saturating_sub(1)).collect();
                    if cut.len() > 2 {
                        text.push_str(&format!("{}\n", cut.join("\n")));
                    }
                }
            }
        }
        if !details {
            text.push_str(&format!("{}\n", style.quiet("All of it: --details, --format json")));
        }
        legible(&text, colour)
    }

    /// What became of all rows, in a few sentences.
    #[must_use]
    pub fn sentence(&self) -> String {
        let simulated = match self.simulated {
            0 => String::new(),
            all if all == self.runs => ", all of them simulated".into(),
            some => format!(", {some} of them simulated"),
        };
        let (n, runs) = (self.machines.len(), self.runs);
        let mut text = format!(
            "{} measured “{}” ({}{simulated}).",
            words::counted(n, "machine"),
            self.study_title,
            words::counted(runs, "run"),
        );
        let count = |wanted| self.rows.iter().filter(|row| row.verdict == wanted).count();
        if n < self.machines_needed {
            text.push_str(&format!(
                " Too few to call a difference among {} comparisons: at least {} are needed.",
                self.rows.len(),
                self.machines_needed
            ));
        }
        let counts = [
            (Verdict::Faster, "faster than the reference"),
            (Verdict::Slower, "slower"),
            (Verdict::Equivalent, "equivalent"),
            (Verdict::Undecided, "undecided"),
            (Verdict::CannotConclude, "on too few machines"),
        ];
        let counts = counts.into_iter().map(|(verdict, word)| (count(verdict), word));
        let counts: Vec<String> =
            counts.filter(|it| it.0 > 0).map(|(count, word)| format!("{count} {word}")).collect();
        let depend = self.rows.iter().filter(|row| row.depends).count();
        text.push_str(&format!(" Of {} comparisons: {}", self.rows.len(), counts.join(", ")));
        text.push_str(&match depend {
            0 => "; none is shown to depend on the machine.".to_owned(),
            some => format!("; {some} depend on the machine."),
        });
        text + &self.mixed()
    }

    /// That one value stands for several versions, where runs of one kind of machine have them.
    fn mixed(&self) -> String {
        let all = self.machines.iter().filter(|it| !it.mixed_versions.is_empty());
        let names: std::collections::BTreeSet<&String> =
            all.clone().flat_map(|it| &it.mixed_versions).collect();
        if names.is_empty() {
            return String::new();
        }
        let named: Vec<String> = names.into_iter().take(NAMED_MAX).cloned().collect();
        format!(
            " On {}, runs with different versions of a provider are one value ({}).",
            words::counted(all.count(), "machine"),
            named.join(", ")
        )
    }

    fn how(&self) -> String {
        let of = |it: &super::Reference| {
            format!("{} ({})", it.who.name(), group_words(&it.group, self.parts()))
        };
        let references: Vec<String> = self.references.iter().take(4).map(of).collect();
        format!(
            "Ratio: time of the reference over that of the offer, made within each machine; median \
             over machines. Margin {}. Reference: {}.",
            format::percent(self.margin),
            format::list(&references)
        )
    }

    fn parts(&self) -> usize {
        let parts: std::collections::BTreeSet<&str> =
            self.references.iter().map(|it| it.group.part.as_str()).collect();
        parts.len()
    }

    fn claims_told(&self, width: usize, style: Style, shown: usize) -> String {
        if self.claims.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}\n", style.heading("Claims over all machines", width));
        let panels: std::collections::BTreeSet<&str> =
            self.claims.iter().map(|it| it.panel.as_str()).collect();
        for claim in self.claims.iter().take(shown.min(if shown == ROWS_MAX { 4 } else { shown })) {
            let panel = match panels.len() {
                1 => String::new(),
                _ => format!(" ({})", claim.panel_title),
            };
            let said = claim.verdict.because(&claim.reason);
            let told = format!("{}{panel}: {said}", claim.quoted);
            text.push_str(&format!("{}\n", wrapped(&told, width, "")));
        }
        text
    }

    fn depending(&self, width: usize, style: Style, shown: usize) -> String {
        let mut rows: Vec<&Row> = self.rows.iter().filter(|row| row.depends).collect();
        if rows.is_empty() {
            return String::new();
        }
        let split = |row: &Row| row.over.above.min(row.over.below);
        let order = |x: &&Row, y: &&Row| -> Ordering {
            split(y).cmp(&split(x)).then(x.p_opposed_adjusted.total_cmp(&y.p_opposed_adjusted))
        };
        if shown == ROWS_MAX {
            // The length at which most machines disagree stands for an offer's others.
            rows.sort_by(order);
            let mut seen = std::collections::BTreeSet::new();
            rows.retain(|row| seen.insert((&row.who, &row.place.group)));
        }
        let mut text = format!("\n{}\n", style.heading("What depends on the machine", width));
        let head = ["MAC", "from", "length", "ratio", "faster on", "slower on", "the minority are"];
        let line = |row: &&Row| {
            let mut own = self.named(row);
            own.extend([
                format::three(row.over.ratio),
                row.over.above.to_string(),
                row.over.below.to_string(),
                row.in_common.first().map_or(format::ABSENT.into(), words),
            ]);
            own
        };
        let told = rows.iter().take(shown.min(6)).map(line).collect();
        let told = if shown == usize::MAX { rows.iter().map(line).collect() } else { told };
        text.push_str(&table(&head, told, &[0, 1, 6], width));
        text
    }

    fn all_told(&self, width: usize, style: Style, shown: usize) -> String {
        let rows: Vec<&Row> = match shown {
            usize::MAX => self.rows.iter().collect(),
            _ => self.telling(),
        };
        let mut text = format!("\n{}\n", style.heading("Over all machines", width));
        if self.by.is_some() {
            let head = ["MAC", "from", "length", "machines", "n", "ratio", "95 %", "is"];
            let lines = rows.iter().take(shown).flat_map(|row| self.apart(row)).collect();
            text.push_str(&table(&head, lines, &[0, 1, 3, 7], width));
            return text;
        }
        let head = ["MAC", "from", "length", "n", "ratio", "95 %", "next machine", "is"];
        let line = |row: &&Row| {
            let mut own = self.named(row);
            own.push(row.over.n.to_string());
            own.extend(figures(&row.over, self.margin));
            own.push(next(&row.over));
            own.push(verdict(row));
            own
        };
        let lines = rows.iter().take(shown).map(line).collect();
        text.push_str(&table(&head, lines, &[0, 1, 7], width));
        text
    }

    /// Rows of the groups of machines, behind that of all.
    fn apart(&self, row: &Row) -> Vec<Vec<String>> {
        let of = |name: String, over: &OverUnits, is: String| {
            let mut own = self.named(row);
            own.extend([name, over.n.to_string()]);
            own.extend(figures(over, self.margin));
            own.push(is);
            own
        };
        let p = row.p_groups_adjusted;
        let all = p.map_or("all".into(), |p| format!("all; apart: {}", format::probability(p)));
        let mut lines = vec![of(all, &row.over, verdict(row))];
        for group in &row.groups {
            let mut own = of(group.name.clone(), &group.over, String::new());
            own[..3].iter_mut().for_each(String::clear);
            lines.push(own);
        }
        lines
    }

    /// Of each group the rows at the length nearest to 1 KiB, the fastest first.
    fn telling(&self) -> Vec<&Row> {
        let mut lengths: BTreeMap<&Group, u64> = BTreeMap::new();
        let far = |len: u64| ((len.max(1) as f64) / TELLING_BYTES).ln().abs();
        for row in &self.rows {
            let known = lengths.entry(&row.place.group).or_insert(row.place.len_bytes);
            if far(row.place.len_bytes) < far(*known) {
                *known = row.place.len_bytes;
            }
        }
        let is_told = |row: &&Row| lengths.get(&row.place.group) == Some(&row.place.len_bytes);
        let mut rows: Vec<&Row> = self.rows.iter().filter(is_told).collect();
        rows.sort_by(|x, y| {
            let group = x.place.group.cmp(&y.place.group);
            group.then(y.over.ratio.total_cmp(&x.over.ratio))
        });
        rows
    }

    fn named(&self, row: &Row) -> Vec<String> {
        let key = self.key_words(&row.who);
        let mac = match self.references.len() {
            1 => format!("{}{key}", row.who.mac),
            _ => format!("{}{key}, {}", row.who.mac, group_words(&row.place.group, self.parts())),
        };
        vec![mac, row.who.provider.clone(), format::bytes(row.place.len_bytes)]
    }
}

impl MachinesClaim {
    /// How many can tell.
    #[must_use]
    pub fn telling(&self) -> usize {
        self.confirmed.len() + self.refuted.len() + self.undecided.len()
    }
}

/// `key prepared`, with regime and part where these are not the usual ones.
fn group_words(group: &Group, parts: usize) -> String {
    let mut words = condition_words(group.key_life, group.regime);
    if parts > 1 {
        words.push_str(&format!(", {}", group.part));
    }
    words
}

/// `27 of 27 without vaes, others 2 of 73`.
fn words(it: &Trait) -> String {
    let ([some, all], [other, others]) = (it.of_disagreeing, it.of_others);
    format!("{some} of {all} {}, others {other} of {others}", it.what)
}

fn figures(over: &OverUnits, margin: f64) -> [String; 2] {
    let ratio = Figure::ratio(over.ratio, over.interval.map(|it| (it.low, it.high)), margin);
    [ratio.value(), ratio.ends()]
}

/// Where one more machine would be, and how surely.
fn next(over: &OverUnits) -> String {
    over.next.map_or(format::ABSENT.into(), |it| {
        let chance = (100.0 * it.chance).floor();
        format!("{}–{} ({chance} %)", format::three(it.low), format::three(it.high))
    })
}

fn verdict(row: &Row) -> String {
    let word = row.verdict.to_string();
    if row.depends { format!("{word}, depends") } else { word }
}
