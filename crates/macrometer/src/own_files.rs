//! The user's own files in transactions: `--file`. Their names are kept with a run, their contents
//! never.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use lab::cell::Cell;
use lab::study::{LEN_BYTES_MAX, Part, Study};
use lab::worker::client::Launch;
use rustix::fs::OFlags;

use crate::output::quoted;

/// The option that names them.
#[derive(Debug, Clone, Args)]
pub struct OwnFilesArgs {
    /// A file of your own for `sms` to send instead of random files; may be repeated
    #[arg(long, value_name = "FILE", conflicts_with = "size")]
    file: Vec<PathBuf>,
}

/// What was read, ascending by length; no two are equally long.
#[derive(Debug, Default)]
pub struct OwnFiles(Vec<OwnFile>);

#[derive(Debug)]
struct OwnFile {
    name: String,
    content: Vec<u8>,
}

impl OwnFilesArgs {
    /// Reads the files that `--file` names.
    pub fn read(&self) -> Result<OwnFiles> {
        let files = self.file.iter().map(|path| {
            let told = || format!("cannot read --file {}", path.display());
            read(path).with_context(told)
        });
        let mut files = files.collect::<Result<Vec<OwnFile>>>()?;
        files.sort_by_key(|file| file.content.len());
        if let Some([one, other]) =
            files.array_windows().find(|[one, other]| one.content.len() == other.content.len())
        {
            let len = one.content.len();
            bail!(
                "--file {} and {}: both have {len} bytes; give files of different lengths",
                one.name,
                other.name
            );
        }
        Ok(OwnFiles(files))
    }

    /// The options again, with names as they are kept: without their folders.
    pub fn words(&self) -> String {
        self.file.iter().map(|path| format!(" --file {}", quoted(&name(path)))).collect()
    }
}

impl OwnFiles {
    /// The study with these files: in each part with regimes of segments they take the place of its
    /// sizes. A part that differs from an earlier one in nothing but its sizes is left out then.
    pub fn apply(&self, mut study: Study) -> Result<Study> {
        if self.0.is_empty() {
            return Ok(study);
        }
        if !study.parts.iter().any(Part::has_segments) {
            let name = study.name;
            bail!("--file: no part of the study {name:?} has regimes of segments, as `sms` has");
        }
        study.parts = self.with_files(study.parts);
        let parts = &study.parts;
        study.claims.retain(|claim| {
            let part = parts.iter().find(|part| part.name == claim.part);
            part.is_some_and(|part| !claim.lengths(part).is_empty())
        });
        Ok(study)
    }

    fn with_files(&self, all: Vec<Part>) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for mut part in all {
            if part.has_segments() {
                if parts.iter().any(|earlier| holds(earlier, &part)) {
                    continue;
                }
                (part.sizes, part.files) = self.kept().into_iter().unzip();
                part.size_range = None;
            }
            parts.push(part);
        }
        parts
    }

    /// Whether these are the files of a run that goes on.
    pub fn check(&self, run: &str, study: &Study) -> Result<()> {
        let part = study.parts.iter().find(|part| !part.files.is_empty());
        let used: Vec<(u64, String)> = part.map_or_else(Vec::new, |part| {
            part.sizes.iter().copied().zip(part.files.iter().cloned()).collect()
        });
        let given = self.kept();
        if given == used {
            return Ok(());
        }
        if used.is_empty() {
            bail!("--file: run {run} has no files of your own");
        }
        let used = words(&used);
        match given.is_empty() {
            true => bail!("run {run} sends files of your own: give them again by --file: {used}"),
            false => bail!("--file: run {run} sends {used}, and not {}", words(&given)),
        }
    }

    /// What is told of them in the run; `None` where there are none.
    pub fn note(&self) -> Option<String> {
        let told = || format!("files of the user's own: {}", words(&self.kept()));
        (!self.0.is_empty()).then(told)
    }

    /// Gives them to the workers that make transactions.
    pub fn hand_over<'a>(&self, launches: &mut [Launch], cells: impl Iterator<Item = &'a Cell>) {
        let cells = cells.filter(|cell| cell.regime.is_of_schemes());
        let providers: std::collections::BTreeSet<&str> =
            cells.map(|cell| cell.candidate.provider.as_str()).collect();
        let files = self.0.iter().map(|file| file.content.clone()).collect::<std::sync::Arc<_>>();
        for launch in launches.iter_mut().filter(|it| providers.contains(it.name.as_str())) {
            launch.files = std::sync::Arc::clone(&files);
        }
    }

    /// Lengths and names.
    fn kept(&self) -> Vec<(u64, String)> {
        self.0.iter().map(|file| (file.content.len() as u64, file.name.clone())).collect()
    }
}

fn words(files: &[(u64, String)]) -> String {
    let words: Vec<String> =
        files.iter().map(|(len, name)| format!("{name} ({len} bytes)")).collect();
    words.join(", ")
}

/// Whether `earlier` has all cells of `part` but for their sizes.
fn holds(earlier: &Part, part: &Part) -> bool {
    let providers = earlier.providers.is_empty() || earlier.providers == part.providers;
    providers
        && earlier.regimes == part.regimes
        && earlier.key_lives == part.key_lives
        && earlier.cases == part.cases
}

/// Without the folder, and in one line.
fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    words::legible(&name).replace(['\n', '\t'], "\u{fffd}")
}

fn read(path: &Path) -> Result<OwnFile> {
    // A device or a pipe might never end, or never begin.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        bail!("not a file");
    }
    let mut content = Vec::new();
    file.take(LEN_BYTES_MAX + 1).read_to_end(&mut content)?;
    if content.len() as u64 > LEN_BYTES_MAX {
        return Err(anyhow!("more than {LEN_BYTES_MAX} bytes, the most that is measured"));
    }
    Ok(OwnFile { name: name(path), content })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(files: &[(&str, usize)]) -> OwnFiles {
        let file =
            |&(name, len): &(&str, usize)| OwnFile { name: name.into(), content: vec![7; len] };
        OwnFiles(files.iter().map(file).collect())
    }

    #[test]
    fn the_parts_with_segments_send_the_users_files_and_repeat_none() {
        let study = crate::studies::find("sms").unwrap();
        let study = own(&[("a", 0), ("b", 300)]).apply(study).unwrap();
        let names: Vec<&str> = study.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["disk", "disk-all", "memory", "fsync"]);
        for part in &study.parts {
            assert_eq!((&part.sizes[..], part.files.join(" ").as_str()), (&[0, 300][..], "a b"));
        }
        assert!(study.claims.iter().all(|claim| claim.part == "disk"));
        study.check().unwrap();
        let error = own(&[("a", 1)]).apply(crate::studies::find("khc").unwrap()).unwrap_err();
        assert!(error.to_string().starts_with("--file: no part of the study \"khc\""), "{error}");
    }

    #[test]
    fn a_run_goes_on_with_its_own_files_only() {
        let files = own(&[("a", 1), ("b", 300)]);
        let plain = crate::studies::find("sms").unwrap();
        assert!(own(&[]).check("r", &plain).is_ok());
        let study = files.apply(plain.clone()).unwrap();
        assert!(files.check("r", &study).is_ok());
        let wrong = |files: &[(&str, usize)], study| own(files).check("r", study).unwrap_err();
        let both = "a (1 bytes), b (300 bytes)";
        assert!(wrong(&[], &study).to_string().ends_with(&format!("by --file: {both}")));
        let other = wrong(&[("a", 1), ("b", 301)], &study).to_string();
        assert_eq!(
            other,
            format!("--file: run r sends {both}, and not a (1 bytes), b (301 bytes)")
        );
        assert!(wrong(&[("a", 1)], &plain).to_string().contains("has no files of your own"));
    }
}
