//! Whose code calls: which providers can be used from a language.

use std::str::FromStr;

use lab::study::Caller;
use providers::{Kind, Row};

use crate::suggestions::did_you_mean;

/// Built into our binary because they are Rust libraries; all others there have a C interface.
const RUST: [&str; 5] = ["aws-lc-rs", "graviola", "macs", "ring", "rustcrypto"];

/// Programs that measure a module, with the runtime that runs it.
const MODULES: [(&str, &str); 2] = [("macs-python", "python"), ("macs-wasm", "node")];

/// Languages without a runtime of their own.
const NATIVE: [&str; 2] = ["c", "rust"];

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
    /// kernel; Rust libraries from Rust alone.
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

impl FromStr for Language {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = match text.to_ascii_lowercase().as_str() {
            "c++" | "cpp" => "c".to_owned(),
            "golang" => "go".to_owned(),
            "javascript" | "js" | "nodejs" | "node.js" => "node".to_owned(),
            other => other.to_owned(),
        };
        Self::all().find(|it| *it == name).map(Self).ok_or_else(|| {
            let all = |all: &[&str]| format!("they are {}", all.join(", "));
            format!("no language {text:?}{}", did_you_mean(&name, Self::all(), all))
        })
    }
}

/// Languages that are named, or else that of what is used today, or C and Rust: those that call
/// libraries.
pub fn languages(named: &[Language], today: Option<&Row>) -> Vec<Language> {
    let native = || NATIVE.map(Language).to_vec();
    let mut once: Vec<Language> = Vec::new();
    for language in named {
        if !once.contains(language) {
            once.push(language.clone());
        }
    }
    match today {
        _ if !once.is_empty() => once,
        Some(Row { kind: Kind::Program(_), name, .. }) => vec![Language(runtime(name))],
        _ => native(),
    }
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
        let error = Language::from_str("cobol").unwrap_err();
        assert_eq!(error, "no language \"cobol\": they are c, rust, go, java, node, python");
        let error = Language::from_str("phyton").unwrap_err();
        assert_eq!(error, "no language \"phyton\": did you mean python?");
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
    }

    #[test]
    fn who_names_no_language_has_that_of_what_is_used() {
        let names = |row| languages(&[], row).iter().map(Language::name).collect::<Vec<_>>();
        assert_eq!(names(None), ["c", "rust"]);
        assert_eq!(names(providers::row("openssl")), ["c", "rust"]);
        assert_eq!(names(providers::row("node")), ["node"]);
        assert_eq!(names(providers::row("macs-python")), ["python"]);
        assert_eq!(languages(&[Language("go")], providers::row("node")), [Language("go")]);
        let twice = ["java", "go", "java"].map(Language);
        assert_eq!(languages(&twice, None), twice[..2]);
    }
}
