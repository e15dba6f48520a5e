//! Go, measured in Go: `crypto/hmac` and GCM of its standard library, and what there is of
//! `golang.org/x/crypto`. The worker, workers/go, is compiled in here as text, and built on first
//! use by the user's own `go`: never with anything that is not on this machine already.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use super::{command_of, on_path, runtime, word};
use crate::built::{built, run};
use crate::limited::answer_of;
use crate::restriction::{Extension, NotRestricted, Variables, Without};
use crate::{Forced, Kind, NotBuilt, Place, Restriction, Row, Unavailable};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "go",
    title: "Go: crypto/hmac, GCM, golang.org/x/crypto",
    package: "golang-go, golang-golang-x-crypto-dev (Debian)",
    kind: Kind::Program(command),
    forced: || FORCED.to_vec(),
    restriction: Restriction::Variables(restricted),
    prepare: |_| Ok(()),
    cold_variables: &[],
};

/// Read by Go's runtime and by `golang.org/x/sys`. Without the SHA instructions Go takes AVX2.
const FORCED: &[Forced] = &[
    Forced { name: "soft", variables: &[("GODEBUG", "cpu.all=off")], needs: &[] },
    Forced {
        name: "avx2",
        variables: &[("GODEBUG", "cpu.sha=off")],
        needs: if cfg!(target_arch = "x86_64") { &["avx2", "bmi2"] } else { &[] },
    },
];

/// What each extension is called there; Go has no code for VAES.
#[expect(clippy::unnecessary_wraps, reason = "other providers refuse some")]
fn restricted(without: &Without) -> Result<Variables, NotRestricted> {
    let names = without.extensions().iter().flat_map(|extension| match extension {
        Extension::Avx512 => &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"][..],
        Extension::Vaes => &["vpclmulqdq"],
        Extension::Sha => &["sha"],
    });
    let off: Vec<_> = names.map(|name| format!("cpu.{name}=off")).collect();
    Ok(vec![("GODEBUG", off.join(","))])
}

/// The first Go that can build the worker: Debian 12's.
const OLDEST: u32 = 19;

macro_rules! sources {
    ($($file:literal),* $(,)?) => {
        &[$(($file, include_str!(concat!("../../../../workers/go/", $file)))),*]
    };
}

const SOURCES: &[(&str, &str)] = sources![
    "cell.go",
    "kernel.go",
    "macs.go",
    "main.go",
    "session.go",
    "sha3_none.go",
    "sha3_std.go",
    "sha3_x.go",
    "trial.go",
    "x_crypto.go",
    "x_crypto_none.go",
];

/// The worker's arguments are its name, the `go` that built it, what there was of
/// `golang.org/x/crypto`, and what the CPU has.
fn command(place: &Place) -> Result<Vec<String>, Unavailable> {
    let go = runtime(place, &["go"])?;
    let told = environment(&go)?;
    let [version, modules] = &told;
    let minor = version.strip_prefix("go1.").and_then(|rest| rest.split('.').next()?.parse().ok());
    if minor.is_some_and(|minor: u32| minor < OLDEST) {
        let (needed, version) = (format!("Go 1.{OLDEST}"), version.clone());
        return Err(NotBuilt::TooOld { program: go, needed, version }.into());
    }
    let (folder, detail) = with_x_crypto(&go, version, Path::new(modules))?;
    Ok(vec![word(folder.join(WORKER))?, place.name_or(ROW.name), go, detail, cpu().join(",")])
}

/// What the builder makes of the worker, with a name that every system runs.
const WORKER: &str = "worker.exe";

/// Version of this Go, and its folder of modules.
fn environment(go: &str) -> Result<[String; 2], NotBuilt> {
    let told = answer_of(offline(go).args(["env", "GOVERSION", "GOMODCACHE"]));
    let told = told.map_err(NotBuilt::NotRun)?.stdout;
    let told = String::from_utf8_lossy(&told);
    match told.lines().collect::<Vec<_>>()[..] {
        // Without a home there is no folder of modules, and no golang.org in the root.
        [version, ""] if version.starts_with("go") => Ok([version.into(), "/".into()]),
        [version, modules] if version.starts_with("go") || version.starts_with("devel") => {
            Ok([version.into(), modules.into()])
        }
        _ => {
            let said = "does not report its version".into();
            Err(NotBuilt::NoVersion { program: go.into(), said })
        }
    }
}

/// The folder with the worker, built with `golang.org/x/crypto` where that can be had, and words
/// for what was done. One that this Go cannot build (it asks for a newer Go, or for a module that
/// is not here) is passed over.
fn with_x_crypto(go: &str, version: &str, modules: &Path) -> Result<(PathBuf, String), NotBuilt> {
    let mut without = "no golang.org/x/crypto on this machine".to_owned();
    for found in XCrypto::all(modules) {
        let what = format!("golang.org/x/crypto {}", found.version);
        match built_worker(go, version, Some(&found)) {
            Ok(folder) => return Ok((folder, what)),
            Err(reason) => without = format!("without {what}: {reason}"),
        }
    }
    Ok((built_worker(go, version, None)?, without))
}

/// Folders with the sources of `golang.org/x/crypto` and of `golang.org/x/sys`, which it uses.
struct XCrypto {
    version: String,
    crypto: PathBuf,
    sys: PathBuf,
}

impl XCrypto {
    /// All that can be built with: the newest that the user's modules have brought, then that of
    /// the system's package.
    fn all(modules: &Path) -> Vec<Self> {
        let mut all = Vec::new();
        let golang = modules.join("golang.org").join("x");
        if let (Some(version), Some(sys)) = (newest(&golang, "crypto"), newest(&golang, "sys")) {
            let crypto = golang.join(format!("crypto@{version}"));
            all.push(Self { version, crypto, sys: golang.join(format!("sys@{sys}")) });
        }
        let golang = Path::new("/usr/share/gocode/src/golang.org/x");
        let [crypto, sys] = ["crypto", "sys"].map(|name| golang.join(name));
        if crypto.is_dir() && sys.is_dir() {
            all.push(Self { version: packaged(), crypto, sys });
        }
        all
    }
}

/// The newest version of a module in a module cache: `v0.31.0`.
fn newest(golang: &Path, module: &str) -> Option<String> {
    let names = fs::read_dir(golang).into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok());
    let version = |name: String| Some(name.strip_prefix(module)?.strip_prefix('@')?.to_owned());
    names.filter_map(version).max_by_key(|version| numbers(version))
}

fn numbers(version: &str) -> Vec<u32> {
    version.trim_start_matches('v').split(['.', '-']).map_while(|part| part.parse().ok()).collect()
}

/// The version of the system's package, where it is Debian's.
fn packaged() -> String {
    let told = on_path(&["dpkg-query"]).and_then(|program| {
        let mut query = command_of(program);
        query.args(["-W", "-f", "${Version}", "golang-golang-x-crypto-dev"]);
        answer_of(&mut query).ok().filter(|ended| ended.status.success())
    });
    told.map_or_else(
        || "of /usr/share/gocode".into(),
        |ended| String::from_utf8_lossy(&ended.stdout).into_owned(),
    )
}

fn built_worker(go: &str, version: &str, x_crypto: Option<&XCrypto>) -> Result<PathBuf, NotBuilt> {
    let module = module(x_crypto)?;
    let of_package = x_crypto.map_or("", |found| &found.version);
    let mut inputs = vec![version, of_package, &module];
    inputs.extend(SOURCES.iter().flat_map(|(name, text)| [*name, *text]));
    built("go", &inputs, |folder| {
        let write = |name: &str, text: &str| {
            let file = folder.join(name);
            fs::write(&file, text).map_err(|error| NotBuilt::file(&file, error))
        };
        write("go.mod", &module)?;
        SOURCES.iter().try_for_each(|(name, text)| write(name, text))?;
        let mut build = offline(go);
        build.current_dir(folder).args(["build", "-o", WORKER]);
        if x_crypto.is_some() {
            build.args(["-tags", "x_crypto"]);
        }
        // Without a home Go does not know where to keep what it compiles.
        if env::var_os("HOME").is_none() {
            build.env("GOCACHE", folder.join("cache")).env("GOPATH", folder.join("modules"));
        }
        run(&mut build)
    })
}

/// The text of `go.mod`.
fn module(x_crypto: Option<&XCrypto>) -> Result<String, NotBuilt> {
    let mut text = format!("module macrometer_worker\n\ngo 1.{OLDEST}\n");
    for (name, folder) in x_crypto.into_iter().flat_map(|found| found.folders()) {
        let folder = folder.to_str().filter(|folder| !folder.contains(['"', '\n', '`']));
        let folder = folder.ok_or(NotBuilt::NotInGoMod)?;
        text += &format!("\nrequire golang.org/x/{name} v0.0.0\n");
        text += &format!("replace golang.org/x/{name} => \"{folder}\"\n");
    }
    Ok(text)
}

impl XCrypto {
    fn folders(&self) -> [(&'static str, &Path); 2] {
        [("crypto", &self.crypto), ("sys", &self.sys)]
    }
}

/// A `go` that downloads nothing, and builds for any CPU of this kind, as a plain build does.
fn offline(go: &str) -> Command {
    let mut command = command_of(go);
    command.envs([
        ("GOTOOLCHAIN", "local"),
        ("GOPROXY", "off"),
        ("GOFLAGS", "-mod=mod"),
        ("GOWORK", "off"),
        ("GO111MODULE", "on"),
        ("GOAMD64", "v1"),
        ("CGO_ENABLED", "0"),
    ]);
    command
}

/// What of the CPU Go's code paths hang on, by Go's names.
#[cfg(target_arch = "x86_64")]
fn cpu() -> Vec<&'static str> {
    let found = [
        ("aes", is_x86_feature_detected!("aes")),
        ("avx", is_x86_feature_detected!("avx")),
        ("avx2", is_x86_feature_detected!("avx2")),
        ("bmi1", is_x86_feature_detected!("bmi1")),
        ("bmi2", is_x86_feature_detected!("bmi2")),
        ("pclmulqdq", is_x86_feature_detected!("pclmulqdq")),
        ("sha", is_x86_feature_detected!("sha")),
        ("sse41", is_x86_feature_detected!("sse4.1")),
        ("ssse3", is_x86_feature_detected!("ssse3")),
    ];
    found.into_iter().filter(|(_, present)| *present).map(|(name, _)| name).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn cpu() -> Vec<&'static str> {
    Vec::new()
}
