//! How the times of one size spread: a histogram and a box plot for the best offer of each mac,
//! or for every candidate where there are few. Each cell has its own axis: the shapes are compared,
//! as the paper *Comparing the Speeds of HMAC and CMAC* does before Friedman's test.

use stats::Histogram;

use super::axis::Scale;
use super::boxes::{self, Look};
use super::canvas::{Anchor, Canvas};
use super::colour::Colour;
use super::{Drawn, heading, spoken, subtitle};
use crate::findings::{CellFinding, Findings, Group, SizeFinding};
use crate::format;

/// With more candidates than these only the best offer of each mac is drawn.
const CELLS_MAX: usize = 12;

const COLUMNS: usize = 3;
const WIDTH: f64 = 780.0;
const TOP: f64 = 72.0;
const CELL: (f64, f64) = (253.0, 148.0);

/// One chart a size.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    if group.lines_only {
        return vec![];
    }
    group.sizes.iter().filter_map(|size| one(findings, group, size)).collect()
}

/// The cells that are drawn of a size.
pub(super) fn drawn<'a>(findings: &'a Findings, size: &SizeFinding) -> Vec<&'a CellFinding> {
    let few = size.ranking.len() <= CELLS_MAX;
    let rows = size.ranking.iter().filter(|row| few || row.best_of_mac);
    rows.map(|row| findings.cell(row)).filter(|cell| cell.histogram.is_some()).collect()
}

fn one(findings: &Findings, group: &Group, size: &SizeFinding) -> Option<Drawn> {
    let cells = drawn(findings, size);
    if cells.is_empty() {
        return None;
    }
    let rows = cells.len().div_ceil(COLUMNS);
    let mut canvas = Canvas::new(WIDTH, TOP + CELL.1 * rows as f64 + 6.0);
    let title = format!("Distribution of times, {} messages", format::bytes(size.len_bytes));
    let few = cells.len() == size.ranking.len();
    let who = if few { "every candidate" } else { "best offer of each MAC" };
    let under = subtitle(findings, group, &format!("blocks, {who}"));
    heading(&mut canvas, (20.0, WIDTH - 20.0), &title, &under);
    for (number, cell) in cells.iter().enumerate() {
        let (column, row) = ((number % COLUMNS) as f64, (number / COLUMNS) as f64);
        let corner = (20.0 + CELL.0 * column, TOP + CELL.1 * row);
        panel(&mut canvas, cell, corner);
    }
    let description = format!(
        "Histogram and box plot of the time of a call in {} cells; whiskers reach 1.5 \
         interquartile ranges.",
        cells.len()
    );
    Some(Drawn { len_bytes: Some(size.len_bytes), title, description, canvas })
}

fn panel(canvas: &mut Canvas, cell: &CellFinding, (left, top): (f64, f64)) {
    let (Some(histogram), Some(box_plot)) = (&cell.histogram, &cell.box_plot) else { return };
    let (first, last) = (histogram.edges[0], histogram.edges[histogram.edges.len() - 1]);
    let x = Scale::linear((first, last), (left, left + CELL.0 - 28.0));
    canvas.open("distribution", &[("cell", &cell.path)], &spoken(cell));
    let mac = &cell.cell.candidate.mac;
    canvas.text((left, top + 14.0), mac, 12, Anchor::Start, Colour::Text);
    canvas.text((left, top + 27.0), &cell.source(), 10, Anchor::Start, Colour::Quiet);
    let base = top + 92.0;
    canvas.area(bars(histogram, &x, (base, top + 34.0)), Colour::Series(5), 0.75);
    canvas.line((left, base), (left + CELL.0 - 28.0, base), 1.0, Colour::Axis);
    let look = Look { half: 6.0, colour: Colour::Series(0), outliers: Colour::Series(1) };
    boxes::draw(canvas, box_plot, &x, base + 13.0, &look);
    let right = left + CELL.0 - 28.0;
    let [low, high] = [first, last].map(format::time);
    canvas.text((left, base + 36.0), &low, 10, Anchor::Start, Colour::Quiet);
    canvas.text((right, base + 36.0), &high, 10, Anchor::End, Colour::Quiet);
    canvas.close();
}

/// All bars as one outline: a page holds hundreds of these.
fn bars(histogram: &Histogram, x: &Scale, (base, top): (f64, f64)) -> String {
    let most = histogram.counts.iter().copied().max().unwrap_or(1).max(1) as f64;
    let mut outline = format!("M {:.1} {base:.0}", x.at(histogram.edges[0]));
    for (edges, count) in histogram.edges.windows(2).zip(&histogram.counts) {
        let height = base - (base - top) * *count as f64 / most;
        outline.push_str(&format!(" V {height:.1} H {:.1}", x.at(edges[1])));
    }
    outline.push_str(&format!(" V {base:.0} Z"));
    outline
}
