//! Histograms of the speeds that the tests of the paper *Comparing the Speeds of HMAC and CMAC* are
//! made of, a MAC below the other on common axes: whether they are alike in shape and spread, which
//! Friedman's test supposes, is seen at a glance.

use stats::Histogram;

use super::axis::{Scale, round_steps};
use super::canvas::{Anchor, Canvas, text_width};
use super::colour::Colour;
use super::{Drawn, heading, subtitle};
use crate::findings::{Findings, Group, PaperTests};
use crate::format;

const WIDTH: f64 = 780.0;
const EDGE: f64 = 20.0;
const TOP: f64 = 78.0;
/// A histogram, and the air above it.
const ROW: [f64; 2] = [54.0, 12.0];
/// Below the last: the labels of the axis.
const BOTTOM: f64 = 48.0;

/// One chart for each table of the paper's tests.
pub(super) fn draw(findings: &Findings, group: &Group) -> Vec<Drawn> {
    let of_sizes = group.sizes.iter().filter_map(|size| {
        let title = format!("Distribution of speeds, {} messages", format::bytes(size.len_bytes));
        Some((Some(size.len_bytes), title, size.tests.as_ref()?))
    });
    let all = group.tests.iter().map(|it| (None, "Distribution of speeds, all lengths".into(), it));
    let tables = of_sizes.chain(all).filter(|(.., tests)| !tests.histograms.is_empty());
    tables.map(|(len, title, tests)| one(findings, group, (len, title), tests)).collect()
}

fn one(
    findings: &Findings,
    group: &Group,
    (len_bytes, title): (Option<u64>, String),
    tests: &PaperTests,
) -> Drawn {
    let height = ROW.iter().sum::<f64>();
    let base = TOP + height * tests.histograms.len() as f64;
    let mut canvas = Canvas::new(WIDTH, base + BOTTOM);
    let rows = if len_bytes.is_some() { "blocks" } else { "message lengths" };
    let what = format!("{} {rows} each; both axes are those of all", tests.n_rows);
    heading(&mut canvas, (EDGE, WIDTH - EDGE), &title, &subtitle(findings, group, &what));
    let names = tests.columns.iter().map(|(name, _)| text_width(name, 12)).fold(60.0, f64::max);
    let edges = &tests.histograms[0].edges;
    let ends = (edges[0], edges[edges.len() - 1]);
    let x = Scale::linear(ends, (EDGE + names + 40.0, WIDTH - EDGE - 10.0));
    let counts = tests.histograms.iter().flat_map(|it| &it.counts);
    let most = counts.copied().max().unwrap_or(1).max(1);
    for tick in round_steps(ends, 6.0) {
        let at = x.at(tick);
        canvas.line((at, TOP), (at, base), 1.0, Colour::Grid);
        canvas.text((at, base + 17.0), &format::tick(tick), 11, Anchor::Middle, Colour::Quiet);
    }
    let middle = f64::midpoint(x.at(ends.0), x.at(ends.1));
    canvas.text((middle, base + 36.0), "calls per second", 12, Anchor::Middle, Colour::Quiet);
    for (number, ((name, cell), own)) in tests.columns.iter().zip(&tests.histograms).enumerate() {
        let floor = TOP + height * (number + 1) as f64;
        let path = &findings.cells[*cell].path;
        canvas.open("speeds", &[("cell", path)], &told(name, own));
        canvas.text((EDGE, floor - 4.0), name, 12, Anchor::Start, Colour::Text);
        row(&mut canvas, own, (&x, floor), (most, number));
        canvas.close();
    }
    let told: Vec<String> =
        tests.columns.iter().zip(&tests.histograms).map(|((name, _), it)| told(name, it)).collect();
    let description = format!("Histograms of speeds on common axes. {}.", told.join("; "));
    Drawn { len_bytes, title, description, canvas }
}

/// Each bar is as high as its share of the highest of all.
fn row(
    canvas: &mut Canvas,
    own: &Histogram,
    (x, floor): (&Scale, f64),
    (most, number): (u64, usize),
) {
    let (left, right) = (x.at(own.edges[0]), x.at(own.edges[own.edges.len() - 1]));
    let roof = floor - ROW[0];
    canvas.text((left - 6.0, roof + 8.0), &most.to_string(), 10, Anchor::End, Colour::Quiet);
    canvas.text((left - 6.0, floor), "0", 10, Anchor::End, Colour::Quiet);
    let mut outline = format!("M {left:.1} {floor:.0}");
    for (edges, count) in own.edges.windows(2).zip(&own.counts) {
        let height = floor - ROW[0] * *count as f64 / most as f64;
        outline.push_str(&format!(" V {height:.1} H {:.1}", x.at(edges[1])));
    }
    outline.push_str(&format!(" V {floor:.0} Z"));
    canvas.area(outline, Colour::Series(number), 0.8);
    canvas.line((left, floor), (right, floor), 1.0, Colour::Axis);
}

/// `hmac-sha256: most between 210 k and 220 k`.
fn told(name: &str, own: &Histogram) -> String {
    let fullest = own.counts.iter().enumerate().max_by_key(|(_, count)| **count);
    let at = fullest.map_or(0, |(at, _)| at);
    let [low, high] = [own.edges[at], own.edges[at + 1]].map(format::tick);
    format!("{name}: most between {low} and {high} calls per second")
}
