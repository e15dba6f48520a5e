//! `fleet site`: a store as pages that need no server.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use report::machines::{Asked, By, Machines};
use report::page::{self, site};

use super::replacing;
use crate::members::{self, Members};
use crate::output;

/// Write the machines of a store as a static site: pages that open from disk or any web server.
///
/// A page for every machine, MAC and provider, a table of machines by MACs on the front page, and
/// the figures as CSV and JSON. Nothing is loaded from elsewhere. The folder must be new or a site,
/// which it replaces; it appears only when complete.
#[derive(Debug, Args)]
pub struct Site {
    /// Store of bundles: a folder, or a team's database as postgres://USER@HOST/DATABASE
    store: PathBuf,
    /// Folder of the site
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// The study, where the store has several: its study_id or the start of it
    #[arg(long, value_name = "ID")]
    study: Option<String>,
}

/// Says that a folder was written by this, and which files in it may be replaced: a line each.
const MARK: &str = ".macrometer-site";

impl Site {
    pub fn run(self) -> Result<u8> {
        let out = &self.out;
        let there = out.symlink_metadata().is_ok();
        check_own(out, there)?;
        let part = replacing::beside(out)?;
        let refused = self.write(part.path())?;
        // Renamed only when all is there; a site that it replaces is away for an instant.
        let readable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(part.path(), readable)?;
        // Something may have come there meanwhile.
        check_own(out, there)?;
        replacing::take_place(part, out)?;
        output::print_text(&format!("{}", out.join("index.html").display()))?;
        Ok(u8::from(refused))
    }

    /// Writes all files, and tells whether a bundle was refused.
    fn write(&self, folder: &Path) -> Result<bool> {
        for name in ["machine", "mac", "provider", "data"] {
            fs::create_dir(folder.join(name))?;
        }
        let write = |file: &str, content: &str| {
            fs::write(folder.join(file), content).with_context(|| file.to_owned())
        };
        let read = members::read(&self.store, self.study.as_deref(), |bundle, run, findings| {
            let file = site::machine_file(&bundle.about.machine_id, &bundle.about.run_id);
            write(&file, &site::within(&page::render(run, findings)))
        })?;
        members::tell(&read.refused);
        for (file, content) in pages(&read)? {
            write(&file, &content)?;
        }
        let mut files = files_below(folder)?;
        files.push(MARK.to_owned());
        write(MARK, &(files.join("\n") + "\n"))?;
        Ok(!read.refused.is_empty())
    }
}

/// Refuses a place that holds what no site of this program is made of.
fn check_own(out: &Path, is_there: bool) -> Result<()> {
    if !is_there {
        return Ok(());
    }
    let shown = out.display();
    let mark = out.join(MARK);
    let is_site = out.symlink_metadata()?.is_dir() && mark.symlink_metadata().is_ok();
    if !is_site {
        bail!("{shown}: already exists and is not a site written by macrometer: name a new folder");
    }
    let listed = fs::read_to_string(mark).with_context(|| shown.to_string())?;
    let listed: BTreeSet<&str> = listed.lines().collect();
    match files_below(out)?.iter().find(|it| !listed.contains(it.as_str())) {
        Some(other) => bail!(
            "{shown}: holds {other}, which is not of the site that this program wrote: name a new \
             folder"
        ),
        None => Ok(()),
    }
}

/// The pages of all machines together.
fn pages(read: &Members) -> Result<Vec<(String, String)>> {
    let asked = Asked { by: Some(By::ProviderVersion), ..Asked::default() };
    let compared = Machines::of(&read.study_id, &read.members, &read.catalog, &asked);
    let compared = compared.map_err(|error| anyhow!("{}: {error}", read.store))?;
    let version = env!("CARGO_PKG_VERSION");
    Ok(site::Site::of(&compared, &read.members, &read.catalog, version).files())
}

/// All files below a folder by their paths in it, in order; folders that are empty are named, too.
fn files_below(folder: &Path) -> Result<Vec<String>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(at) = folders.pop() {
        let before = files.len() + folders.len();
        for entry in fs::read_dir(&at)? {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => folders.push(entry.path()),
                false => files.push(entry.path()),
            }
        }
        if files.len() + folders.len() == before {
            files.push(at);
        }
    }
    let name =
        |path: &PathBuf| path.strip_prefix(folder).unwrap_or(path).to_string_lossy().into_owned();
    let mut names: Vec<String> = files.iter().map(name).collect();
    names.sort();
    Ok(names)
}
