//! The frame of charts that have a line a scheme and a panel a file size: names at the left, once
//! for the panels beside each other, compositions apart and their flows in colour.

use lab::cell::{Flow, Scheme};

use super::canvas::{Anchor, Canvas, text_width};
use super::colour::Colour;
use super::heading;
use crate::findings::{CellFinding, Findings, Group, SizeFinding, key_life_words};
use crate::format;

/// With more candidates than these only the best offer of each scheme is drawn.
const LINES_MAX: usize = 30;

const WIDTH: f64 = 780.0;
const LEFT: f64 = 20.0;
const TOP: f64 = 88.0;
const TITLE: f64 = 22.0;
const LINE: f64 = 17.0;
const AXIS: f64 = 40.0;
const GAP: f64 = 26.0;

/// One line of names.
pub(super) struct Line {
    composition: String,
    /// The flow; absent for what is no scheme.
    flow: Option<Flow>,
    mac: String,
    /// Who computes it; absent where the best offer of several is drawn.
    source: Option<String>,
}

/// Where a panel has its lines.
pub(super) struct Area {
    /// First and last pixel from left to right.
    pub(super) span: (f64, f64),
    /// Upper end of the first line.
    pub(super) top: f64,
    /// Lower end of the last.
    pub(super) bottom: f64,
}

impl Line {
    /// Composition by composition, each in the order of the flows.
    pub(super) fn all(findings: &Findings, group: &Group) -> Vec<Line> {
        let every = group.sizes.iter().all(|size| size.ranking.len() <= LINES_MAX);
        let mut lines: Vec<Line> = Vec::new();
        for row in group.sizes.iter().flat_map(|size| &size.ranking) {
            let cell = findings.cell(row);
            let mac = &cell.cell.candidate.mac;
            let source = every.then(|| cell.source());
            if lines.iter().any(|it| it.mac == *mac && it.source == source) {
                continue;
            }
            let scheme = Scheme::of(mac);
            lines.push(Line {
                composition: scheme.map_or(mac.as_str(), |it| it.composition).to_owned(),
                flow: scheme.map(|it| it.flow),
                mac: mac.clone(),
                source,
            });
        }
        lines.sort_by(|x, y| {
            let key = |it: &Line| (it.composition.clone(), it.source.clone(), it.flow);
            key(x).cmp(&key(y))
        });
        lines
    }

    /// What was measured of it at a size.
    pub(super) fn cell<'a>(
        &self,
        findings: &'a Findings,
        size: &SizeFinding,
    ) -> Option<&'a CellFinding> {
        let fits = |cell: &&CellFinding| {
            let source = self.source.as_ref().is_none_or(|own| *own == cell.source());
            cell.cell.candidate.mac == self.mac && source
        };
        // The fastest offer comes first.
        size.ranking.iter().map(|row| findings.cell(row)).find(fits)
    }

    /// The colour of its flow.
    pub(super) fn colour(&self) -> Colour {
        match self.flow {
            Some(Flow::Es) => Colour::Series(0),
            Some(Flow::Se) => Colour::Series(1),
            Some(Flow::SeBound) => Colour::Series(2),
            None => Colour::Series(6),
        }
    }

    fn flow(&self) -> &'static str {
        self.flow.map_or("", Flow::name)
    }

    fn source(&self) -> &str {
        self.source.as_deref().unwrap_or("best offer")
    }

    fn is_of(&self, other: &Line) -> bool {
        (&self.composition, &self.source) == (&other.composition, &other.source)
    }
}

impl Area {
    /// The height of a line's middle.
    pub(super) fn middle(&self, number: usize) -> f64 {
        self.top + LINE * (number as f64 + 0.5)
    }
}

/// Draws heading, names and a frame for each size; `panel` fills it.
pub(super) fn draw(
    (title, under): (&str, &[String; 2]),
    lines: &[Line],
    sizes: &[SizeFinding],
    mut panel: impl FnMut(&mut Canvas, &SizeFinding, &Area),
) -> Canvas {
    let columns = sizes.len().clamp(1, 2);
    let height = TITLE + LINE * lines.len() as f64 + AXIS;
    let rows = sizes.len().div_ceil(columns);
    let mut canvas = Canvas::new(WIDTH, TOP + height * rows as f64);
    heading(&mut canvas, (LEFT, WIDTH - LEFT), title, under);
    let names = names_width(lines);
    let width = (WIDTH - LEFT - names - GAP * (columns - 1) as f64 - 20.0) / columns as f64;
    for (number, size) in sizes.iter().enumerate() {
        let (column, row) = (number % columns, (number / columns) as f64);
        let top = TOP + height * row + TITLE;
        let left = LEFT + names + (width + GAP) * column as f64;
        let bottom = top + LINE * lines.len() as f64;
        let area = Area { span: (left, left + width), top, bottom };
        canvas.title((left, top - 8.0), &format::bytes(size.len_bytes), 12);
        if column == 0 {
            write_names(&mut canvas, lines, &area);
        }
        for at in breaks(lines).map(|number| area.top + LINE * number as f64) {
            let from = if column == 0 { LEFT } else { left };
            canvas.line((from, at), (left + width, at), 0.6, Colour::Axis);
        }
        panel(&mut canvas, size, &area);
    }
    canvas
}

/// Which schemes of which panel, and what is shown: the title has the action and the medium.
pub(super) fn subtitle(findings: &Findings, group: &Group, what: &str) -> [String; 2] {
    let groups = &findings.groups;
    let mut words = vec![group.part_title.clone(), group.case_title.clone()];
    if groups.iter().any(|other| other.key_life != group.key_life) {
        words.push(key_life_words(group.key_life).to_owned());
    }
    if groups.iter().any(|other| other.panel != group.panel) {
        words.push(group.panel_title.clone());
    }
    [words.join(" · "), what.to_owned()]
}

/// Where one composition ends and the next begins.
fn breaks(lines: &[Line]) -> impl Iterator<Item = usize> {
    let inner = (1..lines.len()).filter(|&number| !lines[number].is_of(&lines[number - 1]));
    std::iter::once(0).chain(inner).chain([lines.len()])
}

/// Room for names: who computes stands below, or beside where there is one flow only.
fn names_width(lines: &[Line]) -> f64 {
    let wide = |line: &Line| {
        let alone = lines.iter().filter(|it| it.is_of(line)).count() == 1;
        let beside = if alone { text_width(line.source(), 10) + 8.0 } else { 0.0 };
        (text_width(&line.composition, 12) + beside).max(text_width(line.source(), 10))
    };
    let flows = lines.iter().map(|it| text_width(it.flow(), 11)).fold(0.0, f64::max);
    lines.iter().map(wide).fold(60.0, f64::max) + flows + 20.0
}

fn write_names(canvas: &mut Canvas, lines: &[Line], area: &Area) {
    let at = area.span.0 - 8.0;
    for (number, line) in lines.iter().enumerate() {
        let base = area.middle(number) + 4.0;
        canvas.text((at, base), line.flow(), 11, Anchor::End, line.colour());
        let first = number == 0 || !line.is_of(&lines[number - 1]);
        let alone = first && lines.get(number + 1).is_none_or(|next| !next.is_of(line));
        let second = number > 0 && !first && (number == 1 || !line.is_of(&lines[number - 2]));
        if first {
            canvas.text((LEFT, base), &line.composition, 12, Anchor::Start, Colour::Text);
        }
        let beside = if alone { text_width(&line.composition, 12) + 8.0 } else { 0.0 };
        if alone || second {
            let at = (LEFT + beside, base);
            canvas.text(at, line.source(), 10, Anchor::Start, Colour::Quiet);
        }
    }
}
