//! Words of what SQLite keeps of a table or an index: the text by which it was made.

/// Whether one of these words stands there outside of quotes and comments, in letters of any case.
/// Whatever is neither a letter of ASCII, a digit nor `_` ends a word, also where SQLite reads on:
/// rather one too many is found.
pub(super) fn has_any(words: &[&str], sql: &str) -> bool {
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let len = match first {
            // A quote within a text is doubled, as if one text ended and the next began.
            '\'' | '"' | '`' => len_to(first, rest, 1),
            '[' => len_to(']', rest, 1),
            '-' if rest.starts_with("--") => len_to('\n', rest, 2),
            '/' if rest.starts_with("/*") => {
                rest[2..].find("*/").map_or(rest.len(), |at| 2 + at + "*/".len())
            }
            _ if is_of_word(first) => {
                let len = rest.find(|it: char| !is_of_word(it)).unwrap_or(rest.len());
                if words.iter().any(|it| it.eq_ignore_ascii_case(&rest[..len])) {
                    return true;
                }
                len
            }
            other => other.len_utf8(),
        };
        rest = &rest[len..];
    }
    false
}

/// Bytes to the end of what begins with so many bytes and ends with this character of one byte.
fn len_to(last: char, rest: &str, begin: usize) -> usize {
    rest[begin..].find(last).map_or(rest.len(), |at| begin + at + 1)
}

fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_outside_of_quotes_and_comments_only() {
        let has = |sql: &str| has_any(&["CHECK"], sql);
        for sql in [
            "check",
            "a CHECK(b)",
            "'it''s' CHECK",
            "\"a\"\"b\"check",
            "[a]check",
            "a -- b\ncheck",
            "/*/ a */check",
            "/**/check",
            "a - check / b",
            // White space to SQLite where a word would begin.
            "a \u{feff}CHECK (b)",
            "@check",
        ] {
            assert!(has(sql), "{sql}");
        }
        for sql in [
            "",
            "checks, check_, _check, a1check",
            "'check', 'it''s check'",
            "\"check\" [check] `check`",
            "a -- check",
            "a /* check */ b /* check",
            "/*/ check */",
            "'check",
        ] {
            assert!(!has(sql), "{sql}");
        }
    }
}
