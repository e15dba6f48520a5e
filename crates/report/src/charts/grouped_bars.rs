//! Cost of a byte at one length as bars: all modes and ciphers in one frame on one axis from zero,
//! as in the figures of the paper on CBC-MAC's variants, with the value above each bar, since those
//! of AES are low beside those of TDES.

use std::collections::{BTreeMap, BTreeSet};

use lab::study::View;

use super::axis::Scale;
use super::canvas::{Anchor, Canvas, text_width};
use super::colour::Colour;
use super::curves::Value;
use super::{Drawn, heading, per_byte, spoken, subtitle};
use crate::findings::{CellFinding, Findings, Group, mode_and_primitive};
use crate::format;

const WIDTH: f64 = 780.0;
const EDGE: f64 = 20.0;
const TOP: f64 = 76.0;
/// Names of the ciphers by colour, where there are several.
const LEGEND: f64 = 26.0;
const HEIGHT: f64 = 300.0;
/// Below the bars: names of the modes, and who computes them.
const BELOW: f64 = 46.0;
/// Left of the bars: the labels of the axis.
const AXIS: f64 = 52.0;
const BAR_MAX: f64 = 46.0;

/// The bars of one mode, a cipher each.
struct Mode<'a> {
    name: String,
    bars: Vec<Bar<'a>>,
}

struct Bar<'a> {
    primitive: &'a str,
    /// Its place among all ciphers, which gives it its colour.
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
        true => (per_byte::cycles, "core cycles per byte, estimated"),
        false => (per_byte::nanoseconds, "ns per byte"),
    };
    let modes = modes(findings, &cells, value);
    let first = modes.first()?.bars.first()?;
    let primitives: BTreeMap<usize, &str> =
        modes.iter().flat_map(|mode| &mode.bars).map(|bar| (bar.series, bar.primitive)).collect();
    let is_one = primitives.len() == 1;
    let roof = TOP + if is_one { 0.0 } else { LEGEND };
    let mut canvas = Canvas::new(WIDTH, roof + HEIGHT + BELOW);
    let title = format!("Cost of a byte, {} messages", format::bytes(len_bytes));
    let what = format!("{unit}, best offer of each MAC; lines are 95 % intervals");
    let [mut above, under] = subtitle(findings, groups[0], &what);
    if !is_one {
        above = above.replacen(&format!("{} · ", groups[0].case_title), "", 1);
    }
    heading(&mut canvas, (EDGE, WIDTH - EDGE), &title, &[above, under]);
    if !is_one {
        legend(&mut canvas, &primitives);
    }
    frame(&mut canvas, &modes, (roof, roof + HEIGHT), primitives.len());
    let by = computed_by(&modes, &primitives);
    canvas.text((EDGE, roof + HEIGHT + 38.0), &by, 11, Anchor::Start, Colour::Quiet);
    let told: Vec<String> = modes.iter().map(Mode::spoken).collect();
    let description = format!("{unit}. {} First of all: {}.", told.join(" "), spoken(first.cell));
    Some(Drawn { len_bytes: Some(len_bytes), title, description, canvas })
}

/// Modes and ciphers in the order of their names, so that all charts of a part are alike.
fn modes<'a>(findings: &Findings, cells: &[&'a CellFinding], value: Value) -> Vec<Mode<'a>> {
    let parts = |cell: &&'a CellFinding| mode_and_primitive(&cell.cell.candidate.mac);
    let primitives: BTreeSet<&str> = cells.iter().map(|cell| parts(cell).1).collect();
    let mut by_mode: BTreeMap<&str, Vec<Bar<'a>>> = BTreeMap::new();
    for &cell in cells {
        let (mode, primitive) = parts(&cell);
        let Some((value, interval)) = value(cell) else { continue };
        let series = primitives.iter().position(|it| *it == primitive).unwrap_or(0);
        let bar = Bar { primitive, series, cell, value, interval };
        by_mode.entry(mode).or_default().push(bar);
    }
    let mode = |(mode, mut bars): (&'a str, Vec<Bar<'a>>)| {
        bars.sort_by_key(|bar| bar.series);
        Mode { name: findings.mode_named(mode).to_owned(), bars }
    };
    by_mode.into_iter().map(mode).collect()
}

/// The axis and all bars, in `series` colours.
fn frame(canvas: &mut Canvas, modes: &[Mode], (roof, floor): (f64, f64), series: usize) {
    let (from, right) = (EDGE + AXIS, WIDTH - EDGE);
    let bars = || modes.iter().flat_map(|mode| &mode.bars);
    let most = bars().map(Bar::highest).fold(0.0, f64::max);
    // Air for the label of the highest bar.
    let y = Scale::linear((0.0, most * 1.10), (floor, roof));
    for tick in ticks(most) {
        canvas.line((from, y.at(tick)), (right, y.at(tick)), 1.0, Colour::Grid);
        let at = (from - 6.0, y.at(tick) + 4.0);
        canvas.text(at, &format::tick(tick), 11, Anchor::End, Colour::Quiet);
    }
    let step = (right - from) / modes.len() as f64;
    let width = (step * 0.86 / series as f64).min(BAR_MAX);
    let labels = bars().map(|bar| text_width(&label(bar.value), 11)).fold(0.0, f64::max);
    for (number, mode) in modes.iter().enumerate() {
        let middle = from + step * (number as f64 + 0.5);
        for bar in &mode.bars {
            let at = middle + width * (bar.series as f64 - (series - 1) as f64 / 2.0);
            bar.draw(canvas, at, (width * 0.9, labels <= width), &y);
        }
        canvas.text((middle, floor + 17.0), &mode.name, 12, Anchor::Middle, Colour::Text);
    }
    canvas.line((from, floor), (right, floor), 1.0, Colour::Axis);
}

/// `aes-128 by macs[vaes-512]; tdes-3 by 2 implementations`.
fn computed_by(modes: &[Mode], primitives: &BTreeMap<usize, &str>) -> String {
    let by = |(series, primitive): (&usize, &&str)| {
        let bars = modes.iter().flat_map(|mode| &mode.bars).filter(|bar| bar.series == *series);
        let sources: BTreeSet<String> = bars.map(|bar| bar.cell.source()).collect();
        match sources.len() {
            1 => format!("{primitive} by {}", sources.into_iter().next().unwrap_or_default()),
            several => format!("{primitive} by {several} implementations"),
        }
    };
    primitives.iter().map(by).collect::<Vec<_>>().join("; ")
}

impl Mode<'_> {
    fn spoken(&self) -> String {
        let bar = |bar: &Bar| format!("{} {}", bar.primitive, format::three(bar.value));
        let bars: Vec<String> = self.bars.iter().map(bar).collect();
        format!("{}: {}.", self.name, bars.join(", "))
    }
}

impl Bar<'_> {
    fn highest(&self) -> f64 {
        self.interval.map_or(self.value, |(_, high)| high.max(self.value))
    }

    fn draw(&self, canvas: &mut Canvas, middle: f64, (width, labelled): (f64, bool), y: &Scale) {
        canvas.open("bar", &[("cell", &self.cell.path)], &spoken(self.cell));
        let (top, floor) = (y.at(self.value), y.at(0.0));
        let corner = (middle - width / 2.0, top);
        canvas.rect(corner, (width, floor - top), Colour::Series(self.series), 1.0);
        if let Some((low, high)) = self.interval {
            let (low, high) = (y.at(low), y.at(high));
            canvas.line((middle, low), (middle, high), 1.4, Colour::Text);
            // Caps closer than this would be one thick line.
            for end in [low, high].into_iter().filter(|_| low - high > 3.0) {
                canvas.line((middle - 5.0, end), (middle + 5.0, end), 1.2, Colour::Text);
            }
        }
        if labelled {
            let at = (middle, y.at(self.highest()) - 6.0);
            canvas.text(at, &label(self.value), 11, Anchor::Middle, Colour::Text);
        }
        canvas.close();
    }
}

/// What stands above a bar: no more than its width holds.
fn label(value: f64) -> String {
    if value < 9999.5 { format::three(value) } else { format::tick(value) }
}

/// Names of the ciphers by colour.
fn legend(canvas: &mut Canvas, primitives: &BTreeMap<usize, &str>) {
    let (mut left, top) = (EDGE + AXIS, TOP - 2.0);
    for (&series, primitive) in primitives {
        canvas.rect((left, top), (12.0, 12.0), Colour::Series(series), 1.0);
        canvas.text((left + 17.0, top + 10.0), primitive, 12, Anchor::Start, Colour::Text);
        left += 17.0 + text_width(primitive, 12) + 18.0;
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
