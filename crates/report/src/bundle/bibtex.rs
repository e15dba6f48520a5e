//! How a run is cited, for BibTeX and biblatex.

use lab::record::Run;

use crate::format;
use crate::latex::escaped;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Two entries: the data, by `authors` where they are named, and the program. Both are of the one
/// kind that every style knows.
#[must_use]
pub fn bibtex(run: &Run, authors: &[String]) -> String {
    let date = format::date_rfc3339(run.created_unix_s);
    let month = date.get(5..7).and_then(|month| month.parse::<usize>().ok());
    let month = month.and_then(|month| MONTHS.get(month.checked_sub(1)?).copied());
    let mut note = format!(
        "Run {}, seed {}, on {}; measured with macrometer {}.",
        run.id,
        run.seed,
        format::processor(&run.machine),
        run.macrometer_version
    );
    if let Some(source) = &run.study.source {
        note += &format!(" After: {source}.");
    }
    let title = format!("{{{}}}: measurements of run {}", plain(&run.study.title), plain(&run.id));
    let authors: Vec<String> = authors.iter().map(|author| named(author)).collect();
    let data = entry(
        &format!("macrometer-run-{}", run.id),
        &[
            ("author", Some(authors.join(" and ")).filter(|names| !names.is_empty())),
            ("title", Some(title)),
            ("year", date.get(..4).map(str::to_owned)),
            ("month", month.map(str::to_owned)),
            ("howpublished", Some("Data set".into())),
            ("note", Some(plain(&note))),
        ],
    );
    let program = entry(
        "macrometer",
        &[
            ("author", Some("{The macrometer contributors}".into())),
            ("title", Some("{macrometer}".into())),
            ("howpublished", Some("Computer program".into())),
            ("note", Some(format!("Version {}", plain(&run.macrometer_version)))),
        ],
    );
    format!("{data}\n{program}")
}

fn entry(key: &str, fields: &[(&str, Option<String>)]) -> String {
    let mut text = format!("@misc{{{key},\n");
    for (name, value) in fields {
        let Some(value) = value else { continue };
        // A month is a macro, by which styles write it in their language.
        let value = if *name == "month" { value.clone() } else { format!("{{{value}}}") };
        text += &format!("  {name:<12} = {value},\n");
    }
    text + "}\n"
}

/// A person by family and given name; a group by one name, which is left whole.
fn named(author: &str) -> String {
    match author.split_once(',') {
        Some((family, given)) => format!("{}, {}", plain(family), plain(given)),
        None => format!("{{{}}}", plain(author)),
    }
}

/// On one line, and without braces: BibTeX counts them even behind a backslash.
fn plain(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    escaped(&words.replace('{', "(").replace('}', ")"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_their_fields_and_nothing_breaks_out_of_them() {
        let mut run = synthetic::hmac_vs_cmac();
        let text = bibtex(&run, &["Doe, Jane".into(), "The lab".into()]);
        for wanted in [
            &format!("@misc{{macrometer-run-{},\n", run.id)[..],
            "  author       = {Doe, Jane and {The lab}},\n",
            "  year         = {2026},\n",
            "  month        = nov,\n",
            "\n@misc{macrometer,\n",
        ] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
        assert!(!bibtex(&run, &[]).contains("Doe"));
        run.study.title = "}, note = {x} \\ % 50 & _\n@misc{y,".into();
        let text = bibtex(&run, &["{A} % B".into()]);
        let mut depth = 0;
        for letter in text.chars() {
            depth += i32::from(letter == '{') - i32::from(letter == '}');
            assert!(depth >= 0, "{text}");
        }
        assert_eq!((depth, text.matches("\n@misc").count()), (0, 1), "{text}");
    }
}
