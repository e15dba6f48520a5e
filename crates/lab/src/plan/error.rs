//! Why a study cannot be planned.

use thiserror::Error;

use crate::cell::Regime;
use crate::study::LengthError;

/// Why a study cannot be planned as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PlanError {
    /// Lengths that were asked for.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// No mac fits what was asked for.
    #[error("no MAC matches {pattern:?}; `macrometer list macs` lists them")]
    NoMac {
        /// A name or pattern.
        pattern: String,
    },
    /// The study has no such part.
    #[error("unknown part {part:?} in the study {study:?}; available: {}", .known.join(", "))]
    NoPart {
        /// What was asked for.
        part: String,
        /// The study's name.
        study: String,
        /// The parts that it has.
        known: Vec<String>,
    },
    /// The study has nothing of all that was asked for.
    #[error("this selection leaves nothing of the study {study:?}")]
    Nothing {
        /// The study's name.
        study: String,
    },
    /// No mac of the study takes keys of a length.
    #[error("no MAC of the study {study:?} takes {len_bytes}-byte keys")]
    KeyLen {
        /// The study's name.
        study: String,
        /// Length of the keys that were asked for.
        len_bytes: u32,
    },
    /// A case asks a mac for another key than it takes.
    #[error("case {case:?}: {mac} takes keys of {takes_bytes} bytes, not of {asked_bytes}")]
    CaseKeyLen {
        /// The case's name.
        case: String,
        /// Name of the mac.
        mac: String,
        /// Length of its keys.
        takes_bytes: u32,
        /// Length that is asked for.
        asked_bytes: u32,
    },
    /// Sessions are to be on more processors than there are.
    #[error(
        "part {part:?}: {regime}: this machine has {}",
        words::counted(*.processors, "processor")
    )]
    Processors {
        /// The part's name.
        part: String,
        /// The regime that asks for so many.
        regime: Regime,
        /// How many there are.
        processors: usize,
    },
    /// A run would take too long.
    #[error("part {part:?}: more than {most} cells: ask for fewer sizes or MACs")]
    TooManyCells {
        /// The part in which they become too many.
        part: String,
        /// The most that there may be.
        most: usize,
    },
    /// Nobody found has what a part asks for.
    #[error(
        "part {part:?}: no provider found offers {} in the way that it asks for \
         (`macrometer list providers --details` shows who has which)",
        any_of(.macs)
    )]
    Unoffered {
        /// The part's name.
        part: String,
        /// The macs that it asks for.
        macs: Vec<String>,
    },
    /// Nobody found has what any part asks for.
    #[error("no provider found offers what the study asks for")]
    NobodyFound,
}

fn any_of(macs: &[String]) -> String {
    match macs.len() {
        1..=3 => macs.join(" or "),
        several => format!("any of its {several} MACs"),
    }
}
