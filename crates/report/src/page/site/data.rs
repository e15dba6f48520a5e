//! What the site tells as files for other programs.

use super::{File, Site};
use crate::csv::no_formula;
use crate::machines::Trait;

/// Each file and what is in it.
pub(super) const FILES: [(&str, &str); 4] = [
    ("data/ratios.csv", "every offer and length over all machines"),
    ("data/machines.csv", "the machines"),
    ("data/claims.csv", "claims over all machines"),
    ("data/compare.json", "all of it, as macrometer compare --fleet --format json writes it"),
];

pub(super) fn all(site: &Site<'_>) -> Vec<File> {
    let texts = [ratios(site), machines(site), claims(site), json(site)];
    FILES.iter().zip(texts).map(|((file, _), text)| ((*file).to_owned(), text)).collect()
}

fn json(site: &Site<'_>) -> String {
    crate::document(site.machines).unwrap_or_default()
}

/// Rows as CSV; what cannot be written is left out, and nothing can fail in memory.
fn csv(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let _ = writer.write_record(head);
    for row in rows {
        let _ = writer.write_record(row.into_iter().map(no_formula));
    }
    writer.into_inner().ok().and_then(|it| String::from_utf8(it).ok()).unwrap_or_default()
}

fn ratios(site: &Site<'_>) -> String {
    let head = [
        "part",
        "regime",
        "key_life",
        "len_bytes",
        "mac",
        "provider",
        "key_len_bytes",
        "machines",
        "ratio",
        "low",
        "high",
        "next_low",
        "next_high",
        "next_chance",
        "p_adjusted",
        "verdict",
        "faster_on",
        "slower_on",
        "depends",
        "in_common",
    ];
    let row = |row: &crate::machines::Row| {
        let (over, group) = (&row.over, &row.place.group);
        let ends = over.interval.map_or([None; 2], |it| [Some(it.low), Some(it.high)]);
        let next = over.next.map_or([None; 3], |it| [Some(it.low), Some(it.high), Some(it.chance)]);
        let text = |it: Option<f64>| it.map_or(String::new(), |it| it.to_string());
        let common: Vec<&str> = row.in_common.iter().map(|it: &Trait| it.what.as_str()).collect();
        let mut cells = vec![
            group.part.clone(),
            group.regime.to_string(),
            group.key_life.to_string(),
            row.place.len_bytes.to_string(),
            row.who.mac.clone(),
            row.who.provider.clone(),
            row.who.key_len_bytes.to_string(),
            over.n.to_string(),
            over.ratio.to_string(),
        ];
        cells.extend(ends.into_iter().chain(next).map(text));
        cells.extend([row.p_adjusted.to_string(), row.verdict.name().to_owned()]);
        cells.extend([over.above.to_string(), over.below.to_string(), row.depends.to_string()]);
        cells.push(common.join("; "));
        cells
    };
    csv(&head, site.machines.rows.iter().map(row))
}

fn machines(site: &Site<'_>) -> String {
    let head = [
        "number",
        "machine_id",
        "cpu",
        "vendor",
        "generation",
        "features",
        "hypervisor",
        "system",
        "processors",
        "runs",
        "simulated",
        "division",
        "page",
    ];
    let row = |(number, kind): (usize, &crate::machines::Kind)| {
        let traits = kind.traits.clone();
        vec![
            number.to_string(),
            kind.machine_id.clone(),
            traits.cpu,
            traits.vendor.unwrap_or_default(),
            traits.generation.unwrap_or_default(),
            traits.features.join(" "),
            traits.hypervisor.unwrap_or_default(),
            traits.system,
            traits.processors.to_string(),
            kind.members.len().to_string(),
            traits.simulated.to_string(),
            traits.division,
            site.machine_file(kind),
        ]
    };
    csv(&head, site.machines.machines.iter().enumerate().map(row))
}

fn claims(site: &Site<'_>) -> String {
    let head =
        ["claim", "panel", "verdict", "confirmed", "refuted", "undecided", "cannot_tell", "reason"];
    let row = |it: &crate::machines::MachinesClaim| {
        vec![
            it.id.clone(),
            it.panel.clone(),
            it.verdict.name().to_owned(),
            it.confirmed.len().to_string(),
            it.refuted.len().to_string(),
            it.undecided.len().to_string(),
            it.elsewhere.to_string(),
            it.reason.clone(),
        ]
    };
    csv(&head, site.machines.claims.iter().map(row))
}
