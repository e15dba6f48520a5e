//! The statements that both databases take, as a server gets them: with the schema before the
//! names of our tables, so that nothing else is found by a name than what is the server's own.

/// Words that a table's name follows.
const BEFORE: [&str; 4] = ["FROM", "INTO", "UPDATE", "JOIN"];

/// All tables of an archive.
pub(super) const NAMES: [&str; 14] = [
    "archive",
    "run",
    "cell",
    "sample",
    "single_calls",
    "event",
    "writer",
    "bundle",
    "seal",
    "scheme",
    "load",
    "sessions",
    "processor",
    "launch",
];

/// The statement with the schema before the names of tables, but for those in a text.
pub(super) fn qualified(sql: &str) -> String {
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut out, mut rest) = (String::with_capacity(sql.len() + 64), sql);
    let (mut is_next, mut is_text) = (false, false);
    while let Some(first) = rest.chars().next() {
        let len = match is_of_word(first) {
            true => rest.find(|c| !is_of_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (part, behind) = rest.split_at(len);
        rest = behind;
        is_text ^= first == '\'';
        if is_next && !is_text && NAMES.contains(&part) {
            out.push_str("macrometer.");
        }
        is_next = BEFORE.contains(&part) || (is_next && first.is_whitespace());
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_named_with_their_schema_and_columns_are_not() {
        for (sql, sent) in [
            ("SELECT id FROM run", "SELECT id FROM macrometer.run"),
            ("SELECT run FROM\n  sample WHERE", "SELECT run FROM\n  macrometer.sample WHERE"),
            (
                "SELECT EXISTS (SELECT 1 FROM sample WHERE run = ?1) FROM run r JOIN cell c",
                "SELECT EXISTS (SELECT 1 FROM macrometer.sample WHERE run = ?1) \
                 FROM macrometer.run r JOIN macrometer.cell c",
            ),
            ("UPDATE run SET state = ?2", "UPDATE macrometer.run SET state = ?2"),
            ("DELETE FROM seal", "DELETE FROM macrometer.seal"),
            (
                "INSERT INTO seal (run) VALUES (?1) ON CONFLICT (run) DO UPDATE SET rows = 1",
                "INSERT INTO macrometer.seal (run) VALUES (?1) ON CONFLICT (run) DO UPDATE SET \
                 rows = 1",
            ),
            ("SELECT 'x FROM run' FROM run", "SELECT 'x FROM run' FROM macrometer.run"),
            ("SELECT 1 FROM macrometer.run", "SELECT 1 FROM macrometer.run"),
            ("SELECT 1 FROM pg_class, runs", "SELECT 1 FROM pg_class, runs"),
        ] {
            assert_eq!(qualified(sql), sent);
        }
    }
}
