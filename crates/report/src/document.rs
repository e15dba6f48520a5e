//! JSON for other programs, all of which is written here. It may hold text of workers and of
//! strangers: a terminal that shows it acts on nothing in it.

use std::fmt::Write as _;

use serde::Serialize;

use crate::findings::SCHEMA;

/// A document that begins with the version of its form.
#[derive(Serialize)]
struct Document<'a, T> {
    schema: u32,
    #[serde(flatten)]
    content: &'a T,
}

/// What has named fields, as a document that says by which version its form is described.
///
/// # Errors
/// None that plain data can have; likewise below.
pub fn document(content: &impl Serialize) -> serde_json::Result<String> {
    json(&Document { schema: SCHEMA, content })
}

/// Anything as it is.
///
/// # Errors
/// As [`document`].
pub fn json(content: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string_pretty(content).map(escaped)
}

/// The same in one line.
///
/// # Errors
/// As [`document`].
pub fn json_line(content: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(content).map(escaped)
}

/// JSON in which letters on which a terminal acts are escaped. They are only in strings.
fn escaped(json: String) -> String {
    if !json.contains(words::is_control) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len());
    for letter in json.chars() {
        match words::is_control(letter) {
            true => letter.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                let _ = write!(escaped, "\\u{unit:04x}");
            }),
            false => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_escaped_and_read_back() {
        let name = "a\u{1b}\u{7f}\u{9b}\u{202e}\n\t“é”";
        let content = std::collections::BTreeMap::from([("name", name)]);
        for json in [document(&content), json(&content), json_line(&content)].map(Result::unwrap) {
            assert!(!json.contains(words::is_control), "{json}");
            assert!(json.contains(r"\u009b\u202e") && json.contains("“é”"), "{json}");
            let read: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!(read["name"], name);
        }
    }
}
