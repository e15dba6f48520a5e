//! What compositions have to pay in segments: those that send the same for every file as one.

use std::collections::BTreeSet;

use lab::cell::Scheme;

use super::schemes::SchemeFinding;
use super::segments::{Layout, Seal, Sending};

/// Compositions that send the same for every file: what they have to pay.
pub struct Bill<'a> {
    /// Their names; `bound` behind one that pays more for that.
    pub compositions: Vec<String>,
    /// How files are cut.
    pub layout: Layout,
    /// What sealing adds.
    pub seal: Seal,
    sendings: Vec<&'a Sending>,
}

impl Bill<'_> {
    /// What is sent for a file.
    #[must_use]
    pub fn at(&self, len_bytes: u64) -> Option<&Sending> {
        self.sendings.iter().find(|it| it.len_bytes == len_bytes).copied()
    }

    /// The file sizes.
    pub fn lengths(&self) -> impl Iterator<Item = u64> {
        self.sendings.iter().map(|it| it.len_bytes)
    }
}

/// All file sizes of these, in order.
#[must_use]
pub fn lengths(bills: &[Bill<'_>]) -> Vec<u64> {
    let all: BTreeSet<u64> = bills.iter().flat_map(Bill::lengths).collect();
    all.into_iter().collect()
}

/// One entry a layout and what sealing adds. A bound flow has one of its own only where it sends
/// more.
#[must_use]
pub fn bills(schemes: &[SchemeFinding]) -> Vec<Bill<'_>> {
    let mut bills: Vec<Bill> = Vec::new();
    for scheme in schemes {
        let (seal, name) = (scheme.seal, &scheme.scheme);
        let composition = Scheme::of(name).map_or(name.as_str(), |it| it.composition);
        let bound = if seal.front_len_bytes > 0 { ", bound" } else { "" };
        let composition = format!("{composition}{bound}");
        for layout in [Layout::Whole, Layout::Parts, Layout::Fitted] {
            let sendings: Vec<&Sending> =
                scheme.sendings.iter().filter(|it| it.layout == layout).collect();
            if sendings.is_empty() {
                continue;
            }
            match bills.iter_mut().find(|it| (it.layout, it.seal) == (layout, seal)) {
                Some(bill) if bill.compositions.contains(&composition) => {}
                Some(bill) => bill.compositions.push(composition.clone()),
                None => {
                    let compositions = vec![composition.clone()];
                    bills.push(Bill { compositions, layout, seal, sendings });
                }
            }
        }
    }
    bills.sort_by_key(|it| (it.layout, it.seal));
    bills
}
