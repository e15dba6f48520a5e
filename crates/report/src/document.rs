//! JSON for other programs.

use serde::Serialize;

use crate::findings::SCHEMA;

/// A document that begins with the version of its form.
#[derive(Serialize)]
struct Document<'a, T> {
    schema: u32,
    #[serde(flatten)]
    content: &'a T,
}

/// What has named fields, as a document that says by which version its form is described.
///
/// # Errors
/// None that plain data can have.
pub fn document(content: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&Document { schema: SCHEMA, content })
}
