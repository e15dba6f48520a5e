//! How text lies on a terminal: colours, wrapping, blocks beside each other.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

/// The ANSI codes that text is painted with, and the one behind it.
const CODES: [&str; 6] = ["0", "1", "2", "31", "32", "33"];

/// What stands before a code of ours until the text is whole, `ESC [ MARK ; 1 m`: a number that
/// another process does not have, so that a stranger's text cannot be painted like ours.
static MARK: LazyLock<String> =
    LazyLock::new(|| format!("{};", RandomState::new().build_hasher().finish()));

/// Text as a terminal gets it: our own colours stay where `colour` is wanted, and nothing of what
/// others have written that a terminal would act on, colours included. Text goes through this
/// once: the second time nothing is ours any more.
#[must_use]
pub(crate) fn legible(text: &str, colour: bool) -> String {
    if !colour {
        return words::legible(text).into_owned();
    }
    let ours = CODES.map(|code| format!("{}{code}", *MARK));
    words::legible_but(text, &ours.each_ref().map(String::as_str)).replace(MARK.as_str(), "")
}

/// Whether ANSI colours are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) colour: bool,
}

impl Style {
    /// Text under an ANSI code, each line on its own so that pagers keep it.
    pub(crate) fn paint(self, text: &str, code: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        debug_assert!(CODES.contains(&code));
        let mark = MARK.as_str();
        let line = |line: &str| format!("\u{1b}[{mark}{code}m{line}\u{1b}[{mark}0m");
        text.lines().map(line).collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint(text, "1")
    }

    pub(crate) fn quiet(self, text: &str) -> String {
        self.paint(text, "2")
    }

    /// A heading with a rule behind it.
    pub(crate) fn heading(self, text: &str, width: usize) -> String {
        let lines = wrapped(&format!("── {text}"), width, "");
        let last = lines.lines().last().map_or(0, |line| line.chars().count());
        let rule = "─".repeat(width.saturating_sub(last + 1));
        format!("{} {}", self.bold(&lines), self.quiet(&rule)).trim_end().to_owned()
    }
}

/// Words in lines of at most `width`, each behind `indent`, later ones two further in. A word too
/// long for a line has one of its own, or several where it is a list with commas.
#[must_use]
pub fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut line = indent.to_owned();
    let mut empty = true;
    let room = width.saturating_sub(indent.chars().count() + 2);
    for word in text.split_whitespace().flat_map(|word| pieces(word, room)) {
        if !empty && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, format!("{indent}  ")));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(&word);
        empty = false;
    }
    lines.push(line);
    lines.join("\n")
}

/// A word that is too long for `room`, a list without spaces, in parts that end with a comma; any
/// other as it is.
pub(super) fn pieces(word: &str, room: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    if word.chars().count() <= room {
        return vec![word.to_owned()];
    }
    for item in word.split_inclusive(',') {
        match pieces.last_mut() {
            Some(piece) if piece.chars().count() + item.chars().count() <= room => {
                piece.push_str(item);
            }
            _ => pieces.push(item.to_owned()),
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// The first `lines_max` lines of wrapped text; what is cut off is marked.
pub(crate) fn cut(text: &str, width: usize, lines_max: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= lines_max {
        return text.to_owned();
    }
    let mut kept: Vec<String> = lines[..lines_max].iter().map(ToString::to_string).collect();
    if let Some(last) = kept.last_mut() {
        // Nothing of what stands in parentheses is told by half.
        if let Some((before, inside)) = last.rsplit_once(" (")
            && !inside.contains(')')
        {
            *last = before.to_owned();
        }
        while last.chars().count() + 2 > width {
            let Some((words, _)) = last.rsplit_once(' ') else { break };
            *last = words.to_owned();
        }
        last.push_str(" …");
    }
    kept.join("\n")
}

/// At most `most` of these, the first and the last among them, in ascending order.
pub(crate) fn few(mut all: Vec<u64>, most: usize) -> Vec<u64> {
    all.sort_unstable();
    all.dedup();
    if all.len() <= most {
        return all;
    }
    (0..most).map(|step| all[step * (all.len() - 1) / (most - 1).max(1)]).collect()
}

/// How wide a table would be.
pub(crate) fn needed(head: &[&str], rows: &[Vec<String>]) -> usize {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|it| it.chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or(0)
    };
    (0..head.len()).map(|column| width(column) + 2).sum()
}

/// Blocks of lines beside each other, as many as fit into a row, at most `most`, `gap` apart.
pub(crate) fn beside(blocks: &[String], width: usize, most: usize, gap: usize) -> String {
    let measure = |block: &String| block.lines().map(|it| it.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    let mut rest = blocks;
    while !rest.is_empty() {
        let (mut fits, mut used) = (0, 0);
        for block in rest {
            let more = measure(block) + if fits > 0 { gap } else { 0 };
            if fits == most || fits > 0 && used + more > width {
                break;
            }
            used += more;
            fits += 1;
        }
        let (row, later) = rest.split_at(fits);
        let height = row.iter().map(|block| block.lines().count()).max().unwrap_or(0);
        for number in 0..height {
            let mut line = String::new();
            for block in row {
                let part = block.lines().nth(number).unwrap_or_default();
                let fill = measure(block) + gap - part.chars().count();
                line.push_str(part);
                line.push_str(&" ".repeat(fill));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.push('\n');
        rest = later;
    }
    text
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn only_what_we_paint_is_painted() {
        let text =
            format!("{} \u{1b}[31mred\u{1b}[0m\u{202e}", Style { colour: true }.bold("ours"));
        let foreign = "\u{fffd}[31mred\u{fffd}[0m\u{fffd}";
        assert_eq!(legible(&text, true), format!("\u{1b}[1mours\u{1b}[0m {foreign}"));
        let plain = Style { colour: false }.bold("\u{1b}[1mnot ours");
        assert_eq!(legible(&plain, false), "\u{fffd}[1mnot ours");
    }

    #[test]
    fn words_wrap_with_a_hanging_indent() {
        assert_eq!(wrapped("one two three", 8, ""), "one two\n  three");
        assert_eq!(wrapped("unbreakable", 4, " "), " unbreakable");
    }

    #[test]
    fn what_is_cut_off_is_marked() {
        assert_eq!(cut("one two\n  three", 8, 2), "one two\n  three");
        assert_eq!(cut("one two\n  three", 8, 1), "one …");
        assert_eq!(cut("one two\n  three", 9, 1), "one two …");
        assert_eq!(cut("one (two and\n  three)", 20, 1), "one …");
    }

    #[test]
    fn blocks_stand_beside_each_other_while_they_fit() {
        let blocks = ["aa\nb".to_owned(), "c\nd".to_owned()];
        assert_eq!(beside(&blocks, 10, 2, 2), "aa  c\nb   d\n\n");
        assert_eq!(beside(&blocks, 4, 2, 2), "aa\nb\n\nc\nd\n\n");
        assert_eq!(beside(&blocks, 10, 1, 2), beside(&blocks, 4, 2, 2));
    }
}
