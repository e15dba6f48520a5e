//! A ranking at one size: a dot and its interval for each candidate, the fastest on top; what is
//! not shown to be slower than the best lies on a band. Of many candidates, each MAC's best offer.

use super::colour::Colour;
use super::dots::{Dot, sheet};
use super::{Drawn, sized, spoken, subtitle};
use crate::findings::{Findings, Group, Interval, RankRow, SizeFinding};

/// Rows that are drawn; the table has them all.
const ROWS_MAX: usize = 24;

/// One chart a size of at least two candidates.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    if group.lines_only {
        return vec![];
    }
    group.sizes.iter().filter_map(|size| one(findings, group, size)).collect()
}

fn one(findings: &Findings, group: &Group, size: &SizeFinding) -> Option<Drawn> {
    let every = size.ranking.len() <= ROWS_MAX;
    let shown = |row: &&RankRow| row.rank.is_some() && (every || row.best_of_mac);
    let ranked: Vec<&RankRow> = size.ranking.iter().filter(shown).collect();
    if ranked.len() < 2 {
        return None;
    }
    let rows = &ranked[..ranked.len().min(ROWS_MAX)];
    let more = match ranked.len() - rows.len() {
        0 => String::new(),
        more => format!(" · {more} more in the table"),
    };
    let what = if every { "" } else { "best offer of each MAC, " };
    let title = format!("Time per call, {}", sized(group, size.len_bytes));
    let under = subtitle(findings, group, &format!("{what}median, 95 % interval{more}"));
    let tied = rows.iter().take_while(|row| row.tied_with_best).count();
    let dots: Vec<Dot<'_>> = rows.iter().filter_map(|row| dot(findings, row)).collect();
    let canvas = sheet(&title, &under, &dots, tied);
    let told: Vec<String> = rows.iter().take(5).map(|row| spoken(findings.cell(row))).collect();
    let description = format!("From the fastest: {}.", told.join("; "));
    Some(Drawn { len_bytes: Some(size.len_bytes), title, description, canvas })
}

fn dot<'a>(findings: &'a Findings, row: &RankRow) -> Option<Dot<'a>> {
    let cell = findings.cell(row);
    Some(Dot {
        data: ("cell", &cell.path),
        spoken: spoken(cell),
        name: cell.cell.candidate.mac.clone(),
        about: cell.source(),
        median_ns: cell.median_ns?,
        ends_ns: cell.interval_ns.map(Interval::ends),
        sign: if row.tied_with_best && row.rank != Some(1) { "= " } else { "" },
        colour: if row.tied_with_best { Colour::Series(0) } else { Colour::Series(6) },
    })
}
