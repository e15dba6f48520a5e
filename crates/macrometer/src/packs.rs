//! Packs on the command line: which options one carries, and how it becomes a run again. A pack may
//! be a stranger's: it names no file and no processor, and what it says goes through the same
//! checks as what is typed.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Parser};
use fleet::Pack;

use crate::extent::{ExtentArgs, check_budget};
use crate::reading;
use crate::selection::SelectionArgs;
use crate::studies::built_in;
use crate::without::WithoutArgs;

/// Of options that would not be read again as they were given.
const UNREADABLE: &str = "these options cannot be packed unchanged";

/// Options that are about one machine, and where they go instead.
const OF_ONE_MACHINE: [(&str, &str); 2] =
    [("--lib", "names a file of this machine"), ("--file", "names a file of this machine")];

/// The options of a run that a pack carries.
#[derive(Debug, Clone, Args)]
pub struct PackedArgs {
    /// Time limit of the whole run in seconds, exceeded only if it is too short for a first look
    /// [default: the study's]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    pub budget: Option<f64>,
    #[command(flatten)]
    pub extent: ExtentArgs,
    #[command(flatten)]
    pub without: WithoutArgs,
    #[command(flatten)]
    pub selection: SelectionArgs,
}

/// The same as a command line of their own.
#[derive(Debug, Parser)]
#[command(name = "pack", disable_help_flag = true)]
struct Line {
    #[command(flatten)]
    packed: PackedArgs,
}

impl PackedArgs {
    /// Of the words of a pack.
    pub fn of_words(words: &[String]) -> Result<Self> {
        let line = Line::try_parse_from(["pack".to_owned()].iter().chain(words));
        let line = line.map_err(|error| anyhow!("its options: {}", crate::one_line(&error)))?;
        check(words)?;
        if !line.packed.selection.has_usual_patience() {
            bail!("--patience is for one machine: `macrometer run PACK` takes it");
        }
        Ok(line.packed)
    }

    /// The words of a pack; those of one machine alone are refused.
    pub fn words(&self) -> Result<Vec<String>> {
        check_budget(self.budget)?;
        if !self.selection.has_usual_patience() {
            bail!("--patience: is not packed; `macrometer run PACK` takes it");
        }
        let budget = self.budget.map(|budget_s| format!(" --budget {budget_s}"));
        let line = self.selection.words()
            + &self.extent.words()
            + &self.without.words()
            + &budget.unwrap_or_default();
        let words = shlex::split(&line).context(UNREADABLE)?;
        check(&words)?;
        // What is read again must be what was given.
        let again = Self::of_words(&words)?;
        let is_same = again.selection.words() == self.selection.words()
            && again.extent.words() == self.extent.words()
            && again.without.words() == self.without.words();
        if !is_same {
            bail!(UNREADABLE);
        }
        Ok(words)
    }

    /// Whether none was given.
    pub fn is_empty(&self) -> bool {
        self.budget.is_none()
            && self.extent.words().is_empty()
            && !self.without.is_given()
            && self.selection.words().is_empty()
    }
}

fn check(words: &[String]) -> Result<()> {
    for (option, why) in OF_ONE_MACHINE {
        if words.iter().any(|word| word == option || word.starts_with(&format!("{option}="))) {
            bail!("{option} {why}: a pack is for all machines");
        }
    }
    let mut pairs = words.array_windows();
    let list = pairs.find(|[option, value]| option == "--cores" && value != "no-siblings");
    if let Some([_, value]) = list {
        bail!("--cores {value}: names processors of this machine; a pack takes no-siblings only");
    }
    Ok(())
}

/// The pack in a file; `None` where the name is that of a built-in study, or the file is something
/// else.
///
/// # Errors
/// When it is a pack that cannot be used here.
pub fn named(name: &str) -> Result<Option<Pack>> {
    let path = Path::new(name);
    // A pipe could not be read again by whoever takes it for a study.
    let is_file = path.metadata().is_ok_and(|file| file.is_file());
    if !is_file || built_in::has(name) {
        return Ok(None);
    }
    let Ok(bytes) = reading::whole(path, fleet::pack::BYTES_MAX) else { return Ok(None) };
    if !Pack::is_one(&bytes) {
        return Ok(None);
    }
    let pack = Pack::parse(&bytes).map_err(|error| anyhow!("{name}: {error}"))?;
    let own = env!("CARGO_PKG_VERSION");
    if pack.macrometer_version != own {
        let other = &pack.macrometer_version;
        bail!(
            "{name}: packed by macrometer {other}, and this is {own}: what it would measure may \
             differ; use that version, or pack the study again"
        );
    }
    Ok(Some(pack))
}

/// A pack that must be one.
pub fn read(path: &Path) -> Result<Pack> {
    let name = path.display().to_string();
    let bytes = reading::whole(path, fleet::pack::BYTES_MAX);
    let bytes = bytes.map_err(|error| anyhow!("cannot read the pack {name}: {error}"))?;
    Pack::parse(&bytes).map_err(|error| anyhow!("{name}: {error}"))?;
    named(&name)?.with_context(|| format!("{name}: not a file; a pack is one"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Result<Vec<String>> {
        let words = shlex::split(line).unwrap();
        let line = Line::try_parse_from(["pack".to_owned()].iter().chain(&words)).unwrap();
        line.packed.words()
    }

    #[test]
    fn what_narrows_a_study_is_packed_and_comes_back() {
        let line = "--mac 'hmac-*,cmac-aes-128' --size 1k,64 --key-life prepared --provider macs \
                    --launches 3 --without avx512 --budget 2.5 --cores no-siblings";
        let packed = words(line).unwrap();
        assert_eq!(
            words(&shlex::try_join(packed.iter().map(String::as_str)).unwrap()).unwrap(),
            packed
        );
        assert!(packed.windows(2).any(|pair| pair == ["--size", "1000,64"]), "{packed:?}");
        assert_eq!(words("").unwrap(), [""; 0]);
        assert_eq!(words("--mac \"a'b\"").unwrap(), ["--mac", "a'b"]);
    }

    #[test]
    fn what_is_of_one_machine_is_refused_in_both_directions() {
        for (line, wanted) in [
            ("--lib openssl=/tmp/x.so", "--lib names a file"),
            ("--cores 0,1", "--cores 0-1: names processors"),
            ("--patience 3", "--patience: is not packed"),
        ] {
            let error = words(line).unwrap_err().to_string();
            assert!(error.contains(wanted), "{line}: {error}");
        }
        let of = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            PackedArgs::of_words(&words).unwrap_err().to_string()
        };
        assert!(of(&["--lib", "openssl=/tmp/x.so"]).contains("--lib names a file"));
        assert!(of(&["--lib=openssl=/tmp/x.so"]).contains("--lib names a file"));
        assert!(of(&["--file", "/etc/passwd"]).contains("--file names a file"));
        assert!(of(&["--cores", "0"]).contains("--cores 0"));
        assert!(of(&["--patience", "1e308"]).contains("--patience is for one machine"));
        assert!(of(&["--archive", "x"]).contains("its options: unexpected argument"));
        assert!(of(&["--help"]).contains("its options: "));
    }
}
