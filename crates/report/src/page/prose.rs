//! Sentences with code in them: between backquotes, or an option as it is typed. A line may end
//! between the words of code, but not at a hyphen within one.

use maud::{Markup, html};

/// Longest word of code that is kept whole: the narrowest line, that of a list on a phone, has room
/// for it.
const WHOLE_LEN_MAX: usize = 24;

/// A sentence.
pub(super) fn prose(text: &str) -> Markup {
    // A backquote that none closes begins no code.
    if !text.matches('`').count().is_multiple_of(2) {
        return plain(text);
    }
    html! { @for (place, piece) in text.split('`').enumerate() {
        @if place % 2 == 1 { (code(piece)) } @else { (plain(piece)) }
    } }
}

/// Code.
pub(super) fn code(text: &str) -> Markup {
    let is_whole = |word: &str| word.contains('-') && word.chars().count() <= WHOLE_LEN_MAX;
    html! { code { @for (place, word) in text.split(' ').enumerate() {
        @if place > 0 { " " }
        @if is_whole(word) { span { (word) } } @else { (word) }
    } } }
}

/// Words, with options as code.
fn plain(text: &str) -> Markup {
    html! { @for (before, option) in with_options(text) {
        (before) @if !option.is_empty() { (code(option)) }
    } }
}

/// The pieces of a text, each with the option that follows it; none follows the last.
fn with_options(text: &str) -> Vec<(&str, &str)> {
    let (mut pieces, mut told, mut at) = (Vec::new(), 0, 0);
    while let Some(place) = text[at..].find("--") {
        let begin = at + place;
        let before = text[..begin].chars().next_back();
        let end = end_of_option(text, begin + 2);
        let is_name = text[begin + 2..].starts_with(|letter: char| letter.is_ascii_lowercase());
        if is_name && before.is_none_or(|letter| letter.is_whitespace() || letter == '(') {
            pieces.push((&text[told..begin], &text[begin..end]));
            told = end;
        }
        at = end;
    }
    pieces.push((&text[told..], ""));
    pieces
}

/// Where the option ends whose name begins here, with its value if that is a number.
fn end_of_option(text: &str, begin: usize) -> usize {
    let after = |begin: usize, is_part: fn(char) -> bool| {
        let rest = &text[begin..];
        begin + rest.find(|letter: char| !is_part(letter)).unwrap_or(rest.len())
    };
    let end = after(begin, |letter| letter.is_ascii_alphanumeric() || letter == '-');
    let value = text[end..].strip_prefix(' ').map(|_| after(end + 1, |it| it.is_ascii_digit()));
    value.filter(|value| *value > end + 1).unwrap_or(end)
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn no_line_ends_within_an_option_or_a_short_word_of_code() {
        let of = |text| prose(text).into_string();
        assert_eq!(
            of("Use `report RUN --tables`, or a larger --budget: about --budget 36."),
            "Use <code>report RUN <span>--tables</span></code>, or a larger \
             <code><span>--budget</span></code>: about <code><span>--budget</span> 36</code>."
        );
        assert_eq!(of("--quick (--tables)").matches("<span>--").count(), 2);
        let long = "mac/provider/kernel/regime/key-life/len";
        assert_eq!(of(&format!("`{long}`")), format!("<code>{long}</code>"));
    }

    #[test]
    fn what_is_no_code_stays_as_it_is() {
        for text in ["gcc -Wa,--noexecstack -g", "a -- b", "--", "1--2", "a ` b", "µ --µ", ""] {
            assert_eq!(prose(text).into_string(), text);
        }
        assert_eq!(prose("a < b").into_string(), "a &lt; b");
    }
}
