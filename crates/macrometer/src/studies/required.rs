//! What is wrong with a study's file, all at once: serde stops at the first key that is missing,
//! unknown or of another type.

use std::fmt;

use lab::study::{Study, StudyError};
use toml::{Table, Value};

/// Keys that must be there, by the list of tables that they are in; the first are the study's own.
/// Of a part, `cases` are a list of their own.
const REQUIRED: [(&str, &[&str]); 5] = [
    ("", &["name", "title", "summary", "budget_s", "launches", "panels", "parts"]),
    ("panels", &["name", "title"]),
    ("parts", &["name", "title", "key_lives", "cases"]),
    ("cases", &["name", "title", "macs"]),
    ("claims", &["id", "text", "source", "part"]),
];

/// Most lines that are told to be wrong.
const TOLD_MAX: usize = 8;

/// All that is wrong with a study's file, as far as one mistake does not hide another.
#[derive(Debug)]
pub struct Mistakes {
    wrong: Vec<StudyError>,
    missing: Vec<Missing>,
}

/// Keys that a table must have and does not.
#[derive(Debug)]
struct Missing {
    /// The table, as it stands before a message; empty for the study itself.
    place: String,
    /// As they would be written.
    keys: Vec<String>,
}

/// In one line.
impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wrong = self.wrong.iter().map(ToString::to_string);
        let missing = self.missing.iter().map(ToString::to_string);
        f.write_str(&wrong.chain(missing).collect::<Vec<_>>().join("; "))
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}missing {}", self.place, self.keys.join(", "))
    }
}

/// Reads a study.
///
/// # Errors
/// All that is wrong and where.
pub fn parse(text: &str) -> Result<Study, Mistakes> {
    let first = match Study::parse(text) {
        Ok(study) => return Ok(study),
        Err(error) => error,
    };
    let Ok(table) = text.parse::<Table>() else {
        return Err(Mistakes { wrong: vec![first], missing: vec![] });
    };
    let (mut wrong, missing) = (wrong_lines(text, &first), missing(&table));
    if wrong.is_empty() && missing.is_empty() {
        wrong.push(first);
    }
    Err(Mistakes { wrong, missing })
}

/// What is said of lines, the first and those that are wrong too: each is taken out in turn.
fn wrong_lines(text: &str, first: &StudyError) -> Vec<StudyError> {
    let (mut text, mut error, mut told) = (text.to_owned(), first.clone(), Vec::new());
    while told.len() < TOLD_MAX {
        let StudyError::Text { line: Some(number), .. } = &error else { break };
        let number = *number;
        let lines = text.lines().enumerate();
        let without = lines.map(|(at, line)| if at + 1 == number { "" } else { line });
        text = without.collect::<Vec<_>>().join("\n");
        told.push(error);
        // A value of several lines is no more one without its first.
        if text.parse::<Table>().is_err() {
            break;
        }
        match Study::parse(&text) {
            Ok(_) => break,
            Err(next) => error = next,
        }
    }
    told
}

/// What is missing in each table, as it would be written.
fn missing(study: &Table) -> Vec<Missing> {
    let mut told = Vec::new();
    look_into(study, "", String::new(), &mut told);
    for (list, _) in &REQUIRED[1..] {
        for (number, table) in (1..).zip(tables(study, list)) {
            look_into(table, list, shown(table, list, number), &mut told);
            if *list == "parts" {
                for (number, case) in (1..).zip(tables(table, "cases")) {
                    let place = shown(case, "parts.cases", number);
                    look_into(case, "cases", place, &mut told);
                }
            }
        }
    }
    told
}

fn look_into(table: &Table, list: &str, place: String, told: &mut Vec<Missing>) {
    let required = REQUIRED.iter().find(|(name, _)| *name == list);
    let required = required.map_or(&[][..], |(_, keys)| keys);
    let absent = required.iter().filter(|key| !table.contains_key(**key));
    let mut keys: Vec<String> = absent.map(|key| written(key)).collect();
    let lengths = ["sizes", "size_range"];
    let has_mix = || table.get("sessions").and_then(|it| it.get("mix")).is_some();
    if list == "parts" && !lengths.iter().any(|key| table.contains_key(*key)) && !has_mix() {
        keys.push("`sizes`".into());
    }
    if !keys.is_empty() {
        told.push(Missing { place, keys });
    }
}

/// A key as it is written: `title`, but `[[panels]]`.
fn written(key: &str) -> String {
    match key {
        "cases" => "[[parts.cases]]".into(),
        "panels" | "parts" => format!("[[{key}]]"),
        key => format!("`{key}`"),
    }
}

/// `[[panels]] "own": `, or its number where it has no name.
fn shown(table: &Table, list: &str, number: usize) -> String {
    let name = ["name", "id"].iter().find_map(|key| table.get(*key)?.as_str());
    name.map_or(format!("[[{list}]] {number}: "), |name| format!("[[{list}]] {name:?}: "))
}

/// The tables of a list in this one.
fn tables<'a>(table: &'a Table, list: &str) -> impl Iterator<Item = &'a Table> {
    let list = table.get(list).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_table)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STUDY: &str = "name = 'a'\ntitle = 'A'\nsummary = 'S'\nbudget_s = 1\nlaunches = 6\n\
        [[panels]]\nname = 'p'\ntitle = 'P'\n[[parts]]\nname = 'q'\ntitle = 'Q'\nsizes = [1]\n\
        key_lives = ['prepared']\n[[parts.cases]]\nname = 'c'\ntitle = 'C'\n\
        macs = ['hmac-sha256']\n[[claims]]\nid = 'i'\ntext = 'T'\nsource = 's'\n\
        part = 'q'\nargument = 'none'\n";

    fn table(text: &str) -> Table {
        text.parse().unwrap()
    }

    /// A list in the study, or the cases of its part.
    fn listed<'a>(study: &'a mut Table, list: &str) -> &'a mut Table {
        match list {
            "" => study,
            "cases" => listed(listed(study, "parts"), "cases_"),
            list => {
                let list = list.trim_end_matches('_');
                study.get_mut(list).unwrap().as_array_mut().unwrap()[0].as_table_mut().unwrap()
            }
        }
    }

    /// The list above is serde's: without any other key the study is one.
    #[test]
    fn a_key_is_required_if_and_only_if_there_is_no_study_without_it() {
        let whole = table(STUDY);
        assert!(parse(STUDY).is_ok() && missing(&whole).is_empty());
        for (list, required) in REQUIRED {
            let keys: Vec<String> = listed(&mut whole.clone(), list).keys().cloned().collect();
            assert!(required.iter().all(|key| keys.iter().any(|it| it == key)), "{list}");
            for key in keys {
                let mut without = whole.clone();
                listed(&mut without, list).remove(&key);
                let told = missing(&without);
                let study = Study::parse(&toml::to_string(&without).unwrap());
                if key == "argument" || key == "claims" {
                    assert!(told.is_empty(), "{list} {key}: {told:?}");
                } else {
                    assert!(study.is_err() && told.len() == 1, "{list} {key}: {told:?}");
                    assert!(told[0].keys.contains(&written(&key)), "{list} {key}: {told:?}");
                }
            }
        }
    }

    #[test]
    fn everything_is_told_at_once_with_its_place() {
        let said = |text: &str| parse(text).unwrap_err().to_string();
        let error = said("name = 'a'\nbudgit_s = 3\nlaunches = 'x'\n[[panels]]\n");
        for part in [
            "line 2: unknown field `budgit_s`",
            "line 3: invalid type: string \"x\"",
            "missing `title`, `summary`, `budget_s`, [[parts]]",
            "[[panels]] 1: missing `name`, `title`",
        ] {
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(!error.contains("missing field") && !error.contains('\n'), "{error}");
        let error = said(&STUDY.replace("macs = ['hmac-sha256']\n", ""));
        assert_eq!(error, "[[parts.cases]] \"c\": missing `macs`");
        let error = said(&STUDY.replace("sizes = [1]\nkey_lives = ['prepared']\n", ""));
        assert_eq!(error, "[[parts]] \"q\": missing `key_lives`, `sizes`");
        // What is no TOML is told by its parser, and what is no sense by the study.
        assert!(said("name = \n").starts_with("line 1: "));
        let senseless = said(&STUDY.replace("launches = 6", "launches = 0"));
        assert_eq!(senseless, "launches = 0: must be 1 to 1000");
    }
}
