//! What goes with the data of a run when it is given to others: where it comes from, how it is
//! cited, and what each file is.

use lab::record::Run;
use serde_json::json;

use crate::format;

/// What files of a bundle are, by how their names begin and end; the first that fits.
const FILES: &[(&str, &str, &str)] = &[
    ("README", ".md", "this list"),
    ("CITATION", ".cff", "how to cite the data, in the Citation File Format 1.2.0"),
    (
        "provenance",
        ".json",
        "program, command, machine, clock, and every provider with its version and path",
    ),
    ("study", ".toml", "the study: `macrometer run study.toml` measures it again"),
    ("samples", ".csv", "every raw sample, a row each"),
    ("findings", ".csv", "medians, intervals and quantiles, a row a cell"),
    ("findings", ".json", "everything the report tells, as one document"),
    ("sessions", ".csv", "windows of sessions, a row each"),
    ("sms-log", ".csv", "actions on files in segments, in the columns of their paper"),
    ("crprf", ".csv", "what the program of KHC’s authors prints"),
    ("report", ".html", "the page: one file that opens in any browser"),
    ("", ".svg", "a chart"),
    ("", ".png", "the same chart in pixels"),
];

/// Where the data come from.
#[must_use]
pub fn provenance(run: &Run) -> String {
    let providers: Vec<_> = run
        .providers
        .iter()
        .map(|it| {
            let mut kernels: Vec<&str> = it.offers.iter().map(|it| it.kernel.as_str()).collect();
            kernels.sort_unstable();
            kernels.dedup();
            json!({
                "name": it.name, "version": it.version, "path": it.path, "detail": it.detail,
                "code_paths": kernels,
            })
        })
        .collect();
    let all = json!({
        "program": "macrometer",
        "program_version": run.macrometer_version,
        "command": run.command,
        "run": run.id,
        "begun_unix_s": run.created_unix_s,
        "state": run.state,
        "seed": run.seed,
        "budget_s": run.budget_s,
        "spent_s": run.spent_s,
        "machine": run.machine,
        "clock": run.clock,
        "instructions": run.instructions,
        "providers": providers,
        "events": run.events,
    });
    format!("{all:#}\n")
}

/// The study as a file that can be run again.
///
/// # Errors
/// One line, where it cannot be written as TOML.
pub fn study(run: &Run) -> Result<String, String> {
    toml::to_string(&run.study).map_err(|error| format!("the study as TOML: {error}"))
}

/// `CITATION.cff`. Texts are quoted as JSON has them, which YAML reads alike.
#[must_use]
pub fn citation(run: &Run) -> String {
    let quoted = |text: &str| json!(text).to_string();
    let about = match &run.study.source {
        Some(source) => format!("{} After: {source}.", run.study.summary),
        None => run.study.summary.clone(),
    };
    let date: String = format::date(run.created_unix_s).chars().take(10).collect();
    let title = format!("{}: measurements of run {}", run.study.title, run.id);
    [
        "cff-version: 1.2.0".to_owned(),
        "message: \"If you use these data, please cite them as below.\"".into(),
        "type: dataset".into(),
        format!("title: {}", quoted(&title)),
        format!("abstract: {}", quoted(&about)),
        "# Put the names of those who measured here.".into(),
        "authors:".into(),
        "  - name: \"The authors of these measurements\"".into(),
        format!("date-released: {}", quoted(&date)),
        "references:".into(),
        "  - type: software".into(),
        "    title: macrometer".into(),
        format!("    version: {}", quoted(&run.macrometer_version)),
        "    authors:".into(),
        "      - name: \"The macrometer contributors\"".into(),
    ]
    .join("\n")
        + "\n"
}

/// What each of these files is.
#[must_use]
pub fn readme(run: &Run, names: &[String]) -> String {
    let mut text = format!(
        "# {}\n\n{}\n\nRun `{}`, {}, on {}, measured by macrometer {} with\n\n    {}\n\n",
        run.study.title,
        run.study.summary,
        run.id,
        format::date(run.created_unix_s),
        run.machine.cpu_model,
        run.macrometer_version,
        run.command
    );
    for name in names {
        let fits = |it: &&(&str, &str, &str)| name.starts_with(it.0) && name.ends_with(it.1);
        let what = FILES.iter().find(fits).map_or("", |it| it.2);
        text.push_str(&format!("- `{name}`: {what}\n"));
    }
    text
}

#[cfg(test)]
mod unit {
    use super::*;
    use crate::synthetic;

    #[test]
    fn the_study_of_a_bundle_is_the_study_that_was_run() {
        for run in [synthetic::survey(), synthetic::sms(), synthetic::apparent_processing()] {
            let text = study(&run).unwrap();
            let again: lab::study::Study = toml::from_str(&text).unwrap();
            assert_eq!(again, run.study, "{text}");
        }
    }

    #[test]
    fn a_citation_has_what_its_schema_requires_and_nothing_breaks_out_of_it() {
        let mut run = synthetic::hmac_vs_cmac();
        run.study.title = "a \"quoted\": # title\nauthors: []".into();
        let text = citation(&run);
        for wanted in ["cff-version: 1.2.0", "message: ", "title: \"a ", "authors:\n  - name: "] {
            assert!(text.contains(&format!("\n{wanted}")) || text.starts_with(wanted), "{text}");
        }
        assert_eq!(text.lines().filter(|line| line.starts_with("authors:")).count(), 1);
        assert!(text.contains("date-released: \"2026-11-21\""), "{text}");
    }

    #[test]
    fn provenance_names_version_and_path_of_every_provider() {
        let run = synthetic::survey();
        let all: serde_json::Value = serde_json::from_str(&provenance(&run)).unwrap();
        assert_eq!(all["providers"].as_array().unwrap().len(), run.providers.len());
        assert_eq!(all["providers"][0]["path"], json!(run.providers[0].path));
        assert_eq!(all["command"], json!(run.command));
    }
}
