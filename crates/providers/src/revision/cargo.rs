//! The user's cargo: what it fetches and builds, and how it says what went wrong.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::config;
use super::error::{Failure, RevisionError};
use crate::NotBuilt;
use crate::built::private_folder;
use crate::limited::{Unanswered, answer_of, work_of};
use crate::programs::{command_of, on_path};

/// A cargo, and the compiler that it is given.
pub(super) struct Cargo {
    program: PathBuf,
    rustc: PathBuf,
    /// As `rustc -vV` tells.
    compiler: String,
    settings: Vec<String>,
}

/// How a worker is built, beside for what and where.
pub(super) const BUILD: [&str; 9] = [
    "build",
    "--release",
    "--quiet",
    "--color",
    "never",
    "--locked",
    "--offline",
    "--message-format",
    "short",
];

impl Cargo {
    /// The one on `PATH`.
    pub fn find() -> Result<Self, RevisionError> {
        let program =
            |name: &str| on_path(&[name]).ok_or_else(|| RevisionError::NoProgram(name.to_owned()));
        let mut cargo = Self {
            program: program("cargo")?,
            rustc: program("rustc")?,
            compiler: String::new(),
            settings: vec![],
        };
        // Which toolchain rustup takes depends on the folder; whatever cargo does is done below it.
        let folder = private_folder()?;
        cargo.compiler = said(answer_of, cargo.command(&cargo.rustc, &folder)?.arg("-vV"))?;
        cargo.settings = config::settings(&folder)?;
        Ok(cargo)
    }

    /// What decides how it builds, and is not in a package.
    pub fn settings(&self) -> &[String] {
        &self.settings
    }

    /// `rustc 1.95.0`, and what else it says of itself.
    pub fn compiler(&self) -> &str {
        &self.compiler
    }

    /// `rustc 1.95.0`.
    pub fn compiler_version(&self) -> &str {
        let line = self.compiler.lines().next().unwrap_or_default();
        line.split(" (").next().unwrap_or_default()
    }

    fn host(&self) -> Result<&str, RevisionError> {
        let host = self.compiler.lines().find_map(|line| line.strip_prefix("host: "));
        host.ok_or(RevisionError::NoHost)
    }

    /// In a folder above which nobody else says what is executed. The compiler is the one that is
    /// told of, whatever variables and configurations name, and nothing is compiled incrementally:
    /// that would make folders slower than releases.
    fn command(&self, program: &Path, folder: &Path) -> Result<Command, RevisionError> {
        config::check(folder)?;
        let mut command = command_of(program);
        command.current_dir(folder);
        command.env("RUSTC", &self.rustc).env("CARGO_INCREMENTAL", "0");
        command.env("RUSTC_WRAPPER", "").env("RUSTC_WORKSPACE_WRAPPER", "");
        // What git says is understood, and it asks nobody.
        command.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0");
        Ok(command)
    }

    /// Has it choose versions and fetch them.
    pub fn fetch(&self, folder: &Path) -> Result<(), RevisionError> {
        let mut command = self.command(&self.program, folder)?;
        command.args(["fetch", "--quiet", "--color", "never", "--target", self.host()?]);
        said(work_of, &mut command).map(|_| ())
    }

    /// Builds what was fetched; the program.
    pub fn build(&self, folder: &Path) -> Result<PathBuf, RevisionError> {
        let (host, target) = (self.host()?, folder.join("target"));
        let mut command = self.command(&self.program, folder)?;
        command.args(BUILD).args(["--target", host]).arg("--target-dir").arg(&target);
        said(work_of, &mut command)?;
        Ok(target.join(host).join("release").join("worker"))
    }
}

/// Runs a program to its end, or to a limit.
type Run = fn(&mut Command) -> Result<Output, Unanswered>;

/// What it prints, or its first error.
fn said(run: Run, command: &mut Command) -> Result<String, RevisionError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let ended = run(command).map_err(NotBuilt::NotRun)?;
    if ended.status.success() {
        return Ok(String::from_utf8_lossy(&ended.stdout).into_owned());
    }
    let whole = String::from_utf8_lossy(&ended.stderr).into_owned();
    let line = first_error(&whole).unwrap_or_else(|| format!("{program} failed: {}", ended.status));
    Err(Failure { line, whole }.into())
}

/// The first error in one line: where and what, or what cargo could not do and the deepest reason,
/// or what it says in the next line.
fn first_error(said: &str) -> Option<String> {
    let is_error = |line: &&str| {
        line.starts_with("error") || line.contains(": error: ") || line.contains(": error[")
    };
    let mut lines = said.lines().skip_while(|line| !is_error(line));
    let first = lines.next()?.trim();
    let Some(of_cargo) = first.strip_prefix("error: ") else { return Some(first.to_owned()) };
    let rest: Vec<&str> = lines.map(str::trim).collect();
    let mut causes = rest.windows(2).filter(|pair| pair[0] == "Caused by:").map(|pair| pair[1]);
    let next = rest.first().copied();
    let is_reason = |line: &&str| {
        !line.is_empty() && !["help:", "error"].iter().any(|begin| line.starts_with(begin))
    };
    let next = next.filter(is_reason);
    let mut told = of_cargo.to_owned();
    if let Some(reason) = causes.next_back().or(next) {
        told += &format!("; {reason}");
    }
    if rest.iter().any(|line| line.contains("you're using offline mode")) {
        told += "; cargo is offline";
    }
    Some(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_one_line() {
        let compiler = "src/a.rs:1:1: warning: unused\n/x/src/lib.rs:7:1: error[E0425]: no `b`\n\
                        error: could not compile `sha2` (lib) due to 1 previous error\n";
        assert_eq!(first_error(compiler).unwrap(), "/x/src/lib.rs:7:1: error[E0425]: no `b`");
        let cargo =
            "error: failed to get `sha2`\n\nCaused by:\n  no index\n\nCaused by:\n  deepest\n";
        assert_eq!(first_error(cargo).unwrap(), "failed to get `sha2`; deepest");
        let offline = "error: no package `a`\nlocation searched: b\nAs you're using offline mode\n";
        let told = "no package `a`; location searched: b; cargo is offline";
        assert_eq!(first_error(offline).unwrap(), told);
        let linker = "error: linker `cc` not found\nerror: could not compile `a` (bin \"a\")\n";
        assert_eq!(first_error(linker).unwrap(), "linker `cc` not found");
        assert_eq!(first_error("nothing of the kind"), None);
    }
}
