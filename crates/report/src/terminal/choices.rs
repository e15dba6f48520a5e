//! Who speaks for each MAC where a panel wants the fastest, for a terminal: a few lines a panel;
//! the page has by how much and over what.

use std::collections::{BTreeMap, BTreeSet};

use super::Sheet;
use super::layout::wrapped;
use crate::findings::Findings;
use crate::findings::choices::ChoiceFinding;
use crate::format;

impl Sheet<'_> {
    /// A paragraph a panel: each source with the MACs that it speaks for.
    pub(super) fn choices(&self) -> String {
        let all = &self.findings.choices;
        if all.is_empty() {
            return String::new();
        }
        let mut text =
            format!("\n{}\n", self.style.heading("Implementation used for each MAC", self.width));
        for panel in &self.run.study.panels {
            let own: Vec<&ChoiceFinding> = all.iter().filter(|it| it.panel == panel.name).collect();
            if !own.is_empty() {
                let words = format!("{}: {}.", panel.title, sources(&own, self.findings));
                text.push_str(&format!("{}\n", wrapped(&words, self.width, "  ")));
            }
        }
        if all.iter().all(|it| it.rivals == 0) {
            return text;
        }
        let lens: BTreeSet<u64> = all.iter().flat_map(|it| it.lens_bytes.iter().copied()).collect();
        let lens: Vec<String> = lens.into_iter().map(format::bytes).collect();
        let how = format!(
            "Chosen before the run, by part and key life, from all implementations timed at {}; at \
             other lengths only what was measured is compared. By how much, and what was passed \
             over, is on the page.",
            format::list(&lens)
        );
        text.push_str(&format!("{}\n", self.style.quiet(&wrapped(&how, self.width, ""))));
        text
    }
}

/// `macs[sha-ni] for hmac-sha256 and hmac-sha224; openssl[sha-ni] for hmac-sha1 (1.02 × ahead)`.
fn sources(choices: &[&ChoiceFinding], findings: &Findings) -> String {
    let mut macs: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for it in choices {
        macs.entry(&it.candidate.mac).or_default().push(it.candidate.source());
    }
    let mut sources: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for it in choices {
        let (mac, source) = (&it.candidate.mac, it.candidate.source());
        let is_everywhere = macs[mac.as_str()].iter().all(|other| *other == source);
        let context = it.context();
        let named = findings.named(mac);
        let told = if is_everywhere || context.is_empty() {
            named
        } else {
            format!("{named} ({context})")
        };
        sources.entry(source).or_default().insert(told);
    }
    let one = |(source, macs): (&String, &BTreeSet<String>)| {
        format!("{source} for {}", format::list(&macs.iter().cloned().collect::<Vec<_>>()))
    };
    sources.iter().map(one).collect::<Vec<_>>().join("; ")
}
