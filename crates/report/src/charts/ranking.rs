//! A ranking at one size: a dot and its interval for each candidate, the fastest on top; what is
//! not shown slower than the best lies on a band. Of many candidates, each MAC's best offer.

use super::axis::Scale;
use super::canvas::{Anchor, Canvas, text_width};
use super::ink::Ink;
use super::{Drawn, heading, sized, spoken, subtitle};
use crate::findings::{CellFinding, Findings, Group, Interval, RankRow, SizeFinding};
use crate::format::{self, Figure};

/// Rows that are drawn; the table has them all.
const ROWS_MAX: usize = 24;

const WIDTH: f64 = 780.0;
const TOP: f64 = 76.0;
const ROW: f64 = 25.0;
const RIGHT_TEXT: f64 = 178.0;

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
    let widest = |width: fn(&CellFinding) -> f64| {
        rows.iter().map(|row| width(findings.cell(row))).fold(70.0, f64::max)
    };
    let who = 20.0 + widest(|cell| text_width(&cell.cell.candidate.mac, 12)) + 10.0;
    let left = who + widest(|cell| text_width(&cell.source(), 10)) + 8.0;
    let right = WIDTH - RIGHT_TEXT;
    let bottom = TOP + ROW * rows.len() as f64;
    let mut canvas = Canvas::new(WIDTH, bottom + 38.0);
    let more = match ranked.len() - rows.len() {
        0 => String::new(),
        more => format!(" · {more} more in the table"),
    };
    let what = if every { "" } else { "best offer of each MAC, " };
    let title = format!("Time per call, {}", sized(group, size.len_bytes));
    let under = subtitle(findings, group, &format!("{what}median, 95 % interval{more}"));
    heading(&mut canvas, (20.0, WIDTH - 20.0), &title, &under);
    let x = scale(findings, rows, (left, right));
    let tied = rows.iter().take_while(|row| row.tied_with_best).count();
    if tied > 1 {
        let height = ROW * tied as f64;
        canvas.rect((12.0, TOP), (WIDTH - 24.0, height), Ink::Series(0), 0.09);
    }
    let ticks = x.legible(x.decades(format::tick_time), |label| text_width(label, 12));
    for tick in ticks {
        let at = x.at(tick.value);
        canvas.line((at, TOP), (at, bottom), 1.0, Ink::Grid);
        canvas.text((at, bottom + 18.0), &tick.label, 12, Anchor::Middle, Ink::Quiet);
    }
    for (number, row) in rows.iter().enumerate() {
        let middle = TOP + ROW * (number as f64 + 0.5);
        canvas.line((20.0, middle + ROW / 2.0), (WIDTH - 20.0, middle + ROW / 2.0), 0.6, Ink::Grid);
        mark(&mut canvas, findings.cell(row), row, (who, middle), &x);
    }
    let told: Vec<String> = rows.iter().take(5).map(|row| spoken(findings.cell(row))).collect();
    let description = format!("From the fastest: {}.", told.join("; "));
    Some(Drawn { len_bytes: Some(size.len_bytes), title, description, canvas })
}

fn scale(findings: &Findings, rows: &[&RankRow], span: (f64, f64)) -> Scale {
    let ends = |row: &&RankRow| {
        let cell = findings.cell(row);
        let middle = cell.median_ns.unwrap_or(1.0);
        cell.interval_ns.map_or((middle, middle), |it| (it.low, it.high))
    };
    let range = rows
        .iter()
        .map(ends)
        .fold((f64::INFINITY, 0.0_f64), |(low, high), (a, b)| (low.min(a), high.max(b)));
    Scale::log(range, (span.0 + 10.0, span.1 - 10.0))
}

fn mark(
    canvas: &mut Canvas,
    cell: &CellFinding,
    row: &RankRow,
    (who, middle): (f64, f64),
    x: &Scale,
) {
    let Some(median_ns) = cell.median_ns else { return };
    let ink = if row.tied_with_best { Ink::Series(0) } else { Ink::Series(6) };
    canvas.open("interval", &[("cell", &cell.path)], &spoken(cell));
    let mac = &cell.cell.candidate.mac;
    canvas.text((20.0, middle + 4.0), mac, 12, Anchor::Start, Ink::Text);
    canvas.text((who, middle + 4.0), &cell.source(), 10, Anchor::Start, Ink::Quiet);
    let figure = Figure::time(median_ns, cell.interval_ns.map(Interval::ends));
    let mut told = figure.value();
    if let Some(it) = cell.interval_ns {
        let (low, high) = (x.at(it.low), x.at(it.high));
        canvas.line((low, middle), (high, middle), 2.2, ink);
        // Caps around a dot that hides the line would only look like an insect.
        for end in [low, high].into_iter().filter(|_| high - low > 7.0) {
            canvas.line((end, middle - 5.0), (end, middle + 5.0), 1.2, ink);
        }
        told.push_str(&format!(" ({})", figure.ends()));
    }
    canvas.dot((x.at(median_ns), middle), 2.8, ink);
    let sign = if row.tied_with_best && row.rank != Some(1) { "= " } else { "" };
    let at = (WIDTH - RIGHT_TEXT + 10.0, middle + 4.0);
    canvas.text(at, &format!("{sign}{told}"), 11, Anchor::Start, Ink::Text);
    canvas.close();
}
