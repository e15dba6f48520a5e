//! The answers in a sentence each: who is fastest, by how much, who is tied, what the claims came
//! to. Never a number without its interval.

use lab::record::Run;
use stats::Verdict;

use super::{
    Beside, CellFinding, ClaimFinding, ClaimVerdict, Group, Headline, RankRow, SizeFinding, Unit,
    in_use, ranks, regime_words,
};
use crate::format::{self, Figure};

/// Sizes that people ask about, in the order of a page.
const ASKED_BYTES: [u64; 3] = [64, 1024, 16_384];

/// Macs that are named, of those tied and of those faster with a caution; the others are counted.
const NAMED_MAX: usize = 3;

/// Every headline: for a study with claims what they came to, then who is fastest.
pub(super) fn all(
    run: &Run,
    groups: &[Group],
    cells: &[CellFinding],
    claims: &[ClaimFinding],
) -> Vec<Headline> {
    let mut headlines = Vec::new();
    for group in groups.iter().filter(|group| !group.lines_only && is_asked(group, groups)) {
        let several =
            groups.iter().any(|other| other.part == group.part && other.case != group.case);
        for size in asked(group) {
            headlines.extend(fastest(run, group, size, cells, several));
        }
    }
    // A reader of a survey wants short, middle and long messages before he wants other key lives;
    // the groups come in that order already. A paper's reader asks about its sentences first.
    let told = claims_told(run, claims, groups);
    if run.study.source.is_some() { told.into_iter().chain(headlines).collect() } else { headlines }
}

/// Whether who is fastest there is an answer. Of a set people ask about the whole, among all that
/// were measured in it.
fn is_asked(group: &Group, groups: &[Group]) -> bool {
    let Some(set) = group.set() else { return true };
    let candidates = |it: &Group| it.sizes.first().map_or(0, |size| size.ranking.len());
    let lengths = |it: &Group| it.sizes.iter().map(|size| size.len_bytes).collect::<Vec<_>>();
    let is_less = |other: &Group| {
        let same = other.regime == group.regime
            && (&other.panel, other.key_life) == (&group.panel, group.key_life)
            && lengths(other) == lengths(group);
        same && candidates(other) > candidates(group)
    };
    let is_other = |other: &Group| {
        let is_alike = other.regime.way() == group.regime.way();
        is_alike && other.set().is_some_and(|it| !it.is_extra)
    };
    let is_extra = set.is_extra && groups.iter().any(is_other);
    set.is_ranked && !is_extra && !groups.iter().any(is_less)
}

fn asked(group: &Group) -> Vec<&SizeFinding> {
    let of = |len: &u64| group.sizes.iter().find(|size| size.len_bytes == *len);
    let asked = group.set().map_or(&ASKED_BYTES[..], |it| it.asked_bytes);
    let asked: Vec<&SizeFinding> = asked.iter().filter_map(of).collect();
    if !asked.is_empty() {
        return asked;
    }
    let mut few: Vec<&SizeFinding> = group.sizes.iter().collect();
    if few.len() > 3 {
        few = vec![few[0], few[few.len() / 2], few[few.len() - 1]];
    }
    few
}

fn fastest(
    run: &Run,
    group: &Group,
    size: &SizeFinding,
    cells: &[CellFinding],
    several: bool,
) -> Option<Headline> {
    // A mac that may be used under a condition only, or no more, is no answer to who is fastest; it
    // is named beside it. Who has a survey made asks about what everybody can use before what is
    // fastest of all.
    let ranking = size.in_use.as_deref().unwrap_or(size.without_caveats());
    let first = ranking.first().filter(|row| row.rank.is_some())?;
    let best = in_use::sure_or_lowest(first, ranking.iter(), cells)?;
    let finding = &cells[best.cell];
    // The others were compared with the first.
    let mut detail = match best.cell == first.cell {
        true => against(best, ranking, cells, run.study.margin),
        false => vec![],
    };
    let beside = match size.in_use {
        Some(_) => firsts(best, [size.without_caveats(), &size.ranking], cells),
        None => vec![],
    };
    let faster = faster_with_caution(size, best, cells);
    if !faster.is_empty() && size.in_use.is_none() {
        detail.push(format!("ranked before it, with a caution: {}", format::list(&faster)));
    }
    let context = context(run, group, size, several);
    // One look, or a few launches, show nobody to be the fastest.
    let answer = match finding.is_sure() {
        true => who(cells, best),
        false => format!("{} (lowest seen)", who(cells, best)),
    };
    let time = time_with_interval(finding)?;
    let detail = detail.join("; ");
    let rest = if detail.is_empty() { String::new() } else { format!("; {detail}") };
    let mut sentence = format!("{context}: {answer}, {time}{rest}.");
    for first in &beside {
        sentence.push_str(&format!(" {}: {}, {}.", first.of, first.who, first.time));
    }
    let detail = if detail.is_empty() { time } else { format!("{time}; {detail}") };
    Some(Headline {
        context,
        answer,
        detail,
        beside,
        sentence,
        group: group.name.clone(),
        len_bytes: Some(size.len_bytes),
    })
}

/// How the others of its ranking stand against the best, in phrases.
fn against(best: &RankRow, ranking: &[RankRow], cells: &[CellFinding], margin: f64) -> Vec<String> {
    let is_other = |row: &&RankRow| row.best_of_mac && row.cell != best.cell;
    let others: Vec<&RankRow> = ranking.iter().filter(is_other).collect();
    let tied = |wanted: Verdict| {
        let is_it = |row: &&&RankRow| row.verdict == Some(wanted) && row.tied_with_best;
        others.iter().filter(is_it).map(|row| who(cells, row)).collect::<Vec<String>>()
    };
    let [tied, unclear] = [Verdict::Equivalent, Verdict::Undecided].map(tied);
    let next = others.iter().find(|row| !row.tied_with_best);
    let mut phrases = Vec::new();
    if !tied.is_empty() {
        phrases.push(format!("tied with {}", format::list(&few(tied))));
    }
    if !unclear.is_empty() {
        phrases.push(format!("not distinguishable from {}", format::list(&few(unclear))));
    }
    if let Some((row, ratio)) = next.and_then(|row| Some((row, row.to_best?))) {
        let who = who(cells, row);
        let ratio = ratio.figure(margin);
        phrases.push(format!("next: {who}, {} the time ({})", ratio.times(), spread(&ratio)));
    }
    phrases
}

/// What the headline is about: `64 B messages, key prepared`.
fn context(run: &Run, group: &Group, size: &SizeFinding, several: bool) -> String {
    let len = format::bytes(size.len_bytes);
    let mut context = match group.set() {
        Some(set) => format!("{len} {}, {}", set.unit, regime_words(group.regime)),
        None => format!("{len} messages, {}", group.context()),
    };
    if size.in_use.is_some() {
        context.push_str(", MACs in wide use without caveats");
    }
    if several {
        context = format!("{}: {context}", group.case_title);
    }
    if run.study.panels.len() > 1 {
        context = format!("{context} · {}", group.panel_title);
    }
    context
}

/// The first of these rankings, without caveats and of all, where they are others than the answer.
fn firsts(answer: &RankRow, rankings: [&[RankRow]; 2], cells: &[CellFinding]) -> Vec<Beside> {
    let mut told = vec![answer.cell];
    let mut first = |(ranking, of): (&[RankRow], [&'static str; 2])| {
        let best = ranking.first().filter(|row| row.rank.is_some())?;
        if told.contains(&best.cell) {
            return None;
        }
        told.push(best.cell);
        let finding = &cells[best.cell];
        let with = match ranks::others_tied(ranking) {
            0 => String::new(),
            1 => ", 1 other not shown to be slower".into(),
            others => format!(", {others} others not shown to be slower"),
        };
        let caution = finding.caution.as_ref().map(|it| format!(", {it}")).unwrap_or_default();
        Some(Beside {
            of: of[usize::from(!finding.is_sure())],
            who: who(cells, best),
            time: format!("{}{caution}{with}", time_with_interval(finding)?),
        })
    };
    let of = [
        ["Without caveats", "Lowest seen without caveats"],
        ["Fastest of all", "Lowest seen of all"],
    ];
    rankings.into_iter().zip(of).filter_map(&mut first).collect()
}

/// Macs ranked before the answer that something speaks against, with the word for it.
fn faster_with_caution(size: &SizeFinding, best: &RankRow, cells: &[CellFinding]) -> Vec<String> {
    let before = size.ranking.iter().take_while(|row| row.cell != best.cell);
    let offers = before.filter(|row| row.best_of_mac);
    let word = |row: &RankRow| {
        let caution = cells[row.cell].caution.as_ref()?;
        Some(format!("{} ({caution})", cells[row.cell].called))
    };
    let all: Vec<String> = offers.filter_map(word).collect();
    few(all)
}

/// The first of these and how many more there are.
fn few(mut all: Vec<String>) -> Vec<String> {
    let more = all.len().saturating_sub(NAMED_MAX);
    all.truncate(NAMED_MAX);
    all.extend((more > 0).then(|| format!("{more} more")));
    all
}

fn who(cells: &[CellFinding], row: &RankRow) -> String {
    cells[row.cell].in_words()
}

/// `61.2 ns (95 % 60.9–61.6)`.
fn time_with_interval(finding: &CellFinding) -> Option<String> {
    let time = finding.time()?;
    let over = if finding.unit == Unit::Block { " over blocks" } else { "" };
    let interval = match time.known_ends() {
        Some(ends) => format!("95 %{over} {ends}"),
        None => finding.without_interval(),
    };
    Some(format!("{} ({interval})", time.value()))
}

fn spread(ratio: &Figure) -> String {
    match ratio.known_ends() {
        Some(ends) => format!("95 % {ends}"),
        None => "too few repetitions for an interval".into(),
    }
}

fn claims_told(run: &Run, claims: &[ClaimFinding], groups: &[Group]) -> Vec<Headline> {
    let is_asked = |panel: &&lab::study::Panel| {
        claims.iter().flat_map(|claim| &claim.panels).any(|it| it.panel == panel.name)
    };
    let told = |panel: &lab::study::Panel| {
        let of = |wanted: ClaimVerdict| {
            let own = claims.iter().flat_map(|claim| &claim.panels);
            own.filter(|it| it.panel == panel.name && it.verdict == wanted).count()
        };
        let [confirmed, refuted, undecided] =
            [ClaimVerdict::Confirmed, ClaimVerdict::Refuted, ClaimVerdict::Undecided].map(of);
        let (answer, detail) = if groups.iter().any(|group| group.panel == panel.name) {
            let asked = confirmed + refuted + undecided;
            let answer = format!("{confirmed} of {asked} claims confirmed");
            let elsewhere = match of(ClaimVerdict::Elsewhere) {
                0 => String::new(),
                some => format!("; {some} not decidable by this run"),
            };
            (answer, format!("{refuted} refuted, {undecided} undecided{elsewhere}"))
        } else {
            ("not measured".into(), "no provider of this panel took part".into())
        };
        Headline {
            context: panel.title.clone(),
            sentence: format!("{} ({}): {answer}, {detail}.", panel.title, panel.name),
            answer,
            detail,
            beside: vec![],
            group: groups.first().map(|group| group.name.clone()).unwrap_or_default(),
            len_bytes: None,
        }
    };
    run.study.panels.iter().filter(is_asked).map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_are_named_and_the_others_counted() {
        let names = |count: u32| (0..count).map(|i| format!("m{i}")).collect();
        let told = |count: u32| format::list(&few(names(count)));
        assert_eq!(told(1), "m0");
        assert_eq!(told(3), "m0, m1 and m2");
        assert_eq!(told(5), "m0, m1, m2 and 2 more");
    }
}
