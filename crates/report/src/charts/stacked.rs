//! Call breakdown over message length: bars side by side for the macs of a length, each stacked
//! of measurement, frame and compressions, with the number of compressions by theory above it. One
//! row of bars for each code path; others who compute the same macs are dashes, or words where they
//! would squash the bars.

use super::axis::Scale;
use super::canvas::{Anchor, Canvas, text_width};
use super::colour::Colour;
use super::{Drawn, heading, subtitle};
use crate::findings::taken_apart::beside;
use crate::findings::{CellFinding, Findings, Group, TakenApart, key_life_words};
use crate::format;

/// Lengths that are drawn; the table has them all.
const LENGTHS_MAX: usize = 17;

/// Bars end here relative to what stands beside them, or that is told in words.
const BESIDE_MAX: f64 = 1.6;

const WIDTH: f64 = 780.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = WIDTH - 20.0;
const TOP: f64 = 74.0;
const BAND: f64 = 250.0;
const LEGEND: f64 = 20.0;

/// How dark each share is, from the bottom; the lowest is grey.
const SHADES: [(&str, f64); 3] =
    [("measurement alone", 1.0), ("frame: padding, constants", 0.42), ("compressions", 1.0)];

/// What is drawn of one code path.
struct Band<'a> {
    source: String,
    bars: Vec<&'a TakenApart>,
    lens: Vec<u64>,
    dashes: Vec<Vec<&'a CellFinding>>,
    words: Vec<String>,
    in_cycles: bool,
}

/// One chart a group that has something taken apart.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    let bands = bands(findings, group);
    if bands.is_empty() {
        return vec![];
    }
    let macs = macs(findings, group);
    let unit = if group.apart_in_cycles() { "estimated core cycles" } else { "ns" };
    let notes: usize = bands.iter().map(|band| band.words.len()).sum();
    let height = TOP + 2.0 * LEGEND + 12.0 + (BAND + 62.0) * bands.len() as f64;
    let mut canvas = Canvas::new(WIDTH, height + 15.0 * notes as f64 + 4.0);
    let title = "Call breakdown over message length".to_owned();
    let all = group.sizes.len();
    let some = bands.iter().any(|band| band.lens.len() < all);
    let few = if some { " · some of the lengths" } else { "" };
    let what = format!("{unit} per call, median; whisker: 95 % interval of the whole{few}");
    heading(&mut canvas, (20.0, RIGHT), &title, &subtitle(findings, group, &what));
    legend(&mut canvas, &macs, bands.iter().any(|band| !band.dashes.is_empty()));
    let mut top = TOP + 2.0 * LEGEND + 12.0;
    for band in &bands {
        top = band.draw(&mut canvas, findings, &macs, bands.len() > 1, top);
    }
    let told = bands[0].bars.iter().map(|it| spoken(findings, it, bands[0].in_cycles));
    let description = told.collect::<Vec<_>>().join("; ") + ".";
    vec![Drawn { len_bytes: None, title, description, canvas }]
}

/// The macs in the order of the bars.
fn macs<'a>(findings: &'a Findings, group: &Group) -> Vec<&'a str> {
    let mut macs: Vec<&str> = Vec::new();
    for it in &group.taken_apart {
        let mac = findings.cells[it.cell].cell.candidate.mac.as_str();
        if !macs.contains(&mac) {
            macs.push(mac);
        }
    }
    macs
}

fn bands<'a>(findings: &'a Findings, group: &'a Group) -> Vec<Band<'a>> {
    let mut bands: Vec<Band> = Vec::new();
    for it in &group.taken_apart {
        let source = findings.cells[it.cell].source();
        match bands.iter_mut().find(|band| band.source == source) {
            Some(band) => band.bars.push(it),
            None => bands.push(Band {
                source,
                bars: vec![it],
                lens: vec![],
                dashes: vec![],
                words: vec![],
                in_cycles: group.apart_in_cycles(),
            }),
        }
    }
    for band in &mut bands {
        let mut lens: Vec<u64> = band.bars.iter().map(|it| it.len_bytes).collect();
        lens.dedup();
        let every = lens.len().div_ceil(LENGTHS_MAX);
        band.lens = lens.into_iter().step_by(every).collect();
        let shown = &band.lens;
        band.bars.retain(|it| shown.contains(&it.len_bytes));
        let highest = band.highest(findings);
        for list in beside(findings, group) {
            let values = list.iter().filter_map(|cell| value(cell, band.in_cycles));
            if values.fold(0.0, f64::max) <= BESIDE_MAX * highest {
                band.dashes.push(list);
            } else {
                band.words.push(in_words(&list, band.in_cycles));
            }
        }
    }
    bands
}

fn value(cell: &CellFinding, in_cycles: bool) -> Option<f64> {
    if in_cycles { cell.cycles_estimated } else { cell.median_ns }
}

fn told(value: f64, in_cycles: bool) -> String {
    if in_cycles { format!("{} cycles", format::three(value)) } else { format::time(value) }
}

/// `Not drawn: hmac-sha256 from openssl[sha-ni], one-shot call: from 3330 cycles at 0 B to 3700 …`.
fn in_words(list: &[&CellFinding], in_cycles: bool) -> String {
    let cell = list[0];
    let values = list.iter().filter_map(|it| Some((value(it, in_cycles)?, it.cell.len_bytes)));
    let values: Vec<(f64, u64)> = values.collect();
    let end = |at: Option<&(f64, u64)>| {
        at.map_or(format::ABSENT.into(), |(value, len)| {
            format!("{} at {}", told(*value, in_cycles), format::bytes(*len))
        })
    };
    format!(
        "above this chart: {} from {}, {}: {} to {}",
        cell.cell.candidate.mac,
        cell.source(),
        key_life_words(cell.cell.key_life),
        end(values.first()),
        end(values.last())
    )
}

fn legend(canvas: &mut Canvas, macs: &[&str], dashes: bool) {
    let (mut x, mut y) = (LEFT, TOP + 10.0);
    canvas.text((20.0, y), "bars:", 11, Anchor::Start, Colour::Quiet);
    for (number, mac) in macs.iter().enumerate() {
        canvas.rect((x, y - 9.0), (10.0, 10.0), Colour::Series(number), 1.0);
        canvas.text((x + 15.0, y), mac, 11, Anchor::Start, Colour::Text);
        x += 15.0 + text_width(mac, 11) + 16.0;
    }
    if dashes {
        canvas.dashed((x, y - 4.0), (x + 18.0, y - 4.0), 1.6, Colour::Series(6), Some("4 3"));
        canvas.text((x + 23.0, y), "others, as labelled", 11, Anchor::Start, Colour::Text);
    }
    (x, y) = (LEFT, y + LEGEND);
    canvas.text((20.0, y), "from 0:", 11, Anchor::Start, Colour::Quiet);
    for (number, (share, opacity)) in SHADES.iter().enumerate() {
        let colours = if number == 0 { 0..0 } else { 0..macs.len().min(4) };
        let colours = if colours.is_empty() {
            vec![Colour::Rest]
        } else {
            colours.map(Colour::Series).collect()
        };
        for colour in colours {
            canvas.rect((x, y - 9.0), (8.0, 10.0), colour, *opacity);
            x += 8.0;
        }
        canvas.text((x + 5.0, y), share, 11, Anchor::Start, Colour::Text);
        x += 5.0 + text_width(share, 11) + 12.0;
    }
    canvas.text((x, y), "· above a bar: compressions by theory", 11, Anchor::Start, Colour::Text);
}

impl Band<'_> {
    /// Draws it below `top`, and answers where it ends.
    fn draw(
        &self,
        canvas: &mut Canvas,
        findings: &Findings,
        macs: &[&str],
        named: bool,
        top: f64,
    ) -> f64 {
        let bottom = top + BAND;
        let dashes = self.dashes.iter().flatten().filter_map(|it| value(it, self.in_cycles));
        let highest = dashes.fold(self.highest(findings), f64::max) * 1.1;
        let y = Scale::linear((0.0, highest), (bottom, top));
        for tick in steps(highest) {
            let at = y.at(tick);
            canvas.line((LEFT, at), (RIGHT, at), 1.0, Colour::Grid);
            let label = format::tick(tick);
            canvas.text((LEFT - 8.0, at + 4.0), &label, 12, Anchor::End, Colour::Quiet);
        }
        let unit = if self.in_cycles { "estimated cycles" } else { "ns" };
        canvas.upright((16.0, f64::midpoint(top, bottom)), unit, 12);
        if named {
            canvas.text((LEFT + 6.0, top + 4.0), &self.source, 12, Anchor::Start, Colour::Text);
        }
        let slot = (RIGHT - LEFT) / self.lens.len() as f64;
        let width = (0.78 * slot / macs.len() as f64).min(26.0);
        let middle = |len: u64| {
            let place = self.lens.iter().position(|it| *it == len)?;
            Some(LEFT + slot * (place as f64 + 0.5))
        };
        for it in &self.bars {
            let mac = &findings.cells[it.cell].cell.candidate.mac;
            let place = macs.iter().position(|known| known == mac).unwrap_or(0);
            let from = (place as f64 - macs.len() as f64 / 2.0) * width;
            if let Some(middle) = middle(it.len_bytes) {
                let x = middle + from;
                stack(canvas, findings, it, place, (x, width), (&y, self.in_cycles));
            }
        }
        for list in &self.dashes {
            self.dash(canvas, list, &middle, slot, &y);
        }
        canvas.line((LEFT, bottom), (RIGHT, bottom), 1.0, Colour::Axis);
        for (len, place) in self.lens.iter().filter_map(|len| Some((len, middle(*len)?))) {
            let label = format::bytes(*len);
            let size = if text_width(&label, 12) < slot { 12 } else { 10 };
            canvas.text((place, bottom + 18.0), &label, size, Anchor::Middle, Colour::Quiet);
        }
        let at = (f64::midpoint(LEFT, RIGHT), bottom + 38.0);
        canvas.text(at, "message length", 12, Anchor::Middle, Colour::Quiet);
        for (number, words) in self.words.iter().enumerate() {
            let at = (LEFT, bottom + 58.0 + 15.0 * number as f64);
            canvas.text(at, words, 11, Anchor::Start, Colour::Quiet);
        }
        bottom + 62.0 + 15.0 * self.words.len() as f64
    }

    /// Others: a dash over the bars of each length, and who it is at the first.
    fn dash(
        &self,
        canvas: &mut Canvas,
        list: &[&CellFinding],
        middle: &dyn Fn(u64) -> Option<f64>,
        slot: f64,
        y: &Scale,
    ) {
        for (number, cell) in list.iter().enumerate() {
            let len = cell.cell.len_bytes;
            let (Some(x), Some(value)) = (middle(len), value(cell, self.in_cycles)) else {
                continue;
            };
            let (half, at) = (0.46 * slot, y.at(value));
            canvas.open("beside", &[("cell", &cell.path)], &super::spoken(cell));
            canvas.dashed((x - half, at), (x + half, at), 1.6, Colour::Series(6), Some("4 3"));
            if number == 0 {
                let who = format!("{}, {}", cell.source(), key_life_words(cell.cell.key_life));
                canvas.text((x - half, at - 5.0), &who, 10, Anchor::Start, Colour::Quiet);
            }
            canvas.close();
        }
    }

    /// The top of the highest bar or whisker.
    fn highest(&self, findings: &Findings) -> f64 {
        let top = |it: &&TakenApart| {
            let factor = it.factor(self.in_cycles);
            let stacked: f64 = it.shares().iter().map(|share| share.shown(factor).value).sum();
            let ends = findings.cells[it.cell].interval_ns;
            ends.map_or(stacked, |it| stacked.max(factor * it.high))
        };
        self.bars.iter().map(top).fold(0.0, f64::max)
    }
}

/// One bar with its whisker and its number.
fn stack(
    canvas: &mut Canvas,
    findings: &Findings,
    it: &TakenApart,
    place: usize,
    (x, width): (f64, f64),
    (y, in_cycles): (&Scale, bool),
) {
    let cell = &findings.cells[it.cell];
    let factor = it.factor(in_cycles);
    canvas.open("stack", &[("cell", &cell.path)], &spoken(findings, it, in_cycles));
    let mut from = 0.0;
    for (number, (share, (_, opacity))) in it.shares().iter().zip(SHADES).enumerate() {
        let value = share.shown(factor).value;
        let colour = if number == 0 { Colour::Rest } else { Colour::Series(place) };
        let (low, high) = (y.at(from), y.at(from + value));
        canvas.rect((x + 1.0, high), (width - 2.0, low - high), colour, opacity);
        from += value;
    }
    let mut top = y.at(from);
    if let Some(ends) = cell.interval_ns {
        let (low, high, middle) =
            (y.at(factor * ends.low), y.at(factor * ends.high), x + width / 2.0);
        canvas.line((middle, low), (middle, high), 1.2, Colour::Text);
        for end in [low, high].into_iter().filter(|_| low - high > 3.0) {
            canvas.line((middle - 3.0, end), (middle + 3.0, end), 1.2, Colour::Text);
        }
        top = top.min(high);
    }
    if let Some(work) = cell.work {
        let at = (x + width / 2.0, top - 4.0);
        canvas.text(at, &work.calls.to_string(), 10, Anchor::Middle, Colour::Text);
    }
    canvas.close();
}

/// Round numbers from 0: six or so.
fn steps(high: f64) -> Vec<f64> {
    let unit = 10f64.powf((high / 6.0).log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|it| it * unit).into_iter();
    let step = step.filter(|step| high / step <= 8.0).fold(f64::INFINITY, f64::min);
    (0..=8).map(|n| f64::from(n) * step).take_while(|it| *it <= high).collect()
}

/// `hmac-sha256 · macs[sha-ni] · 64 B: 440 cycles = 7.8 measurement + 74 frame + 355 in 4
/// compressions`.
fn spoken(findings: &Findings, it: &TakenApart, in_cycles: bool) -> String {
    let cell = &findings.cells[it.cell];
    let factor = it.factor(in_cycles);
    let [measurement, frame, compressions] =
        it.shares().map(|share| format::three(share.shown(factor).value));
    let whole = value(cell, in_cycles).map_or(format::ABSENT.into(), |it| told(it, in_cycles));
    let calls = cell.work.map(|work| format!("{} ", work.calls)).unwrap_or_default();
    format!(
        "{} · {} · {}: {whole} = {measurement} measurement + {frame} frame + {compressions} in \
         {calls}compressions",
        cell.cell.candidate.mac,
        cell.source(),
        format::bytes(it.len_bytes)
    )
}
