//! MACs that are asked for and are not measured: they must not be missing without a word.

use lab::plan::Planned;
use lab::study::{Study, fits};

use crate::discovery::Absence;

/// Those of these patterns that nothing planned fits though the study has them.
pub fn offered_by_none(macs: &[String], study: &Study, planned: &[Planned]) -> Vec<Absence> {
    let is_planned = |pattern: &str| planned.iter().any(|it| fits(pattern, &it.cell.candidate.mac));
    let missing = macs.iter().filter(|it| is_in(study, it) && !is_planned(it));
    missing.map(|it| Absence::of(it, "no provider found here offers it as asked for")).collect()
}

/// Those of these patterns that no mac of the narrowed study fits.
pub fn not_in_study(macs: &[String], study: &Study) -> Vec<Absence> {
    let reason = format!("the study {:?} does not measure it", study.name);
    macs.iter().filter(|it| !is_in(study, it)).map(|it| Absence::of(it, &reason)).collect()
}

fn is_in(study: &Study, pattern: &str) -> bool {
    let mut cases = study.parts.iter().flat_map(|part| &part.cases);
    cases.any(|case| case.macs.iter().any(|mac| fits(pattern, mac)))
}
