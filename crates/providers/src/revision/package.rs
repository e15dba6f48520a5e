//! The package of a worker: its files (workers/rust), and a manifest that names the crate in the
//! revision asked for. All else stays as the template's Cargo.lock has it, so that two revisions
//! are built with the same versions of everything that they do not themselves ask for.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use semver::Version;
use toml::{Table, Value};

use super::Fixed;
use super::cargo::Cargo;
use super::crates::{Crate, Generation};
use super::error::RevisionError;
use crate::NotBuilt;

macro_rules! sources {
    ($($file:literal),* $(,)?) => {
        &[$(($file, include_str!(concat!("../../../../workers/rust/", $file)))),*]
    };
}

const SOURCES: &[(&str, &str)] = sources![
    "src/blake2_keyed.rs",
    "src/blake3_keyed.rs",
    "src/cell.rs",
    "src/cmac.rs",
    "src/gmac.rs",
    "src/hmac.rs",
    "src/macs.rs",
    "src/main.rs",
    "src/placed.rs",
    "src/poly1305.rs",
    "src/session.rs",
    "src/traits.rs",
];

/// The name of the package itself.
const OWN_NAME: &str = "macrometer-rust-worker";

/// Manifest and lock of each generation.
const PRESENT: [&str; 2] = [
    include_str!("../../../../workers/rust/Cargo.toml"),
    include_str!("../../../../workers/rust/Cargo.lock"),
];
const FORMER: [&str; 2] = [
    include_str!("../../../../workers/rust/former/Cargo.toml"),
    include_str!("../../../../workers/rust/former/Cargo.lock"),
];

/// Every text that a package with this dependency can have.
pub(super) fn texts(of: &Crate, dependency: &Table) -> Result<Vec<String>, RevisionError> {
    let mut texts: Vec<String> =
        SOURCES.iter().flat_map(|(name, text)| [*name, *text]).map(str::to_owned).collect();
    for [template, lock] in [PRESENT, FORMER] {
        texts.extend([manifest(template, of, dependency)?, lock.to_owned()]);
    }
    Ok(texts)
}

/// Writes the package into a folder, and has cargo choose and fetch what it is built of. Which
/// generation it is of is known once cargo has read the crate's own manifest.
pub(super) fn prepare(
    cargo: &Cargo,
    folder: &Path,
    of: &Crate,
    fixed: &Fixed,
) -> Result<(), RevisionError> {
    write_sources(folder)?;
    let mut generation = match fixed {
        Fixed::Release(version) => of.generation(version)?,
        Fixed::Commit { .. } | Fixed::Folder(_) => Generation::Present,
    };
    loop {
        write_choice(folder, of, &fixed.dependency(), generation)?;
        cargo.fetch(folder)?;
        let packages = Packages::read(folder)?;
        let right = of.generation(&packages.own_version(of)?)?;
        if right == generation {
            return packages.version(of).map(|_| ());
        }
        generation = right;
    }
}

/// Writes the worker's own files.
pub(super) fn write_sources(folder: &Path) -> Result<(), NotBuilt> {
    SOURCES.iter().try_for_each(|(name, text)| write(folder, name, text))
}

/// Writes what cargo chooses by: the manifest with this dependency, and the template's lock.
pub(super) fn write_choice(
    folder: &Path,
    of: &Crate,
    dependency: &Table,
    generation: Generation,
) -> Result<(), RevisionError> {
    let [template, lock] = match generation {
        Generation::Former => FORMER,
        Generation::Present => PRESENT,
    };
    write(folder, "Cargo.toml", &manifest(template, of, dependency)?)?;
    Ok(write(folder, "Cargo.lock", lock)?)
}

/// The template with the crate as wanted, and without what this worker does not need.
fn manifest(template: &str, of: &Crate, dependency: &Table) -> Result<String, RevisionError> {
    let lacks = RevisionError::Manifest;
    let mut manifest: Table = template.parse().map_err(RevisionError::ManifestText)?;
    let features = table(&mut manifest, "features").ok_or_else(|| lacks("features"))?;
    let needed: Vec<String> = of
        .features
        .iter()
        .filter_map(|feature| features.get(*feature)?.as_array())
        .flatten()
        .filter_map(|word| Some(word.as_str()?.strip_prefix("dep:")?.to_owned()))
        .collect();
    let former = features.get("default").and_then(Value::as_array).into_iter().flatten();
    let chosen = of.features.iter().map(|feature| Value::from(*feature));
    let chosen: Vec<Value> = former.cloned().chain(chosen).collect();
    features.retain(|name, _| name == "former" || of.features.contains(&name));
    features.insert("default".into(), chosen.into());
    let dependencies = table(&mut manifest, "dependencies").ok_or_else(|| lacks("dependencies"))?;
    let is_optional = |value: &Value| value.get("optional").is_some();
    dependencies.retain(|name, value| !is_optional(value) || needed.iter().any(|it| it == name));
    let wanted = dependencies.get_mut(of.name).and_then(Value::as_table_mut);
    let wanted = wanted.ok_or_else(|| lacks(of.name))?;
    wanted.remove("version");
    wanted.extend(dependency.clone());
    if !dependency.contains_key("version") {
        // Other crates that depend on it get it too.
        let patch = Table::from_iter([(of.name.to_owned(), dependency.clone().into())]);
        let patch = Table::from_iter([("crates-io".to_owned(), patch.into())]);
        manifest.insert("patch".into(), patch.into());
    }
    let bin = manifest.get_mut("bin").and_then(Value::as_array_mut);
    let bin = bin.and_then(|all| all.first_mut()?.as_table_mut()).ok_or_else(|| lacks("bin"))?;
    bin.insert("path".into(), "src/main.rs".into());
    toml::to_string(&manifest).map_err(RevisionError::ManifestWritten)
}

fn table<'a>(manifest: &'a mut Table, name: &str) -> Option<&'a mut Table> {
    manifest.get_mut(name)?.as_table_mut()
}

/// Writes a file of the package, where it is another: cargo builds again what is newer.
fn write(folder: &Path, name: &str, text: &str) -> Result<(), NotBuilt> {
    let file = folder.join(name);
    let failed = |error| NotBuilt::file(&file, error);
    if fs::read(&file).is_ok_and(|content| content == text.as_bytes()) {
        return Ok(());
    }
    fs::create_dir_all(file.parent().unwrap_or(folder)).map_err(failed)?;
    fs::write(&file, text).map_err(failed)
}

/// What cargo chose, as a Cargo.lock tells.
pub(super) struct Packages(Vec<Package>);

struct Package {
    name: String,
    version: String,
    source: String,
}

impl Packages {
    pub fn read(folder: &Path) -> Result<Self, RevisionError> {
        let file = folder.join("Cargo.lock");
        let text = fs::read_to_string(&file).map_err(|error| NotBuilt::file(&file, error))?;
        let lock: Table = text.parse().map_err(|error| RevisionError::Lock { file, error })?;
        let all = lock.get("package").and_then(Value::as_array).into_iter().flatten();
        let all = all.filter_map(|package| {
            let word = |name: &str| package.get(name).and_then(Value::as_str).map(str::to_owned);
            let source = word("source").unwrap_or_default();
            Some(Package { name: word("name")?, version: word("version")?, source })
        });
        Ok(Self(all.collect()))
    }

    fn all(&self, of: &Crate) -> Vec<&Package> {
        self.0.iter().filter(|package| package.name == of.name).collect()
    }

    /// The version of the crate that was asked for, though others may use another: where there are
    /// two, the one that is not from crates.io.
    fn own_version(&self, of: &Crate) -> Result<Version, RevisionError> {
        let mut all = self.all(of);
        if all.len() > 1 {
            all.retain(|package| !package.source.starts_with("registry+"));
        }
        match all[..] {
            [own] => own.version.parse().map_err(RevisionError::Version),
            _ => self.version(of),
        }
    }

    /// The version of the crate. There must be one only, or others would use another than that
    /// which is asked for.
    pub fn version(&self, of: &Crate) -> Result<Version, RevisionError> {
        let found = self.all(of);
        match found[..] {
            [Package { version, .. }] => version.parse().map_err(RevisionError::Version),
            [] => Err(RevisionError::NotChosen(of.name)),
            [..] => {
                let versions: Vec<_> = found.iter().map(|it| it.version.as_str()).collect();
                Err(RevisionError::Several { name: of.name, versions: versions.join(" and ") })
            }
        }
    }

    /// The commit of the crate, where it comes from git.
    pub fn commit(&self, of: &Crate) -> Option<&str> {
        let all = self.all(of).into_iter();
        let mut git = all.filter_map(|package| package.source.strip_prefix("git+"));
        git.next()?.rsplit_once('#').map(|(_, commit)| commit)
    }

    /// Versions of all but the crate and the worker, by name.
    pub fn others(&self, of: &Crate) -> BTreeMap<String, String> {
        let mut others = BTreeMap::<String, String>::new();
        let all = self.0.iter().filter(|it| it.name != of.name && it.name != OWN_NAME);
        for package in all {
            let versions = others.entry(package.name.clone()).or_default();
            if !versions.is_empty() {
                versions.push('+');
            }
            versions.push_str(&package.version);
            versions.push_str(&package.place());
        }
        others
    }
}

impl Package {
    /// Where it is from, if not from a registry: the same version may then be another.
    fn place(&self) -> String {
        if self.source.is_empty() {
            return " of the folder".into();
        }
        let git = self.source.strip_prefix("git+").and_then(|git| git.rsplit_once('#'));
        git.map_or(String::new(), |(_, commit)| {
            format!(" at {}", commit.get(..7).unwrap_or(commit))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_else_is_built_is_told_with_where_it_is_from() {
        let package = |name: &str, source: &str| {
            format!("[[package]]\nname = \"{name}\"\nversion = \"1.0.0\"\n{source}\n")
        };
        let git = "source = \"git+https://a/b?rev=1#0123456789abcdef0123456789abcdef01234567\"";
        let registry = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
        let all = [(OWN_NAME, ""), ("sha2", git), ("a", git), ("b", ""), ("c", registry)];
        let folder = tempfile::tempdir().unwrap();
        let lock = all.map(|(name, source)| package(name, source)).concat();
        fs::write(folder.path().join("Cargo.lock"), lock).unwrap();
        let packages = Packages::read(folder.path()).unwrap();
        let others = packages.others(Crate::find("sha2").unwrap());
        let others: Vec<_> = others.iter().map(|(name, it)| (name.as_str(), it.as_str())).collect();
        let told = [("a", "1.0.0 at 0123456"), ("b", "1.0.0 of the folder"), ("c", "1.0.0")];
        assert_eq!(others, told);
        assert!(PRESENT[0].contains(&format!("name = \"{OWN_NAME}\"")));
    }
}
