//! Small frames beside each other that share what goes across and whose lines they have: both axes
//! are logarithmic, and the names of the lines stand once.

use super::axis::Scale;
use super::canvas::{Anchor, Canvas, text_width};
use super::colour::Colour;
use super::curves::{Across, Curve};
use super::heading;

const WIDTH: f64 = 780.0;
const LEFT: f64 = 20.0;
const TOP: f64 = 84.0;
const ABREAST: usize = 2;
/// Left of a frame: the labels of its axis.
const AXIS: f64 = 52.0;
/// Title, frame, and what stands below it.
const FRAME: [f64; 3] = [22.0, 190.0, 44.0];

/// One of several small charts, which have the same lines.
pub(super) struct Frame<'a> {
    pub(super) title: String,
    pub(super) label: fn(f64) -> String,
    /// The same lines in each frame, in the same order.
    pub(super) curves: Vec<Curve<'a>>,
    /// Ends of its axis, where they are not those of its own lines.
    pub(super) span: Option<(f64, f64)>,
}

/// Draws them all; `None` where there are no two places across.
pub(super) fn draw(
    (title, under): (&str, &[String; 2]),
    across: Across,
    frames: &[Frame],
) -> Option<Canvas> {
    let points = || frames.iter().flat_map(|it| &it.curves).flat_map(|it| &it.points);
    let mut places: Vec<u64> = points().map(|it| it.across).collect();
    places.sort_unstable();
    places.dedup();
    let (&first, &last) = (places.first()?, places.last()?);
    if first == last {
        return None;
    }
    let height: f64 = FRAME.iter().sum();
    let rows = frames.len().div_ceil(ABREAST);
    let names = frames.iter().flat_map(|it| &it.curves).flat_map(|it| it.label.lines());
    let names = names.map(|it| text_width(it, 11)).fold(80.0, f64::max) + 34.0;
    let width = (WIDTH - LEFT - names) / ABREAST as f64;
    let mut canvas = Canvas::new(WIDTH, TOP + height * rows as f64);
    heading(&mut canvas, (LEFT, WIDTH - LEFT), title, under);
    for (number, frame) in frames.iter().enumerate() {
        let left = LEFT + width * (number % ABREAST) as f64 + AXIS;
        let right = LEFT + width * (number % ABREAST + 1) as f64 - 6.0;
        let roof = TOP + height * (number / ABREAST) as f64 + FRAME[0];
        let x = Scale::log((first as f64, last as f64), (left, right));
        frame.draw(&mut canvas, (&x, &places), across, (roof, roof + FRAME[1]));
    }
    legend(&mut canvas, &frames[0].curves, WIDTH - names + 16.0);
    Some(canvas)
}

impl Frame<'_> {
    fn draw(
        &self,
        canvas: &mut Canvas,
        (x, places): (&Scale, &[u64]),
        across: Across,
        (roof, floor): (f64, f64),
    ) {
        let (left, right) = (x.at(places[0] as f64), x.at(places[places.len() - 1] as f64));
        canvas.title((left - AXIS + 8.0, roof - 9.0), &self.title, 12);
        let ends = self.curves.iter().flat_map(|it| &it.points).map(|it| {
            let (low, high) = it.ends.unwrap_or((it.value, it.value));
            (low.max(it.value / 10.0).min(it.value), high.max(it.value))
        });
        let begin = self.span.unwrap_or((f64::INFINITY, 0.0));
        let (low, high) = ends.fold(begin, |sum, it| (sum.0.min(it.0), sum.1.max(it.1)));
        if !low.is_finite() || low <= 0.0 {
            let middle = (f64::midpoint(left, right), f64::midpoint(roof, floor));
            canvas.text(middle, "not seen", 12, Anchor::Middle, Colour::Quiet);
            return;
        }
        let y = Scale::log((low, high), (floor, roof));
        for tick in y.legible_up(self.label) {
            let at = y.at(tick.value);
            canvas.line((left, at), (right, at), 1.0, Colour::Grid);
            canvas.text((left - 7.0, at + 4.0), &tick.label, 11, Anchor::End, Colour::Quiet);
        }
        let mut free = f64::NEG_INFINITY;
        let half = |place: u64| text_width(&(across.label)(place), 11) / 2.0;
        let last = places[places.len() - 1];
        let end = right - half(last) - 6.0;
        for &place in places {
            let (at, label) = (x.at(place as f64), (across.label)(place));
            canvas.line((at, roof), (at, floor), 1.0, Colour::Grid);
            let half = half(place);
            // The last has its label before those that are near to it.
            if place == last || (at - half > free && at + half < end) {
                canvas.text((at, floor + 15.0), &label, 11, Anchor::Middle, Colour::Quiet);
                free = at + half + 6.0;
            }
        }
        canvas.line((left, floor), (right, floor), 1.0, Colour::Axis);
        let middle = (f64::midpoint(left, right), floor + 31.0);
        canvas.text(middle, across.title, 11, Anchor::Middle, Colour::Quiet);
        for (number, curve) in self.curves.iter().enumerate().rev() {
            line(canvas, curve, number, (x, &y));
        }
    }
}

fn line(canvas: &mut Canvas, curve: &Curve, number: usize, (x, y): (&Scale, &Scale)) {
    let colour = Colour::Series(number);
    let at = |across: u64, value: f64| (x.at(across as f64), y.at(value));
    let places = curve.points.iter().map(|it| at(it.across, it.value)).collect();
    canvas.open("line", &[], &curve.label.replace('\n', " · "));
    canvas.polyline(places, 1.8, colour, number);
    canvas.close();
    for point in &curve.points {
        let (left, top) = at(point.across, point.value);
        canvas.open("point", &[("cell", &point.cell.path)], &point.told);
        if let Some((low, high)) = point.ends {
            canvas.line((left, y.at(low)), (left, y.at(high)), 1.4, colour);
        }
        canvas.marker((left, top), number, colour);
        canvas.close();
    }
}

fn legend(canvas: &mut Canvas, curves: &[Curve], left: f64) {
    for (number, curve) in curves.iter().enumerate() {
        let top = TOP + FRAME[0] + 8.0 + 32.0 * number as f64;
        canvas.marker((left, top), number, Colour::Series(number));
        let mut lines = curve.label.lines();
        let mac = lines.next().unwrap_or_default();
        canvas.text((left + 10.0, top + 3.0), mac, 11, Anchor::Start, Colour::Text);
        if let Some(who) = lines.next() {
            canvas.text((left + 10.0, top + 15.0), who, 10, Anchor::Start, Colour::Quiet);
        }
    }
}
