//! Whose code calls: which providers can be used from a language.

use std::fmt;
use std::str::FromStr;

use anyhow::{Result, bail};
use lab::plan::Planned;
use lab::study::{Caller, Class, ClassName, Workload};
use providers::{Kind, Row};
use report::format::{any_of, list};

use crate::suggestions::did_you_mean;

/// Built into our binary because they are Rust libraries; all others there have a C interface.
const RUST: [&str; 5] = ["aws-lc-rs", "graviola", "macs", "ring", "rustcrypto"];

/// Programs that measure a module, with the runtime that runs it.
const MODULES: [(&str, &str); 2] = [("macs-python", "python"), ("macs-wasm", "node")];

/// Languages without a runtime of their own.
const NATIVE: [&str; 2] = ["c", "rust"];

/// The provider that does nothing is the floor of all.
const NULL: &str = "null";

/// Providers that a language calls, by name in an error.
const CALLED_NAMED: usize = 4;

/// A language that code is written in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Language(&'static str);

impl Language {
    /// All of them: the runtimes are programs among the providers.
    fn all() -> impl Iterator<Item = &'static str> {
        let program =
            |row: &&Row| matches!(row.kind, Kind::Program(_)) && runtime(row.name) == row.name;
        NATIVE.into_iter().chain(providers::ROWS.iter().filter(program).map(|row| row.name))
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.0
    }

    /// Its name in print.
    pub fn title(&self) -> &'static str {
        match self.0 {
            "c" => "C",
            "rust" => "Rust",
            "python" => "Python",
            "java" => "Java",
            "go" => "Go",
            "node" => "Node.js",
            other => other,
        }
    }

    /// Whether its code can call a provider: a runtime's own, or, of C and Rust, libraries and the
    /// Linux kernel; Rust libraries from Rust alone.
    fn calls(&self, row: &Row) -> bool {
        match row.kind {
            Kind::Program(_) => runtime(row.name) == self.0,
            Kind::InProcess(_) if RUST.contains(&row.name) => self.0 == "rust",
            Kind::InProcess(_) => NATIVE.contains(&self.0),
        }
    }
}

/// The runtime of a program: itself, if it is one.
fn runtime(program: &'static str) -> &'static str {
    MODULES.iter().find(|(module, _)| *module == program).map_or(program, |(_, runtime)| runtime)
}

/// A language that none of the callers has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownLanguage {
    /// As it was written.
    text: String,
    /// As a language would be called.
    name: String,
}

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = |all: &[&str]| format!("available: {}", all.join(", "));
        let hint = did_you_mean(&self.name, Language::all(), all);
        write!(f, "unknown language {:?}{hint}", self.text)
    }
}

impl std::error::Error for UnknownLanguage {}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, UnknownLanguage> {
        let name = match text.to_ascii_lowercase().as_str() {
            "c++" | "cpp" => "c".to_owned(),
            "golang" => "go".to_owned(),
            "javascript" | "js" | "nodejs" | "node.js" => "node".to_owned(),
            other => other.to_owned(),
        };
        let known = Self::all().find(|it| *it == name).map(Self);
        known.ok_or_else(|| UnknownLanguage { text: text.into(), name })
    }
}

/// Languages that are named; or else those of the providers that are, or of what is used today; or
/// else C and Rust: those that call libraries.
pub fn languages(named: &[Language], asked: &[&Row], today: Option<&Row>) -> Vec<Language> {
    let mut all: Vec<Language> = named.to_vec();
    if all.is_empty() {
        all.extend(asked.iter().flat_map(|row| own(row)));
    }
    if all.is_empty() {
        all = today.map_or_else(|| NATIVE.map(Language).to_vec(), own);
    }
    let mut once: Vec<Language> = Vec::new();
    for language in all {
        if !once.contains(&language) {
            once.push(language);
        }
    }
    once
}

/// Of a runtime its own; of libraries those that call libraries.
fn own(row: &Row) -> Vec<Language> {
    match row.kind {
        Kind::Program(_) => vec![Language(runtime(row.name))],
        Kind::InProcess(_) => NATIVE.map(Language).to_vec(),
    }
}

/// Refuses what none of several languages can call of the providers that are asked for.
pub fn check(languages: &[Language], asked: &[&Row]) -> Result<()> {
    let is_called = |row: &Row| languages.iter().any(|language| language.calls(row));
    let Some(row) = asked.iter().find(|row| !is_called(row)) else { return Ok(()) };
    let from: Vec<&str> = languages.iter().map(Language::title).collect();
    let all = Language::all().map(Language);
    let callers: Vec<&str> = all.filter(|it| it.calls(row)).map(|it| it.title()).collect();
    let can = providers::ROWS.iter().filter(|row| is_called(row) && row.name != NULL);
    let mut can: Vec<String> = can.map(|row| row.name.to_owned()).collect();
    let more = can.split_off(can.len().min(CALLED_NAMED)).len();
    can.extend((more > 0).then(|| format!("{more} more")));
    bail!(
        "code in {} calls {}; {} is called from {}",
        any_of(&from),
        list(&can),
        row.name,
        any_of(&callers)
    )
}

/// Several languages in print: where none calls all that the others call, it is about each of them.
pub fn titles(languages: &[Language]) -> String {
    let titles: Vec<String> = languages.iter().map(|it| it.title().to_owned()).collect();
    if limited(languages).len() > 1 { list(&titles) } else { any_of(&titles) }
}

/// The language whose programs call a provider, by name, in print; the first, where several do.
pub fn caller(provider: &str) -> Option<&'static str> {
    let row = providers::row(provider)?;
    let language = Language::all().map(Language).find(|it| it.calls(row))?;
    Some(language.title())
}

/// Those of several languages that cannot call all that the others can, and what they can: of C and
/// Rust, C.
pub fn limited(languages: &[Language]) -> Vec<Caller> {
    let called = |language: &Language| -> Vec<String> {
        let rows = providers::ROWS.iter().filter(|row| language.calls(row));
        rows.map(|row| row.name.to_owned()).collect()
    };
    let is_limited = |own: &[String]| {
        languages.iter().any(|other| called(other).iter().any(|name| !own.contains(name)))
    };
    let callers = languages
        .iter()
        .map(|language| Caller { language: language.title().into(), providers: called(language) });
    callers.filter(|caller| is_limited(&caller.providers)).collect()
}

/// Adds a class for each mac that is offered to every caller, where no caller has all that the
/// others have: of the widely used ones, or else of all.
pub fn add_common(workload: &mut Workload, planned: &[Planned]) {
    if workload.callers.len() < 2 {
        return;
    }
    let is_offered = |mac: &&String| {
        workload.callers.iter().all(|caller| {
            planned
                .iter()
                .map(|it| &it.cell.candidate)
                .any(|own| own.mac == **mac && caller.providers.contains(&own.provider))
        })
    };
    let of = |name: ClassName| -> Vec<Class> {
        let class = workload.classes.iter().filter(|it| it.name == name);
        let macs = class.flat_map(|it| &it.macs).filter(is_offered);
        macs.map(|mac| Class { name: ClassName::Together(mac.clone()), macs: vec![mac.clone()] })
            .collect()
    };
    let wide = of(ClassName::Wide);
    let common = if wide.is_empty() { of(ClassName::All) } else { wide };
    workload.classes.extend(common);
}

/// Whether a provider, by name, can be called from one of these.
pub fn is_callable(languages: &[Language], provider: &str) -> bool {
    let row = providers::row(provider);
    row.is_some_and(|row| languages.iter().any(|language| language.calls(row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_call_their_own_and_rust_calls_libraries_too() {
        let of = |name: &str| [Language::from_str(name).unwrap()];
        for (language, provider, can) in [
            ("python", "python", true),
            ("python", "macs-python", true),
            ("python", "openssl", false),
            ("javascript", "macs-wasm", true),
            ("python", "macs-wasm", false),
            ("rust", "macs-python", false),
            ("C++", "openssl-4.0", true),
            ("c", "openssl[soft]", true),
            ("c", "ring", false),
            ("rust", "ring", true),
            ("rust", "openssl", true),
            ("golang", "go", true),
            ("go", "java", false),
        ] {
            assert_eq!(is_callable(&of(language), provider), can, "{language} {provider}");
        }
        for (provider, language) in [("node", "Node.js"), ("ring", "Rust"), ("openssl[soft]", "C")]
        {
            assert_eq!(caller(provider), Some(language));
        }
        assert_eq!(caller("macs-python"), Some("Python"));
        assert_eq!(caller("macs-wasm"), Some("Node.js"));
        for name in RUST {
            let row = providers::row(name).unwrap();
            assert!(row.name == name && matches!(row.kind, Kind::InProcess(_)), "{name}");
        }
        let error = Language::from_str("cobol").unwrap_err().to_string();
        assert_eq!(error, "unknown language \"cobol\"; available: c, rust, go, java, node, python");
        let error = Language::from_str("phyton").unwrap_err().to_string();
        assert_eq!(error, "unknown language \"phyton\": did you mean python?");
    }

    #[test]
    fn who_cannot_call_all_that_others_can_is_told_apart() {
        let of = |names: &[&str]| {
            let languages: Vec<_> =
                names.iter().map(|it| Language::from_str(it).unwrap()).collect();
            limited(&languages).iter().map(|it| it.language.clone()).collect::<Vec<_>>()
        };
        assert_eq!(of(&["rust"]), [] as [&str; 0]);
        assert_eq!(of(&["c", "rust"]), ["C"]);
        assert_eq!(of(&["go", "java"]), ["Go", "Java"]);
        assert_eq!(of(&["rust", "python", "c"]), ["Rust", "Python", "C"]);
        let told = |names: [&'static str; 2]| titles(&names.map(Language));
        assert_eq!(told(["c", "rust"]), "C or Rust");
        assert_eq!(told(["python", "go"]), "Python and Go");
    }

    #[test]
    fn who_names_no_language_has_that_of_what_is_used() {
        let names = |asked: &[&str], today| {
            let asked: Vec<&Row> = asked.iter().filter_map(|it| providers::row(it)).collect();
            languages(&[], &asked, today).iter().map(Language::name).collect::<Vec<_>>()
        };
        assert_eq!(names(&[], None), ["c", "rust"]);
        assert_eq!(names(&[], providers::row("openssl")), ["c", "rust"]);
        assert_eq!(names(&[], providers::row("node")), ["node"]);
        assert_eq!(names(&[], providers::row("macs-python")), ["python"]);
        // The providers that are asked for say whose code it is about.
        assert_eq!(names(&["python", "macs-python"], None), ["python"]);
        assert_eq!(names(&["go", "java"], providers::row("node")), ["go", "java"]);
        assert_eq!(names(&["macs"], None), ["c", "rust"]);
        assert_eq!(languages(&[Language("go")], &[], providers::row("node")), [Language("go")]);
        let twice = ["java", "go", "java"].map(Language);
        assert_eq!(languages(&twice, &[], None), twice[..2]);
    }

    #[test]
    fn a_provider_that_none_of_the_languages_calls_is_refused() {
        let said = |from: &[&str], asked: &[&str]| {
            let from: Vec<_> = from.iter().map(|it| Language::from_str(it).unwrap()).collect();
            let asked: Vec<&Row> = asked.iter().filter_map(|it| providers::row(it)).collect();
            check(&from, &asked).map_err(|error| error.to_string())
        };
        let error = said(&["python"], &["python", "openssl"]).unwrap_err();
        assert!(error.starts_with("code in Python calls "), "{error}");
        assert!(error.contains("python") && error.ends_with("; openssl is called from C or Rust"));
        let error = said(&["c", "rust"], &["python"]).unwrap_err();
        assert!(error.ends_with("python is called from Python"), "{error}");
        assert!(said(&["c"], &["ring"]).unwrap_err().ends_with("ring is called from Rust"));
        assert_eq!(said(&["python", "rust"], &["openssl", "macs-python", "macs"]), Ok(()));
    }
}
