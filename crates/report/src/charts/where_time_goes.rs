//! Where the time of a transaction goes: a bar a scheme, made of the medians of the four actions,
//! with the median of the whole and its interval across it.

use lab::regimes::segments::Action;

use super::axis::{Scale, Tick, round_steps};
use super::canvas::{Anchor, Canvas, text_width};
use super::colour::Colour;
use super::panels::{self, Area, Line};
use super::{Drawn, spoken};
use crate::findings::transactions::{ACTIONS, Transaction};
use crate::findings::{CellFinding, Findings, Group, SizeFinding};
use crate::format;
use crate::regimes::segments::medium_words;

/// What the sender does is blue, what the receiver does is warm.
const PARTS: [(Action, Colour); 4] = [
    (Action::Encryption, Colour::Series(0)),
    (Action::Splitting, Colour::Series(5)),
    (Action::Combining, Colour::Series(4)),
    (Action::Decryption, Colour::Series(1)),
];

/// One chart a medium, with the group of the whole.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    let Some((medium, Action::Transaction)) = group.transaction() else { return vec![] };
    let all = findings.transactions();
    let Some(own) = all.iter().find(|it| it.head().name == group.name) else { return vec![] };
    if PARTS.iter().any(|(action, _)| own.group(*action).is_none()) {
        return vec![];
    }
    let lines = Line::all(findings, group);
    let title = format::capitalised(&format!("where the time goes, {}", medium_words(medium)));
    let what = "median of each action; | median of the whole, 95 %";
    let what = format!("{what}; {}", group.repetitions(findings));
    let under = panels::subtitle(findings, group, &what);
    let mut canvas = panels::draw((&title, &under), &lines, &group.sizes, |canvas, size, area| {
        panel(canvas, findings, own, (&lines, size), area);
    });
    legend(&mut canvas);
    let description = format!(
        "Stacked bars of encryption, splitting, combining and decryption for {} schemes at {} file \
         sizes.",
        lines.len(),
        group.sizes.len()
    );
    vec![Drawn { len_bytes: None, title, description, canvas }]
}

fn legend(canvas: &mut Canvas) {
    let mut at = 20.0;
    for (action, colour) in PARTS {
        canvas.rect((at, 67.0), (10.0, 10.0), colour, 1.0);
        canvas.text((at + 15.0, 76.0), action.name(), 11, Anchor::Start, Colour::Text);
        at += text_width(action.name(), 11) + 34.0;
    }
}

fn panel(
    canvas: &mut Canvas,
    findings: &Findings,
    own: &Transaction,
    (lines, size): (&[Line], &SizeFinding),
    area: &Area,
) {
    let rows = own.rows(findings, size.len_bytes);
    let cells: Vec<Option<[Option<&CellFinding>; 5]>> = lines
        .iter()
        .map(|line| {
            let whole = line.cell(findings, size)?;
            let of_line = |cells: &[Option<&CellFinding>; 5]| {
                cells.iter().flatten().any(|it| it.id == whole.id)
            };
            rows.iter().map(|row| row.cells).find(of_line)
        })
        .collect();
    let ends = |cells: &[Option<&CellFinding>; 5]| {
        let median = |cell: &Option<&CellFinding>| cell.and_then(|it| it.median_ns).unwrap_or(0.0);
        let high = cells[4].and_then(|it| it.interval_ns).map_or(0.0, |it| it.high);
        cells[..4].iter().map(median).sum::<f64>().max(median(&cells[4])).max(high)
    };
    let most = cells.iter().flatten().map(ends).fold(0.0, f64::max);
    if most <= 0.0 {
        return;
    }
    let x = Scale::linear((0.0, most * 1.02), area.span);
    for tick in ticks(most) {
        let at = x.at(tick.value);
        canvas.line((at, area.top), (at, area.bottom), 1.0, Colour::Grid);
        canvas.text((at, area.bottom + 15.0), &tick.label, 11, Anchor::Middle, Colour::Quiet);
    }
    for (number, cells) in cells.iter().enumerate() {
        if let Some(cells) = cells {
            bar(canvas, cells, &x, area.middle(number));
        }
    }
}

fn bar(canvas: &mut Canvas, cells: &[Option<&CellFinding>; 5], x: &Scale, middle: f64) {
    let mut from_ns = 0.0;
    for (action, colour) in PARTS {
        let Some(cell) = ACTIONS.iter().position(|it| *it == action).and_then(|at| cells[at])
        else {
            continue;
        };
        let Some(median_ns) = cell.median_ns else { continue };
        let (from, to) = (x.at(from_ns), x.at(from_ns + median_ns));
        canvas.open("share", &[("cell", &cell.path)], &format!("{action}: {}", spoken(cell)));
        canvas.rect((from, middle - 5.0), (to - from, 10.0), colour, 1.0);
        canvas.close();
        from_ns += median_ns;
    }
    let Some((cell, median_ns)) = cells[4].and_then(|it| Some((it, it.median_ns?))) else { return };
    canvas.open("whole", &[("cell", &cell.path)], &spoken(cell));
    if let Some(it) = cell.interval_ns {
        canvas.line((x.at(it.low), middle), (x.at(it.high), middle), 1.5, Colour::Text);
    }
    let at = x.at(median_ns);
    canvas.line((at, middle - 6.5), (at, middle + 6.5), 1.5, Colour::Text);
    canvas.close();
}

/// Three to five round steps from nothing.
fn ticks(most: f64) -> Vec<Tick> {
    let label = |value: f64| if value == 0.0 { "0".into() } else { format::tick_time(value) };
    let values = round_steps((0.0, most), 4.5).into_iter();
    values.map(|value| Tick { value, label: label(value) }).collect()
}
