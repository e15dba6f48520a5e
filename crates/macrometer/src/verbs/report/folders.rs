//! Reports that are folders of their own: the LaTeX of a run, and its bundle. Each is written whole
//! or not at all, and never over what is there.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use lab::record::Run;
use report::findings::Findings;

use super::write_files;
use crate::output;

/// The file that a paper reads by `\input`, and the charts.
pub(super) fn latex(run: &Run, findings: &Findings, folder: &Path) -> Result<PathBuf> {
    written(folder, |part| {
        let charts = report::charts::all(run, findings);
        let figures = part.join("figures");
        std::fs::create_dir(&figures).with_context(|| figures.display().to_string())?;
        for chart in &charts {
            let file = |ending: &str| figures.join(format!("{}.{ending}", chart.name));
            output::write_file(&file("svg"), chart.svg.as_bytes())?;
            output::write_file(&file("png"), &chart.png()?)?;
        }
        let text = report::latex::document(run, findings, &charts);
        output::write_file(&part.join("report.tex"), text.as_bytes())
    })?;
    Ok(folder.join("report.tex"))
}

/// Data, page, study, provenance and citation.
pub(super) fn bundle(run: &Run, findings: &Findings, folder: &Path) -> Result<()> {
    written(folder, |part| {
        write_files(run, findings, part)?;
        let write = |name: &str, text: &str| output::write_file(&part.join(name), text.as_bytes());
        write("study.toml", &report::bundle::study(run).map_err(|error| anyhow::anyhow!(error))?)?;
        write("provenance.json", &report::bundle::provenance(run))?;
        write("CITATION.cff", &report::bundle::citation(run))?;
        let mut names = vec!["README.md".to_owned()];
        for entry in std::fs::read_dir(part)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort_unstable();
        write("README.md", &report::bundle::readme(run, &names))
    })
}

/// Writes into a folder beside `folder`, which takes its name when all is there.
fn written(folder: &Path, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let named = |error: std::io::Error| anyhow::anyhow!("{}: {error}", folder.display());
    if folder.symlink_metadata().is_ok() {
        bail!("{}: is there already: name another --out", folder.display());
    }
    let Some(name) = folder.file_name() else {
        bail!("--out {}: must end in the name of a folder", folder.display());
    };
    let part =
        folder.with_file_name(format!(".{}.part-{}", name.to_string_lossy(), std::process::id()));
    if let Some(above) = folder.parent() {
        std::fs::create_dir_all(above).map_err(named)?;
    }
    std::fs::create_dir(&part).map_err(named)?;
    let outcome = write(&part).and_then(|()| std::fs::rename(&part, folder).map_err(named));
    if outcome.is_err() {
        // It was made above, and nothing half-written stays behind.
        let _ = std::fs::remove_dir_all(&part);
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_there_whole_or_not_at_all_and_never_over_another() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("bundle");
        let half = written(&folder, |part| {
            std::fs::write(part.join("one"), "1").unwrap();
            bail!("the disk is full")
        });
        assert!(half.unwrap_err().to_string().contains("the disk is full"));
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "nothing stays behind");
        let whole = |part: &Path| Ok(std::fs::write(part.join("one"), "1")?);
        written(&folder, whole).unwrap();
        std::fs::write(folder.join("one"), "somebody's").unwrap();
        let again = written(&folder, whole).unwrap_err().to_string();
        assert!(again.contains("is there already"), "{again}");
        assert_eq!(std::fs::read_to_string(folder.join("one")).unwrap(), "somebody's");
    }
}
