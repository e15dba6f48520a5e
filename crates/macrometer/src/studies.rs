//! The studies that come with the command, and a user's own files.

mod required;

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use include_dir::{Dir, include_dir};
use lab::study::Study;

use crate::suggestions::did_you_mean;
use crate::{reading, suggestions};

/// Every TOML file in `studies/` is a study: adding one is adding a file.
static STUDIES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../studies");

/// The studies that come with the command, by name.
pub fn built_in() -> Result<Vec<Study>> {
    let mut studies = Vec::new();
    for file in STUDIES.files().filter(|file| file.path().extension().is_some_and(|e| e == "toml"))
    {
        let text = file.contents_utf8().context("a built-in study is not text")?;
        studies.push(parse(text, &file.path().display().to_string())?);
    }
    studies.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(studies)
}

/// Whether a study of this name comes with the command.
pub fn is_built_in(name: &str) -> bool {
    STUDIES.get_file(format!("{name}.toml")).is_some()
}

/// A study by its name, or by the path of a TOML file.
pub fn find(name: &str) -> Result<Study> {
    if name.ends_with(".toml") || name.contains('/') {
        return parse(&reading::text_of("the study", name)?, name);
    }
    let studies = built_in()?;
    check_is_no_pack(name)?;
    if let Some(study) = studies.iter().find(|study| study.name == name) {
        return Ok(study.clone());
    }
    if let Some(mac) = suggestions::spelled_otherwise(name) {
        bail!("unknown study {name:?}: {mac} is a MAC; did you mean `macrometer run --mac {mac}`?");
    }
    if providers::ROWS.iter().any(|row| row.name == name) {
        let command = format!("macrometer run --provider {name}");
        bail!("unknown study {name:?}: it is a provider; did you mean `{command}`?");
    }
    let names = studies.iter().map(|study| study.name.as_str());
    let all = |all: &[&str]| format!("available: {}, or name a .toml file", all.join(", "));
    bail!("unknown study {name:?}{}", did_you_mean(name, names, all))
}

/// Tells of a file that is there by this name what it is: whoever looks for a study would doubt
/// the name.
fn check_is_no_pack(name: &str) -> Result<()> {
    let path = Path::new(name);
    if is_built_in(name) || !path.is_file() {
        return Ok(());
    }
    let Ok(bytes) = reading::whole(path, reading::STUDY_BYTES_MAX) else { return Ok(()) };
    if bytes.is_empty() || String::from_utf8_lossy(&bytes).contains("macrometer_pack") {
        bail!("{name}: not as `macrometer pack` writes it: pack the study again");
    }
    Ok(())
}

fn parse(text: &str, name: &str) -> Result<Study> {
    required::parse(text).map_err(|error| anyhow!("{name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_study_is_one_and_is_named_as_its_file() {
        let studies = built_in().unwrap();
        assert_eq!(studies.len(), STUDIES.files().count());
        for study in studies {
            assert!(STUDIES.get_file(format!("{}.toml", study.name)).is_some(), "{}", study.name);
        }
    }
}
