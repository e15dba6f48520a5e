//! Java, measured in Java: its own `javax.crypto`, and BouncyCastle where its jar is found. The
//! worker is a program of its own, workers/java, whose sources are compiled in here; on first use
//! the user's `javac` compiles them.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::{command_of, on_path, runnable, runtime};
use crate::built::{built, run};
use crate::limited::answer_of;
use crate::restriction::{Extension, NotRestricted, Variables, Without};
use crate::{Forced, Kind, NotBuilt, Place, Restriction, Row, Unavailable};

/// The row of this provider.
pub const ROW: Row = Row {
    name: "java",
    title: "Java: javax.crypto, BouncyCastle",
    package: "openjdk-17-jdk-headless, libbcprov-java (Debian)",
    kind: Kind::Program(command),
    forced: || vec![SOFT],
    restriction: Restriction::Variables(restricted),
    prepare: |_| Ok(()),
    cold_variables: COLD,
};

/// `HotSpot` without its own assembly for cryptography. The `java` program reads the variable.
const SOFT: Forced = Forced {
    name: "soft",
    variables: &[(
        "JDK_JAVA_OPTIONS",
        "-XX:+UnlockDiagnosticVMOptions -XX:+IgnoreUnrecognizedVMOptions \
         -XX:-UseAES -XX:-UseAESIntrinsics -XX:-UseAESCTRIntrinsics -XX:-UseGHASHIntrinsics \
         -XX:-UseSHA -XX:-UseSHA3Intrinsics -XX:-UseMD5Intrinsics \
         -XX:-UseChaCha20Intrinsics -XX:-UsePoly1305Intrinsics -XX:-UseIntPolyIntrinsics",
    )],
    needs: &[],
};

/// Options for what is left out. Without SHA instructions `HotSpot` has AVX2 code for SHA-256, but
/// no option takes the one away and leaves the other: it is compiled from Java then.
fn restricted(without: &Without) -> Result<Variables, NotRestricted> {
    let mut options = vec!["-XX:+UnlockDiagnosticVMOptions -XX:+IgnoreUnrecognizedVMOptions"];
    if without.takes(Extension::Avx512) {
        options.push("-XX:UseAVX=2");
    } else if without.takes(Extension::Vaes) {
        let reason = "HotSpot has no option for VAES; leave out avx512 too";
        return Err(NotRestricted::Provider(reason));
    }
    if without.takes(Extension::Sha) {
        options.push("-XX:-UseSHA1Intrinsics -XX:-UseSHA256Intrinsics");
        let flags = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        if flags.split_whitespace().any(|flag| flag == "sha512") {
            options.push("-XX:-UseSHA512Intrinsics");
        }
    }
    Ok(vec![("JDK_JAVA_OPTIONS", options.join(" "))])
}

/// First calls are made as a program just started makes them, its compiler in the background: with
/// `-Xbatch` one of them waits some milliseconds for something that is compiled just then. The
/// virtual machine reads this variable after its arguments.
const COLD: &[(&str, &str)] = &[("_JAVA_OPTIONS", "-XX:+BackgroundCompilation")];

/// The first Java whose language the worker is written in.
const FEATURE_MIN: u32 = 11;

macro_rules! sources {
    ($($name:literal),*) => {
        &[$(($name, include_str!(concat!("../../../../workers/java/", $name)))),*]
    };
}

const SOURCES: &[(&str, &str)] = sources![
    "CbcMacs.java",
    "Cell.java",
    "CodePath.java",
    "Composition.java",
    "Empty.java",
    "Inputs.java",
    "Jca.java",
    "KeyLife.java",
    "Library.java",
    "MacOffer.java",
    "Offer.java",
    "Refused.java",
    "Requests.java",
    "Tagger.java",
    "WarmUp.java",
    "Words.java",
    "Worker.java"
];

/// What needs the jar to be compiled.
const OF_BOUNCY_CASTLE: &[(&str, &str)] = sources!["BouncyCastle.java"];

/// One thread does everything but wait for requests: a collector with threads of its own has
/// nothing to gain on the one processor that a worker is pinned to, and a compiler in the
/// background would take its time from samples. The flags that tell the code path are diagnostic
/// ones.
const FLAGS: &[&str] = &[
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    "-Xbatch",
    "-Xms256m",
];

fn command(place: &Place) -> Result<Vec<String>, Unavailable> {
    let java = runtime(place, &["java"])?;
    let home = fs::canonicalize(&java)
        .ok()
        .and_then(|file| file.parent().and_then(Path::parent).map(Path::to_owned));
    let version = version(&java, home.as_deref())?;
    let jar = bouncy_castle();
    let compiled = compiled(&java, home.as_deref(), &version, jar.as_deref())?;
    let class_path = env::join_paths([Some(&compiled), jar.as_ref()].into_iter().flatten())
        .map_err(|error| error.to_string())?;
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut argv = vec![java];
    argv.extend(FLAGS.iter().map(|&flag| flag.to_owned()));
    argv.extend(["-cp".into(), text(Path::new(&class_path)), "macrometer.Worker".into()]);
    argv.extend([place.name_or(ROW.name), jar.as_deref().map(text).unwrap_or_default()]);
    Ok(argv)
}

/// The version of this Java: from the file `release` in its home, else in its own words.
fn version(java: &str, home: Option<&Path>) -> Result<String, NotBuilt> {
    let release = home.and_then(|home| fs::read_to_string(home.join("release")).ok());
    let written = release.as_deref().and_then(|release| {
        ["JAVA_RUNTIME_VERSION=", "JAVA_VERSION="]
            .iter()
            .find_map(|key| release.lines().find_map(|line| line.strip_prefix(key)))
    });
    let version = match written {
        Some(version) => version.trim_matches('"').to_owned(),
        None => asked_version(java)?,
    };
    match feature(&version) {
        Some(feature) if feature < FEATURE_MIN => {
            let needed = format!("Java {FEATURE_MIN}");
            Err(NotBuilt::TooOld { program: java.into(), needed, version })
        }
        Some(_) => Ok(version),
        None => Err(NotBuilt::NotJava { program: java.into(), version }),
    }
}

/// What stands in quotes in the first lines of `java -version`.
fn asked_version(java: &str) -> Result<String, NotBuilt> {
    let ended = answer_of(command_of(java).arg("-version")).map_err(NotBuilt::NotRun)?;
    let said = String::from_utf8_lossy(&ended.stderr);
    let quoted = said.lines().find_map(|line| line.split("version \"").nth(1)?.split('"').next());
    let first = said.lines().next().unwrap_or("nothing");
    quoted.map(str::to_owned).ok_or_else(|| {
        let (program, said) = (java.into(), format!("-version says {first:?}"));
        NotBuilt::NoVersion { program, said }
    })
}

/// The 17 of 17.0.15, and the 8 of `1.8.0_392`.
fn feature(version: &str) -> Option<u32> {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    match numbers.next()?.ok()? {
        1 => numbers.next().map_or(Some(1), Result::ok),
        feature => Some(feature),
    }
}

/// The folder with the worker's classes.
fn compiled(
    java: &str,
    home: Option<&Path>,
    version: &str,
    jar: Option<&Path>,
) -> Result<PathBuf, Unavailable> {
    let jar_is = match jar.map(|jar| (jar, fs::metadata(jar))) {
        Some((jar, Ok(data))) => format!("{} of {} bytes", jar.display(), data.len()),
        _ => "no jar".to_owned(),
    };
    let mut inputs = vec![version, &jar_is];
    inputs.extend(SOURCES.iter().chain(OF_BOUNCY_CASTLE).map(|(_, source)| source));
    built("java", &inputs, |folder| {
        let beside = home.map(|home| home.join("bin").join("javac"));
        let found = beside.filter(|file| runnable(file)).or_else(|| on_path(&["javac"]));
        let javac = found.ok_or_else(|| {
            let package = "a JDK (package openjdk-17-jdk-headless)";
            let reason = "has no javac beside it, nor is one on PATH";
            Unavailable::not_installed(format!("{java} {reason}: {package} is needed"))
        })?;
        let all = [SOURCES, OF_BOUNCY_CASTLE].concat();
        // A version of BouncyCastle that does not fit must not cost what Java itself has.
        match jar {
            Some(jar) => compile(&javac, folder, &all, jar)
                .or_else(|_| compile(&javac, folder, SOURCES, folder))?,
            None => compile(&javac, folder, SOURCES, folder)?,
        }
        Ok(())
    })
}

/// Compiles for the oldest Java, so that a `javac` newer than the Java will do.
fn compile(
    javac: &Path,
    folder: &Path,
    sources: &[(&str, &str)],
    class_path: &Path,
) -> Result<(), NotBuilt> {
    for (name, source) in sources {
        let file = folder.join(name);
        fs::write(&file, source).map_err(|error| NotBuilt::file(&file, error))?;
    }
    let mut command = command_of(javac);
    command.current_dir(folder).args(["--release", &FEATURE_MIN.to_string(), "-encoding", "UTF-8"]);
    command.args(["-proc:none", "-nowarn", "-d", "."]).arg("-cp").arg(class_path);
    run(command.args(sources.iter().map(|(name, _)| name)))
}

/// The jar of `BouncyCastle`: one that `CLASSPATH` names, the system's, or the newest that Maven
/// fetched.
fn bouncy_castle() -> Option<PathBuf> {
    let named = env::var_os("CLASSPATH").unwrap_or_default();
    let named: Vec<_> = env::split_paths(&named).filter(|file| is_jar(file)).collect();
    let system = [PathBuf::from("/usr/share/java/bcprov.jar")];
    let found = named.into_iter().chain(system).chain(of_maven());
    // By its own name, which has its version in it, where there is a link to it.
    found.filter(|file| file.is_file()).find_map(|file| fs::canonicalize(file).ok())
}

fn is_jar(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("bcprov") && name.ends_with(".jar")
}

/// `~/.m2/repository/org/bouncycastle/bcprov-jdk18on/1.82/bcprov-jdk18on-1.82.jar`.
fn of_maven() -> Option<PathBuf> {
    let group = dirs::home_dir()?.join(".m2/repository/org/bouncycastle");
    let below = |folder: PathBuf| {
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path())
    };
    let is_of_it =
        |folder: &PathBuf| folder.file_name().is_some_and(|name| is_named(name, "bcprov-"));
    let jars = below(group).filter(is_of_it).flat_map(below).flat_map(below);
    jars.filter(|file| is_jar(file) && !file.to_string_lossy().contains("sources")).max_by_key(
        |file| {
            let name = file.parent().and_then(Path::file_name).unwrap_or_default();
            numbers(&name.to_string_lossy())
        },
    )
}

fn is_named(name: &std::ffi::OsStr, begin: &str) -> bool {
    name.to_string_lossy().starts_with(begin)
}

/// The 1 and 82 of `1.82`, to be compared.
fn numbers(version: &str) -> Vec<u32> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(feature("17.0.15+6-Debian-1deb12u1"), Some(17));
        assert_eq!(feature("1.8.0_392"), Some(8));
        assert_eq!(feature("25"), Some(25));
        assert_eq!(feature("no version"), None);
        assert!(numbers("1.82") > numbers("1.9"));
    }
}
