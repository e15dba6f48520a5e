//! How a run of a pack is cited, in the Citation File Format 1.2.0.

use lab::record::Run;
use serde_json::json;

/// The run's citation; where its authors are named, with the bundle's names as identifiers.
pub(crate) fn of(run: &Run, authors: &[String], study_id: &str, machine_id: &str) -> String {
    let cited = report::bundle::citation(run, authors);
    if authors.is_empty() {
        return cited;
    }
    let identifiers = [
        ("study", study_id, "the pack that was measured"),
        ("machine", machine_id, "the kind of machine"),
        ("run", &run.id, "the run"),
    ];
    let identifier = |(kind, id, what)| {
        let value = json!(format!("macrometer-{kind}:{id}"));
        format!("  - type: other\n    value: {value}\n    description: {}\n", json!(what))
    };
    let identifiers: String = identifiers.into_iter().map(identifier).collect();
    format!("{}\nidentifiers:\n{identifiers}", cited.trim_end())
}
