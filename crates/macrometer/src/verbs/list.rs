//! `list`: what there is.

mod providers;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use comfy_table::{ContentArrangement, Table, presets};
use lab::study::fits;
use macs::MacInfo;
use serde_json::{Value, json};

use super::Format;
use crate::found;
use crate::places::ArchiveArg;
use crate::selection::unknown_mac;
use crate::{output, reached, studies};

/// List providers, macs, studies or runs.
#[derive(Debug, Args)]
pub struct List {
    /// What to list
    #[arg(value_enum)]
    what: What,
    /// Macs to list, by name or pattern with * (`cmac-*`)
    #[arg(long, value_name = "MAC", value_delimiter = ',')]
    mac: Vec<String>,
    /// All that is known of each mac: proof, bound, nonce, key life, approval, attacks; of each
    /// provider: its build, and every mac with its code path and key lives
    #[arg(long)]
    details: bool,
    /// What bounds each mac on this machine, in core cycles a byte, and how near `macs` comes to
    /// it: measured now, for a few seconds [default macs: those with a known bound]
    #[arg(long, conflicts_with = "details")]
    bounds: bool,
    /// How to write it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// A library to look at, or one more of its kind: openssl=PATH, openssl-4.0=PATH
    #[arg(long, value_name = "NAME=PATH")]
    lib: Vec<String>,
    #[command(flatten)]
    archive: ArchiveArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    Macs,
    Providers,
    Runs,
    Studies,
}

impl List {
    pub fn run(self) -> Result<u8> {
        let rows = match self.what {
            _ if self.bounds => self.bounds()?,
            What::Macs => wanted(&self.mac)?.into_iter().map(mac).collect(),
            What::Providers => {
                found::find(&found::sought(&self.lib)?).iter().map(providers::row).collect()
            }
            What::Runs => runs(&self.archive)?,
            What::Studies => study_rows()?,
        };
        output::print(&match self.format {
            Format::Json => serde_json::to_string_pretty(&rows)?,
            Format::Text if self.bounds => reached::table(&rows),
            Format::Text if self.what == What::Providers => providers::text(&rows, self.details),
            Format::Text if self.details => details(&rows, DETAILS),
            Format::Text if self.what == What::Macs => {
                narrow(&rows, columns(self.what)) + STANDINGS
            }
            Format::Text => table(&rows, columns(self.what)),
        })?;
        Ok(0)
    }

    fn bounds(&self) -> Result<Vec<Value>> {
        if self.what != What::Macs {
            bail!("--bounds: only macs have bounds (`macrometer list macs --bounds`)");
        }
        let chosen = if self.mac.is_empty() { vec![] } else { wanted(&self.mac)? };
        if !chosen.is_empty() && chosen.iter().all(|mac| mac.is_composition()) {
            bail!("--mac {}: a composition, which is not timed", self.mac.join(","));
        }
        Ok(reached::rows(&chosen))
    }
}

/// Keys of the rows that the table shows, in its order; the JSON has them all.
fn columns(what: What) -> &'static [&'static str] {
    match what {
        What::Macs => &["name", "key", "nonce", "tag", "kernel", "standing", "in_constant_time"],
        What::Providers => providers::COLUMNS,
        What::Runs => &["id", "study", "state", "samples", "spent_s"],
        What::Studies => &["name", "title", "budget_s", "source"],
    }
}

/// The macs that fit one of the patterns, or all where there is none.
fn wanted(patterns: &[String]) -> Result<Vec<&'static MacInfo>> {
    let is_wanted = |mac: &&MacInfo| {
        patterns.is_empty() || patterns.iter().any(|pattern| fits(pattern, mac.name))
    };
    for pattern in patterns {
        if !macs::catalog().iter().any(|mac| fits(pattern, mac.name)) {
            bail!(unknown_mac(pattern));
        }
    }
    Ok(macs::catalog().iter().filter(is_wanted).collect())
}

/// The lengths as sentences for people, as numbers for programs; what is known of the mac in full.
fn mac(mac: &MacInfo) -> Value {
    let MacInfo { mode, primitive, nonce, .. } = mac;
    let (in_constant_time, _) = primitive.constant_time.split_once(':').unwrap_or_default();
    json!({
        "name": mac.name,
        "title": mac.title,
        "specification": mode.specification,
        "key": mac.accepted_key_len.to_string(),
        "key_len_bytes": mac.key_len_bytes,
        "any_key_len": mac.accepted_key_len == macs::Len::Any,
        "nonce": nonce.map(|nonce| nonce.accepted_len.to_string()),
        "nonce_len_bytes": nonce.map(|nonce| nonce.len_bytes),
        "tag": mac.accepted_tag_len.to_string(),
        "tag_len_bytes": mac.tag_len_bytes,
        "is_composition": mac.is_composition(),
        "kernel": mac.kernel(),
        "kernels": mac.kernels().iter().map(|kernel| kernel.as_str()).collect::<Vec<_>>(),
        "standing": mac.standing().name(),
        "constant_time": primitive.constant_time,
        "in_constant_time": in_constant_time,
        "proof": mode.proof,
        "bound": mode.bound,
        "nonce_rule": mode.nonce,
        "key_life": mode.key_life,
        "approved_by": mode.approved_by,
        "attacks": mode.attacks,
        "primitive": primitive.title,
        "primitive_note": primitive.note,
    })
}

/// What `--details` shows of a mac, in this order.
const DETAILS: &[&str] = &[
    "title",
    "specification",
    "standing",
    "key",
    "nonce",
    "tag",
    "proof",
    "bound",
    "nonce_rule",
    "key_life",
    "approved_by",
    "attacks",
    "primitive",
    "primitive_note",
    "constant_time",
    "kernel",
    "kernels",
];

/// A block of lines a mac; what is empty is left out.
fn details(rows: &[Value], names: &[&str]) -> String {
    let block = |row: &Value| {
        let shown = names.iter().map(|&name| (name, text(name, row)));
        let line =
            |(name, text): (&str, String)| format!("  {:<16}{text}\n", name.replace('_', " "));
        let lines: String =
            shown.filter(|(_, text)| !matches!(&text[..], "" | "–")).map(line).collect();
        format!("{}\n{lines}", text("name", row))
    };
    rows.iter().map(block).collect::<Vec<_>>().join("\n")
}

/// What the words in the column `standing` mean.
const STANDINGS: &str = "
sound        no attack known beyond its bound, over a primitive that stands
conditional  sound under a condition (no nonce twice, a key used once), badly broken without it
legacy       no practical attack, but not for new designs
broken       forgeries are known in general use
`--details` tells why, and by whom each is approved; --mac 'cmac-*' narrows the list.
";

fn runs(archive: &ArchiveArg) -> Result<Vec<Value>> {
    Ok(archive.open()?.runs()?.iter().map(|run| json!(run)).collect())
}

fn study_rows() -> Result<Vec<Value>> {
    let row = |study: lab::study::Study| {
        json!({
            "name": study.name, "title": study.title, "summary": study.summary,
            "source": study.source, "budget_s": study.budget_s, "launches": study.launches,
        })
    };
    Ok(studies::built_in()?.into_iter().map(row).collect())
}

/// One line a row.
fn narrow(rows: &[Value], columns: &[&str]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(columns.iter().map(|name| name.replace('_', " ")));
    for row in rows {
        table.add_row(columns.iter().map(|&name| text(name, row)));
    }
    format!("{table}\n")
}

fn table(rows: &[Value], columns: &[&str]) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    if table.width().is_none() {
        table.set_width(140);
    }
    table.set_header(columns.iter().map(|name| name.replace('_', " ")));
    for row in rows {
        table.add_row(columns.iter().map(|&name| text(name, row)));
    }
    table.to_string()
}

/// A list of names as words.
fn text(name: &str, row: &Value) -> String {
    match &row[name] {
        Value::Null => "–".into(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::Number(number) => number.as_f64().map_or(number.to_string(), |x| {
            if x.fract() == 0.0 { number.to_string() } else { format!("{x:.1}") }
        }),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        Value::Object(_) => row[name].to_string(),
    }
}
