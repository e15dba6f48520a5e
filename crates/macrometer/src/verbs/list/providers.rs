//! Providers as rows and as text: first those that are here, then those that are not, with what
//! would bring them.

use std::collections::BTreeMap;

use anyhow::Result;
use lab::plan::{NULL, is_mac};
use lab::record::ProviderRecord;
use lab::worker::client::PATIENCE;
use providers::Forced;
use report::terminal::wrapped;
use serde_json::{Value, json};
use words::{Offer, ProviderName};

use super::{details, table, told};
use crate::discovery::{self, Found};
use crate::verbs::list_width;

/// Keys of the rows that the table shows.
pub const COLUMNS: &[&str] = &["name", "version", "kernels", "macs", "path"];

/// Every provider, and what `--lib` adds.
pub fn rows(libs: &[String]) -> Result<Vec<Value>> {
    let found = discovery::find(&discovery::sought(libs)?, PATIENCE);
    let forced = forced_on(&found, libs)?;
    let forced = |found: &Found| {
        let forced = forced.iter().map(|name| ProviderName::of(name));
        let own = forced.filter(|forced| forced.library == found.name);
        own.filter_map(|forced| forced.code_path).collect::<Vec<_>>()
    };
    Ok(found.iter().map(|found| row(found, &forced(found))).collect())
}

/// The providers on each code path that they can really be forced to: whether a library reads what
/// forces one depends on its version.
fn forced_on(found: &[Found], libs: &[String]) -> Result<Vec<String>> {
    let here = found.iter().filter(|found| found.outcome.is_ok());
    let names = here.flat_map(|found| {
        let mut forced = (found.row.forced)();
        forced.retain(Forced::is_runnable);
        let name = |forced: Forced| format!("{}[{}]", found.name, forced.name);
        forced.into_iter().map(name).collect::<Vec<_>>()
    });
    let names: Vec<String> = names.collect();
    let mut sought = discovery::sought_with_forced(libs, &names)?;
    sought.retain(|sought| names.iter().any(|name| sought.is(name)));
    let forced =
        discovery::find(&sought, PATIENCE).into_iter().filter(|found| found.outcome.is_ok());
    Ok(forced.map(|found| found.name).collect())
}

/// One provider, whether it is here or not.
fn row(found: &Found, forced: &[&str]) -> Value {
    let Found { row, name, outcome } = found;
    match outcome {
        Ok((_, record)) => {
            let (kernels, macs) = offered(record);
            json!({
                "name": name, "title": row.title, "found": true, "version": record.version,
                "path": record.path, "detail": record.detail, "kernels": kernels, "macs": macs,
                "offers": record.offers, "forced": forced, "package": null, "reason": null,
            })
        }
        Err(absence) => json!({
            "name": name, "title": row.title, "found": false, "version": null, "path": null,
            "detail": null, "kernels": [], "macs": [], "offers": [], "forced": forced,
            "package": row.package, "reason": absence.reason,
        }),
    }
}

/// Code paths, and macs.
fn offered(record: &ProviderRecord) -> (Vec<&str>, Vec<&str>) {
    let mut kernels: Vec<&str> = Vec::new();
    // What computes nothing is no code path of a runtime.
    let is_told = |it: &&Offer| it.mac != NULL || record.name == NULL;
    for offer in record.offers.iter().filter(is_told) {
        if !kernels.contains(&offer.kernel.as_str()) {
            kernels.push(&offer.kernel);
        }
    }
    let macs = record.offers.iter().filter(is_told).map(|offer| offer.mac.as_str());
    (kernels, macs.filter(|mac| is_mac(mac)).collect())
}

/// The rows as a person reads them.
pub fn text(rows: &[Value], in_detail: bool) -> String {
    let (here, missing): (Vec<Value>, Vec<Value>) =
        rows.iter().cloned().partition(|row| row["found"] == true);
    let shown = if in_detail { in_full(&here) } else { counted(&here) };
    let missing = match &missing[..] {
        [] => String::new(),
        missing => format!("\nNot found:\n{}", table(missing, &["name", "package", "reason"])),
    };
    let hint = match in_detail {
        true => "",
        false => "\n`--details` lists their MACs, code paths and key lives.\n",
    };
    let forced = forced(rows);
    format!("{shown}{missing}{hint}{forced}")
}

/// A line a provider, with the number of its macs.
fn counted(rows: &[Value]) -> String {
    let counted = rows.iter().cloned().map(|mut row| {
        let count = row["macs"].as_array().map_or(0, Vec::len);
        row["macs"] = json!(count);
        row
    });
    table(&counted.collect::<Vec<_>>(), COLUMNS)
}

/// A block of lines a provider.
fn in_full(rows: &[Value]) -> String {
    let with_offers = rows.iter().map(|row| {
        let about = details(std::slice::from_ref(row), &["title", "version", "path", "detail"]);
        let mut groups: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
        for offer in row["offers"].as_array().into_iter().flatten() {
            let lives = offer["key_lives"].as_array().into_iter().flatten();
            let lives: Vec<&str> = lives.filter_map(Value::as_str).collect();
            let lives = if lives.is_empty() { "not timed".into() } else { lives.join(", ") };
            let kernel = offer["kernel"].as_str().unwrap_or_default().to_owned();
            let mac = offer["mac"].as_str().unwrap_or_default();
            groups.entry((kernel, lives)).or_default().push(mac);
        }
        let lines = groups
            .iter()
            .map(|((kernel, lives), macs)| told(kernel, &format!("{} ({lives})", fold(macs))));
        about + &lines.collect::<String>()
    });
    with_offers.collect::<Vec<_>>().join("\n")
}

/// Which code paths can be forced, and how that is said.
fn forced(rows: &[Value]) -> String {
    let mut lines = String::new();
    for row in rows.iter().filter(|row| row["found"] == true) {
        let names = row["forced"].as_array().into_iter().flatten();
        let names: Vec<&str> = names.filter_map(Value::as_str).collect();
        if !names.is_empty() {
            let name = row["name"].as_str().unwrap_or_default();
            let line = format!("{name}[…]: {}", names.join(", "));
            lines += &format!("{}\n", wrapped(&line, list_width(), "  "));
        }
    }
    if lines.is_empty() {
        return lines;
    }
    format!("\nCan be forced to a code path, as in `--provider 'macs[soft]'`:\n{lines}")
}

/// `hmac-md5, hmac-sha1` → `hmac: md5 sha1`.
fn fold(names: &[&str]) -> String {
    let mut families: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names {
        let (family, rest) = name.split_once('-').unwrap_or((name, ""));
        match families.iter_mut().find(|(known, _)| *known == family) {
            Some((_, rests)) => rests.push(rest),
            None => families.push((family, vec![rest])),
        }
    }
    let line = |(family, rests): &(&str, Vec<&str>)| match &rests[..] {
        [""] => (*family).to_owned(),
        ["", rests @ ..] => format!("{family}; {family}: {}", rests.join(" ")),
        rests => format!("{family}: {}", rests.join(" ")),
    };
    families.iter().map(line).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fold_to_families() {
        assert_eq!(
            fold(&["hmac-md5", "cmac-aes-128", "hmac-sha1"]),
            "hmac: md5 sha1; cmac: aes-128"
        );
        assert_eq!(fold(&["kmac128", "kmac128-xof"]), "kmac128; kmac128: xof");
        assert_eq!(fold(&["null"]), "null");
    }
}
