//! What stands at the beginning of every file for other tools: by which version its form is
//! described, and of which run on which machine it tells.

use std::collections::BTreeMap;

use lab::record::{Machine, Run, RunState};
use serde::Serialize;

use crate::format;

/// Version of the form of JSON and CSV, described in docs/formats.md. It is one more when something
/// is renamed, removed or means something else; what is only added leaves it as it is.
pub const SCHEMA: u32 = 1;

/// Units, by the ends of the names of what is given in them.
pub const UNITS: [(&str, &str); 10] = [
    ("bytes", "bytes"),
    ("cycles", "core cycles"),
    ("cycles_per_byte", "core cycles per byte of the message"),
    ("hz", "hertz"),
    ("mib_per_s", "mebibytes (1,048,576 bytes) per second"),
    ("ms", "milliseconds"),
    ("ns", "nanoseconds"),
    ("per_s", "per second"),
    ("s", "seconds"),
    ("unix_s", "seconds since 1970-01-01T00:00:00Z"),
];

/// What a document is, and of which run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct About {
    /// Version of the form of this document.
    pub schema: u32,
    /// Name of the run.
    pub run: String,
    /// When it was begun, in seconds since the Unix epoch.
    pub created_unix_s: u64,
    /// How it ended, or that it has not.
    pub state: RunState,
    /// Name of its study.
    pub study: String,
    /// The machine and the state it was in when the run was begun.
    pub machine: Machine,
    /// Seed of every random choice, in decimal digits: programs that read numbers as `f64` would
    /// round it.
    pub seed: String,
    /// Version of macrometer that measured.
    pub macrometer_version: String,
    /// The command line that measures it again.
    pub command: String,
    /// Units, by the ends of the names of what is given in them.
    pub units: BTreeMap<&'static str, &'static str>,
}

impl About {
    pub(super) fn of(run: &Run) -> Self {
        Self {
            schema: SCHEMA,
            run: run.id.clone(),
            created_unix_s: run.created_unix_s,
            state: run.state,
            study: run.study.name.clone(),
            machine: run.machine.clone(),
            seed: run.seed.to_string(),
            macrometer_version: run.macrometer_version.clone(),
            command: run.command.clone(),
            units: UNITS.into(),
        }
    }
}

/// The first columns of every CSV file: the same in each of its rows, so that rows of several runs
/// can stand in one table.
pub(crate) const COLUMNS: [&str; 6] =
    ["schema", "run", "study", "machine", "seed", "macrometer_version"];

/// What stands in them.
pub(crate) fn columns(run: &Run) -> [String; 6] {
    [
        SCHEMA.to_string(),
        run.id.clone(),
        run.study.name.clone(),
        format::processor(&run.machine),
        run.seed.to_string(),
        run.macrometer_version.clone(),
    ]
}
