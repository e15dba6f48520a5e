//! Text that somebody else has written (a study's title, a name in an archive, a worker's reason),
//! as a terminal may get it: nothing that moves the cursor, or shows letters in another order than
//! they stand in.

use std::borrow::Cow;

/// What a terminal shows instead.
const REPLACEMENT: char = '\u{fffd}';

/// Whether a terminal does something else with it than to show it: control characters but the end
/// of a line and the tabulator, and what changes the direction of writing.
#[must_use]
pub fn is_control(letter: char) -> bool {
    match letter {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => letter.is_control(),
    }
}

/// The text, each such letter replaced by one that can be seen.
#[must_use]
pub fn legible(text: &str) -> Cow<'_, str> {
    if text.contains(is_control) {
        Cow::Owned(text.replace(is_control, REPLACEMENT.encode_utf8(&mut [0; 4])))
    } else {
        Cow::Borrowed(text)
    }
}

/// The same of text that we have coloured: `codes`, as in `ESC [ 1 m`, stay.
#[must_use]
pub fn legible_but<'a>(text: &'a str, codes: &[&str]) -> Cow<'a, str> {
    let mut pieces = text.split('\u{1b}');
    let mut shown = legible(pieces.next().unwrap_or_default()).into_owned();
    for piece in pieces {
        let code = piece.strip_prefix('[').and_then(|rest| Some(rest.split_once('m')?.0));
        let is_ours = code.is_some_and(|code| codes.contains(&code));
        shown.push(if is_ours { '\u{1b}' } else { REPLACEMENT });
        shown.push_str(&legible(piece));
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_shown_as_something_replaced() {
        for letter in [
            '\0', '\u{7}', '\u{8}', '\r', '\u{1b}', '\u{7f}', '\u{85}', '\u{9b}', '\u{61c}',
            '\u{200e}', '\u{200f}', '\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}',
        ] {
            assert_eq!(legible(&format!("a{letter}b")), "a\u{fffd}b", "{letter:?}");
        }
        let plain = "Größe\t日本語\nעברית µ – “x”";
        assert!(matches!(legible(plain), Cow::Borrowed(same) if same == plain));
    }

    #[test]
    fn our_own_colours_stay_and_nothing_that_only_looks_like_them() {
        let codes = ["0", "1"];
        let ours = "\u{1b}[1mbold\u{1b}[0m, plain";
        assert_eq!(legible_but(ours, &codes), ours);
        for foreign in ["\u{1b}[2J", "\u{1b}[31m", "\u{1b}]0;x\u{7}", "\u{1b}", "\u{9b}1m"] {
            let shown = legible_but(foreign, &codes);
            assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{shown:?}");
        }
    }
}
