//! Policies, and the status of every MAC by those that were asked for.

use anyhow::{Result, bail};
use macs::MacInfo;
use report::terminal::{table, wrapped};
use serde_json::{Value, json};

use super::{mac, told};
use crate::policies::{self, Policy, Status};
use crate::verbs::list_width;

/// Keys of the rows of policies that the table shows.
pub const COLUMNS: &[&str] = &["name", "title", "version", "macs_named"];

/// What `--details` shows of a policy.
pub const DETAILS: &[&str] = &["title", "document", "version", "is_draft", "url", "macs", "about"];

/// Every policy that comes with the command.
pub fn rows() -> Result<Vec<Value>> {
    let row = |policy: Policy| {
        let is_named = |mac: &&MacInfo| policy.status(mac) != Status::Silent;
        let named = macs::catalog().iter().filter(is_named).map(|mac| mac.name);
        let named: Vec<&str> = named.collect();
        json!({
            "name": policy.name, "title": policy.title, "document": policy.document,
            "version": policy.version, "url": policy.url, "is_draft": policy.is_draft,
            "about": policy.about, "macs_named": named.len(), "macs": named,
            "rules": policy.rules,
        })
    };
    Ok(policies::built_in()?.into_iter().map(row).collect())
}

/// The policies of these names or files, each once.
pub fn named(names: &[String]) -> Result<Vec<Policy>> {
    let mut found: Vec<Policy> = Vec::new();
    for name in names {
        let policy = policies::find(name)?;
        if found.iter().any(|other| other.name == policy.name) {
            bail!("--policy {name}: policy {:?} is given twice", policy.name);
        }
        found.push(policy);
    }
    Ok(found)
}

/// A row of `list macs` with what these policies say of the mac.
pub fn mac_row(info: &MacInfo, policies: &[Policy]) -> Value {
    let mut row = mac(info);
    let said = policies.iter().map(|policy| {
        let rules: Vec<_> = policy.rules(info).collect();
        let status = policy.status(info);
        (policy.name.clone(), json!({ "status": status, "rules": rules }))
    });
    row["policies"] = Value::Object(said.collect());
    row
}

/// The status of each mac, or the words of the documents, and what to know of the policies.
pub fn text(rows: &[Value], policies: &[Policy], in_detail: bool) -> String {
    let macs = if in_detail { with_quotes(rows, policies) } else { statuses(rows, policies) };
    macs + &words(policies)
}

/// The status beside each mac.
fn statuses(rows: &[Value], policies: &[Policy]) -> String {
    let names = policies.iter().map(|policy| policy.name.as_str());
    let head: Vec<&str> = ["name", "standing"].into_iter().chain(names).collect();
    let cells = |row: &Value| {
        let own = ["name", "standing"].map(|key| row[key].clone());
        let said = policies.iter().map(|policy| row["policies"][&policy.name]["status"].clone());
        let cells = own.into_iter().chain(said);
        cells.map(|cell| cell.as_str().unwrap_or_default().into()).collect()
    };
    let left: Vec<usize> = (0..head.len()).collect();
    table(&head, rows.iter().map(cells).collect(), &left, list_width())
}

/// A block of lines a mac: its statuses with the words of each document.
fn with_quotes(rows: &[Value], policies: &[Policy]) -> String {
    let block = |row: &Value| {
        let mut text = format!("{}\n", row["name"].as_str().unwrap_or_default());
        for policy in policies {
            let said = &row["policies"][&policy.name];
            text += &told(&policy.name, said["status"].as_str().unwrap_or_default());
            let rules = said["rules"].as_array().map_or(&[][..], Vec::as_slice);
            for rule in rules {
                text += &told("", &statement(rule, policy, rules.len() > 1));
            }
        }
        text
    };
    let blocks: Vec<String> = rows.iter().map(block).collect();
    blocks.join("\n")
}

/// `“…” (section 6; with fewer than 128 bits of tag disallowed)`; led by its own status where
/// several rules are about one mac. The document is told only if it is not the policy's.
fn statement(rule: &Value, policy: &Policy, is_one_of_several: bool) -> String {
    let text = |key: &str| rule[key].as_str().unwrap_or_default();
    let mut said = String::new();
    if is_one_of_several {
        said += &format!("{}: ", text("status"));
    }
    said += &format!("“{}” (", text("quote"));
    if text("document") != policy.document || text("version") != policy.version {
        said += &format!("{}, {}, {}: ", text("document"), text("version"), text("url"));
    }
    said += text("place");
    for (key, of) in [("key_bits_min", "key"), ("tag_bits_min", "tag")] {
        if let Some(bits) = rule[key].as_u64() {
            said += &format!("; with fewer than {bits} bits of {of} disallowed");
        }
    }
    said += ")";
    if text("note").is_empty() { said } else { format!("{said}. {}", text("note")) }
}

/// What the statuses mean, and which document each policy is.
fn words(policies: &[Policy]) -> String {
    let meanings = Status::ALL.map(|(status, meaning)| told(status.name(), meaning)).concat();
    let document = |policy: &Policy| {
        let draft = if policy.is_draft { "DRAFT: " } else { "" };
        let Policy { document, version, url, .. } = policy;
        told(&policy.name, &format!("{draft}{document} ({version}); {url}"))
    };
    let documents: String = policies.iter().map(document).collect();
    let more = "For keys and tags of the usual lengths. `--details` quotes each document, \
                `macrometer list policies --details` says how it is read.";
    format!("\nStatus:\n{meanings}\nPolicies:\n{documents}\n{}\n", wrapped(more, list_width(), ""))
}
