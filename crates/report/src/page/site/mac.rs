//! The page of a MAC: each of its offers against the reference, over lengths, and who disagrees.

use maud::{Markup, PreEscaped, html};

use super::{Site, Told, counted, next, ratio, scrolled, trait_words, verdict};
use crate::format;
use crate::machines::{Reference, Row};

/// Machines that are named where they disagree.
const NAMED_MAX: usize = 40;

/// Width and room of the picture, in its own units.
const WIDTH: f64 = 720.0;
const LEFT: f64 = 130.0;
const ROW: f64 = 34.0;

pub(super) fn page(site: &Site<'_>, mac: &str) -> String {
    let rows = |reference: &&Reference| {
        let own = site.machines.rows.iter();
        own.filter(|row| row.who.mac == mac && row.place.group == reference.group)
            .collect::<Vec<&Row>>()
    };
    let groups: Vec<(&Reference, Vec<&Row>)> =
        site.machines.references.iter().map(|it| (it, rows(&it))).collect();
    let about = html! { p .summary {
        "Offers of " (mac) " against the offer that is fastest over all, on "
        (site.machines.machines.len()) " machines."
    } };
    let body = html! { @for (reference, rows) in &groups { (group(site, reference, rows)) } };
    let disagree = disagreeing(site, &groups);
    let mut sections = vec![("offers", "Offers", body)];
    sections.extend(disagree.map(|it| ("disagree", "Which machines disagree", it)));
    site.sheet(Told {
        title: format!("{mac} on many machines"),
        header: site.header(mac, &about, false),
        answers: html! { div #answers tabindex="-1" {} },
        controls: html! {},
        sections,
    })
}

fn group(site: &Site<'_>, reference: &Reference, rows: &[&Row]) -> Markup {
    let telling = site.telling_len(&reference.group);
    let shown: Vec<&&Row> =
        rows.iter().filter(|row| Some(row.place.len_bytes) == telling).collect();
    html! {
        h3 { (site.group_words(&reference.group)) }
        p .hint { "Reference: " (site.link("mac", &reference.who.mac, "../")) " of "
            (site.link("provider", &reference.who.provider, "../")) }
        @if let Some(len) = telling.filter(|_| !shown.is_empty()) {
            (strips(&shown, &format!("Ratio on each machine, {}", format::bytes(len))))
        }
        @if rows.is_empty() { p { "It is the reference itself." } }
        @else { (scrolled("Offers over lengths", &table(site, rows))) }
    }
}

fn table(site: &Site<'_>, rows: &[&Row]) -> Markup {
    let head =
        ["length", "ratio", "95 %", "next machine", "is", "machines", "faster on", "slower on"];
    html! { table .stack {
        thead { tr { th scope="col" .l { "from" } @for it in head { th scope="col" { (it) } } } }
        tbody { @for row in rows {
            @let [value, ends] = ratio(&row.over, site.machines.margin);
            tr {
                th scope="row" {
                    (site.link("provider", &row.who.provider, "../"))
                    (site.machines.key_words(&row.who))
                }
                td data-label=(head[0]) { (format::bytes(row.place.len_bytes)) }
                td .v data-label=(head[1]) { (value) }
                td data-label=(head[2]) { (ends) }
                td data-label=(head[3]) { (next(&row.over)) }
                td data-label=(head[4]) { (verdict(row)) }
                td data-label=(head[5]) { (row.over.n) }
                td data-label=(head[6]) { (row.over.above) }
                td data-label=(head[7]) { (row.over.below) }
            }
        } }
    } }
}

/// A strip for each offer: a mark for each machine over its ratio, on a logarithmic scale.
fn strips(rows: &[&&Row], title: &str) -> Markup {
    let logs = rows.iter().flat_map(|row| row.units.iter().map(|it| it.1.log_ratio));
    let (low, high) =
        logs.fold((-0.05_f64, 0.05_f64), |(low, high), it| (low.min(it), high.max(it)));
    let across = |log: f64| LEFT + 14.0 + (WIDTH - LEFT - 28.0) * (log - low) / (high - low);
    let height = ROW * rows.len() as f64 + 44.0;
    let marks = |at: usize, row: &Row| {
        let middle = ROW * at as f64 + ROW / 2.0;
        let mark = |(number, unit): &(usize, stats::Unit)| {
            // Apart in height, so that equal ones are seen as several.
            let lift = (number * 7 % 11) as f64 - 5.0;
            format!("M{:.1} {:.1}h0", across(unit.log_ratio), middle + lift)
        };
        row.units.iter().map(mark).collect::<String>()
    };
    let ticks: Vec<f64> = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0]
        .into_iter()
        .filter(|it: &f64| it.ln() >= low && it.ln() <= high)
        .collect();
    let base = ROW * rows.len() as f64 + 6.0;
    let size = format!("0 0 {WIDTH} {height:.0}");
    let tick = |at: &f64| {
        let (x, kind) = (across(at.ln()), if *at == 1.0 { "one" } else { "tick" });
        html! {
            line x1=(tenths(x)) x2=(tenths(x)) y1="4" y2=(tenths(base)) .(kind) {}
            text x=(tenths(x)) y=(tenths(base + 15.0)) text-anchor="middle" { (format::three(*at)) }
        }
    };
    let strip = |at: usize, row: &Row| {
        let y = ROW * at as f64 + ROW / 2.0 + 4.0;
        html! {
            text x=(LEFT) y=(tenths(y)) text-anchor="end" { (row.who.provider) }
            path .marks d=(PreEscaped(marks(at, row))) {}
        }
    };
    html! { figure .chart { div .scroll tabindex="0" {
        svg viewBox=(size) role="img" aria-label=(title) .strips {
            @for it in &ticks { (tick(it)) }
            @for (at, row) in rows.iter().enumerate() { (strip(at, row)) }
            text x=(WIDTH - 14.0) y=(tenths(base + 32.0)) text-anchor="end" {
                (title) " · right of 1: faster than the reference"
            }
        }
    } } }
}

fn tenths(value: f64) -> String {
    format!("{value:.1}")
}

fn disagreeing(site: &Site<'_>, groups: &[(&Reference, Vec<&Row>)]) -> Option<Markup> {
    let rows = groups.iter().flat_map(|it| &it.1).filter(|row| row.depends);
    // The length at which most do stands for an offer’s others.
    let mut telling: Vec<&&Row> = rows.collect();
    telling.sort_by_key(|row| std::cmp::Reverse(row.disagree.len()));
    let mut seen = std::collections::BTreeSet::new();
    telling.retain(|row| seen.insert((&row.who, &row.place.group)));
    let link = |at: &usize| {
        let kind = &site.machines.machines[*at];
        html! { li { a href={ "../" (site.machine_file(kind)) } { (kind.traits.cpu) } } }
    };
    (!telling.is_empty()).then(|| {
        html! { @for row in telling {
            h3 {
                (row.who.provider) (site.machines.key_words(&row.who)) ", "
                (format::bytes(row.place.len_bytes)) ", "
                (site.group_words(&row.place.group))
            }
            p {
                (row.over.above) " machines have it faster than the reference, "
                (row.over.below) " slower."
            }
            @for it in &row.in_common { p { "Of the fewer: " (trait_words(it)) "." } }
            details {
                summary { (counted(row.disagree.len())) }
                ul .found { @for at in row.disagree.iter().take(NAMED_MAX) { (link(at)) } }
                @if row.disagree.len() > NAMED_MAX {
                    p { "and " (row.disagree.len() - NAMED_MAX) " more" }
                }
            }
        } }
    })
}
