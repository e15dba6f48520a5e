//! What is wrong with a study: in which part of it, and what would be right there.

use thiserror::Error;

use super::bounds::{LengthError, OutOfRange};
use super::claim::ClaimError;
use super::sessions::AskedError;
use super::workload::WorkloadError;
use super::{SINGLE_CALLS_MAX, STEPS_MAX};

/// What is wrong with a study.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum StudyError {
    /// The text is no study; our line of what its parser says.
    #[error("{}{said}", in_line(*.line))]
    Text {
        /// The line, where it is known.
        line: Option<usize>,
        /// What the parser says.
        said: String,
    },
    /// A table of the text lacks a field; our line of what the parser says.
    #[error("{}{said}", in_line(*.line))]
    Missing {
        /// Where the table begins, where that is known.
        line: Option<usize>,
        /// What the parser says.
        said: String,
    },
    /// A field that a command fills in is in the file.
    #[error("{field}: only `macrometer {verb}` sets this")]
    Reserved {
        /// Name of the field, as in the file.
        field: &'static str,
        /// The command that fills it in.
        verb: &'static str,
    },
    /// A value that its field cannot have.
    #[error(transparent)]
    Range(#[from] OutOfRange),
    /// A field that what else is in the study forbids.
    #[error("{field}: not in a study with {other}")]
    NotBoth {
        /// Name of the field, as in the file.
        field: &'static str,
        /// What it cannot be together with.
        other: &'static str,
    },
    /// There are no panels, or no parts.
    #[error("a study needs at least one [[panels]] and one [[parts]]")]
    Empty,
    /// One of a list has no name, or that of another.
    #[error("{list} {name:?}: names must be non-empty and unique")]
    Name {
        /// What the list is of.
        list: &'static str,
        /// The name, which may be empty.
        name: String,
    },
    /// In a panel.
    #[error("panel {panel:?}: {mistake}")]
    Panel {
        /// Name of the panel.
        panel: String,
        /// What is wrong.
        mistake: PanelError,
    },
    /// In a part.
    #[error("part {part:?}: {mistake}")]
    Part {
        /// Name of the part.
        part: String,
        /// What is wrong.
        mistake: PartError,
    },
    /// A gate's looks do not follow one another from the study's launches on.
    #[error("gate: looks must ascend from the study's launches")]
    GateLooks,
    /// In the workload.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// In a claim.
    #[error("claim {claim:?}: {mistake}")]
    Claim {
        /// Id of the claim.
        claim: String,
        /// What is wrong.
        mistake: ClaimError,
    },
}

/// A line, before what is wrong there.
fn in_line(line: Option<usize>) -> String {
    line.map_or(String::new(), |line| format!("line {line}: "))
}

/// What is wrong with a panel.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PanelError {
    /// It would speak in a part that the study does not have.
    #[error("parts: there is no part {part:?}")]
    NoPart {
        /// The part's name.
        part: String,
    },
    /// A sample would have too many calls.
    #[error("sample_calls: must be 1 to {SINGLE_CALLS_MAX}")]
    SampleCalls,
}

/// What is wrong with a part.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PartError {
    /// Files are in the study's file.
    #[error("files are given on the command line, by --file")]
    Files,
    /// In what it asks of sessions.
    #[error(transparent)]
    Sessions(#[from] AskedError),
    /// Lengths are given in no way, or in several.
    #[error("give either `sizes` or `size_range`, or `sessions.mix`")]
    Lengths,
    /// A range of lengths that has no end, or too many of them.
    #[error("size_range needs from <= to, step >= 1, and at most {STEPS_MAX} steps")]
    SizeRange,
    /// Of the lengths.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// It has no cells.
    #[error("key_lives, regimes and cases must not be empty")]
    Empty,
    /// A value that its field cannot have.
    #[error(transparent)]
    Range(#[from] OutOfRange),
    /// Of the calls that are timed one by one.
    #[error("single_calls = {0}")]
    SingleCalls(SingleCallsError),
    /// Segments are of another length than in another part.
    #[error(
        "block_len_bytes = {len_bytes}: must be the same in all parts, {first_len_bytes} as in \
         {first:?}"
    )]
    SeveralBlockLens {
        /// Their length here.
        len_bytes: u32,
        /// The first part with segments.
        first: String,
        /// Their length there.
        first_len_bytes: u32,
    },
}

/// A count of single calls whose median would lie between two of them, or that take too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "{count}: must be odd, so that the median is one of the calls, and at most {SINGLE_CALLS_MAX}"
)]
pub struct SingleCallsError {
    /// The count that was asked for.
    pub count: u32,
}
