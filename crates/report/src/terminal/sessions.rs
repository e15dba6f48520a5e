//! Sessions, the working set and capacities for a terminal: what fits into its width. The page has
//! the rest.

use lab::study::Statement;

use super::columns::table;
use super::figure_table::{ROWS_MAX, Table, spread};
use super::layout::{few, needed, wrapped};
use super::{Sheet, capacity};
use crate::findings::sessions::{
    CapacityRow, Estimate, LoadFinding, SessionsFinding, SessionsRow, WorkingSetFinding,
    asked_words, column_words, load_words, settled_words, unserved_words,
};
use crate::findings::{Group, RatioFinding};
use crate::format::{self, ABSENT, TimeUnit};

/// Message lengths of a brief report.
const BRIEF_LENGTHS: usize = 3;

impl Sheet<'_> {
    /// The figures of what is told together with a group, under the first of its groups: the
    /// apparent ones over message length, or over what its loads differ in.
    pub(super) fn figures_of_sessions(&self, group: &Group) -> Vec<Table> {
        let findings = self.findings;
        let sets = findings.sessions.iter().filter(|it| it.head() == group.name);
        let mut all: Vec<Table> = sets.filter_map(|it| self.in_brief(group, it)).collect();
        let capacities = findings.capacities.iter().filter(|it| it.head() == group.name);
        all.extend(capacities.filter_map(|it| {
            let own = it.tables.first()?;
            let size = format::bytes(own.len_bytes);
            let mut head = vec!["MAC".to_owned(), "from".into()];
            head.extend(column_words(own));
            let rows = own.rows.iter().filter(|row| row.best_of_mac);
            let rows = rows.map(|row| self.carried(row)).collect();
            let title = format!("{size}, sessions sustained: {}", asked_words(it));
            let bare = |row: &CapacityRow| {
                row.carried.iter().flatten().any(|it| it.sessions.interval.is_none())
            };
            let note = own.rows.iter().any(bare).then(|| SEARCHED.to_owned());
            Some(Table { title, head, rows, words: 2, note, whole: false })
        }));
        let capacities = findings.capacities.iter().filter(|it| it.head() == group.name);
        all.extend(capacities.filter_map(|it| capacity::at_capacity(it.tables.first()?)));
        all
    }

    fn in_brief(&self, group: &Group, set: &SessionsFinding) -> Option<Table> {
        let lengths = set.lengths();
        let at = |len: u64| set.at(len).collect::<Vec<&LoadFinding>>();
        let widest = lengths.iter().copied().max_by_key(|&len| at(len).len())?;
        let by_length = at(widest).len() == 1;
        let all = if by_length { lengths.into_iter().flat_map(at).collect() } else { at(widest) };
        let size = if by_length { String::new() } else { format!(", {}", format::bytes(widest)) };
        let both = self.rests_on_absolute(set);
        let what = if both { "absolute → apparent" } else { "apparent" };
        let title = format!("{}{size}: {what}", self.label(group));
        let places: Vec<u64> = (0..all.len() as u64).collect();
        let mut most = if by_length { BRIEF_LENGTHS } else { all.len() };
        loop {
            let told = few(places.clone(), most).into_iter().map(|it| all[it as usize]).collect();
            let table = of_loads(&title, set, told, (by_length, both))?;
            if most <= 1 || self.fits(&table) {
                return Some(table);
            }
            most -= 1;
        }
    }

    /// Whether a claim is decided by absolute processing there.
    fn rests_on_absolute(&self, set: &SessionsFinding) -> bool {
        let study = &self.run.study;
        let part = &study.parts[set.part].name;
        let absolute: Vec<&Group> = self
            .findings
            .groups
            .iter()
            .filter(|it| set.groups.contains(&it.name) && it.is_absolute())
            .collect();
        let claims = study.claims.iter().filter(|claim| {
            let panel = study.panels.iter().find(|it| it.name == set.panel);
            claim.is_in(part) && panel.is_some_and(|it| claim.asks(it))
        });
        let mut measured = claims.filter(|claim| {
            claim.statement().is_some_and(|it| !matches!(it, Statement::Argument(_)))
        });
        measured.any(|claim| absolute.iter().any(|it| claim.is_about(it.regime)))
    }

    /// What is told together with a group, under the first of its groups; nothing under the others.
    pub(super) fn together(&self, group: &Group) -> String {
        let findings = self.findings;
        let mut text = String::new();
        for set in findings.sessions.iter().filter(|it| it.head() == group.name) {
            text.push_str(&self.sessions(set));
            let apparent = findings
                .groups
                .iter()
                .filter(|it| set.groups.contains(&it.name) && !it.is_absolute());
            if let [only] = apparent.collect::<Vec<_>>()[..] {
                text.push_str(&self.crossovers(only));
            }
        }
        for it in findings.capacities.iter().filter(|it| it.head() == group.name) {
            text.push_str(&self.capacity(it));
        }
        for it in findings.working_sets.iter().filter(|it| it.head() == group.name) {
            text.push_str(&self.working_set(it));
        }
        if text.is_empty() { text } else { format!("\n{}\n{text}", self.heading_of(group)) }
    }

    fn sessions(&self, set: &SessionsFinding) -> String {
        let lengths = set.lengths();
        let few = match lengths[..] {
            [first, .., last] if lengths.len() > 3 => vec![first, lengths[lengths.len() / 2], last],
            _ => lengths.clone(),
        };
        let mut text = String::new();
        for &len in &few {
            let loads: Vec<&LoadFinding> = set.at(len).collect();
            match loads[..] {
                [only] => text.push_str(&self.load(only)),
                _ => text.push_str(&self.loads(set, &loads)),
            }
        }
        if few.len() < lengths.len() {
            let more = lengths.len() - few.len();
            text.push_str(
                &self.style.quiet(&format!("  {more} message lengths more: on the page")),
            );
            text.push('\n');
        }
        text
    }

    /// One load: all that a line holds.
    fn load(&self, load: &LoadFinding) -> String {
        let title = format!("{}, {}", format::bytes(load.len_bytes), load_words(load));
        let few = load.rows.len() > ROWS_MAX;
        let rows = load.rows.iter().filter(|row| row.best_of_mac || !few);
        // Ranks count what is shown.
        let ranks: Vec<usize> = rows.clone().filter_map(|row| row.rank).collect();
        let in_cycles = load.rows.iter().any(|row| row.apparent_cycles_per_byte.is_some());
        let unit = if in_cycles { "c/B" } else { "ns" };
        let (absolute, apparent) = (format!("absolute {unit}"), format!("apparent {unit}"));
        let mut head = vec!["", "MAC", "from", &absolute, &apparent, "app./abs.", "p99"];
        // Windows of a turn or two do not tell.
        let is_fair = |row: &SessionsRow| row.windows.is_some_and(|it| it.fairness.is_some());
        let has_fairness = load.rows.iter().any(is_fair);
        head.extend(has_fairness.then_some("fair"));
        let lines = rows.map(|row| {
            let before = |own: usize| ranks.iter().filter(|other| **other < own).count();
            let rank = row.rank.map_or(ABSENT.into(), |it| (1 + before(it)).to_string());
            let seen = row.windows;
            let tail = seen.and_then(|it| it.tail);
            let mark = if row.offloads { " ‡" } else { "" };
            let mut line = vec![
                if row.tied_with_best && row.rank != Some(1) { "=".into() } else { rank },
                row.candidate.mac.clone(),
                format!("{}{mark}", row.candidate.source()),
                with_spread(absolute_of(row, in_cycles)),
                with_spread(apparent_of(row, in_cycles)),
                ratio(row.to_absolute),
                tail.map_or(ABSENT.into(), |it| format::time(it.p99_ns as f64)),
            ];
            let fairness = seen.and_then(|it| it.fairness);
            line.extend(has_fairness.then(|| fairness.map_or(ABSENT.into(), format::three)));
            line
        });
        let mut text = format!("\n{}\n", self.style.bold(&title));
        text.push_str(&table(&head, lines.collect(), &[1, 2], self.width));
        text + &self.settled(&[load])
    }

    /// Several loads of a length: a column each.
    fn loads(&self, set: &SessionsFinding, loads: &[&LoadFinding]) -> String {
        let Some(last) = loads.last() else { return String::new() };
        let in_cycles = last.rows.iter().any(|row| row.apparent_cycles_per_byte.is_some());
        let unit = if in_cycles { "cycles per byte" } else { "ns per message" };
        let names: Vec<String> = loads.iter().map(|it| set.narrow(it)).collect();
        let rows: Vec<&SessionsRow> = last.rows.iter().filter(|row| row.best_of_mac).collect();
        let pair = |row: &SessionsRow| {
            let of = |it: Option<Estimate>| it.map_or(ABSENT.into(), |it| format::three(it.value));
            let (absolute, apparent) = (absolute_of(row, in_cycles), apparent_of(row, in_cycles));
            format!("{} → {}", of(absolute), of(apparent))
        };
        let alone = |row: &SessionsRow| {
            let it = apparent_of(row, in_cycles);
            it.map_or(ABSENT.into(), |it| format::three(it.value))
        };
        let speeds = rows.iter().any(|row| row.speed_up.is_some());
        let mut head = vec!["MAC", "from"];
        head.extend(names.iter().map(String::as_str));
        head.extend(if speeds { &["speed-up", "CPU cost ratio"][..] } else { &[] });
        let lines = |cell: &dyn Fn(&SessionsRow) -> String| -> Vec<Vec<String>> {
            let line = |row: &&SessionsRow| {
                let mut line = vec![row.candidate.mac.clone(), row.candidate.source()];
                line.extend(across(loads, row, cell));
                line.extend(speeds.then(|| ratio(row.speed_up)));
                line.extend(speeds.then(|| ratio(row.cpu_cost_ratio)));
                line
            };
            rows.iter().map(line).collect()
        };
        let (len, by) = (format::bytes(last.len_bytes), self.differs(loads));
        let both = lines(&pair);
        // Where both do not fit beside each other, the apparent one speaks.
        let (what, lines) = match needed(&head, &both) <= self.width {
            true => ("absolute → apparent", both),
            false => ("apparent", lines(&alone)),
        };
        let title = format!("{len}, {what}, {unit}{by}, best offers");
        let mut text = format!("\n{}\n", self.style.bold(&title));
        text.push_str(&table(&head, lines, &[0, 1], self.width));
        if loads.iter().any(|it| it.sessions != last.sessions) {
            let title = format!("{len}, 99th-percentile latency{by}");
            text.push_str(&format!("\n{}\n", self.style.bold(&title)));
            text.push_str(&self.tails(&names, loads, &rows));
        }
        for line in set.order_words(last.len_bytes) {
            text.push_str(&format!("{}\n", wrapped(&line, self.width, "  ")));
        }
        text + &self.settled(loads)
    }

    /// The time that most messages take at most, under each of the loads.
    fn tails(&self, names: &[String], loads: &[&LoadFinding], rows: &[&SessionsRow]) -> String {
        let p99 = |row: &SessionsRow| {
            let tail = row.windows.and_then(|it| it.tail);
            tail.map_or(ABSENT.into(), |it| format::time(it.p99_ns as f64))
        };
        let mut head = vec!["MAC", "from"];
        head.extend(names.iter().map(String::as_str));
        let lines = rows.iter().map(|row| {
            let mut line = vec![row.candidate.mac.clone(), row.candidate.source()];
            line.extend(across(loads, row, &p99));
            line
        });
        table(&head, lines.collect(), &[0, 1], self.width)
    }

    /// What was adjusted.
    fn settled(&self, loads: &[&LoadFinding]) -> String {
        let line = |it: &String| self.style.quiet(&wrapped(it, self.width, "  ")) + "\n";
        settled_words(loads).iter().map(line).collect()
    }

    /// What its columns are of, where they are numbers.
    fn differs(&self, loads: &[&LoadFinding]) -> &'static str {
        let of = |it: &LoadFinding| it.asked().map(|own| own.binding);
        if loads.iter().any(|it| it.sessions != loads[0].sessions) {
            ", by sessions"
        } else if loads.iter().any(|it| of(it) != of(loads[0])) {
            ", by processors"
        } else {
            ""
        }
    }

    fn working_set(&self, it: &WorkingSetFinding) -> String {
        let values = it.rows.iter().flat_map(|row| row.ns.iter().flatten()).map(|it| it.value);
        let most = values.fold(0.0, f64::max);
        let unit = if most >= 1e5 { TimeUnit::of(most) } else { TimeUnit::of(1.0) };
        let title = format!(
            "{}, {} per message over the number of keys",
            format::bytes(it.len_bytes),
            unit.sign()
        );
        let keys: Vec<String> = it.keys.iter().map(|&it| format::tick(f64::from(it))).collect();
        let mut head = vec!["MAC", "from"];
        head.extend(keys.iter().map(String::as_str));
        head.push("growth");
        let few = it.rows.len() > ROWS_MAX;
        let lines = it.rows.iter().filter(|row| row.best_of_mac || !few).map(|row| {
            let mut line = vec![row.candidate.mac.clone(), row.candidate.source()];
            let value = |it: &Estimate| format::three(unit.scale(it.value));
            line.extend(row.ns.iter().map(|it| it.as_ref().map_or(ABSENT.into(), value)));
            line.push(ratio(row.growth));
            line
        });
        let mut text = format!("\n{}\n", self.style.bold(&title));
        text.push_str(&table(&head, lines.collect(), &[0, 1], self.width));
        text
    }
}

/// Beside capacities without an interval.
const SEARCHED: &str = "~: one search each, which ends once the number is known to within 4 %.";

/// What each mac's best offer took under each load: apparently, and to the processors before it
/// where both are told.
fn of_loads(
    title: &str,
    set: &SessionsFinding,
    loads: Vec<&LoadFinding>,
    (by_length, both): (bool, bool),
) -> Option<Table> {
    let mut rows = loads.iter().flat_map(|it| &it.rows);
    let in_cycles = rows.any(|row| row.apparent_cycles_per_byte.is_some());
    let unit = if in_cycles { "cycles per byte" } else { "ns per message" };
    let name = |it: &LoadFinding| match by_length {
        true => format::bytes(it.len_bytes),
        false => set.narrow(it),
    };
    let mut head = vec!["MAC".to_owned(), "from".into()];
    head.extend(loads.iter().map(|it| name(it)));
    let cell = |row: Option<&SessionsRow>| {
        let Some(row) = row else { return ABSENT.into() };
        let apparent = apparent_of(row, in_cycles);
        match absolute_of(row, in_cycles).filter(|_| both) {
            Some(absolute) => beside(absolute, apparent),
            None => with_spread(apparent),
        }
    };
    let rows = loads.last()?.rows.iter().filter(|row| row.best_of_mac).map(|row| {
        let own = loads.iter().map(|it| cell(it.row(&row.candidate)));
        [row.candidate.mac.clone(), row.candidate.source()].into_iter().chain(own).collect()
    });
    let (title, rows) = (format!("{title}, {unit}"), rows.collect());
    let unserved =
        loads.iter().filter_map(|it| Some(format!("{}: {}.", name(it), unserved_words(it)?)));
    let note: Vec<String> = unserved.collect();
    let note = (!note.is_empty()).then(|| note.join(" "));
    Some(Table { title, head, rows, words: 2, note, whole: false })
}

/// What the row of one candidate has in each of the loads.
fn across(
    loads: &[&LoadFinding],
    row: &SessionsRow,
    cell: &dyn Fn(&SessionsRow) -> String,
) -> Vec<String> {
    let own = loads.iter().map(|it| it.row(&row.candidate));
    own.map(|it| it.map_or(ABSENT.into(), cell)).collect()
}

/// `3.21 → 1.62 ±2%`, with the wider spread of the two.
fn beside(absolute: Estimate, apparent: Option<Estimate>) -> String {
    let Some(apparent) = apparent else { return with_spread(Some(absolute)) };
    let half = |it: Estimate| it.ends().map(|(low, high)| (high - it.value).max(it.value - low));
    let wider = half(absolute).zip(half(apparent)).map(|(one, other)| {
        let share = (one / absolute.value).max(other / apparent.value);
        (1.0 - share, 1.0 + share)
    });
    let [first, second] = [absolute, apparent].map(|it| format::three(it.value));
    format!("{first} → {second}{}", spread(1.0, wider))
}

fn absolute_of(row: &SessionsRow, in_cycles: bool) -> Option<Estimate> {
    if in_cycles { row.absolute_cycles_per_byte } else { row.absolute_ns }
}

fn apparent_of(row: &SessionsRow, in_cycles: bool) -> Option<Estimate> {
    if in_cycles { row.apparent_cycles_per_byte } else { row.apparent_ns }
}

fn with_spread(it: Option<Estimate>) -> String {
    it.map_or(ABSENT.into(), |it| {
        format!("{}{}", format::three(it.value), spread(it.value, it.ends()))
    })
}

fn ratio(it: Option<RatioFinding>) -> String {
    it.map_or(ABSENT.into(), |it| {
        let ends = it.interval.map(|it| (it.low, it.high));
        format!("{}{}", format::three(it.value), spread(it.value, ends))
    })
}
