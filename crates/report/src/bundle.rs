//! What goes with the data of a run when it is given to others: where it comes from, how it is
//! cited, and what each file is.

mod bibtex;

use lab::record::Run;
use serde_json::json;

pub use bibtex::bibtex;

use crate::findings::SCHEMA;
use crate::format;

/// What files of a bundle are, in the order in which they are listed.
const FILES: &[(&str, &str)] = &[
    ("report.html", "the page: one file that opens in any browser"),
    ("study.toml", "the study: `macrometer run study.toml` measures it again"),
    (
        "provenance.json",
        "program, command, machine, clock, and every provider with its version and path",
    ),
    ("CITATION.cff", "how to cite, in the Citation File Format 1.2.0"),
    ("data/samples.csv", "every raw sample, one per row"),
    ("data/sessions.csv", "windows of sessions, one per row"),
    ("data/sms-log.csv", "actions on files in segments, in the columns of their paper"),
    ("data/crprf.csv", "whole calls, in the format of KHC’s authors"),
    ("data/crprf_moc.csv", "the measurement alone, likewise"),
    ("data/crprf_moc_sha256cf.csv", "all but the compression function, likewise"),
    ("tables/report.txt", "every table, verdict and doubt as text"),
    ("tables/findings.csv", "medians, intervals and quantiles, one row per cell"),
    ("tables/findings.json", "everything in the report, as one document"),
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
        "schema": SCHEMA,
        "program": "macrometer",
        "program_version": run.macrometer_version,
        "command": run.command,
        "run": run.id,
        "begun_unix_s": run.created_unix_s,
        "state": run.state,
        // As everywhere in JSON: many programs would round the number.
        "seed": run.seed.to_string(),
        "budget_s": run.budget_s,
        "spent_s": run.spent_s,
        "machine": run.machine,
        "clock": run.clock,
        "instructions": run.instructions,
        "providers": providers,
        "events": run.events,
    });
    crate::json(&all).unwrap_or_default() + "\n"
}

/// A study that cannot be written as TOML.
#[derive(Debug, thiserror::Error)]
#[error("the study as TOML: {0}")]
pub struct StudyNotWritten(toml::ser::Error);

/// The study as a file that can be run again.
///
/// # Errors
/// Where it cannot be written as TOML.
pub fn study(run: &Run) -> Result<String, StudyNotWritten> {
    toml::to_string(&run.study).map_err(StudyNotWritten)
}

/// `CITATION.cff`: of the data where their authors are named, else of the software that made them,
/// with what is to be filled in for the data. Texts are quoted as JSON has them, which YAML reads
/// alike, and in which nothing is left that a terminal acts on.
#[must_use]
pub fn citation(run: &Run, authors: &[String]) -> String {
    let quoted = |text: &str| crate::json_line(&text).unwrap_or_default();
    let about = match &run.study.source {
        Some(source) => format!("{} After: {source}.", run.study.summary),
        None => run.study.summary.clone(),
    };
    let date: String = format::date(run.created_unix_s).chars().take(10).collect();
    let title = quoted(&format!("{}: measurements of run {}", run.study.title, run.id));
    let (about, date) = (quoted(&about), quoted(&date));
    let software = |indent: &str| {
        [
            "title: macrometer".to_owned(),
            format!("version: {}", quoted(&run.macrometer_version)),
            "authors:".into(),
            "  - name: \"The macrometer contributors\"".into(),
        ]
        .map(|line| format!("{indent}{line}\n"))
        .concat()
    };
    if authors.is_empty() {
        let message = "The software that produced these data. Who measured is not named yet: see \
                       the end of this file.";
        return format!(
            "cff-version: 1.2.0\nmessage: {}\ntype: software\n{}\n\
             # To have the data cited, fill in the names of those who measured and take away the\n\
             # signs before these lines (or make the bundle again with --author):\n\
             #\n\
             # preferred-citation:\n\
             #   type: data\n\
             #   title: {title}\n\
             #   abstract: {about}\n\
             #   date-released: {date}\n\
             #   authors:\n\
             #     - family-names:\n\
             #       given-names:\n",
            quoted(message),
            software("")
        );
    }
    let named = |author: &String| match author.split_once(',') {
        Some((family, given)) => format!(
            "  - family-names: {}\n    given-names: {}\n",
            quoted(family.trim()),
            quoted(given.trim())
        ),
        None => format!("  - name: {}\n", quoted(author.trim())),
    };
    format!(
        "cff-version: 1.2.0\nmessage: \"If you use these data, please cite them as below.\"\n\
         type: dataset\ntitle: {title}\nabstract: {about}\nauthors:\n{}date-released: {date}\n\
         references:\n  - type: software\n{}",
        authors.iter().map(named).collect::<String>(),
        software("    ")
    )
}

/// What each of these files is; of the charts, their titles by their names.
#[must_use]
pub fn readme(run: &Run, names: &[String], charts: &[(&str, &str)]) -> String {
    let mut text = format!(
        "# {}\n\n{}\n\nRun `{}`, {}, on {}, measured by macrometer {} with\n\n    {}\n\n\
         ## Files\n\n",
        run.study.title,
        run.study.summary,
        run.id,
        format::date(run.created_unix_s),
        format::processor(&run.machine),
        run.macrometer_version,
        run.command
    );
    for (name, what) in FILES.iter().filter(|(name, _)| names.iter().any(|it| it == name)) {
        text.push_str(&format!("- `{name}`: {what}\n"));
    }
    if !charts.is_empty() {
        let forms = if names.iter().any(|it| it.ends_with(".png")) { "SVG and PNG" } else { "SVG" };
        text.push_str(&format!("\n## Charts\n\nIn `charts/`, as {forms}:\n\n"));
    }
    for (name, title) in charts {
        text.push_str(&format!("- `{name}`: {title}\n"));
    }
    text
}

#[cfg(test)]
mod unit {
    use super::*;

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
        let authors = ["Doe, Jane".to_owned(), "The \"lab\"".into()];
        for authors in [&[][..], &authors[..]] {
            let text = citation(&run, authors);
            for wanted in ["cff-version: 1.2.0", "message: ", "title: ", "authors:\n  - "] {
                let wanted = format!("\n{wanted}");
                assert!(format!("\n{text}").contains(&wanted), "{wanted}: {text}");
            }
            assert_eq!(text.lines().filter(|line| line.starts_with("authors:")).count(), 1);
            assert!(text.contains("date-released: \"2026-11-21\""), "{text}");
        }
        let text = citation(&run, &authors);
        assert!(text.contains("family-names: \"Doe\"\n    given-names: \"Jane\"\n"), "{text}");
        assert!(text.contains("  - name: \"The \\\"lab\\\"\"\n"), "{text}");
        assert!(citation(&run, &[]).contains("\ntype: software\n"));
        // YAML 1.1 has the second for the end of a line.
        run.study.title = "t\u{7f}\u{85}\u{9b}31m\u{202e}\u{2066}".into();
        run.study.summary = run.study.title.clone();
        let authors = [run.study.title.clone(), format!("{0}, {0}", run.study.title)];
        for authors in [&[][..], &authors[..]] {
            let text = citation(&run, authors);
            assert!(!text.contains(words::is_control), "{text:?}");
            assert!(text.contains(r"t\u007f\u0085\u009b31m\u202e\u2066"), "{text}");
        }
    }

    #[test]
    fn provenance_names_its_schema_and_version_and_path_of_every_provider() {
        let mut run = synthetic::survey();
        run.seed = u64::MAX;
        let all: serde_json::Value = serde_json::from_str(&provenance(&run)).unwrap();
        assert_eq!(all["providers"].as_array().unwrap().len(), run.providers.len());
        assert_eq!(all["providers"][0]["path"], json!(run.providers[0].path));
        assert_eq!(all["command"], json!(run.command));
        assert_eq!(all["schema"], json!(SCHEMA));
        assert_eq!(all["seed"], json!("18446744073709551615"));
    }
}
