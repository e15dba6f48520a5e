//! Theory versus measurement: what one call of a mac's primitive takes, if all the time of a
//! message went into those calls.

use std::collections::BTreeMap;

use lab::study::View;

use serde::Serialize;

use super::{CellFinding, Findings, Group};

/// What a mac computes by theory for one message, key set-up included where the key life has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Work {
    /// Calls of the block cipher or of the compression function.
    pub calls: u64,
    /// Key schedules of the block cipher.
    pub key_schedules: u64,
    /// What its key is made of; absent where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_material: Option<KeyMaterial>,
}

/// What the key of a mac over a block cipher is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct KeyMaterial {
    /// Keys of the cipher.
    pub keys: u64,
    /// Blocks beside them.
    pub blocks: u64,
}

/// A cell's time over the number of its calls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PerCall {
    pub(crate) work: Work,
    /// Estimated core cycles or nanoseconds of the whole message.
    pub(crate) whole: f64,
    /// The same a call.
    pub(crate) each: f64,
    /// Its interval, made from that of the time.
    pub(crate) ends: Option<(f64, f64)>,
}

impl CellFinding {
    /// Time or cycles a call of the primitive; absent where theory or measurement is.
    pub(crate) fn per_call(&self, in_cycles: bool) -> Option<PerCall> {
        let (work, ns) = (self.work.filter(|work| work.calls > 0)?, self.median_ns?);
        let factor = if in_cycles { self.cycles_estimated? / ns } else { 1.0 };
        let each = |ns: f64| factor * ns / work.calls as f64;
        let ends = self.interval_ns.map(|it| (each(it.low), each(it.high)));
        Some(PerCall { work, whole: factor * ns, each: each(ns), ends })
    }
}

impl KeyMaterial {
    /// `k + 2n`: k is the length of the cipher's key, n that of its block.
    pub(crate) fn words(self) -> String {
        let times = |count: u64, what: &str| match count {
            0 => None,
            1 => Some(what.to_owned()),
            more => Some(format!("{more}{what}")),
        };
        let parts = [times(self.keys, "k"), times(self.blocks, "n")];
        parts.into_iter().flatten().collect::<Vec<_>>().join(" + ")
    }
}

impl Work {
    /// ` + 2 keys` with its key schedules, if it has any.
    pub(crate) fn keys(&self) -> String {
        match self.key_schedules {
            0 => String::new(),
            1 => " + 1 key".into(),
            keys => format!(" + {keys} keys"),
        }
    }
}

/// The best offers of a group with a theory: by mac, then by length.
pub(crate) type TheoryRows<'a> = Vec<(&'a str, BTreeMap<u64, &'a CellFinding>)>;

impl Findings {
    /// Whether a group's part asks for theory beside measurement, and there is any.
    pub(crate) fn has_theory(&self, group: &Group) -> bool {
        let mut rows = group.sizes.iter().flat_map(|size| &size.ranking);
        group.views.contains(&View::Work) && rows.any(|row| self.cell(row).work.is_some())
    }

    /// The best offer of each mac at each length, in the order of the first length's ranking, and
    /// whether all of them can be told in cycles.
    pub(crate) fn theory(&self, group: &Group) -> (bool, TheoryRows<'_>) {
        let mut rows: TheoryRows = Vec::new();
        for size in &group.sizes {
            for row in size.ranking.iter().filter(|row| row.best_of_mac) {
                let cell = self.cell(row);
                let mac = cell.cell.candidate.mac.as_str();
                let at = rows.iter().position(|(known, _)| *known == mac).unwrap_or_else(|| {
                    rows.push((mac, BTreeMap::new()));
                    rows.len() - 1
                });
                rows[at].1.insert(size.len_bytes, cell);
            }
        }
        rows.retain(|(_, own)| own.values().any(|cell| cell.work.is_some()));
        let mut cells = rows.iter().flat_map(|(_, own)| own.values());
        (cells.all(|cell| cell.cycles_estimated.is_some()), rows)
    }
}
