//! Our own library from JavaScript, by its npm package (`crates/wasm`): what the way from there
//! costs, beside `node`, whose worker it shares. `macs-wasm[scalar]` is its build for engines
//! without simd128: what the worker does that finds this in its name.

use std::path::{Path, PathBuf};

use super::{command_of, node, runtime, word};
use crate::limited::answer_of;
use crate::{Forced, Kind, Place, Restriction, Row, Unavailable};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "macs-wasm",
    title: "macs from Node.js, by its npm package",
    package: "npm install --global target/wasm/macs-wasm-*.tgz (of crates/wasm/check)",
    kind: Kind::Program(command),
    forced: || vec![Forced::by_name("scalar")],
    // V8 makes nothing of WebAssembly for which AVX2 is not enough.
    restriction: Restriction::NotNeeded,
    prepare: |_| Ok(()),
    cold_variables: &[],
};

/// Where `npm install --global` and `NODE_PATH` have packages. One in the current folder is not it.
const FOLDERS: &str = "console.log([...require('module').globalPaths, \
    require('path').resolve(process.execPath, '../../lib/node_modules'), \
    require('path').resolve(process.execPath, '../../local/lib/node_modules')].join('\\n'))";

fn command(place: &Place) -> Result<Vec<String>, Unavailable> {
    let interpreter = runtime(&Place::default(), &["node", "nodejs"])?;
    let folder = match &place.path {
        Some(file) => match file.parent().filter(|folder| is_package(folder)) {
            Some(folder) => folder.to_owned(),
            None => {
                let file = file.display();
                return Err(format!("{file}: no file of the package macs-wasm").into());
            }
        },
        None => installed(&interpreter)?,
    };
    let folder = std::path::absolute(&folder).unwrap_or(folder);
    let mut argv = node::worker(&interpreter, place.name_or(ROW.name));
    argv.push(word(folder)?);
    Ok(argv)
}

fn installed(interpreter: &str) -> Result<PathBuf, Unavailable> {
    let asked = answer_of(command_of(interpreter).args(["-e", FOLDERS]))?;
    if !asked.status.success() {
        let said = String::from_utf8_lossy(&asked.stderr);
        let reason = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it fails");
        return Err(format!("{interpreter}: {reason}").into());
    }
    let told = String::from_utf8_lossy(&asked.stdout);
    let mut folders = told.lines().map(|folder| Path::new(folder).join("macs-wasm"));
    folders.find(|folder| is_package(folder)).ok_or_else(|| {
        let reason = format!("{interpreter}: it has no package macs-wasm; {}", ROW.package);
        Unavailable::not_installed(reason)
    })
}

/// Another package of that name has no such file.
fn is_package(folder: &Path) -> bool {
    ["bare.js", "macs.wasm"].iter().all(|file| folder.join(file).is_file())
}
