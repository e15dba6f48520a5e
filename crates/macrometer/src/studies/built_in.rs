//! The studies that come with the command.

use anyhow::{Context, Result};
use include_dir::{Dir, include_dir};
use lab::study::Study;

use super::parse;

/// Every TOML file in `studies/` is a study: adding one is adding a file.
static STUDIES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../studies");

/// All of them, by name.
pub fn all() -> Result<Vec<Study>> {
    let mut studies = Vec::new();
    for file in STUDIES.files().filter(|file| file.path().extension().is_some_and(|e| e == "toml"))
    {
        let text = file.contents_utf8().context("a built-in study is not text")?;
        studies.push(parse(text, &file.path().display().to_string())?);
    }
    studies.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(studies)
}

/// Whether one has this name.
pub fn has(name: &str) -> bool {
    STUDIES.get_file(format!("{name}.toml")).is_some()
}

/// The MACs in wide use, which the survey names.
pub fn macs_in_use() -> Vec<String> {
    let text = STUDIES.get_file("survey.toml").and_then(|file| file.contents_utf8());
    let survey = text.and_then(|text| parse(text, "survey.toml").ok());
    survey.map_or(vec![], |survey| survey.named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_study_is_one_and_is_named_as_its_file() {
        let studies = all().unwrap();
        assert_eq!(studies.len(), STUDIES.files().count());
        for study in studies {
            assert!(has(&study.name), "{}", study.name);
        }
    }
}
