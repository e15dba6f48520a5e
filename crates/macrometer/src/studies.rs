//! Studies by name or by file: those that come with the command, and a user's own.

pub mod built_in;
mod required;

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use lab::study::Study;

use crate::suggestions::did_you_mean;
use crate::{reading, suggestions};

/// A study by its name, or by the path of a TOML file.
pub fn find(name: &str) -> Result<Study> {
    if name.ends_with(".toml") || name.contains('/') {
        return parse(&reading::text_of("the study", name)?, name);
    }
    let studies = built_in::all()?;
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
    if built_in::has(name) || !path.is_file() {
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
