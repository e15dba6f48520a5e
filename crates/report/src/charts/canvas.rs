//! A sheet to draw on: marks with a meaning, written as SVG. What must be countable or explained
//! (an interval, a bar, a line) is a group with a class, data and a title.

use maud::{Markup, PreEscaped, html};

use super::colour::Colour;

/// Where a text's x lies in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// At its start.
    Start,
    /// In its middle.
    Middle,
    /// At its end.
    End,
}

/// Shapes that tell series apart without colour.
pub const MARKERS: usize = 6;

/// Dashes that do, the first being none.
const DASHES: [Option<&str>; 4] = [None, Some("7 5"), Some("2 5"), Some("10 5 2 5")];

const FONTS: &str = "DejaVu Sans, Verdana, Arial, sans-serif";

/// The sheet that a chart is drawn on, which becomes SVG.
pub struct Canvas {
    width: f64,
    height: f64,
    marks: String,
}

impl Canvas {
    /// An empty sheet.
    #[must_use]
    pub fn new(width: f64, height: f64) -> Self {
        Canvas { width, height, marks: String::new() }
    }

    fn add(&mut self, mark: Markup) {
        self.marks.push_str(&mark.0);
    }

    /// A text of `size` pixels with its baseline at y.
    pub fn text(
        &mut self,
        (x, y): (f64, f64),
        text: &str,
        size: u32,
        anchor: Anchor,
        colour: Colour,
    ) {
        self.write((x, y), text, (size, false), anchor, colour, None);
    }

    /// A bold one.
    pub fn title(&mut self, at: (f64, f64), text: &str, size: u32) {
        self.write(at, text, (size, true), Anchor::Start, Colour::Text, None);
    }

    /// One that reads upwards.
    pub fn upright(&mut self, at: (f64, f64), text: &str, size: u32) {
        self.write(at, text, (size, false), Anchor::Middle, Colour::Quiet, Some(-90.0));
    }

    fn write(
        &mut self,
        (x, y): (f64, f64),
        text: &str,
        (size, bold): (u32, bool),
        anchor: Anchor,
        colour: Colour,
        rotate: Option<f64>,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let (x, y) = (number(x), number(y));
        let transform = rotate.map(|degrees| format!("rotate({} {x} {y})", number(degrees)));
        self.add(html! {
            text x=(x) y=(y) font-size=(size) text-anchor=(anchor) fill=(colour.hex())
                font-weight=[bold.then_some("bold")] transform=[transform] { (text) }
        });
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), width: f64, colour: Colour) {
        self.dashed(from, to, width, colour, None);
    }

    /// A dashed one.
    pub fn dashed(
        &mut self,
        (x1, y1): (f64, f64),
        (x2, y2): (f64, f64),
        stroke_width: f64,
        colour: Colour,
        dash: Option<&str>,
    ) {
        self.add(html! {
            line x1=(number(x1)) y1=(number(y1)) x2=(number(x2)) y2=(number(y2))
                stroke=(colour.hex()) stroke-width=(number(stroke_width)) stroke-dasharray=[dash] {}
        });
    }

    /// A line through points, dashed by the number of its series.
    pub fn polyline(
        &mut self,
        points: Vec<(f64, f64)>,
        stroke_width: f64,
        colour: Colour,
        series: usize,
    ) {
        let dash = DASHES[series / 2 % DASHES.len()];
        let points: Vec<String> =
            points.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect();
        self.add(html! {
            polyline points=(points.join(" ")) fill="none" stroke=(colour.hex())
                stroke-width=(number(stroke_width)) stroke-dasharray=[dash] {}
        });
    }

    /// A filled rectangle.
    pub fn rect(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        colour: Colour,
        opacity: f64,
    ) {
        self.add(html! {
            rect x=(number(x)) y=(number(y)) width=(number(width)) height=(number(height))
                fill=(colour.hex()) opacity=[visible_through(opacity)] {}
        });
    }

    /// A filled area; `outline` is a path in SVG's notation.
    pub fn area(&mut self, outline: String, colour: Colour, opacity: f64) {
        self.path(outline, Some(colour), colour, 0.0, opacity);
    }

    /// Lines without an area; `d` is a path in SVG's notation.
    pub fn strokes(&mut self, d: String, width: f64, colour: Colour) {
        self.path(d, None, colour, width, 1.0);
    }

    fn path(
        &mut self,
        d: String,
        fill: Option<Colour>,
        stroke: Colour,
        stroke_width: f64,
        opacity: f64,
    ) {
        self.add(html! {
            path d=(d) fill=(fill.map_or("none", Colour::hex)) stroke=(stroke.hex())
                stroke-width=(number(stroke_width)) opacity=[visible_through(opacity)] {}
        });
    }

    /// A marker by the number of its series, with a halo of paper.
    pub fn marker(&mut self, (x, y): (f64, f64), series: usize, colour: Colour) {
        let polygon = |corners: &[(f64, f64)]| {
            let points: Vec<String> =
                corners.iter().map(|(dx, dy)| format!("{:.1} {:.1}", x + dx, y + dy)).collect();
            format!("M {} Z", points.join(" L "))
        };
        let d = match series % MARKERS {
            0 => return self.dot((x, y), 3.4, colour),
            1 => polygon(&[(-3.2, -3.2), (3.2, -3.2), (3.2, 3.2), (-3.2, 3.2)]),
            2 => polygon(&[(0.0, -4.4), (4.2, 3.2), (-4.2, 3.2)]),
            3 => polygon(&[(0.0, -4.6), (4.6, 0.0), (0.0, 4.6), (-4.6, 0.0)]),
            4 => polygon(&[(0.0, 4.4), (4.2, -3.2), (-4.2, -3.2)]),
            _ => polygon(&[
                (-1.5, -4.0),
                (1.5, -4.0),
                (1.5, -1.5),
                (4.0, -1.5),
                (4.0, 1.5),
                (1.5, 1.5),
                (1.5, 4.0),
                (-1.5, 4.0),
                (-1.5, 1.5),
                (-4.0, 1.5),
                (-4.0, -1.5),
                (-1.5, -1.5),
            ]),
        };
        self.path(d, Some(colour), Colour::Paper, 1.0, 1.0);
    }

    /// A dot with a halo of paper.
    pub fn dot(&mut self, (cx, cy): (f64, f64), r: f64, colour: Colour) {
        self.add(html! {
            circle cx=(number(cx)) cy=(number(cy)) r=(number(r)) fill=(colour.hex())
                stroke=(Colour::Paper.hex()) stroke-width="1" {}
        });
    }

    /// Opens a group: a mark with a class, with data (`[("cell", "…")]` becomes `data-cell`) and
    /// with a title that a pointer or a screen reader finds.
    pub fn open(&mut self, class: &str, data: &[(&str, &str)], title: &str) {
        // By hand: names of attributes are not known to the template, and the group stays open.
        self.marks.push_str(&format!("<g class=\"{}\"", escaped(class)));
        for (name, value) in data {
            self.marks.push_str(&format!(" data-{name}=\"{}\"", escaped(value)));
        }
        self.marks.push('>');
        if !title.is_empty() {
            self.add(html! { title { (title) } });
        }
    }

    /// Closes the group opened last.
    pub fn close(&mut self) {
        self.marks.push_str("</g>");
    }

    /// SVG that scales, with a title and a description for who cannot see it.
    #[must_use]
    pub fn svg(&self, name: &str, title: &str, description: &str) -> String {
        let (width, height) = (number(self.width), number(self.height));
        let (title_id, description_id) = (format!("{name}-title"), format!("{name}-desc"));
        let svg = html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (width) " " (height) }
                width=(width) height=(height) role="img"
                aria-labelledby={ (title_id) " " (description_id) }
                font-family=(FONTS) fill=(Colour::Text.hex()) {
                title id=(title_id) { (title) }
                desc id=(description_id) { (description) }
                rect width="100%" height="100%" fill=(Colour::Paper.hex()) {}
                (PreEscaped(&self.marks))
            }
        };
        // No XML may have these, however written.
        let replacement = char::REPLACEMENT_CHARACTER.to_string();
        words::legible(&svg.into_string()).replace(['\u{fffe}', '\u{ffff}'], &replacement)
    }
}

/// A coordinate or a length with two decimals, which is a fiftieth of what a screen can show.
fn number(value: f64) -> f64 {
    // Not -0.
    (value * 100.0).round() / 100.0 + 0.0
}

fn visible_through(opacity: f64) -> Option<f64> {
    (opacity < 1.0).then(|| number(opacity))
}

/// Text that may stand in XML, in attributes too.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// About how wide a text is in DejaVu Sans, the widest font a viewer will take: the few widths that
/// differ most from the mean are enough to keep texts apart.
#[must_use]
pub fn text_width(text: &str, size: u32) -> f64 {
    let width = |c: char| match c {
        'i' | 'j' | 'l' | '\'' => 0.28,
        ' ' | '.' | ',' | '/' | ':' | '|' => 0.33,
        '-' | '[' | ']' | '(' | ')' | 'f' | 'r' | 't' => 0.40,
        'm' | 'w' | 'M' | 'W' | '×' | '%' => 0.88,
        'A'..='Z' => 0.70,
        _ => 0.62,
    };
    text.chars().map(width).sum::<f64>() * f64::from(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_have_is_replaced() {
        let mut canvas = Canvas::new(100.0, 50.0);
        canvas.text((1.0, 2.0), "\u{ffff}&\u{1b}", 12, Anchor::Start, Colour::Text);
        let svg = canvas.svg("n", "\u{1b}[2J", "\0\u{202e}é");
        let told = [">\u{fffd}&amp;\u{fffd}<", ">\u{fffd}[2J<", ">\u{fffd}\u{fffd}é<"];
        assert!(told.iter().all(|it| svg.contains(it)), "{svg}");
    }
}
