//! How far processing differs from session to session under one load, as box plots: apparent
//! processing, in which uneven scheduling shows, beside absolute processing, in which it does not.

use stats::BoxPlot;

use super::axis::{Scale, round_steps};
use super::boxes::{self, Look};
use super::canvas::{Anchor, Canvas, text_width};
use super::colour::Colour;
use super::{Drawn, at_each_length, heading, panels};
use crate::findings::sessions::{Between, SessionsFinding, TURNS_MIN};
use crate::findings::{Findings, Group};
use crate::format;

const WIDTH: f64 = 780.0;
const LEFT: f64 = 20.0;
const TOP: f64 = 108.0;
const LINE: f64 = 38.0;
const AXIS: f64 = 46.0;

const QUANTITIES: [&str; 2] = ["absolute processing", "apparent processing"];

/// One MAC under one load.
struct Row {
    name: String,
    under: String,
    path: String,
    boxes: [Option<Between>; 2],
}

/// One chart a message length at which windows hold several turns of each session.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    at_each_length(findings, group, one)
}

fn one(findings: &Findings, group: &Group, set: &SessionsFinding, len_bytes: u64) -> Option<Drawn> {
    let rows = rows(findings, set, len_bytes);
    let title = format!("From session to session, {} messages", format::bytes(len_bytes));
    let what = format!(
        "processing, each session ÷ median session: min, quartiles, max; windows of {TURNS_MIN} \
         turns or more"
    );
    let under = panels::subtitle(findings, group, &what);
    let canvas = canvas((&title, &under), &rows)?;
    let told: Vec<String> = rows.iter().map(Row::told).collect();
    let description = format!("{}.", told.join("; "));
    Some(Drawn { len_bytes: Some(len_bytes), title, description, canvas })
}

/// Loads of several sessions, the best offer of each MAC.
fn rows(findings: &Findings, set: &SessionsFinding, len_bytes: u64) -> Vec<Row> {
    let mut rows = Vec::new();
    for load in set.at(len_bytes).filter(|it| it.sessions.is_some_and(|count| count > 1)) {
        for row in load.rows.iter().filter(|row| row.best_of_mac) {
            let Some(windows) = row.windows.filter(|it| it.apparent_between.is_some()) else {
                continue;
            };
            let Some(cell) = row.apparent.or(row.absolute) else { continue };
            rows.push(Row {
                name: set.short(load),
                under: format!("{} · {}", row.candidate.mac, row.candidate.source()),
                path: findings.cells[cell].path.clone(),
                boxes: [windows.absolute_between, windows.apparent_between],
            });
        }
    }
    rows
}

impl Row {
    fn told(&self) -> String {
        let of = |(what, it): (&&str, &Option<Between>)| {
            let it = (*it)?;
            let [least, most] = [it.least, it.most].map(format::times);
            Some(format!("{what} {least} to {most} that of the median session"))
        };
        let told: Vec<String> = QUANTITIES.iter().zip(&self.boxes).filter_map(of).collect();
        format!("{} · {}: {}", self.name, self.under, told.join(", "))
    }
}

fn canvas((title, under): (&str, &[String; 2]), rows: &[Row]) -> Option<Canvas> {
    let all = || rows.iter().flat_map(|row| row.boxes.iter().flatten());
    let low = all().map(|it| it.least).fold(f64::INFINITY, f64::min);
    let high = all().map(|it| it.most).fold(0.0, f64::max);
    if !(low > 0.0 && low.is_finite() && high.is_finite()) {
        return None;
    }
    let bottom = TOP + LINE * rows.len() as f64;
    let mut canvas = Canvas::new(WIDTH, bottom + AXIS);
    heading(&mut canvas, (LEFT, WIDTH - LEFT), title, under);
    for (number, name) in QUANTITIES.iter().enumerate() {
        let left = LEFT + 170.0 * number as f64;
        canvas.rect((left, 74.0), (12.0, 12.0), Colour::Series(number), 1.0);
        canvas.text((left + 17.0, 84.0), name, 12, Anchor::Start, Colour::Text);
    }
    let names = rows.iter().map(|it| text_width(&it.name, 12).max(text_width(&it.under, 10)));
    let left = LEFT + names.fold(60.0, f64::max) + 14.0;
    let span = (low.min(0.9), high.max(1.1));
    let x = Scale::linear(span, (left, WIDTH - LEFT));
    for tick in round_steps(span, 8.0) {
        let at = x.at(tick);
        let colour = if (tick - 1.0).abs() < 1e-9 { Colour::Axis } else { Colour::Grid };
        canvas.line((at, TOP - 6.0), (at, bottom), 1.0, colour);
        canvas.text((at, bottom + 15.0), &format::tick(tick), 11, Anchor::Middle, Colour::Quiet);
    }
    let middle = f64::midpoint(left, WIDTH - LEFT);
    let what = "processing of a session ÷ that of the median session";
    canvas.text((middle, bottom + 34.0), what, 11, Anchor::Middle, Colour::Quiet);
    for (number, row) in rows.iter().enumerate() {
        draw_row(&mut canvas, row, TOP + LINE * number as f64, &x);
    }
    Some(canvas)
}

fn draw_row(canvas: &mut Canvas, row: &Row, top: f64, x: &Scale) {
    canvas.text((LEFT, top + 13.0), &row.name, 12, Anchor::Start, Colour::Text);
    canvas.text((LEFT, top + 26.0), &row.under, 10, Anchor::Start, Colour::Quiet);
    for (number, it) in row.boxes.iter().enumerate() {
        let Some(it) = it else { continue };
        let colour = Colour::Series(number);
        let plot = BoxPlot {
            q1: it.lower_quartile,
            median: 1.0,
            q3: it.upper_quartile,
            whisker_low: it.least,
            whisker_high: it.most,
            outliers: vec![],
        };
        let told = row.told();
        canvas.open("box", &[("cell", &row.path)], &told);
        let middle = top + 9.0 + 15.0 * number as f64;
        boxes::draw(canvas, &plot, x, middle, &Look { half: 5.0, colour, outliers: colour });
        canvas.close();
    }
}
