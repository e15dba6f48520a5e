//! Cost of a byte at one length as bars, a frame for each cipher and a bar for each of its modes,
//! as in the figures of the paper on CBC-MAC's variants. Bars begin at zero; each frame has an axis
//! of its own, since TDES takes so many times what AES takes that on one axis AES would be a line.

use std::collections::{BTreeMap, BTreeSet};

use lab::study::View;

use super::axis::Scale;
use super::canvas::{Anchor, Canvas, text_width};
use super::curves::Value;
use super::ink::Ink;
use super::{Drawn, heading, per_byte, spoken, subtitle};
use crate::findings::{CellFinding, Findings, Group, mode_and_primitive};
use crate::format;

const WIDTH: f64 = 780.0;
const EDGE: f64 = 20.0;
const TOP: f64 = 76.0;
/// Frames beside each other.
const ABREAST: usize = 2;
/// From the top of a frame to its bars, the bars themselves, and what stands under them.
const FRAME: [f64; 3] = [30.0, 220.0, 42.0];
/// Left of the bars: the labels of the axis.
const AXIS: f64 = 46.0;
const GAP: f64 = 26.0;
const BAR_MAX: f64 = 46.0;

/// The bars of one cipher.
struct Frame<'a> {
    primitive: &'a str,
    bars: Vec<Bar<'a>>,
}

struct Bar<'a> {
    mode: &'a str,
    /// Its place among all modes, which gives it its colour.
    series: usize,
    cell: &'a CellFinding,
    value: f64,
    interval: Option<(f64, f64)>,
}

/// One chart a size, for the first of the groups that are drawn together.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    let groups = joined(findings, group);
    let is_first = groups.first().is_some_and(|first| first.name == group.name);
    if !is_first {
        return vec![];
    }
    let sizes = groups.iter().flat_map(|own| &own.sizes).map(|size| size.len_bytes);
    let sizes: BTreeSet<u64> = sizes.collect();
    sizes.into_iter().filter_map(|len| one(findings, &groups, len)).collect()
}

/// The cases that one chart shows: those of the same part, panel, regime and key life.
pub(crate) fn joined<'a>(findings: &'a Findings, group: &Group) -> Vec<&'a Group> {
    let same = |own: &&Group| {
        (own.part, &own.panel, own.regime, own.key_life)
            == (group.part, &group.panel, group.regime, group.key_life)
            && own.views.contains(&View::GroupedBars)
    };
    findings.groups.iter().filter(same).collect()
}

fn one(findings: &Findings, groups: &[&Group], len_bytes: u64) -> Option<Drawn> {
    let rows = groups.iter().flat_map(|own| &own.sizes).filter(|it| it.len_bytes == len_bytes);
    let rows = rows.flat_map(|size| &size.ranking).filter(|row| row.best_of_mac);
    let cells: Vec<&CellFinding> = rows.map(|row| findings.cell(row)).collect();
    let in_cycles = cells.iter().all(|cell| cell.cycles_per_byte_estimated.is_some());
    let (value, unit): (Value, _) = match in_cycles {
        true => (per_byte::cycles, "core cycles a byte, estimated"),
        false => (per_byte::nanoseconds, "ns a byte"),
    };
    let frames = frames(&cells, value);
    let first = frames.first()?;
    let across = frames.len().min(ABREAST);
    let width = (WIDTH - 2.0 * EDGE - GAP * (across - 1) as f64) / across as f64;
    let height: f64 = FRAME.iter().sum();
    let rows = frames.len().div_ceil(ABREAST);
    let named = frames.iter().all(|frame| frame.names_fit(width));
    let bottom = TOP + height * rows as f64;
    let mut canvas = Canvas::new(WIDTH, bottom + if named { 0.0 } else { 24.0 });
    let title = format!("Cost of a byte, {} messages", format::bytes(len_bytes));
    let axes = if frames.len() > 1 { " · each cipher has an axis of its own" } else { "" };
    let what = format!("{unit}, best offer of each MAC; lines are 95 % intervals{axes}");
    let [mut above, under] = subtitle(findings, groups[0], &what);
    if frames.len() > 1 {
        above = above.replacen(&format!("{} · ", groups[0].case_title), "", 1);
    }
    heading(&mut canvas, (EDGE, WIDTH - EDGE), &title, &[above, under]);
    for (number, frame) in frames.iter().enumerate() {
        let left = EDGE + (width + GAP) * (number % ABREAST) as f64;
        let top = TOP + height * (number / ABREAST) as f64;
        frame.draw(&mut canvas, (left, top), width, named);
    }
    if !named {
        legend(&mut canvas, &frames, bottom + 6.0);
    }
    let told: Vec<String> = frames.iter().map(Frame::spoken).collect();
    let description = format!("{unit}. {} First of all: {}.", told.join(" "), first.first());
    Some(Drawn { len_bytes: Some(len_bytes), title, description, canvas })
}

/// Ciphers and modes in the order of their names, so that all charts of a part are alike.
fn frames<'a>(cells: &[&'a CellFinding], value: Value) -> Vec<Frame<'a>> {
    let parts = |cell: &&'a CellFinding| mode_and_primitive(&cell.cell.candidate.mac);
    let modes: BTreeSet<&str> = cells.iter().map(|cell| parts(cell).0).collect();
    let mut by_primitive: BTreeMap<&str, Vec<Bar<'a>>> = BTreeMap::new();
    for &cell in cells {
        let (mode, primitive) = parts(&cell);
        let Some((value, interval)) = value(cell) else { continue };
        let series = modes.iter().position(|it| *it == mode).unwrap_or(0);
        let bar = Bar { mode, series, cell, value, interval };
        by_primitive.entry(primitive).or_default().push(bar);
    }
    let frame = |(primitive, mut bars): (&'a str, Vec<Bar<'a>>)| {
        bars.sort_by_key(|bar| bar.series);
        Frame { primitive, bars }
    };
    by_primitive.into_iter().map(frame).collect()
}

impl Frame<'_> {
    fn step(&self, width: f64) -> f64 {
        (width - AXIS) / self.bars.len() as f64
    }

    fn names_fit(&self, width: f64) -> bool {
        self.bars.iter().all(|bar| text_width(bar.mode, 11) <= self.step(width) + 2.0)
    }

    fn draw(&self, canvas: &mut Canvas, (left, top): (f64, f64), width: f64, named: bool) {
        let (right, from) = (left + width, left + AXIS);
        let (roof, floor) = (top + FRAME[0], top + FRAME[0] + FRAME[1]);
        canvas.title((left, top + 14.0), self.primitive, 13);
        let sources: BTreeSet<String> = self.bars.iter().map(|bar| bar.cell.source()).collect();
        let by = match sources.len() {
            1 => format!("by {}", sources.into_iter().next().unwrap_or_default()),
            several => format!("by {several} implementations"),
        };
        let beside = left + text_width(self.primitive, 13) + 12.0;
        canvas.text((beside, top + 14.0), &by, 11, Anchor::Start, Ink::Quiet);
        let highest = |bar: &Bar| bar.interval.map_or(bar.value, |(_, high)| high.max(bar.value));
        let most = self.bars.iter().map(highest).fold(0.0, f64::max);
        // Air for the label of the highest bar.
        let y = Scale::linear((0.0, most * 1.10), (floor, roof));
        for tick in ticks(most) {
            canvas.line((from, y.at(tick)), (right, y.at(tick)), 1.0, Ink::Grid);
            let at = (from - 6.0, y.at(tick) + 4.0);
            canvas.text(at, &format::tick(tick), 11, Anchor::End, Ink::Quiet);
        }
        let step = self.step(width);
        for (number, bar) in self.bars.iter().enumerate() {
            let middle = from + step * (number as f64 + 0.5);
            bar.draw(canvas, middle, (step * 0.72).min(BAR_MAX), &y, highest(bar));
            if named {
                let at = (middle, floor + 16.0);
                canvas.text(at, bar.mode, 11, Anchor::Middle, Ink::Text);
            }
        }
        canvas.line((from, floor), (right, floor), 1.0, Ink::Axis);
    }

    fn spoken(&self) -> String {
        let bars = self.bars.iter().map(|bar| format!("{} {}", bar.mode, format::three(bar.value)));
        format!("{}: {}.", self.primitive, bars.collect::<Vec<_>>().join(", "))
    }

    fn first(&self) -> String {
        self.bars.first().map_or(String::new(), |bar| spoken(bar.cell))
    }
}

impl Bar<'_> {
    fn draw(&self, canvas: &mut Canvas, middle: f64, width: f64, y: &Scale, highest: f64) {
        canvas.open("bar", &[("cell", &self.cell.path)], &spoken(self.cell));
        let (top, floor) = (y.at(self.value), y.at(0.0));
        let corner = (middle - width / 2.0, top);
        canvas.rect(corner, (width, floor - top), Ink::Series(self.series), 1.0);
        if let Some((low, high)) = self.interval {
            let (low, high) = (y.at(low), y.at(high));
            canvas.line((middle, low), (middle, high), 1.4, Ink::Text);
            // Caps closer than this would be one thick line.
            for end in [low, high].into_iter().filter(|_| low - high > 3.0) {
                canvas.line((middle - 5.0, end), (middle + 5.0, end), 1.2, Ink::Text);
            }
        }
        let at = (middle, y.at(highest) - 6.0);
        canvas.text(at, &format::three(self.value), 11, Anchor::Middle, Ink::Text);
        canvas.close();
    }
}

/// Names of the modes by colour, where they do not fit under the bars.
fn legend(canvas: &mut Canvas, frames: &[Frame], top: f64) {
    let bars = frames.iter().flat_map(|frame| &frame.bars);
    let modes: BTreeMap<usize, &str> = bars.map(|bar| (bar.series, bar.mode)).collect();
    let mut left = EDGE;
    for (series, mode) in modes {
        canvas.rect((left, top), (12.0, 12.0), Ink::Series(series), 1.0);
        canvas.text((left + 17.0, top + 10.0), mode, 12, Anchor::Start, Ink::Text);
        left += 17.0 + text_width(mode, 12) + 18.0;
    }
}

/// Four to eight round values from zero.
fn ticks(most: f64) -> Vec<f64> {
    if most <= 0.0 || !most.is_finite() {
        return vec![0.0];
    }
    let decade = 10f64.powf((most / 5.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|it| it * decade);
    let step = step.into_iter().find(|step| most / step <= 7.0).unwrap_or(10.0 * decade);
    (0..).map(|n| f64::from(n) * step).take_while(|tick| *tick <= most * 1.05).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_few_and_round() {
        assert_eq!(ticks(6.3), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(ticks(250.0), [0.0, 50.0, 100.0, 150.0, 200.0, 250.0]);
        assert_eq!(ticks(0.0), [0.0]);
    }
}
