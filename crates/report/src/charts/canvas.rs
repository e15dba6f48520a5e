//! A sheet to draw on: marks with a meaning, from which kuva makes SVG and PNG. What must be
//! countable or explained (an interval, a bar, a line) is a group with a class, data and a title.

use kuva::backend::raster::RasterBackend;
use kuva::backend::svg::SvgBackend;
use kuva::render::render::{PathData, Primitive, Scene, TextAnchor};

use super::ink::Ink;

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

/// The sheet.
pub struct Canvas {
    scene: Scene,
}

impl Canvas {
    /// An empty sheet.
    #[must_use]
    pub fn new(width: f64, height: f64) -> Self {
        let mut scene = Scene::new(width, height).with_background(Some(Ink::Paper.hex()));
        scene.font_family = Some("DejaVu Sans, Verdana, Arial, sans-serif".into());
        scene.text_color = Some(Ink::Text.hex().into());
        Canvas { scene }
    }

    /// A text of `size` pixels with its baseline at y.
    pub fn text(&mut self, (x, y): (f64, f64), text: &str, size: u32, anchor: Anchor, ink: Ink) {
        self.write((x, y), text, (size, false), anchor, ink, None);
    }

    /// A bold one.
    pub fn title(&mut self, at: (f64, f64), text: &str, size: u32) {
        self.write(at, text, (size, true), Anchor::Start, Ink::Text, None);
    }

    /// One that reads upwards.
    pub fn upright(&mut self, at: (f64, f64), text: &str, size: u32) {
        self.write(at, text, (size, false), Anchor::Middle, Ink::Quiet, Some(-90.0));
    }

    fn write(
        &mut self,
        (x, y): (f64, f64),
        text: &str,
        (size, bold): (u32, bool),
        anchor: Anchor,
        ink: Ink,
        rotate: Option<f64>,
    ) {
        let anchor = match anchor {
            Anchor::Start => TextAnchor::Start,
            Anchor::Middle => TextAnchor::Middle,
            Anchor::End => TextAnchor::End,
        };
        // kuva reads `$…$` as mathematics.
        let content = text.replace('$', "\\$");
        let color = Some(ink.colour());
        self.scene.add(Primitive::Text { x, y, content, size, anchor, rotate, bold, color });
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), width: f64, ink: Ink) {
        self.dashed(from, to, width, ink, None);
    }

    /// A dashed one.
    pub fn dashed(
        &mut self,
        (x1, y1): (f64, f64),
        (x2, y2): (f64, f64),
        stroke_width: f64,
        ink: Ink,
        dash: Option<&str>,
    ) {
        let (stroke, stroke_dasharray) = (ink.colour(), dash.map(String::from));
        self.scene.add(Primitive::Line { x1, y1, x2, y2, stroke, stroke_width, stroke_dasharray });
    }

    /// A line through points, dashed by the number of its series.
    pub fn polyline(
        &mut self,
        points: Vec<(f64, f64)>,
        stroke_width: f64,
        ink: Ink,
        series: usize,
    ) {
        let stroke_dasharray = DASHES[series / 2 % DASHES.len()].map(String::from);
        let stroke = ink.colour();
        self.scene.add(Primitive::PolyLine { points, stroke, stroke_width, stroke_dasharray });
    }

    /// A filled rectangle.
    pub fn rect(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        ink: Ink,
        opacity: f64,
    ) {
        let opacity = (opacity < 1.0).then_some(opacity);
        let (fill, stroke, stroke_width) = (ink.colour(), None, None);
        self.scene.add(Primitive::Rect {
            x,
            y,
            width,
            height,
            fill,
            stroke,
            stroke_width,
            opacity,
        });
    }

    /// A filled area; `outline` is a path in SVG's notation.
    pub fn area(&mut self, outline: String, ink: Ink, opacity: f64) {
        self.path(outline, Some(ink), ink, 0.0, opacity);
    }

    /// Lines without an area; `d` is a path in SVG's notation.
    pub fn strokes(&mut self, d: String, width: f64, ink: Ink) {
        self.path(d, None, ink, width, 1.0);
    }

    fn path(&mut self, d: String, fill: Option<Ink>, stroke: Ink, stroke_width: f64, opacity: f64) {
        self.scene.add(Primitive::Path(Box::new(PathData {
            d,
            fill: fill.map(Ink::colour),
            stroke: stroke.colour(),
            stroke_width,
            opacity: (opacity < 1.0).then_some(opacity),
            stroke_dasharray: None,
        })));
    }

    /// A marker by the number of its series, with a halo of paper.
    pub fn marker(&mut self, (x, y): (f64, f64), series: usize, ink: Ink) {
        let polygon = |corners: &[(f64, f64)]| {
            let points: Vec<String> =
                corners.iter().map(|(dx, dy)| format!("{:.1} {:.1}", x + dx, y + dy)).collect();
            format!("M {} Z", points.join(" L "))
        };
        let d = match series % MARKERS {
            0 => return self.dot((x, y), 3.4, ink),
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
        self.path(d, Some(ink), Ink::Paper, 1.0, 1.0);
    }

    /// A dot with a halo of paper.
    pub fn dot(&mut self, (cx, cy): (f64, f64), r: f64, ink: Ink) {
        let (fill, fill_opacity) = (ink.colour(), None);
        let (stroke, stroke_width) = (Some(Ink::Paper.colour()), Some(1.0));
        self.scene.add(Primitive::Circle { cx, cy, r, fill, fill_opacity, stroke, stroke_width });
    }

    /// Opens a group: a mark with a class, with data (`[("cell", "…")]` becomes `data-cell`) and
    /// with a title that a pointer or a screen reader finds.
    pub fn open(&mut self, class: &str, data: &[(&str, &str)], title: &str) {
        let mut attributes = format!("class=\"{}\"", escaped(class));
        for (name, value) in data {
            attributes.push_str(&format!(" data-{name}=\"{}\"", escaped(value)));
        }
        let title = (!title.is_empty()).then(|| title.to_owned());
        let (transform, extra_attrs) = (None, Some(attributes));
        // Not `Scene::add`: a title there turns on kuva's own style for hovering.
        self.scene.elements.push(Primitive::GroupStart { transform, title, extra_attrs });
    }

    /// Closes the group opened last.
    pub fn close(&mut self) {
        self.scene.elements.push(Primitive::GroupEnd);
    }

    /// SVG that scales, with a title and a description for who cannot see it.
    #[must_use]
    pub fn svg(&self, name: &str, title: &str, description: &str) -> String {
        let svg = SvgBackend::new().render_scene(&self.scene);
        let (width, height) = (self.scene.width, self.scene.height);
        let (name, title) = (escaped(name), escaped(title));
        let head = format!(
            "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-labelledby=\"{name}-title {name}-desc\" "
        );
        let words = format!(
            "><title id=\"{name}-title\">{title}</title><desc id=\"{name}-desc\">{}</desc>",
            escaped(description)
        );
        svg.replacen("<svg ", &head, 1).replacen('>', &words, 1)
    }

    /// PNG at twice the size.
    ///
    /// # Errors
    /// kuva's own words.
    pub fn png(&self) -> Result<Vec<u8>, String> {
        RasterBackend { scale: 2.0 }.render_scene(&self.scene)
    }
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

/// About how wide a text is in DejaVu Sans, the widest font a viewer will take. kuva's own metrics
/// are private; the few widths that differ most from the mean are enough to keep texts apart.
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
