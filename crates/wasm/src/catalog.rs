//! The catalog as text: a line for each mac, its facts separated by tabs.

use std::fmt::Write;

use macs::MacInfo;

use crate::refused::Refused;

/// The mac of this number in the catalog.
pub fn row(number: u32) -> Result<&'static MacInfo, Refused> {
    macs::catalog().get(number as usize).ok_or(Refused::Outside)
}

/// In the order of the numbers; `FACTS` of the package has the names of the columns.
pub fn text() -> String {
    let mut text = String::new();
    for row in macs::catalog() {
        let nonce = row.nonce.map(|nonce| (nonce.len_bytes, nonce.accepted_len.to_string()));
        let (nonce_len, nonce_lens) = nonce.unzip();
        let nonce_len = nonce_len.map(|len| len.to_string()).unwrap_or_default();
        let written = writeln!(
            text,
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            row.name,
            row.title,
            row.kind().name(),
            row.standing().name(),
            row.primitive.block_len_bytes,
            row.tag_len_bytes,
            row.accepted_tag_len,
            row.key_len_bytes,
            row.accepted_key_len,
            nonce_len,
            nonce_lens.unwrap_or_default(),
            row.is_customizable,
            row.takes_tag_len(),
        );
        debug_assert!(written.is_ok(), "a text takes all that there is memory for");
    }
    text
}
