//! `list`: what there is.

mod policies;
mod providers;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use lab::archive::RunLine;
use lab::record::Invocation;
use lab::study::fits;
use macs::{Hardware, MacInfo, Repeat};
use report::terminal::wrapped;
use serde_json::{Value, json};

use super::Format;
use crate::paths::{ArchiveArg, sound};
use crate::policies::Policy;
use crate::suggestions::unknown_mac;
use crate::without::WithoutArgs;
use crate::{efficiency, output, studies};

/// List providers, MACs, policies, studies or runs.
#[derive(Debug, Args)]
pub struct List {
    /// What to list
    #[arg(value_enum)]
    what: What,
    /// MACs to list, by name or pattern with * (`cmac-*`)
    #[arg(long, value_name = "MAC", value_delimiter = ',')]
    mac: Vec<String>,
    /// Everything known about each MAC (proof, bound, nonce, key life, approval, attacks), provider
    /// (its build, and every MAC with its code path and key lives) or policy (how it is read)
    #[arg(long)]
    details: bool,
    /// Status of each MAC by a policy, from `list policies` or a TOML file of your own
    /// (docs/policies.md); with `--details` the wording of its document
    #[arg(long, value_name = "NAME|FILE", value_delimiter = ',', conflicts_with = "bounds")]
    policy: Vec<String>,
    /// Lower bound of each MAC on this machine in core cycles per byte, and how close `macs` comes
    /// to it; measures for a few seconds [default MACs: those with a known bound]
    #[arg(long, conflicts_with = "details")]
    bounds: bool,
    #[command(flatten)]
    without: WithoutArgs,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// A library to look at instead (openssl=PATH), or one more of its kind (openssl-4.0=PATH)
    #[arg(long, value_name = "NAME=PATH")]
    lib: Vec<String>,
    #[command(flatten)]
    pub archive: ArchiveArg,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    Macs,
    Policies,
    Providers,
    Runs,
    Studies,
}

impl List {
    pub fn run(self) -> Result<u8> {
        if self.without.is_given() && !self.bounds {
            bail!("--without and --tier: only for `macrometer list macs --bounds`");
        }
        self.without.apply()?;
        let policies = self.policies()?;
        let rows = self.rows(&policies)?;
        match self.format {
            Format::Json => output::print(&report::json(&rows)?)?,
            Format::Text => output::print_text(&self.text(rows, &policies))?,
        }
        Ok(0)
    }

    fn rows(&self, policies: &[Policy]) -> Result<Vec<Value>> {
        match self.what {
            _ if self.bounds => self.bounds(),
            What::Macs if !policies.is_empty() => {
                let row = |mac| policies::mac_row(mac, policies);
                Ok(wanted(&self.mac)?.into_iter().map(row).collect())
            }
            What::Policies => policies::rows(),
            What::Macs => Ok(wanted(&self.mac)?.into_iter().map(mac).collect()),
            What::Providers => providers::rows(&self.lib),
            What::Runs => runs(&self.archive),
            What::Studies => study_rows(),
        }
    }

    fn text(&self, rows: Vec<Value>, policies: &[Policy]) -> String {
        match self.what {
            _ if self.bounds => efficiency::table(&rows, super::list_width()),
            What::Providers => providers::text(&rows, self.details),
            What::Macs if !policies.is_empty() => policies::text(&rows, policies, self.details),
            What::Policies if self.details => details(&rows, policies::DETAILS),
            _ if self.details => details(&rows, DETAILS),
            What::Macs => table(&rows, columns(self.what)) + &standings(),
            _ => table(&timed(rows), columns(self.what)),
        }
    }

    fn policies(&self) -> Result<Vec<Policy>> {
        if !self.policy.is_empty() && self.what != What::Macs {
            bail!("--policy: only MACs have a status (`macrometer list macs --policy NAME`)");
        }
        policies::named(&self.policy)
    }

    fn bounds(&self) -> Result<Vec<Value>> {
        if self.what != What::Macs {
            bail!("--bounds: only MACs have bounds (`macrometer list macs --bounds`)");
        }
        let chosen = if self.mac.is_empty() { vec![] } else { wanted(&self.mac)? };
        if !chosen.is_empty() && chosen.iter().all(|mac| mac.is_composition()) {
            bail!("--mac {}: a composition, which is not timed", self.mac.join(","));
        }
        Ok(efficiency::rows(&chosen))
    }
}

/// Keys of the rows that the table shows, in its order; the JSON has them all.
fn columns(what: What) -> &'static [&'static str] {
    match what {
        What::Macs => &["name", "key", "nonce", "tag", "kernel", "standing", "in_constant_time"],
        What::Policies => policies::COLUMNS,
        What::Providers => providers::COLUMNS,
        What::Runs => &["id", "study", "narrowed_by", "state", "cells", "samples", "time"],
        What::Studies => &["name", "title", "time", "source"],
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
        "kind": mac.kind().name(),
        "prf": mac.prf().name(),
        "nonce_need": mac.nonce_need().name(),
        "nonce_repeat_costs": mac.nonce_need().repeat().map(Repeat::name),
        "key_bits_min": mac.key_bits_min(),
        "short_tags": mac.short_tags().name(),
        "tag_bits_min": mac.tag_bits_min(),
        "messages_per_key": mac.key_limit().to_string(),
        "fast_with": mac.hardware().map(Hardware::name).collect::<Vec<_>>(),
        "quantum": mac.quantum().name(),
        "constant_time": mac.constant_time().to_string(),
        "in_constant_time": mac.constant_time().name(),
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
    "kind",
    "prf",
    "key",
    "key_bits_min",
    "nonce",
    "nonce_repeat_costs",
    "tag",
    "short_tags",
    "tag_bits_min",
    "messages_per_key",
    "proof",
    "bound",
    "nonce_rule",
    "key_life",
    "approved_by",
    "attacks",
    "primitive",
    "primitive_note",
    "constant_time",
    "fast_with",
    "quantum",
    "kernel",
    "kernels",
];

/// A block of lines a mac; what is empty is left out.
fn details(rows: &[Value], names: &[&str]) -> String {
    let block = |row: &Value| {
        let shown = names.iter().map(|&name| (name, text(name, row)));
        let line = |(name, text): (&str, String)| told(&headed(name), &text);
        let lines: String =
            shown.filter(|(_, text)| !matches!(&text[..], "" | "–")).map(line).collect();
        format!("{}\n{lines}", text("name", row))
    };
    rows.iter().map(block).collect::<Vec<_>>().join("\n")
}

/// A line with a name before it, folded at the width of a terminal.
fn told(name: &str, text: &str) -> String {
    let indent = " ".repeat(NAMES_WIDTH);
    let text = wrapped(text, super::list_width(), &indent);
    format!("  {name:<0$}{1}\n", NAMES_WIDTH - 2, text.trim_start())
}

/// Columns before the texts of details.
const NAMES_WIDTH: usize = 20;

/// What the words in the column `standing` mean.
const STANDINGS: [(&str, &str); 4] = [
    ("sound", "no attack known beyond its bound, over an unbroken primitive"),
    (
        "conditional",
        "sound under a condition (unique nonces, one message per key), badly broken without it",
    ),
    ("legacy", "no practical attack, but not for new designs"),
    ("broken", "forgeries are known in general use"),
];

/// The same as lines, and where to read more.
fn standings() -> String {
    let lines = STANDINGS.map(|(word, meaning)| told(word, meaning)).concat();
    let more = "`--details` says why, and who approves each; --mac 'cmac-*' narrows the list.";
    format!("\nStanding:\n{lines}{}\n", wrapped(more, super::list_width(), ""))
}

fn runs(archive: &ArchiveArg) -> Result<Vec<Value>> {
    let row = |run: &RunLine| {
        let mut row = json!(run);
        row["narrowed_by"] = json!(run.invocation.as_ref().and_then(Invocation::asked));
        row
    };
    Ok(sound(archive.open()?.runs()?).iter().map(row).collect())
}

fn study_rows() -> Result<Vec<Value>> {
    let row = |study: lab::study::Study| {
        json!({
            "name": study.name, "title": study.title, "summary": study.summary,
            "source": study.source, "budget_s": study.budget_s, "launches": study.launches,
        })
    };
    Ok(studies::built_in::all()?.into_iter().map(row).collect())
}

/// A row each, in the style of reports; columns of numbers are aligned right.
pub(super) fn table(rows: &[Value], columns: &[&str]) -> String {
    let head: Vec<String> = columns.iter().map(|name| headed(name)).collect();
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let is_words = |&column: &usize| !rows.iter().all(|row| row[columns[column]].is_number());
    let left: Vec<usize> = (0..columns.len()).filter(is_words).collect();
    let rows = rows.iter().map(|row| columns.iter().map(|&name| text(name, row)).collect());
    report::terminal::table(&head, rows.collect(), &left, super::list_width())
}

fn headed(name: &str) -> String {
    match name {
        "id" => "run".into(),
        "is_draft" => "draft".into(),
        "kernel" => "code path".into(),
        "kernels" => "code paths".into(),
        "key_bits_min" => "minimum key bits".into(),
        "nonce_repeat_costs" => "repeat costs".into(),
        "prf" => "PRF".into(),
        "tag_bits_min" => "minimum tag bits".into(),
        name => name.replace('_', " "),
    }
}

/// With the time that a run took, of that which it may take, or that of a study.
fn timed(mut rows: Vec<Value>) -> Vec<Value> {
    for row in &mut rows {
        let budget_s = row["budget_s"].as_f64().unwrap_or_default();
        let time = match row["spent_s"].as_f64() {
            Some(spent_s) => format!("{spent_s:.0} of {budget_s:.0} s"),
            None => format!("{budget_s:.0} s"),
        };
        row["time"] = json!(time);
    }
    rows
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
        // Of runs: begun and not ended.
        Value::String(text) if name == "state" && text == "open" => "unfinished".into(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        Value::Object(_) => row[name].to_string(),
    }
}
