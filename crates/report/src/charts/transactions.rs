//! An action of a transaction as box plots, a panel a file size and a box a scheme: figures 2 to 5
//! of *Comparison Between Encrypt-and-MAC Composite (CMAC CTR) and Encrypt-then-MAC Composite (AES
//! EAX)*, and one for the whole.

use stats::BoxPlot;

use super::axis::{Scale, Tick, round_steps};
use super::boxes::{self, Look};
use super::canvas::{Anchor, Canvas, text_width};
use super::colour::Colour;
use super::panels::{self, Area, Line};
use super::{Drawn, spoken};
use crate::findings::{CellFinding, Findings, Group, SizeFinding, regime_words};
use crate::format;

/// An axis reaches so far beyond 1.5 interquartile ranges of all boxes; a whisker that reaches
/// further ends in a mark at its end.
const BEYOND: f64 = 1.6;

/// One chart an action of a part that asks for it.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    if group.transaction().is_none() {
        return vec![];
    }
    let lines = Line::all(findings, group);
    let drawn = |cell: Option<&CellFinding>| cell.is_some_and(|it| it.box_plot.is_some());
    let any = |size: &SizeFinding| lines.iter().any(|line| drawn(line.cell(findings, size)));
    if !group.sizes.iter().any(any) {
        return vec![];
    }
    let title = format::capitalised(&regime_words(group.regime));
    let what = format!(
        "median, quartiles, whiskers to the least and the greatest (› beyond the axis); {}",
        group.repetitions(findings)
    );
    let under = panels::subtitle(findings, group, &what);
    let canvas = panels::draw((&title, &under), &lines, &group.sizes, |canvas, size, area| {
        panel(canvas, findings, (&lines, size), area);
    });
    let best = group.sizes.iter().filter_map(|size| size.ranking.first());
    let best: Vec<String> = best.map(|row| spoken(findings.cell(row))).collect();
    let description = format!(
        "Box plots of the times of {} schemes at {} file sizes. Fastest at each: {}.",
        lines.len(),
        group.sizes.len(),
        best.join("; ")
    );
    vec![Drawn { len_bytes: None, title, description, canvas }]
}

fn panel(
    canvas: &mut Canvas,
    findings: &Findings,
    (lines, size): (&[Line], &SizeFinding),
    area: &Area,
) {
    let cells: Vec<Option<&CellFinding>> =
        lines.iter().map(|line| line.cell(findings, size)).collect();
    let boxes = || cells.iter().flatten().filter_map(|cell| cell.box_plot.as_ref());
    let Some(range) = range(boxes()) else { return };
    let x = Scale::log(range, area.span);
    for tick in ticks(&x, range) {
        let at = x.at(tick.value);
        canvas.line((at, area.top), (at, area.bottom), 1.0, Colour::Grid);
        canvas.text((at, area.bottom + 15.0), &tick.label, 11, Anchor::Middle, Colour::Quiet);
    }
    for (number, (cell, line)) in cells.iter().zip(lines).enumerate() {
        let Some((cell, it)) = cell.and_then(|it| Some((it, it.box_plot.as_ref()?))) else {
            continue;
        };
        let (middle, colour) = (area.middle(number), line.colour());
        canvas.open("box", &[("cell", &cell.path)], &spoken(cell));
        let (inside, beyond) = split(it, range);
        boxes::draw(canvas, &inside, &x, middle, &Look { half: 5.0, colour, outliers: colour });
        let mark = |(at, back): (f64, f64)| {
            format!(
                "M {:.1} {:.1} L {at:.1} {middle:.1} L {:.1} {:.1}",
                at + back,
                middle - 3.0,
                at + back,
                middle + 3.0
            )
        };
        let ends = [(area.span.0, 4.0), (area.span.1, -4.0)];
        let marks: Vec<String> =
            ends.into_iter().zip(beyond).filter(|(_, any)| *any).map(|it| mark(it.0)).collect();
        if !marks.is_empty() {
            canvas.strokes(marks.join(" "), 1.2, colour);
        }
        canvas.close();
    }
}

/// Round numbers of each decade, or round steps where the axis is a small part of one.
fn ticks(x: &Scale, (low, high): (f64, f64)) -> Vec<Tick> {
    let ticks = if high / low < 2.0 {
        let values = round_steps((low, high), 4.5).into_iter();
        values.map(|value| Tick { value, label: format::tick_time(value) }).collect()
    } else {
        x.decades(format::tick_time)
    };
    x.legible(ticks, |label| text_width(label, 11))
}

/// 1.5 interquartile ranges around all boxes, and values that are not far beyond them.
fn range<'a>(boxes: impl Iterator<Item = &'a BoxPlot> + Clone) -> Option<(f64, f64)> {
    let low = boxes.clone().map(|it| it.whisker_low).fold(f64::INFINITY, f64::min);
    let high = boxes.clone().map(|it| it.whisker_high).fold(0.0, f64::max);
    let outliers = || boxes.clone().flat_map(|it| &it.outliers).copied();
    let near = |value: &f64| *value >= low / BEYOND && *value <= high * BEYOND;
    let (least, most) =
        outliers().filter(near).fold((low, high), |(a, b), it| (a.min(it), b.max(it)));
    (least > 0.0 && least.is_finite()).then_some((least, most))
}

/// The box with the paper's whiskers, to the least and the greatest value, as far as the axis goes,
/// and whether they reach beyond its ends.
fn split(it: &BoxPlot, (low, high): (f64, f64)) -> (BoxPlot, [bool; 2]) {
    let least = it.outliers.iter().copied().fold(it.whisker_low, f64::min);
    let greatest = it.outliers.iter().copied().fold(it.whisker_high, f64::max);
    let inside = BoxPlot {
        whisker_low: least.max(low),
        whisker_high: greatest.min(high),
        outliers: vec![],
        ..it.clone()
    };
    (inside, [least < low, greatest > high])
}
