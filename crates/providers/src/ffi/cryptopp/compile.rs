//! The shim, compiled by the user's C++ compiler against the user's headers and library.

use std::path::{Path, PathBuf};

use crate::built::{built, run};
use crate::limited::answer_of;
use crate::programs::{command_of, on_path};
use crate::{NotBuilt, Place, Unavailable};

const SOURCE: &str = include_str!("shim.cpp");
const COMPILERS: [&str; 3] = ["c++", "g++", "clang++"];
const FLAGS: [&str; 3] = ["-O2", "-fPIC", "-shared"];
const SHIM: &str = "shim.so";

/// What a machine needs for it, in the error of one that has it not.
pub(super) const PACKAGE: &str = "libcrypto++-dev, g++ (Debian)";

/// The shim for the library that the user names, or for the one that the compiler finds.
pub(super) fn shim(place: &Place) -> Result<PathBuf, Unavailable> {
    let library = place.path.as_deref();
    let library =
        library.map(|path| path.canonicalize().map_err(|e| NotBuilt::file(path, e))).transpose()?;
    let headers = library.as_deref().and_then(headers_beside);
    let (compiler, macros) = look(headers.as_deref())?;
    let named = library.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    // The macros hold the compiler's version and the library's, and its settings.
    let named_compiler = compiler.to_string_lossy();
    let inputs = [SOURCE, &named_compiler, &FLAGS.join(" "), &macros, &named];
    let folder = built("cryptopp", &inputs, |folder| {
        compile(&compiler, folder, headers.as_deref(), library.as_deref())
    })?;
    Ok(folder.join(SHIM))
}

/// The include folder of a library that was installed into a folder of its own.
fn headers_beside(library: &Path) -> Option<PathBuf> {
    let include = library.parent()?.parent()?.join("include");
    include.join("cryptopp").is_dir().then_some(include)
}

/// The first compiler that is there, and all macros that are set behind the library's settings.
fn look(headers: Option<&Path>) -> Result<(PathBuf, String), Unavailable> {
    let mut silent = None;
    for name in COMPILERS {
        let Some(compiler) = on_path(&[name]) else { continue };
        let mut command = command_of(&compiler);
        command.args(headers.map(|path| format!("-I{}", path.display())));
        command.args(["-dM", "-E", "-x", "c++", "-include", "cryptopp/config.h", "/dev/null"]);
        let ended = match answer_of(&mut command) {
            Ok(ended) => ended,
            Err(reason) => {
                silent.get_or_insert(reason);
                continue;
            }
        };
        if !ended.status.success() {
            let said = String::from_utf8_lossy(&ended.stderr);
            if !said.contains("cryptopp/config.h") {
                let first = said.lines().find(|line| !line.trim().is_empty());
                return Err(format!("{name}: {}", first.unwrap_or("it fails")).into());
            }
            let reason = format!("{name} finds no headers of Crypto++ (cryptopp/config.h)");
            return Err(Unavailable::not_installed(reason));
        }
        return Ok((compiler, String::from_utf8_lossy(&ended.stdout).into_owned()));
    }
    if let Some(reason) = silent {
        return Err(reason.into());
    }
    let reason = format!("no C++ compiler (tried {})", COMPILERS.join(", "));
    Err(Unavailable::not_installed(reason))
}

fn compile(
    compiler: &Path,
    folder: &Path,
    headers: Option<&Path>,
    library: Option<&Path>,
) -> Result<(), NotBuilt> {
    let source = folder.join("shim.cpp");
    std::fs::write(&source, SOURCE).map_err(|error| NotBuilt::file(&source, error))?;
    let mut command = command_of(compiler);
    command.args(FLAGS).arg("-o").arg(folder.join(SHIM));
    command.args(headers.map(|path| format!("-I{}", path.display())));
    command.arg(&source);
    match library {
        Some(path) => {
            // Found again by its folder when the shim is opened.
            let folder = path.parent().unwrap_or(Path::new("/"));
            command.arg(path).arg(format!("-Wl,-rpath,{}", folder.display()));
        }
        None => drop(command.arg("-lcryptopp")),
    }
    run(&mut command)
}
