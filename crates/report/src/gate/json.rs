//! A gate as one JSON document: its findings as they are.

use super::GateFindings;

impl GateFindings {
    /// One JSON document.
    ///
    /// # Errors
    /// None that findings can have.
    pub fn json(&self) -> serde_json::Result<String> {
        crate::document(self)
    }
}
