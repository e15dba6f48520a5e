//! Slowdowns that are known and accepted: a TOML file that says which, why, by whom and until when.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use jiff::civil::Date;
use report::gate::Accepted;
use serde::Deserialize;

use crate::reading;

/// Longest text of an entry.
const LETTERS_MAX: usize = 500;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    accept: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    cell: String,
    reason: String,
    author: String,
    expires: String,
}

/// What a file accepts, as of a day.
pub fn read(path: &Path, today: Date) -> Result<Vec<Accepted>> {
    let name = path.display();
    let bytes = reading::whole(path, reading::STUDY_BYTES_MAX);
    let bytes = bytes.map_err(|error| anyhow!("cannot read --accept {name}: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|_| anyhow!("--accept {name}: not a text file"))?;
    parse(&text, today).with_context(|| format!("--accept {name}")).map_err(in_one_line)
}

/// Where and what, in one line.
fn in_one_line(error: anyhow::Error) -> anyhow::Error {
    anyhow!("{error:#}")
}

fn parse(text: &str, today: Date) -> Result<Vec<Accepted>> {
    let line_of = |at: usize| 1 + text[..at].matches('\n').count();
    let file: File = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(String::new(), |it| format!("line {}: ", line_of(it.start)));
        anyhow!("{line}{}", error.message().replace('\n', "; "))
    })?;
    let numbered = file.accept.into_iter().enumerate();
    numbered.map(|(at, entry)| entry.checked(at + 1, today)).collect()
}

impl Entry {
    fn checked(self, number: usize, today: Date) -> Result<Accepted> {
        let Self { cell, reason, author, expires } = self;
        for (field, value) in [("cell", &cell), ("reason", &reason), ("author", &author)] {
            let is_text = !value.trim().is_empty() && !value.chars().any(char::is_control);
            if !is_text || value.chars().count() > LETTERS_MAX {
                bail!("entry {number}: {field} = {value:?}: must be 1 to {LETTERS_MAX} characters");
            }
        }
        if cell.split('/').count() != 3 && cell != "*" {
            bail!(
                "entry {number}: cell = {cell:?}: must be MAC/KEY-LIFE/LENGTH, in which * stands \
                 for anything, such as hmac-*/prepared/64"
            );
        }
        let date: Date = expires.parse().map_err(|_| {
            anyhow!("entry {number}: expires = {expires:?}: must be a date such as 2027-03-31")
        })?;
        Ok(Accepted { cell, reason, author, expires: date.to_string(), expired: date < today })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[[accept]]\ncell = \"hmac-*/prepared/64\"\nreason = \"masking\"\n\
                        author = \"A. Author\"\nexpires = \"2027-03-31\"\n";

    fn on(text: &str, day: &str) -> Result<Vec<Accepted>> {
        parse(text, day.parse().unwrap())
    }

    #[test]
    fn an_entry_counts_up_to_its_last_day() {
        for (day, expired) in [("2026-01-01", false), ("2027-03-31", false), ("2027-04-01", true)] {
            let accepted = on(GOOD, day).unwrap();
            assert_eq!((accepted.len(), accepted[0].expired), (1, expired), "{day}");
        }
        assert!(on("", "2026-01-01").unwrap().is_empty());
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        for (from, to, told) in [
            ("reason = \"masking\"\n", "", "reason"),
            ("reason", "raeson", "raeson"),
            ("\"masking\"", "\" \"", "entry 1: reason"),
            ("2027-03-31", "soon", "entry 1: expires = \"soon\": must be a date"),
            ("2027-03-31", "2027-02-30", "must be a date"),
            ("hmac-*/prepared/64", "hmac-*", "MAC/KEY-LIFE/LENGTH"),
            ("[[accept]]", "[[accepted]]", "line 1"),
            ("author = ", "author ", "line 4"),
        ] {
            let error = on(&GOOD.replace(from, to), "2026-01-01").unwrap_err().to_string();
            assert!(error.contains(told), "{to}: {error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    }
}
