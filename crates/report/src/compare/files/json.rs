//! JSON of programs that write numbers which it does not have: `NaN` and `Infinity`.

use std::borrow::Cow;

/// What stands for no number.
const WORDS: [&str; 4] = ["-NaN", "NaN", "-Infinity", "Infinity"];

/// The text with `null` in the place of these words, but within quotation marks. What is no JSON
/// stays as it is.
pub(super) fn without_words(text: &str) -> Cow<'_, str> {
    if !text.trim_start().starts_with('{') || !WORDS.iter().any(|word| text.contains(word)) {
        return Cow::Borrowed(text);
    }
    let (mut json, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(begin) = rest.find('"') {
        let (outside, behind) = rest.split_at(begin);
        let (quoted, behind) = behind.split_at(end_of_string(behind));
        json.push_str(&nulled(outside));
        json.push_str(quoted);
        rest = behind;
    }
    json.push_str(&nulled(rest));
    Cow::Owned(json)
}

/// Where a string ends that begins the text, its closing quotation mark included.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn nulled(text: &str) -> String {
    WORDS.iter().fold(text.to_owned(), |text, word| text.replace(word, "null"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_no_number_are_null_but_in_strings() {
        let text = r#"{"NaN": NaN, "a\"Infinity": [Infinity, -Infinity, -NaN, 1], "b": "NaN"}"#;
        let json = r#"{"NaN": null, "a\"Infinity": [null, null, null, 1], "b": "NaN"}"#;
        assert_eq!(without_words(text), json);
        for same in [r#"{"a": 1}"#, "NaN,Infinity\n1,2\n", ""] {
            assert!(matches!(without_words(same), Cow::Borrowed(it) if it == same));
        }
        // What is damaged stays damaged.
        assert_eq!(without_words("{\"a\": NaN, \"b\\"), "{\"a\": null, \"b\\");
    }
}
