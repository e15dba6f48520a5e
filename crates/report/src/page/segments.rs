//! What a scheme costs in segments: nonces and tags, counted.

use maud::{Markup, html};

use super::Told;
use crate::findings::bills::{Bill, bills};
use crate::findings::segments::{layout_words, share};
use crate::format;

/// A table a file size; a row for schemes that cost the same.
pub(super) fn write(told: &Told) -> Option<Markup> {
    let bills = bills(&told.findings.schemes);
    let mut sizes: Vec<(u64, u32)> = told
        .run
        .study
        .parts
        .iter()
        .flat_map(|part| part.lengths().into_iter().map(|len| (len, part.block_len_bytes)))
        .filter(|(len, _)| bills.iter().any(|bill| bill.at(*len).is_some()))
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    let block = sizes.first().map(|size| size.1)?;
    let mut lengths: Vec<u64> = sizes.iter().map(|size| size.0).collect();
    lengths.dedup();
    Some(html! {
        p .hint {
            "A segment holds " (block) " bytes; each sealed piece carries its nonce and its tag. \
             Parts of a segment’s length, as the paper cuts them, need two segments each once \
             they are sealed; cut shorter, they fit into one. Bound parts cost no more, unless \
             they have a line of their own: Encrypt-and-MAC has no associated data, and sends \
             what binds. Percentages are against the bare file, by arithmetic; headers that \
             number segments are not counted."
        }
        div .scroll tabindex="0" { table .matrix .bills {
            thead { tr {
                th scope="col" .l { "compositions" } th scope="col" .l { "flow" }
                th scope="col" { "added to each" }
                @for len in &lengths { th scope="col" { (format::bytes(*len)) } }
            } }
            tbody { @for bill in &bills { (line(bill, &lengths)) } }
        } }
    })
}

fn line(bill: &Bill, lengths: &[u64]) -> Markup {
    html! { tr {
        th scope="row" .l { (bill.compositions.join("; ")) }
        td .l { (layout_words(bill.layout)) }
        td { (bill.seal.words()) }
        @for len in lengths { td {
            @match bill.at(*len) {
                None => (format::ABSENT),
                Some(it) => {
                    span .v { (it.segments) " segments" }
                    small { (share(Some(it.more_segments))) " · " (it.parts) " parts" }
                    small { (it.sent_bytes) " B, " (share(it.more_bytes)) }
                }
            }
        } }
    } }
}
