//! Who speaks for a mac where a panel wants the fastest: by how much, over which lengths, who was
//! passed over, and where the choice is not the fastest after all.

use std::collections::{BTreeMap, BTreeSet};

use lab::cell::{Candidate, Cell, KeyLife};
use lab::record::{Chosen, Rival, Run};
use serde::Serialize;
use stats::{Alpha, joint_p};

use super::series::{Series, log_ratios, median};
use super::{CellFinding, Unit, key_life_words, own_name};
use crate::format;

/// A choice further behind than this somewhere is told with the place.
const BEHIND_MAX: f64 = 1.05;

/// A choice of the pilot.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChoiceFinding {
    /// Name of the panel.
    pub panel: String,
    /// Name of the part; absent where one choice is for all.
    pub part: Option<String>,
    /// The key life; absent likewise.
    pub key_life: Option<KeyLife>,
    /// Who was chosen.
    pub candidate: Candidate,
    /// How many were compared, it among them; 0 where the archive does not tell.
    pub rivals: usize,
    /// Message lengths that they were compared at.
    pub lens_bytes: Vec<u64>,
    /// The next of those that could do all: its time over that of the chosen one, the geometric
    /// mean over what was compared.
    pub next: Option<Place>,
    /// Where another was faster by more than 5 %: that one, and the time of the chosen one over
    /// its.
    pub behind: Vec<Place>,
    /// The same by what the run itself measured, at whatever length another was measured too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub behind_in_run: Vec<Place>,
    /// Lengths that the chosen one itself was refused at, where nobody could do all.
    pub missing_bytes: Vec<u64>,
    /// Who was passed over since it could not do all lengths, with those.
    pub passed_over: Vec<(Candidate, Vec<u64>)>,
    /// All of it in a sentence.
    pub sentence: String,
}

/// Another candidate, and a ratio to the chosen one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Place {
    /// The other candidate.
    pub candidate: Candidate,
    /// Message length, where it is about one.
    pub len_bytes: Option<u64>,
    /// The ratio.
    pub ratio: f64,
}

/// Every choice of a run.
pub(super) fn all(run: &Run, cells: &[CellFinding], series: &[Series]) -> Vec<ChoiceFinding> {
    run.chosen.iter().map(|chosen| of(run, cells, series, chosen)).collect()
}

fn of(run: &Run, cells: &[CellFinding], series: &[Series], chosen: &Chosen) -> ChoiceFinding {
    let own = chosen.rivals.iter().find(|it| it.candidate == chosen.candidate);
    let own: Vec<Option<f64>> = own.map(|it| it.times_ns.clone()).unwrap_or_default();
    let lens = |wanted: &dyn Fn(usize) -> bool| {
        let wanted = (0..chosen.cells.len()).filter(|&at| wanted(at));
        let mut lens: Vec<u64> = wanted.map(|at| chosen.cells[at].len_bytes).collect();
        lens.sort_unstable();
        lens.dedup();
        lens
    };
    let most = chosen.rivals.iter().map(Rival::done).max().unwrap_or(0);
    let others = || chosen.rivals.iter().filter(|it| it.candidate != chosen.candidate);
    let able = others().filter(|it| it.done() == most);
    let next = able.filter_map(|it| {
        let pairs = it.times_ns.iter().zip(&own).filter_map(|(it, own)| Some((*it)? / (*own)?));
        let logs: Vec<f64> = pairs.map(f64::ln).collect();
        let ratio = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
        ratio.is_finite().then(|| Place { candidate: it.candidate.clone(), len_bytes: None, ratio })
    });
    let next = next.min_by(|a, b| a.ratio.total_cmp(&b.ratio));
    let passed_over = others().filter(|it| it.done() < most).map(|it| {
        (it.candidate.clone(), lens(&|at| it.times_ns.get(at).is_none_or(Option::is_none)))
    });
    let mut finding = ChoiceFinding {
        panel: chosen.panel.clone(),
        part: chosen.part.clone(),
        key_life: chosen.key_life,
        candidate: chosen.candidate.clone(),
        rivals: chosen.rivals.len(),
        lens_bytes: lens(&|_| true),
        next,
        behind: behind(chosen, &own),
        behind_in_run: behind_in_run(run, cells, series, chosen),
        missing_bytes: lens(&|at| own.get(at).is_some_and(Option::is_none)),
        passed_over: passed_over.collect(),
        sentence: String::new(),
    };
    finding.sentence = finding.words(&run.study.names);
    finding
}

/// At each length the one that is furthest ahead of the chosen one, where that is far.
fn behind(chosen: &Chosen, own: &[Option<f64>]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for (at, cell) in chosen.cells.iter().enumerate() {
        let Some(own) = own.get(at).copied().flatten() else { continue };
        let ratio = |it: &Rival| Some(own / (*it.times_ns.get(at)?)?);
        let ahead = chosen.rivals.iter().filter_map(|it| Some((it, ratio(it)?)));
        let Some((best, ratio)) = ahead.max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
        if ratio <= BEHIND_MAX {
            continue;
        }
        let len_bytes = Some(cell.len_bytes);
        match places.iter_mut().find(|it| it.len_bytes == len_bytes) {
            Some(known) if known.ratio >= ratio => {}
            Some(known) => *known = Place { candidate: best.candidate.clone(), len_bytes, ratio },
            None => places.push(Place { candidate: best.candidate.clone(), len_bytes, ratio }),
        }
    }
    places
}

/// The same among the cells of the run, those of its part that the panel could have shown, where
/// one is shown to be ahead: all lengths and rivals are one test, for one of many hundred is
/// ahead in some run by chance.
fn behind_in_run(
    run: &Run,
    cells: &[CellFinding],
    series: &[Series],
    chosen: &Chosen,
) -> Vec<Place> {
    let Some(panel) = run.study.panels.iter().find(|it| it.name == chosen.panel) else {
        return vec![];
    };
    let is_rival = |at: &usize| {
        let it = &cells[*at];
        chosen.part.as_ref() == Some(&run.study.parts[it.part].name)
            && chosen.key_life == Some(it.cell.key_life)
            && it.cell.candidate.mac == chosen.mac
            && panel.takes(&it.cell.candidate.provider)
            && panel.speaks_at(it.cell.len_bytes)
    };
    let rivals: Vec<usize> = (0..cells.len()).filter(is_rival).collect();
    let is_own = |at: usize| cells[at].cell.candidate == chosen.candidate;
    let same = |a: usize, b: usize| {
        let key = |at: usize| {
            let Cell { regime, len_bytes, key_len_bytes, .. } = cells[at].cell;
            (regime, len_bytes, key_len_bytes)
        };
        key(a) == key(b)
    };
    let pairs: Vec<(usize, usize)> = rivals
        .iter()
        .filter(|&&own| is_own(own))
        .flat_map(|&own| rivals.iter().map(move |&other| (own, other)))
        .filter(|&(own, other)| !is_own(other) && same(own, other))
        .collect();
    let logs: Vec<BTreeMap<u32, f64>> = pairs
        .iter()
        .map(|&(own, other)| log_ratios(&series[own], &series[other]))
        .map(|(unit, logs)| if unit == Unit::Launch { logs } else { BTreeMap::new() })
        .collect();
    let launches: BTreeSet<u32> = logs.iter().flat_map(|own| own.keys().copied()).collect();
    let replicated = |own: &BTreeMap<u32, f64>| -> Vec<Option<f64>> {
        launches.iter().map(|at| own.get(at).copied()).collect()
    };
    let p = joint_p(&logs.iter().map(replicated).collect::<Vec<_>>());
    let mut best: BTreeMap<usize, Place> = BTreeMap::new();
    for ((&(own, other), logs), p) in pairs.iter().zip(&logs).zip(p) {
        let Some(log) = median(logs.values().copied().collect()) else { continue };
        let ratio = log.exp();
        let is_ahead = p <= Alpha::default().value() && ratio > BEHIND_MAX;
        if is_ahead && best.get(&own).is_none_or(|known| known.ratio < ratio) {
            let CellFinding { cell, .. } = &cells[other];
            let (candidate, len_bytes) = (cell.candidate.clone(), Some(cell.len_bytes));
            best.insert(own, Place { candidate, len_bytes, ratio });
        }
    }
    best.into_values().collect()
}

impl ChoiceFinding {
    /// Where it holds: `growing, new key each message`.
    #[must_use]
    pub fn context(&self) -> String {
        let life = self.key_life.map(|life| key_life_words(life).to_owned());
        self.part.clone().into_iter().chain(life).collect::<Vec<_>>().join(", ")
    }

    /// What must be known before its figures are believed: one clause, if any.
    #[must_use]
    pub fn doubt(&self) -> Option<String> {
        let place = |it: &Place| {
            let at =
                it.len_bytes.map_or(String::new(), |len| format!(" at {}", format::bytes(len)));
            format!("{}{at} ({} faster)", it.candidate.source(), format::times(it.ratio))
        };
        let mut clauses = Vec::new();
        if !self.behind.is_empty() {
            let faster: Vec<String> = self.behind.iter().map(place).collect();
            clauses.push(format!("not the fastest everywhere: {}", format::list(&faster)));
        }
        if !self.behind_in_run.is_empty() {
            let faster: Vec<String> = self.behind_in_run.iter().map(place).collect();
            clauses.push(format!("behind in the run itself: {}", format::list(&faster)));
        }
        if !self.missing_bytes.is_empty() {
            let lens = lengths(&self.missing_bytes);
            clauses.push(format!("no candidate could do all lengths, and it could not do {lens}"));
        }
        (!clauses.is_empty()).then(|| clauses.join("; "))
    }

    fn words(&self, names: &BTreeMap<String, String>) -> String {
        let mac = own_name(names, &self.candidate.mac);
        let mut words = format!("{mac} from {}", self.candidate.source());
        let context = self.context();
        if !context.is_empty() {
            words.push_str(&format!(" ({context})"));
        }
        match &self.next {
            _ if self.rivals == 0 => return words,
            Some(it) => {
                let (next, ratio) = (it.candidate.source(), format::times(it.ratio));
                words.push_str(&format!(": next {next}, {ratio} the time"));
            }
            None => words.push_str(": no other candidate could do all lengths"),
        }
        let compared = lengths(&self.lens_bytes);
        words.push_str(&format!(", of {} compared at {compared}", self.rivals));
        for (candidate, lens) in &self.passed_over {
            let (who, lens) = (candidate.source(), lengths(lens));
            words.push_str(&format!("; {who} was passed over because it could not do {lens}"));
        }
        if let Some(doubt) = self.doubt() {
            words.push_str(&format!("; {doubt}"));
        }
        words
    }
}

fn lengths(lens: &[u64]) -> String {
    format::list(&lens.iter().map(|&len| format::bytes(len)).collect::<Vec<_>>())
}

/// Choices that need a word before their figures are believed.
pub(super) fn warnings(choices: &[ChoiceFinding]) -> Vec<String> {
    let doubted = choices.iter().filter_map(|it| Some((it, it.doubt()?))).map(|(it, doubt)| {
        let (panel, context) = (&it.panel, it.context());
        let (mac, source) = (&it.candidate.mac, it.candidate.source());
        format!("Panel {panel}, {context}: {source} is used for {mac}, but is {doubt}")
    });
    let mut warnings: Vec<String> = doubted.collect();
    if choices.iter().any(|it| it.rivals == 0) {
        warnings.push(
            "The version that measured this run compared candidates at only one length of each \
             part, and each by the lengths it had: what is shown as the fastest may be far from it \
             (`macrometer doctor --consistency` checks the choices against other runs)"
                .into(),
        );
    }
    warnings
}
