//! Before transactions are timed: what each scheme detects of faults planted into its segments.

use std::collections::BTreeSet;

use super::workers::Workers;
use super::{MeasureError, Sitting};
use crate::record::{CellRecord, EventKind, SchemeRecord};
use crate::schedule;
use crate::worker::client::Faults;

/// Faults of each kind that are planted into a scheme.
const EACH: u32 = 50;

impl Sitting<'_> {
    /// Plants faults into every scheme of every provider, and keeps what was refused. A scheme that
    /// does not refuse what it promises, or refuses what it lets through, is not the one its name
    /// says: its cells are left out. A run that was stopped before its cells were settled has kept
    /// what it saw: of each scheme of a provider there is one record.
    pub(super) fn plant_faults(
        &mut self,
        workers: &mut Workers,
        records: &mut Vec<CellRecord>,
    ) -> Result<(), MeasureError> {
        let name = |record: &CellRecord| {
            let candidate = &record.cell.candidate;
            (candidate.mac.clone(), candidate.provider.clone())
        };
        let known = self.run.schemes.len();
        let (mut seen, mut left_out) = (BTreeSet::new(), BTreeSet::new());
        let is_scheme = |record: &&CellRecord| record.cell.regime.is_of_schemes();
        for record in schedule::leaders(records).into_iter().filter(is_scheme) {
            let (scheme, provider) = name(record);
            if self.late() || !seen.insert((scheme.clone(), provider.clone())) {
                continue;
            }
            self.show("injecting faults into segments");
            let reason = match workers.faults(record, EACH, self.run.seed) {
                Ok(added) => {
                    let broken = added.faults.iter().find(|count| {
                        count.refused != if count.promised { count.planted } else { 0 }
                    });
                    let broken = broken.map(|count| {
                        let (refused, planted, fault) =
                            (count.refused, count.planted, &count.fault);
                        format!("refused {refused} of {planted} faults of the kind {fault}")
                    });
                    let is_same =
                        |it: &SchemeRecord| it.scheme == scheme && it.provider == provider;
                    if !self.run.schemes.iter().any(is_same) {
                        self.run.schemes.push(of_scheme(&scheme, &provider, added));
                    }
                    broken
                }
                Err(refusal) => Some(refusal),
            };
            if let Some(reason) = reason {
                self.tell(EventKind::Excluded, format!("{provider}/{scheme}: {reason}"))?;
                left_out.insert((scheme, provider));
            }
        }
        records.retain(|record| !left_out.contains(&name(record)));
        self.bench.archive.keep_schemes(&self.run.id, &self.run.schemes[known..])?;
        Ok(())
    }
}

/// What is kept of a scheme of a provider.
fn of_scheme(scheme: &str, provider: &str, added: Faults) -> SchemeRecord {
    SchemeRecord {
        scheme: scheme.into(),
        provider: provider.into(),
        nonce_len_bytes: added.nonce_len_bytes,
        tag_len_bytes: added.tag_len_bytes,
        bound_len_bytes: added.bound_len_bytes,
        ciphertext_block_len_bytes: added.ciphertext_block_len_bytes,
        faults: added.faults,
    }
}
