//! What must be compiled before it can be measured (a worker in a compiled language, a shim for a
//! library without a C interface): made once, on first use, by the tools that the user has, and
//! kept in the user's cache folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder that `make` fills, for these `inputs`: the source, and all else that decides what
/// comes out (the compiler's version, its flags). Of two that want it at once one makes it, and the
/// other waits. It may take half a minute, and so it is told.
pub(crate) fn built(
    name: &str,
    inputs: &[&str],
    make: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let cache = dirs::cache_dir().ok_or("no cache folder for this user to build in")?;
    let cache = cache.join("macrometer").join("built");
    let ready = cache.join(format!("{name}-{}", digest(inputs)));
    if ready.is_dir() {
        return Ok(ready);
    }
    let failed = |error: std::io::Error| format!("{}: {error}", cache.display());
    fs::create_dir_all(&cache).map_err(failed)?;
    let lock = fs::File::create(cache.join(format!("{name}.lock"))).map_err(failed)?;
    lock.lock().map_err(failed)?;
    if ready.is_dir() {
        return Ok(ready);
    }
    eprintln!("building what measures {name}, once, in {}", ready.display());
    let begun = tempfile::Builder::new().prefix(name).tempdir_in(&cache).map_err(failed)?;
    make(begun.path())?;
    fs::rename(begun.keep(), &ready).map_err(failed)?;
    Ok(ready)
}

/// Runs a compiler and the like; its first words are the error.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let ended = command.stdin(Stdio::null()).output();
    let ended = ended.map_err(|error| format!("{program}: {error}"))?;
    if ended.status.success() {
        return Ok(());
    }
    let said = [ended.stderr, ended.stdout].concat();
    let said = String::from_utf8_lossy(&said);
    let telling = said.lines().find(|line| line.contains("error")).or_else(|| said.lines().next());
    Err(format!("{program} failed: {}", telling.unwrap_or("it does not say why").trim()))
}

fn digest(inputs: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for input in inputs {
        hasher.update(&input.len().to_le_bytes());
        hasher.update(input.as_bytes());
    }
    hasher.finalize().to_hex()[..16].into()
}
