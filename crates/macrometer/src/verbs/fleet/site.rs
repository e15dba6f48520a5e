//! `fleet site`: a store as pages that need no server.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use report::machines::{Asked, By, Machines};
use report::page::{self, site};

use crate::{members, output};

/// Write the machines of a store as a static site: pages that open from disk or from any web space.
///
/// A page for every machine, MAC and provider, machines beside MACs on the first, and the figures
/// as CSV and JSON. Nothing is loaded from elsewhere. The folder must be new or a site, which it
/// replaces; it is there when all of it is written, or not at all.
#[derive(Debug, Args)]
pub struct Site {
    /// Folder of bundles
    store: PathBuf,
    /// Folder of the site
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// The study, where the store has several: its study_id or the start of it
    #[arg(long, value_name = "ID")]
    study: Option<String>,
}

/// Says that a folder was written by this, and may be replaced.
const MARK: &str = ".macrometer-site";

impl Site {
    pub fn run(self) -> Result<u8> {
        let out = &self.out;
        let there = out.symlink_metadata().is_ok();
        if there && !out.join(MARK).is_file() {
            bail!(
                "{}: is there already and is no site of this program: name a new folder",
                out.display()
            );
        }
        let parent = out.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let part = tempfile::Builder::new().prefix(".macrometer-site-").tempdir_in(parent);
        let part = part.with_context(|| format!("-o {}", out.display()))?;
        let refused = self.write(part.path())?;
        // Renamed only when all is there; a site that it replaces is away for an instant.
        if there {
            let old = tempfile::Builder::new().prefix(".macrometer-old-").tempdir_in(parent)?;
            fs::rename(out, old.path().join("site"))
                .with_context(|| format!("{}: cannot be replaced", out.display()))?;
        }
        let whole = part.keep();
        let readable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&whole, readable)?;
        fs::rename(&whole, out).with_context(|| format!("-o {}", out.display()))?;
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
        read.refused.iter().for_each(|it| output::say(&format!("macrometer: refused: {it}")));
        let asked = Asked { by: Some(By::ProviderVersion), ..Asked::default() };
        let compared = Machines::of(&read.study_id, &read.members, &read.catalog, &asked);
        let compared = compared.map_err(|error| anyhow!("{}: {error}", self.store.display()))?;
        let version = env!("CARGO_PKG_VERSION");
        let site = site::Site::of(&compared, &read.members, &read.catalog, version);
        for (file, content) in site.files() {
            write(&file, &content)?;
        }
        write(MARK, "")?;
        Ok(!read.refused.is_empty())
    }
}
