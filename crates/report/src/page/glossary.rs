//! The words of `docs/glossary.md`, which is the one list of them.

use maud::{Markup, html};

use super::Told;
use super::prose::prose;

const GLOSSARY: &str = include_str!("../../../../docs/glossary.md");

/// The list.
pub(super) fn write(_: &Told) -> Option<Markup> {
    Some(html! { dl .facts .words { @for (word, meaning) in entries(GLOSSARY) {
        div { dt { (spans(&word)) } dd { (spans(&meaning)) } }
    } } })
}

/// Items of the list, each a word and what is said of it: `- **word**: meaning`.
fn entries(text: &str) -> Vec<(String, String)> {
    let mut items: Vec<String> = Vec::new();
    for line in text.lines() {
        if let Some(begun) = line.strip_prefix("- ") {
            items.push(begun.to_owned());
        } else if let (Some(item), Some(more)) = (items.last_mut(), line.strip_prefix("  ")) {
            item.push(' ');
            item.push_str(more.trim());
        }
    }
    let split = |item: &String| {
        let (word, meaning) = item.split_once(": ")?;
        Some((word.replace("**", ""), meaning.to_owned()))
    };
    items.iter().filter_map(split).collect()
}

/// Markdown of a line: bold words, code, and links by their text, for a page leads nowhere.
fn spans(text: &str) -> Markup {
    let text = without_links(text);
    html! {
        @for (number, part) in text.split("**").enumerate() {
            @if number % 2 == 1 { b { (prose(part)) } } @else { (prose(part)) }
        }
    }
}

/// `[text](address)` as `text`.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        let Some((words, after)) = link.split_once("](") else { break };
        let Some((_, after)) = after.split_once(')') else { break };
        plain.push_str(before);
        plain.push_str(words);
        rest = after;
    }
    plain + rest
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn every_item_of_the_document_is_a_word_with_a_meaning() {
        let all = entries(GLOSSARY);
        let items = GLOSSARY.lines().filter(|line| line.starts_with("- ")).count();
        assert_eq!(all.len(), items);
        let block = &all.iter().find(|(word, _)| word == "block").expect("a block").1;
        assert!(block.contains("balanced order"), "{block}");
        assert!(all.iter().any(|(word, _)| word.starts_with("ES") || word == "scheme"));
    }

    #[test]
    fn markdown_becomes_words() {
        let markup = spans("see [docs](x.md) for `a<b` and **c**").into_string();
        assert_eq!(markup, "see docs for <code>a&lt;b</code> and <b>c</b>");
    }
}
