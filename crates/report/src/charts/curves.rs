//! Lines over message size with their intervals: the frame that several charts share. At most
//! eight lines have a colour and a label at their end; the rest are thin and grey.

use super::axis::{Scale, Tick, apart};
use super::canvas::{Anchor, Canvas, text_width};
use super::colour::Colour;
use super::{heading, spoken};
use crate::findings::{CellFinding, Findings, Group, RankRow};
use crate::format;

/// Lines that have a colour and a label.
pub(super) const NAMED_MAX: usize = 8;

/// More points than these stand so close that markers and bars would hide the line.
const MARKED_MAX: usize = 16;

/// More bounds than these have no name beside their line.
const BOUNDS_NAMED_MAX: usize = 4;

const WIDTH: f64 = 780.0;
const HEIGHT: f64 = 476.0;
const TOP: f64 = 80.0;
const BOTTOM: f64 = 424.0;
const LEFT: f64 = 72.0;
const LABEL_SIZE: u32 = 12;

/// A value with its interval, at a size or at what else goes across.
pub(super) struct Point<'a> {
    pub(super) across: u64,
    pub(super) value: f64,
    pub(super) ends: Option<(f64, f64)>,
    pub(super) cell: &'a CellFinding,
    /// The same in words.
    pub(super) told: String,
}

/// A mac's best offers over size.
pub(super) struct Curve<'a> {
    pub(super) label: String,
    pub(super) points: Vec<Point<'a>>,
    /// What its mac cannot do better than, where that is known and the same at all sizes.
    pub(super) bound: Option<f64>,
}

/// What differs from chart to chart.
pub(super) struct Plot<'a> {
    pub(super) title: String,
    pub(super) subtitle: [String; 2],
    pub(super) value_title: &'static str,
    pub(super) value_label: fn(f64) -> String,
    pub(super) across: Across,
    /// What goes across, on a logarithmic axis.
    pub(super) log_sizes: bool,
    pub(super) curves: Vec<Curve<'a>>,
    pub(super) floor: Option<Curve<'a>>,
}

/// What goes across.
#[derive(Clone, Copy)]
pub(super) struct Across {
    pub(super) title: &'static str,
    pub(super) label: fn(u64) -> String,
    /// Lines that have a colour and a label.
    pub(super) named: usize,
}

impl Across {
    pub(super) const LENGTHS: Self =
        Self { title: "message length", label: format::bytes, named: NAMED_MAX };
}

/// A value of a cell with its ends, or nothing.
pub(super) type Value = fn(&CellFinding) -> Option<(f64, Option<(f64, f64)>)>;

/// Of lines that have a colour, so many may be those of macs that the study names.
const IN_USE_MAX: usize = 5;

/// One curve a mac, through its best offer at each size; the most interesting first: some that the
/// study names, those that are fastest somewhere, then by their place on average.
pub(super) fn best_offers<'a>(
    findings: &'a Findings,
    group: &Group,
    value: Value,
) -> Vec<Curve<'a>> {
    let mut curves: Vec<(f64, Curve)> = Vec::new();
    for size in &group.sizes {
        let best = size.ranking.iter().filter(|row| row.best_of_mac);
        for (place, row) in best.enumerate() {
            let cell = findings.cell(row);
            let Some(point) = point(cell, value) else { continue };
            let mac = &cell.cell.candidate.mac;
            let at =
                curves.iter().position(|(_, curve)| curve.label == *mac).unwrap_or_else(|| {
                    curves.push((0.0, Curve { label: mac.clone(), points: vec![], bound: None }));
                    curves.len() - 1
                });
            // A first place outweighs any average.
            curves[at].0 += if place == 0 { -1e6 } else { place as f64 };
            curves[at].1.points.push(point);
        }
    }
    // Some have no value at some sizes, so sums do not compare.
    let mean = |(sum, curve): &(f64, Curve)| sum / curve.points.len() as f64;
    curves.sort_by(|x, y| mean(x).total_cmp(&mean(y)));
    let in_use = findings.in_use.iter().filter(|it| it.group == group.name).flat_map(|it| &it.macs);
    let in_use: Vec<&String> = in_use.map(|it| &it.mac).take(IN_USE_MAX).collect();
    curves.sort_by_key(|(_, curve)| !in_use.contains(&&curve.label));
    let mut curves: Vec<Curve> = curves.into_iter().map(|(_, curve)| curve).collect();
    for curve in &mut curves {
        let first = curve.points.first().map(|point| point.cell.source());
        let same = |who: &String| curve.points.iter().all(|point| point.cell.source() == *who);
        let who = first.filter(same).unwrap_or_else(|| "best offer of several".into());
        curve.label = format!("{}\n{who}", curve.label);
    }
    curves
}

/// The floor over size.
pub(super) fn floor<'a>(findings: &'a Findings, group: &Group, value: Value) -> Option<Curve<'a>> {
    let cells = group.sizes.iter().filter_map(|size| Some(&findings.cells[size.floor?]));
    let points: Vec<Point> = cells.filter_map(|cell| point(cell, value)).collect();
    (!points.is_empty()).then(|| Curve { label: "floor\nempty call".into(), points, bound: None })
}

fn point(cell: &CellFinding, value: Value) -> Option<Point<'_>> {
    let (value, ends) = value(cell)?;
    let across = cell.cell.len_bytes;
    (value > 0.0).then(|| Point { across, value, ends, cell, told: spoken(cell) })
}

/// A logarithmic axis has no place for messages of 0 bytes. Where the longest is so many times the
/// shortest or less, a linear axis reads as well; else they are left to the tables.
const LINEAR_SPAN: u64 = 64;

/// Draws the frame and the lines; `None` where there are no two sizes to join.
pub(super) fn draw(plot: &Plot) -> Option<Canvas> {
    let mut sizes: Vec<u64> =
        plot.curves.iter().flat_map(|curve| curve.points.iter().map(|it| it.across)).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let linear = !plot.log_sizes || reads_linear(&sizes);
    if !linear {
        sizes.retain(|&len| len > 0);
    }
    let (&first, &last) = (sizes.first()?, sizes.last()?);
    if first == last {
        return None;
    }
    let named = plot.curves.len().min(plot.across.named);
    let right = WIDTH - label_width(plot, named) - 34.0;
    let span = (first as f64, last as f64);
    let x = match linear {
        false => Scale::log(span, (LEFT, right)),
        true => Scale::linear((0.0, span.1), (LEFT, right)),
    };
    let y = Scale::log(range(plot), (BOTTOM, TOP));
    let mut x_ticks = match linear {
        false => x.sizes(&sizes),
        true => linear_sizes(&x, span.1),
    };
    x_ticks.iter_mut().for_each(|it| it.label = (plot.across.label)(it.value as u64));
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    frame(&mut canvas, plot, right, (&x, &x_ticks), &y);
    for curve in plot.curves.iter().skip(named) {
        canvas.open("rest", &[], &curve.label.replace('\n', " · "));
        canvas.polyline(places(curve, &x, &y), 1.0, Colour::Rest, 0);
        canvas.close();
    }
    bounds(&mut canvas, &plot.curves[..named], (x.at(first as f64), right), &y);
    if let Some(floor) = &plot.floor {
        canvas.open("floor", &[], "floor: what an empty call takes");
        canvas.polyline(places(floor, &x, &y), 1.2, Colour::Quiet, 4);
        canvas.close();
    }
    for (number, curve) in plot.curves.iter().enumerate().take(named).rev() {
        line(&mut canvas, curve, number, &x, &y);
    }
    labels(&mut canvas, plot, named, right, &y);
    Some(canvas)
}

/// Whether sizes with a 0 among them are better off on a linear axis.
fn reads_linear(sizes: &[u64]) -> bool {
    match sizes {
        [0, shortest, .., last] => last / shortest <= LINEAR_SPAN,
        sizes => sizes.first() == Some(&0),
    }
}

/// The points that have a place on the axis of sizes.
fn shown<'a, 'b>(curve: &'a Curve<'b>, x: &'a Scale) -> impl Iterator<Item = &'a Point<'b>> {
    curve.points.iter().filter(|it| x.holds(it.across as f64))
}

/// Binary steps: a linear axis of bytes has its round numbers there.
fn linear_sizes(x: &Scale, last: f64) -> Vec<Tick> {
    let step = (0..40).map(|power| 1u64 << power).find(|step| last / *step as f64 <= 8.0);
    let step = step.unwrap_or(1 << 40);
    let values: Vec<u64> = (0..).map(|n| n * step).take_while(|len| *len as f64 <= last).collect();
    x.sizes(&values)
}

fn range(plot: &Plot) -> (f64, f64) {
    let all = plot.curves.iter().chain(&plot.floor).flat_map(|curve| &curve.points);
    let ends = |point: &Point| point.ends.unwrap_or((point.value, point.value));
    let bounds = plot.curves.iter().take(plot.across.named).filter_map(|curve| curve.bound);
    let bounds =
        bounds.fold((f64::INFINITY, 0.0_f64), |(low, high), it| (low.min(it), high.max(it)));
    all.fold(bounds, |(low, high), point| {
        let (own_low, own_high) = ends(point);
        (low.min(own_low.max(point.value / 10.0)), high.max(own_high))
    })
}

fn frame(canvas: &mut Canvas, plot: &Plot, right: f64, (x, x_ticks): (&Scale, &[Tick]), y: &Scale) {
    heading(canvas, (LEFT - 52.0, WIDTH - 20.0), &plot.title, &plot.subtitle);
    for tick in y.decades(plot.value_label) {
        let at = y.at(tick.value);
        canvas.line((LEFT, at), (right, at), 1.0, Colour::Grid);
        canvas.text((LEFT - 8.0, at + 4.0), &tick.label, 12, Anchor::End, Colour::Quiet);
    }
    for tick in x_ticks {
        let at = x.at(tick.value);
        canvas.line((at, BOTTOM), (at, TOP), 1.0, Colour::Grid);
        canvas.line((at, BOTTOM), (at, BOTTOM + 5.0), 1.0, Colour::Axis);
        canvas.text((at, BOTTOM + 19.0), &tick.label, 12, Anchor::Middle, Colour::Quiet);
    }
    canvas.line((LEFT, BOTTOM), (right, BOTTOM), 1.0, Colour::Axis);
    let middle = f64::midpoint(LEFT, right);
    canvas.text((middle, BOTTOM + 42.0), plot.across.title, 12, Anchor::Middle, Colour::Quiet);
    canvas.upright((16.0, f64::midpoint(TOP, BOTTOM)), plot.value_title, 12);
}

fn places(curve: &Curve, x: &Scale, y: &Scale) -> Vec<(f64, f64)> {
    shown(curve, x).map(|it| (x.at(it.across as f64), y.at(it.value))).collect()
}

fn line(canvas: &mut Canvas, curve: &Curve, number: usize, x: &Scale, y: &Scale) {
    let colour = Colour::Series(number);
    let marked = curve.points.len() <= MARKED_MAX;
    let mac =
        curve.points.first().map(|it| it.cell.cell.candidate.mac.as_str()).unwrap_or_default();
    let points = curve.points.len().to_string();
    canvas.open("line", &[("mac", mac), ("points", &points)], &curve.label.replace('\n', " · "));
    if !marked {
        canvas.area(band(curve, x, y), colour, 0.22);
    }
    canvas.polyline(places(curve, x, y), 2.0, colour, number);
    canvas.close();
    for point in shown(curve, x).filter(|_| marked) {
        let at = (x.at(point.across as f64), y.at(point.value));
        canvas.open("point", &[("cell", &point.cell.path)], &point.told);
        if let Some((low, high)) = point.ends {
            canvas.line((at.0, y.at(low)), (at.0, y.at(high)), 1.6, colour);
        }
        canvas.marker(at, number, colour);
        canvas.close();
    }
}

/// The intervals of neighbouring points, joined.
fn band(curve: &Curve, x: &Scale, y: &Scale) -> String {
    let whole = || shown(curve, x).filter_map(|it| Some((x.at(it.across as f64), it.ends?)));
    let upper = whole().map(|(at, (_, high))| format!("{at:.1} {:.1}", y.at(high)));
    let lower: Vec<String> =
        whole().map(|(at, (low, _))| format!("{at:.1} {:.1}", y.at(low))).collect();
    let outline: Vec<String> = upper.chain(lower.into_iter().rev()).collect();
    if outline.is_empty() { "M 0 0".into() } else { format!("M {} Z", outline.join(" L ")) }
}

/// Thin dashed lines for what bounds the macs, one for those that share a bound; with names where
/// they are few.
fn bounds(canvas: &mut Canvas, curves: &[Curve], (left, right): (f64, f64), y: &Scale) {
    let mut drawn: Vec<(f64, usize, Vec<&str>)> = Vec::new();
    for (number, curve) in curves.iter().enumerate() {
        let Some(value) = curve.bound else { continue };
        let mac = curve.label.lines().next().unwrap_or_default();
        match drawn.iter_mut().find(|(known, ..)| (known - value).abs() < 0.005 * value) {
            Some((_, _, macs)) => macs.push(mac),
            None => drawn.push((value, number, vec![mac])),
        }
    }
    for (value, number, macs) in &drawn {
        let (at, colour) = (y.at(*value), Colour::Series(*number));
        let title = format!("bound of {}: {}", macs.join(", "), format::three(*value));
        canvas.open("bound", &[("mac", macs[0])], &title);
        canvas.dashed((left, at), (right, at), 0.8, colour, Some("2 4"));
        if drawn.len() <= BOUNDS_NAMED_MAX {
            let more = match macs.len() {
                1 => String::new(),
                several => format!(" and {} more", several - 1),
            };
            let label = format!("bound of {}{more}", macs[0]);
            // Below its line and at the end, where the curves are above theirs.
            canvas.text((right - 4.0, at + 10.0), &label, 9, Anchor::End, Colour::Quiet);
        }
        canvas.close();
    }
}

fn label_width(plot: &Plot, named: usize) -> f64 {
    let labels = plot.curves.iter().take(named).chain(&plot.floor);
    let widths = labels.flat_map(|curve| {
        curve.label.lines().enumerate().map(|(row, text)| text_width(text, LABEL_SIZE - row as u32))
    });
    widths.fold(80.0, f64::max)
}

fn labels(canvas: &mut Canvas, plot: &Plot, named: usize, right: f64, y: &Scale) {
    let curves: Vec<(Option<usize>, &Curve)> = plot
        .curves
        .iter()
        .take(named)
        .enumerate()
        .map(|(number, curve)| (Some(number), curve))
        .chain(plot.floor.iter().map(|curve| (None, curve)))
        .collect();
    let end = |curve: &Curve| curve.points.last().map_or(BOTTOM, |it| y.at(it.value));
    let wanted: Vec<f64> = curves.iter().map(|(_, curve)| end(curve)).collect();
    let gap = ((BOTTOM - TOP) / curves.len().max(1) as f64).min(30.0);
    let placed = apart(&wanted, gap, (TOP + 4.0, BOTTOM - 8.0));
    for (((number, curve), from), to) in curves.iter().zip(&wanted).zip(&placed) {
        let colour = number.map_or(Colour::Quiet, Colour::Series);
        canvas.line((right + 2.0, *from), (right + 18.0, *to), 0.8, Colour::Axis);
        if let Some(number) = number {
            canvas.marker((right + 22.0, *to), *number, colour);
        }
        let mut lines = curve.label.lines();
        let (mac, who) = (lines.next().unwrap_or_default(), lines.next());
        let up = if who.is_some() { 1.0 } else { 4.0 };
        canvas.text((right + 30.0, to + up), mac, LABEL_SIZE, Anchor::Start, Colour::Text);
        if let Some(who) = who {
            canvas.text(
                (right + 30.0, to + 13.0),
                who,
                LABEL_SIZE - 2,
                Anchor::Start,
                Colour::Quiet,
            );
        }
    }
}

/// The note under a subtitle when not all lines have a name.
pub(super) fn rest(curves: usize) -> String {
    match curves.saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" · {more} more in grey"),
    }
}

/// Everyone's places in words, for who cannot see the lines.
pub(super) fn description(findings: &Findings, group: &Group) -> String {
    let best = |row: &RankRow| spoken(findings.cell(row));
    let told = group.sizes.iter().filter_map(|size| size.ranking.first().map(best));
    let told: Vec<String> = told.take(12).collect();
    format!("Fastest at each message length: {}.", told.join("; "))
}
