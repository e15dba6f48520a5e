//! Folders of reports. That of the page may be there already, and is nobody else's. The LaTeX of a
//! run and its bundle are folders of their own: each is written whole or not at all, and never over
//! what is there.

use std::fs::{self, create_dir, create_dir_all};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use lab::archive::Archive;
use lab::record::Run;
use report::findings::Findings;
use trust::{folder_of, is_trusted};

use super::{each_file, each_form};
use crate::paths::report_folder;
use crate::{halves, output};

/// Columns of the tables as text.
const TEXT_WIDTH: usize = 120;

/// The folder of a run's page, made if it is not there: the one that the user names, whatever that
/// is, or ours.
pub fn page(archive: &Archive, run: &str, named: Option<&Path>) -> Result<PathBuf> {
    let folder = report_folder(archive, run, named);
    match named {
        Some(_) => create_dir_all(&folder).map_err(|error| unwritten(&folder, &error))?,
        None => make_own(&folder)?,
    }
    Ok(folder)
}

/// Refuses a folder that the user names if it cannot be one, as far as that can be seen.
pub fn check_named(folder: &Path) -> Result<()> {
    let shown = folder.display();
    match folder.symlink_metadata() {
        Ok(_) if folder.is_dir() => Ok(()),
        Ok(_) if folder.exists() => bail!("--out {shown}: must be a folder, not a file"),
        Ok(_) => bail!("--out {shown}: must be a folder, not a link that leads to none"),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(unwritten(folder, &error).context("--out")),
    }
}

/// Makes the folder that the user names, before there is anything to be written, and sees whether
/// it takes files.
pub fn make_named(folder: &Path) -> Result<()> {
    let made = create_dir_all(folder).and_then(|()| halves::file(folder, 0o666));
    made.map(drop).map_err(|error| unwritten(folder, &error).context("--out"))
}

/// Makes a folder by a name of ours, or takes the one that is there. Whoever can foresee the name
/// could have put a link there, so that files elsewhere are written over.
fn make_own(folder: &Path) -> Result<()> {
    let made = create_dir_all(folder_of(folder)).and_then(|()| create_dir(folder));
    match made {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made.map_err(|error| unwritten(folder, &error)),
    }
    let known = fs::symlink_metadata(folder).map_err(|error| unwritten(folder, &error))?;
    let why = if known.is_symlink() {
        "it is a symbolic link".to_owned()
    } else if !known.is_dir() {
        "it is not a folder".to_owned()
    } else if !is_trusted(known.uid()) {
        format!("it is a folder of user {}", known.uid())
    } else {
        return Ok(());
    };
    let folder = folder.display();
    bail!("cannot write the report to {folder}: {why}: remove it, or name a folder by --out")
}

fn unwritten(folder: &Path, error: &io::Error) -> anyhow::Error {
    let (folder, reason) = (folder.display(), words::reason(error));
    anyhow!("cannot write the report to {folder}: {reason}")
}

/// The file that a paper reads by `\input`, and the charts.
pub(super) fn latex(run: &Run, findings: &Findings, folder: &Path) -> Result<PathBuf> {
    written(folder, |part| {
        let charts = report::charts::all(run, findings);
        let figures = part.join("figures");
        std::fs::create_dir(&figures).with_context(|| figures.display().to_string())?;
        for chart in &charts {
            each_form(chart, &mut |name, content| {
                output::write_file(&figures.join(name), content)
            })?;
        }
        let text = report::latex::document(run, findings, &charts);
        output::write_file(&part.join("report.tex"), text.as_bytes())
    })?;
    Ok(folder.join("report.tex"))
}

/// Page, study, provenance and citation; data, tables and charts in folders of their own.
pub(super) fn bundle(
    run: &Run,
    findings: &Findings,
    authors: &[String],
    folder: &Path,
) -> Result<()> {
    let study = report::bundle::study(run)?;
    let text = super::text_in(run, findings, true, TEXT_WIDTH, false);
    let files = [
        ("tables/report.txt", text),
        ("study.toml", study),
        ("provenance.json", report::bundle::provenance(run)),
        ("CITATION.cff", report::bundle::citation(run, authors)),
    ];
    written(folder, |part| fill(part, run, findings, &files))
}

/// Writes the files of a report and others into the folder of a bundle, and what lists them.
fn fill(part: &Path, run: &Run, findings: &Findings, files: &[(&str, String)]) -> Result<()> {
    let mut names = Vec::new();
    let mut write = |name: String, content: &[u8]| -> Result<()> {
        let file = part.join(&name);
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        output::write_file(&file, content)?;
        names.push(name);
        Ok(())
    };
    let charts = report::charts::all(run, findings);
    each_file(run, findings, &charts, &mut |kind, name, content| {
        write(format!("{}{name}", kind.folder()), content)
    })?;
    for (name, content) in files {
        write((*name).to_owned(), content.as_bytes())?;
    }
    let titles: Vec<(&str, &str)> =
        charts.iter().map(|it| (it.name.as_str(), it.title.as_str())).collect();
    let readme = report::bundle::readme(run, &names, &titles);
    output::write_file(&part.join("README.md"), readme.as_bytes())
}

/// Writes into a folder beside `folder`, which takes its name when all is there.
fn written(folder: &Path, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let named = |error: io::Error| unwritten(folder, &error);
    if folder.symlink_metadata().is_ok() {
        bail!("{}: already exists: use another --out", folder.display());
    }
    if folder.file_name().is_none() {
        bail!("--out {}: must end in the name of a folder", folder.display());
    }
    let above = folder_of(folder);
    create_dir_all(above).map_err(named)?;
    // Gone when this fails; what a killed process leaves, the next one there removes.
    let part = halves::folder(above).map_err(named)?;
    write(part.path())?;
    std::fs::rename(part.path(), folder).map_err(named)?;
    part.keep();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_there_whole_or_not_at_all_and_never_over_another() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("bundle");
        let half = written(&folder, |part| {
            let name = part.file_name().unwrap().to_string_lossy();
            let is_half = name.starts_with(halves::PREFIX) && name.ends_with(halves::SUFFIX);
            assert!(is_half, "{name}: known as left over if this is killed now");
            std::fs::write(part.join("one"), "1").unwrap();
            bail!("the disk is full")
        });
        assert!(half.unwrap_err().to_string().contains("the disk is full"));
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "nothing stays behind");
        let whole = |part: &Path| Ok(std::fs::write(part.join("one"), "1")?);
        written(&folder, whole).unwrap();
        std::fs::write(folder.join("one"), "somebody's").unwrap();
        let again = written(&folder, whole).unwrap_err().to_string();
        assert!(again.contains("already exists"), "{again}");
        assert_eq!(std::fs::read_to_string(folder.join("one")).unwrap(), "somebody's");
    }
}
