//! Groups of horizontal bars with their intervals: a group a candidate, a bar a series, in one
//! column or several that share their groups. Bars begin at zero, and each has its value beside it,
//! so that a short one can be read too.

use super::axis::{Scale, round_steps};
use super::canvas::{Anchor, Canvas, text_width};
use super::colour::Colour;
use super::heading;
use crate::format;

const WIDTH: f64 = 780.0;
const LEFT: f64 = 20.0;
const TOP: f64 = 124.0;
const BAR: f64 = 11.0;
const BETWEEN: f64 = 9.0;
const GAP: f64 = 24.0;
const AXIS: f64 = 28.0;
/// A group of one bar still has two lines of words.
const GROUP_MIN: f64 = 20.0;

/// What a chart of such bars shows.
pub(super) struct Bars {
    pub(super) title: String,
    pub(super) subtitle: [String; 2],
    /// What each column is of, and in which unit.
    pub(super) columns: Vec<String>,
    /// What each colour is.
    pub(super) series: Vec<String>,
    pub(super) groups: Vec<BarGroup>,
}

/// The bars of a candidate.
pub(super) struct BarGroup {
    pub(super) name: String,
    /// Who computes it.
    pub(super) under: String,
    /// By column, and in it by series.
    pub(super) bars: Vec<Vec<Option<Bar>>>,
}

/// The bar of one value, with its interval.
pub(super) struct Bar {
    pub(super) value: f64,
    pub(super) ends: Option<(f64, f64)>,
    /// What stands beside it.
    pub(super) label: String,
    /// All of it in words.
    pub(super) told: String,
    /// Path of its cell.
    pub(super) path: String,
}

impl Bar {
    fn highest(&self) -> f64 {
        self.ends.map_or(self.value, |(_, high)| high.max(self.value))
    }
}

impl BarGroup {
    fn all(&self) -> impl Iterator<Item = &Bar> {
        self.bars.iter().flatten().flatten()
    }

    /// Everything it shows, in words.
    pub(super) fn told(&self) -> String {
        self.all().map(|bar| bar.told.clone()).collect::<Vec<_>>().join(", ")
    }
}

/// Draws them; `None` where there is no bar.
pub(super) fn draw(plot: &Bars) -> Option<Canvas> {
    let groups: Vec<&BarGroup> =
        plot.groups.iter().filter(|it| it.all().next().is_some()).collect();
    if groups.is_empty() {
        return None;
    }
    let height = (BAR * plot.series.len() as f64).max(GROUP_MIN) + BETWEEN;
    let bottom = TOP + height * groups.len() as f64;
    let mut canvas = Canvas::new(WIDTH, bottom + AXIS);
    heading(&mut canvas, (LEFT, WIDTH - LEFT), &plot.title, &plot.subtitle);
    legend(&mut canvas, &plot.series);
    let names = groups.iter().map(|it| text_width(&it.name, 12).max(text_width(&it.under, 10)));
    let names = LEFT + names.fold(60.0, f64::max) + 12.0;
    let many = plot.columns.len() as f64;
    let width = (WIDTH - LEFT - names - GAP * (many - 1.0)) / many;
    for (number, group) in groups.iter().enumerate() {
        let middle = TOP + height * (number as f64 + 0.5);
        canvas.text((LEFT, middle - 1.0), &group.name, 12, Anchor::Start, Colour::Text);
        canvas.text((LEFT, middle + 11.0), &group.under, 10, Anchor::Start, Colour::Quiet);
    }
    for (column, title) in plot.columns.iter().enumerate() {
        let left = names + (width + GAP) * column as f64;
        canvas.title((left, TOP - 10.0), title, 12);
        let bars = groups.iter().map(|it| it.bars.get(column).map_or(&[][..], Vec::as_slice));
        let bars: Vec<&[Option<Bar>]> = bars.collect();
        draw_column(&mut canvas, &bars, (left, left + width), height);
    }
    Some(canvas)
}

fn draw_column(
    canvas: &mut Canvas,
    groups: &[&[Option<Bar>]],
    (left, right): (f64, f64),
    height: f64,
) {
    let bars = || groups.iter().flat_map(|it| it.iter().flatten());
    let most = bars().map(Bar::highest).fold(0.0, f64::max);
    if most <= 0.0 {
        return;
    }
    let room = bars().map(|it| text_width(&it.label, 10)).fold(0.0, f64::max) + 6.0;
    let x = Scale::linear((0.0, most), (left, (right - room).max(left + 20.0)));
    let bottom = TOP + height * groups.len() as f64;
    for tick in round_steps((0.0, most), 4.5) {
        let at = x.at(tick);
        canvas.line((at, TOP - 2.0), (at, bottom), 1.0, Colour::Grid);
        canvas.text((at, bottom + 15.0), &format::tick(tick), 11, Anchor::Middle, Colour::Quiet);
    }
    for (number, group) in groups.iter().enumerate() {
        let inner = BAR * group.len() as f64;
        let from = TOP + height * number as f64 + (height - inner) / 2.0;
        for (series, bar) in group.iter().enumerate() {
            let Some(bar) = bar else { continue };
            draw_bar(canvas, bar, series, (&x, from + BAR * series as f64));
        }
    }
    canvas.line((left, TOP - 2.0), (left, bottom), 1.0, Colour::Axis);
}

fn draw_bar(canvas: &mut Canvas, bar: &Bar, series: usize, (x, top): (&Scale, f64)) {
    canvas.open("bar", &[("cell", &bar.path)], &bar.told);
    let (left, right) = (x.at(0.0), x.at(bar.value));
    canvas.rect(
        (left, top + 1.0),
        ((right - left).max(0.5), BAR - 2.0),
        Colour::Series(series),
        1.0,
    );
    let middle = top + BAR / 2.0;
    if let Some((low, high)) = bar.ends {
        canvas.line((x.at(low), middle), (x.at(high), middle), 1.4, Colour::Text);
        for end in [low, high].into_iter().filter(|_| x.at(high) - x.at(low) > 3.0) {
            canvas.line((x.at(end), middle - 3.0), (x.at(end), middle + 3.0), 1.2, Colour::Text);
        }
    }
    let at = (x.at(bar.highest()) + 4.0, middle + 3.5);
    canvas.text(at, &bar.label, 10, Anchor::Start, Colour::Text);
    canvas.close();
}

/// Names of the series by colour; none where there is one.
fn legend(canvas: &mut Canvas, series: &[String]) {
    if series.len() < 2 {
        return;
    }
    let (mut left, top) = (LEFT, 74.0);
    for (number, name) in series.iter().enumerate() {
        canvas.rect((left, top), (12.0, 12.0), Colour::Series(number), 1.0);
        canvas.text((left + 17.0, top + 10.0), name, 12, Anchor::Start, Colour::Text);
        left += 17.0 + text_width(name, 12) + 18.0;
    }
}
