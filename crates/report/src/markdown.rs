//! The little Markdown that reports need: text without markup, and tables as GitHub and GitLab show
//! them.

/// What a reader of Markdown would take for markup, as it is written; what a terminal, or a browser
/// with the direction of writing, would act on is replaced.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in words::legible(text).chars() {
        if matches!(letter, '|' | '*' | '_' | '`' | '<' | '[' | ']' | '\\' | '#') {
            out.push('\\');
        }
        out.push(if letter == '\n' { ' ' } else { letter });
    }
    out
}

/// A table whose first `left` columns are aligned to the left, the others to the right; nothing
/// where it has no rows.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>], left: usize) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let rule = (0..head.len()).map(|at| if at < left { "---" } else { "--:" });
    let mut text = line(head.iter().map(|it| escaped(it)).collect());
    text += &format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
    text.extend(rows.iter().map(|row| line(row.iter().map(|it| escaped(it)).collect())));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_markup() {
        assert_eq!(escaped("a|b<c>*\nd"), "a\\|b\\<c>\\* d");
        assert_eq!(escaped("a\u{1b}[31mb\u{202e}c"), "a\u{fffd}\\[31mb\u{fffd}c");
    }

    #[test]
    fn a_table_has_a_rule_and_escaped_cells() {
        let rows = [vec!["a|b".to_owned(), "1".to_owned()]];
        assert_eq!(table(&["x", "y"], &rows, 1), "| x | y |\n|---|--:|\n| a\\|b | 1 |\n");
        assert_eq!(table(&["x"], &[], 1), "");
    }
}
