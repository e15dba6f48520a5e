//! The library under its own names in a folder, and programs compiled against it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The sources of the crate.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with `libmacs.so`, `libmacs.so.0` and `libmacs.a`; programs are compiled into it.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let test = env::current_exe().expect("the test's own file");
        let built = test.parent().expect("a folder").to_owned();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("macs-c");
        // What an earlier build left could be taken for this one's.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder for programs");
        let link = |from: &str, to: &str| {
            let from = built.join(from);
            assert!(from.is_file(), "{} was not built", from.display());
            std::os::unix::fs::symlink(&from, folder.join(to)).expect("a link");
        };
        link("libmacs_c.so", "libmacs.so.0");
        link("libmacs_c.so", "libmacs.so");
        link("libmacs_c.a", "libmacs.a");
        folder
    })
}

/// Says what was not tested; fails where that is not allowed.
pub fn skipped(what: &str) {
    println!("skipped: {what}");
    assert!(
        env::var_os("CHECK_STRICT").is_none(),
        "CHECK_STRICT is set and this is absent: {what}"
    );
}

/// Whether there is such a program.
pub fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|it| it.status.success())
}

/// The compiler for a source file by its ending: the command and its options; `None`, which is
/// told, where there is none.
fn compiler(source: &Path) -> Option<(String, &'static [&'static str])> {
    const C: &[&str] = &["-std=gnu11", "-Wstrict-prototypes"];
    const CPP: &[&str] = &["-std=c++17"];
    let (variable, usual, options) = match source.extension().and_then(|it| it.to_str()) {
        Some("cpp") => ("CXX", "c++", CPP),
        _ => ("CC", "cc", C),
    };
    let command = env::var(variable).unwrap_or_else(|_| usual.into());
    if !is_there(&command) {
        skipped(&format!("{}: no compiler {command}", source.display()));
        return None;
    }
    Some((command, options))
}

/// How a program gets the library.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Linked {
    /// Found by its SONAME when the program starts.
    Shared,
    /// Copied into the program.
    Static,
}

/// The program that a source file makes; `None`, which is told, without a compiler.
pub fn program(source: &Path, linked: Linked) -> Option<PathBuf> {
    let (command, options) = compiler(source)?;
    let folder = folder();
    let name = source.file_name().expect("a name").to_string_lossy().replace('.', "-");
    let program = folder.join(match linked {
        Linked::Shared => name,
        Linked::Static => name + "-static",
    });
    let mut compile = Command::new(command);
    compile.args(options).args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-g"]);
    compile.arg("-I").arg(root().join("include")).arg(source).arg("-o").arg(&program);
    match linked {
        Linked::Shared => {
            compile.arg("-L").arg(folder).arg("-lmacs");
            compile.arg(format!("-Wl,-rpath,{}", folder.display()));
        }
        // What rustc names as `native-static-libs`.
        Linked::Static => {
            compile.arg(folder.join("libmacs.a"));
            compile.args(["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-lc"]);
        }
    }
    let ended = compile.arg("-pthread").output().expect("a compiler that starts");
    let told = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{compile:?}\n{told}");
    Some(program)
}

/// One of the programs in `tests/c`.
pub fn source(name: &str) -> PathBuf {
    root().join("tests/c").join(name)
}
