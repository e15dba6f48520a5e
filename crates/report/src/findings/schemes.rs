//! Schemes of the segments' test bed: what each was seen to detect, and what it sends.

use lab::cell::{Flow, Scheme};
use lab::record::{FaultCount, Run, SchemeRecord};
use serde::Serialize;

use super::segments::{Layout, Seal, Sending};
use crate::format;

/// A scheme: what it detects and what it sends.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SchemeFinding {
    /// Its name.
    pub scheme: String,
    /// Who computes it.
    pub provider: String,
    /// What sealing adds.
    pub seal: Seal,
    /// Faults planted, and what became of them.
    pub faults: Vec<FaultFinding>,
    /// What is sent for each file size of the study.
    pub sendings: Vec<Sending>,
}

/// One kind of fault in a scheme's segments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FaultFinding {
    /// `flip`, `drop`, `double`, `swap`, `truncate`.
    pub fault: String,
    /// How many were planted.
    pub planted: u32,
    /// How many were refused.
    pub refused: u32,
    /// Whether the scheme promises to refuse them all.
    pub promised: bool,
    /// Whether that is what was seen.
    pub as_promised: bool,
}

impl FaultFinding {
    fn of(count: &FaultCount) -> Self {
        let FaultCount { fault, planted, refused, promised } = count.clone();
        let as_promised = refused == if promised { planted } else { 0 };
        FaultFinding { fault, planted, refused, promised, as_promised }
    }

    /// Whether all of them were refused; absent where none was planted.
    #[must_use]
    pub fn is_detected(&self) -> Option<bool> {
        (self.planted > 0).then_some(self.refused == self.planted)
    }
}

/// One entry a scheme of the run.
pub(super) fn all(run: &Run) -> Vec<SchemeFinding> {
    let mut sizes: Vec<(u64, u64)> = Vec::new();
    for part in &run.study.parts {
        if part.has_segments() {
            sizes.extend(part.lengths().iter().map(|&len| (len, part.block_len_bytes.into())));
        }
    }
    sizes.sort_unstable();
    sizes.dedup();
    let of = |record: &SchemeRecord| {
        let seal = Seal::of(record);
        let layouts = Scheme::of(&record.scheme).map_or(&[][..], |it| Layout::of(it.flow));
        let every = layouts.iter().flat_map(|layout| sizes.iter().map(move |size| (layout, size)));
        SchemeFinding {
            scheme: record.scheme.clone(),
            provider: record.provider.clone(),
            seal,
            faults: record.faults.iter().map(FaultFinding::of).collect(),
            sendings: every
                .filter_map(|(layout, &(len, block))| layout.sending(len, block, &seal))
                .collect(),
        }
    };
    run.schemes.iter().map(of).collect()
}

/// Counts that are not as promised.
pub(super) fn warnings(schemes: &[SchemeFinding]) -> Vec<String> {
    let mut warnings = Vec::new();
    for scheme in schemes {
        for it in scheme.faults.iter().filter(|it| !it.as_promised) {
            let promise = match it.promised {
                true => "where it promises to reject every one",
                false => "where it promises to reject none",
            };
            warnings.push(format!(
                "{} from {} rejected {} of {} faults of the kind {}, {promise}",
                scheme.scheme, scheme.provider, it.refused, it.planted, it.fault
            ));
        }
    }
    warnings
}

/// What follows from what was detected, a sentence for each flow.
#[must_use]
pub fn what_follows(schemes: &[SchemeFinding]) -> Vec<String> {
    let of = |flow: Flow| {
        let own =
            schemes.iter().filter(|it| Scheme::of(&it.scheme).is_some_and(|s| s.flow == flow));
        let faults: Vec<&FaultFinding> = own.flat_map(|it| &it.faults).collect();
        let mut missed: Vec<String> = Vec::new();
        for it in &faults {
            let word = fault_words(&it.fault).to_owned();
            if it.is_detected() == Some(false) && !missed.contains(&word) {
                missed.push(word);
            }
        }
        (!faults.is_empty()).then_some(missed)
    };
    let mut told = Vec::new();
    match of(Flow::Es) {
        Some(missed) if missed.is_empty() => told.push(
            "ES (the whole file sealed, then cut) rejects every fault, but only once all segments \
             are there: nothing can be read before the last one has arrived"
                .into(),
        ),
        Some(missed) => told.push(format!("ES did not detect {}", format::list(&missed))),
        None => {}
    }
    match of(Flow::Se) {
        Some(missed) if missed.is_empty() => {}
        Some(missed) => told.push(format!(
            "SE (each piece sealed by itself) did not detect {}: every piece is genuine, but \
             nothing says which of how many it is",
            format::list(&missed)
        )),
        None => {}
    }
    match of(Flow::SeBound) {
        Some(missed) if missed.is_empty() => told.push(
            "SE with each piece’s number and their count authenticated (se-bound: as associated \
             data, or encrypted before the piece where a composition takes none) rejects every \
             fault, and each piece is checked as it comes"
                .into(),
        ),
        Some(missed) => told.push(format!("SE bound did not detect {}", format::list(&missed))),
        None => {}
    }
    told
}

fn fault_words(fault: &str) -> &str {
    match fault {
        "flip" => "a flipped bit",
        "drop" => "a lost segment",
        "double" => "a doubled segment",
        "swap" => "segments in another order",
        "truncate" => "a truncated one",
        other => other,
    }
}

/// Kinds of faults, in the order of the records.
#[must_use]
pub fn fault_kinds(schemes: &[SchemeFinding]) -> Vec<&str> {
    let mut kinds: Vec<&str> = Vec::new();
    for it in schemes.iter().flat_map(|scheme| &scheme.faults) {
        if !kinds.contains(&it.fault.as_str()) {
            kinds.push(&it.fault);
        }
    }
    kinds
}

/// A scheme's faults, with every provider of whom the same counts are known.
#[must_use]
pub fn detections(schemes: &[SchemeFinding]) -> Vec<(&SchemeFinding, String)> {
    let mut told: Vec<(&SchemeFinding, String)> = Vec::new();
    for own in schemes {
        let same = |it: &&mut (&SchemeFinding, String)| {
            (&it.0.scheme, &it.0.faults) == (&own.scheme, &own.faults)
        };
        match told.iter_mut().find(same) {
            Some((_, providers)) => providers.push_str(&format!(", {}", own.provider)),
            None => told.push((own, own.provider.clone())),
        }
    }
    told
}
