//! A dot and its interval for each of several, the fastest on top: of a ranking, and of the answer
//! to a workload.

use super::axis::Scale;
use super::canvas::{Anchor, Canvas, text_width};
use super::colour::Colour;
use super::heading;
use crate::format::{self, Figure};

const WIDTH: f64 = 780.0;
const TOP: f64 = 76.0;
const ROW: f64 = 25.0;
const RIGHT_TEXT: f64 = 178.0;

/// One of them.
pub(super) struct Dot<'a> {
    /// Data of its mark: a name and a value.
    pub(super) data: (&'a str, &'a str),
    /// What a pointer or a screen reader finds.
    pub(super) spoken: String,
    /// Who it is.
    pub(super) name: String,
    /// What else is to be said of it, in smaller letters.
    pub(super) about: String,
    /// Median time, where the dot lies.
    pub(super) median_ns: f64,
    /// Ends of the interval; absent where there is none.
    pub(super) ends_ns: Option<(f64, f64)>,
    /// What stands before its figures.
    pub(super) sign: &'static str,
    /// Its colour.
    pub(super) colour: Colour,
}

/// A sheet with all of them; the first `tied` lie on a band.
pub(super) fn sheet(title: &str, under: &[String; 2], dots: &[Dot<'_>], tied: usize) -> Canvas {
    let widest = |width: &dyn Fn(&Dot<'_>) -> f64| dots.iter().map(width).fold(70.0, f64::max);
    let who = 20.0 + widest(&|it| text_width(&it.name, 12)) + 10.0;
    let left = who + widest(&|it| text_width(&it.about, 10)) + 8.0;
    let bottom = TOP + ROW * dots.len() as f64;
    let mut canvas = Canvas::new(WIDTH, bottom + 38.0);
    heading(&mut canvas, (20.0, WIDTH - 20.0), title, under);
    let x = scale(dots, (left, WIDTH - RIGHT_TEXT));
    if tied > 1 {
        let height = ROW * tied as f64;
        canvas.rect((12.0, TOP), (WIDTH - 24.0, height), Colour::Series(0), 0.09);
    }
    let ticks = x.legible(x.decades(format::tick_time), |label| text_width(label, 12));
    for tick in ticks {
        let at = x.at(tick.value);
        canvas.line((at, TOP), (at, bottom), 1.0, Colour::Grid);
        canvas.text((at, bottom + 18.0), &tick.label, 12, Anchor::Middle, Colour::Quiet);
    }
    for (number, dot) in dots.iter().enumerate() {
        let middle = TOP + ROW * (number as f64 + 0.5);
        canvas.line(
            (20.0, middle + ROW / 2.0),
            (WIDTH - 20.0, middle + ROW / 2.0),
            0.6,
            Colour::Grid,
        );
        mark(&mut canvas, dot, (who, middle), &x);
    }
    canvas
}

fn scale(dots: &[Dot<'_>], span: (f64, f64)) -> Scale {
    let ends = dots.iter().map(|it| it.ends_ns.unwrap_or((it.median_ns, it.median_ns)));
    let range =
        ends.fold((f64::INFINITY, 0.0_f64), |(low, high), (a, b)| (low.min(a), high.max(b)));
    Scale::log(range, (span.0 + 10.0, span.1 - 10.0))
}

fn mark(canvas: &mut Canvas, dot: &Dot<'_>, (who, middle): (f64, f64), x: &Scale) {
    canvas.open("interval", &[dot.data], &dot.spoken);
    canvas.text((20.0, middle + 4.0), &dot.name, 12, Anchor::Start, Colour::Text);
    canvas.text((who, middle + 4.0), &dot.about, 10, Anchor::Start, Colour::Quiet);
    let figure = Figure::time(dot.median_ns, dot.ends_ns);
    let mut told = figure.value();
    if let Some((low, high)) = dot.ends_ns {
        let (low, high) = (x.at(low), x.at(high));
        canvas.line((low, middle), (high, middle), 2.2, dot.colour);
        // Caps around a dot that hides the line would only look like an insect.
        for end in [low, high].into_iter().filter(|_| high - low > 7.0) {
            canvas.line((end, middle - 5.0), (end, middle + 5.0), 1.2, dot.colour);
        }
        told.push_str(&format!(" ({})", figure.ends()));
    }
    canvas.dot((x.at(dot.median_ns), middle), 2.8, dot.colour);
    let at = (WIDTH - RIGHT_TEXT + 10.0, middle + 4.0);
    canvas.text(at, &format!("{}{told}", dot.sign), 11, Anchor::Start, Colour::Text);
    canvas.close();
}
