//! A box plot lying on its side: box, whiskers, median and outliers in three marks, for a page
//! holds hundreds of these.

use stats::BoxPlot;

use super::axis::Scale;
use super::canvas::Canvas;
use super::colour::Colour;

/// More outliers than these are a smear.
const OUTLIERS_MAX: usize = 12;

/// How a box is drawn.
pub(super) struct Look {
    /// Half of its height.
    pub(super) half: f64,
    /// Box and whiskers.
    pub(super) colour: Colour,
    /// Single values beyond the whiskers.
    pub(super) outliers: Colour,
}

/// Draws it around the height `middle`.
pub(super) fn draw(canvas: &mut Canvas, it: &BoxPlot, x: &Scale, middle: f64, look: &Look) {
    let [low, q1, median, q3, high] =
        [it.whisker_low, it.q1, it.median, it.q3, it.whisker_high].map(|value| x.at(value));
    let half = look.half;
    canvas.rect((q1, middle - half), ((q3 - q1).max(1.0), 2.0 * half), look.colour, 0.25);
    let cap = |at: f64, half: f64| format!("M {at:.1} {:.1} V {:.1}", middle - half, middle + half);
    let line = |from: f64, to: f64| format!("M {from:.1} {middle:.1} H {to:.1}");
    let ends = half / 2.0;
    let marks = [line(low, q1), line(q3, high), cap(low, ends), cap(high, ends), cap(median, half)];
    canvas.strokes(marks.join(" "), 1.5, look.colour);
    let outliers: Vec<String> = it
        .outliers
        .iter()
        .rev()
        .take(OUTLIERS_MAX)
        .map(|value| cap(x.at(*value), half / 3.0))
        .collect();
    if !outliers.is_empty() {
        canvas.strokes(outliers.join(" "), 1.5, look.outliers);
    }
}
