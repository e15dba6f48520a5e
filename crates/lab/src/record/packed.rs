//! A run that is one of many of the same plan.

use serde::{Deserialize, Serialize};

/// The pack that a run was begun from, and the machine that it was begun on: it goes on with no
/// other one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packed {
    /// Hash of the pack.
    pub study_id: String,
    /// Hash of what makes machines comparable: [`Identity::id`](crate::machine::Identity::id).
    pub machine_id: String,
}
