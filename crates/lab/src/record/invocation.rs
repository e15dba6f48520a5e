//! How macrometer was called for a run.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Options on how a run is measured, which stand behind those that choose what is measured.
const CONDITIONS: [&str; 4] = [" --budget ", " --cpu ", " --segments-dir ", SEED];
const SEED: &str = " --seed ";

/// The command line that measures a run again, in its parts; words are quoted as for a shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invocation {
    /// What was to be done.
    pub verb: Verb,
    /// The study or the pack, as it was named; absent where the verb has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study: Option<String>,
    /// Options that choose what is measured, or to what extent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
    /// Options on how it is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conditions: Option<String>,
    /// The seed, where the command line has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// A verb that measures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// A test of the machine.
    Doctor,
    /// Two versions against each other.
    Gate,
    /// What is best for a workload.
    Recommend,
    /// A study.
    Run,
    /// One that a newer macrometer has.
    #[serde(untagged)]
    Other(String),
}

impl Verb {
    /// As it is typed.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Doctor => "doctor",
            Self::Gate => "gate",
            Self::Recommend => "recommend",
            Self::Run => "run",
            Self::Other(name) => name,
        }
    }

    fn of(name: &str) -> Self {
        let known = [Self::Doctor, Self::Gate, Self::Recommend, Self::Run];
        known.into_iter().find(|it| it.name() == name).unwrap_or_else(|| Self::Other(name.into()))
    }
}

impl Invocation {
    /// A verb alone.
    #[must_use]
    pub fn of(verb: Verb) -> Self {
        Self { verb, study: None, options: None, conditions: None, seed: None }
    }

    /// The same with a list of options that choose what is measured; they may be none.
    #[must_use]
    pub fn with_options(self, options: &str) -> Self {
        Self { options: given(options), ..self }
    }

    /// The same with a list of options on how it is measured; they may be none.
    #[must_use]
    pub fn with_conditions(self, conditions: &str) -> Self {
        Self { conditions: given(conditions), ..self }
    }

    /// What narrowed a study down: `--mac 'hmac-*' --size 64`; `None` of a run of all of it.
    #[must_use]
    pub fn narrowing(&self) -> Option<&str> {
        self.asked().filter(|_| self.verb == Verb::Run)
    }

    /// The same, and what `macrometer recommend` and `macrometer gate` were asked.
    #[must_use]
    pub fn asked(&self) -> Option<&str> {
        let asks = matches!(self.verb, Verb::Gate | Verb::Recommend | Verb::Run);
        self.options.as_deref().filter(|it| asks && !it.trim().is_empty())
    }

    /// The command line without the seed: what is asked so finds the run if it can.
    #[must_use]
    pub fn without_seed(&self) -> Self {
        Self { seed: None, ..self.clone() }
    }

    /// What a record has, or what its command line says in older archives, which lack the parts.
    pub(crate) fn kept(kept: Option<Self>, command: &str) -> Option<Self> {
        kept.or_else(|| Self::of_command(command))
    }

    /// The parts of a command line; `None` where it is not one of macrometer.
    fn of_command(command: &str) -> Option<Self> {
        let words = command.strip_prefix("macrometer ")?;
        let (verb, rest) = words.split_at(words.find(' ').unwrap_or(words.len()));
        let (study, options) = rest.split_at(unquoted(rest, &[" --"]));
        let (options, rest) = options.split_at(unquoted(options, &CONDITIONS));
        let (conditions, seed) = rest.split_at(unquoted(rest, &[SEED]));
        let seed = seed.strip_prefix(SEED).unwrap_or_default();
        let called = Self { study: given(study), ..Self::of(Verb::of(verb)) };
        let called = called.with_options(options).with_conditions(conditions);
        Some(Self { seed: seed.parse().ok(), ..called })
    }
}

/// Reads what a record has, or nothing where it has something else, as a newer macrometer may write
/// it: its command line says the same.
pub(crate) fn lenient<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Invocation>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(from)?).ok())
}

/// Where the first of these begins in a command line, outside quotes; its end where none does.
fn unquoted(words: &str, sought: &[&str]) -> usize {
    let mut quote = None;
    for (at, letter) in words.char_indices() {
        match quote {
            Some(end) if letter == end => quote = None,
            Some(_) => {}
            None if matches!(letter, '\'' | '"') => quote = Some(letter),
            None if sought.iter().any(|it| words[at..].starts_with(it)) => return at,
            None => {}
        }
    }
    words.len()
}

/// Words of a command line; `None` where there are none.
fn given(words: &str) -> Option<String> {
    Some(words.trim().to_owned()).filter(|words| !words.is_empty())
}

impl fmt::Display for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "macrometer {}", self.verb.name())?;
        for words in [&self.study, &self.options, &self.conditions].into_iter().flatten() {
            write!(f, " {words}")?;
        }
        self.seed.map_or(Ok(()), |seed| write!(f, "{SEED}{seed}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of an older archive.
    fn of(command: &str) -> Invocation {
        let called = Invocation::kept(None, command).unwrap();
        assert_eq!(called.to_string(), command);
        called
    }

    #[test]
    fn only_what_chooses_cells_or_extent_narrows() {
        for whole in [
            "macrometer run survey --seed 1",
            "macrometer run khc --budget 15 --cpu 1 --seed 1",
            "macrometer doctor --pairs 4",
            "macrometer run survey",
        ] {
            assert_eq!((of(whole).narrowing(), of(whole).asked()), (None, None), "{whole}");
        }
        let command =
            "macrometer run 'my study.toml' --mac 'hmac-*' --launches 2 --budget 3 --seed 1";
        assert_eq!(of(command).narrowing(), Some("--mac 'hmac-*' --launches 2"));
        assert_eq!(of(command).study.as_deref(), Some("'my study.toml'"));
        let held = "macrometer run khc --without avx512,sha --budget 5 --seed 1";
        assert_eq!(of(held).narrowing(), Some("--without avx512,sha"));
        assert_eq!(of("macrometer run x --size '64'").narrowing(), Some("--size '64'"));
        for file in ["'my --size 3 x.toml'", "\"it's --budget 3.toml\""] {
            let own = of(&format!("macrometer run {file} --provider macs --budget 3 --seed 1"));
            assert_eq!(own.study.as_deref(), Some(file));
            assert_eq!(own.narrowing(), Some("--provider macs"));
        }
        let quick = of("macrometer run --provider macs --quick --budget 15 --seed 1");
        assert_eq!((quick.study.as_deref(), quick.seed), (None, Some(1)));
        assert_eq!(quick.narrowing(), Some("--provider macs --quick"));
        let gate = of("macrometer gate --base a --new b --seed 1");
        assert_eq!((gate.narrowing(), gate.asked()), (None, Some("--base a --new b")));
        let asked = of("macrometer recommend --size 300 --from python --budget 5 --seed 1");
        assert_eq!((asked.narrowing(), asked.asked()), (None, Some("--size 300 --from python")));
        assert_eq!(of(held).asked(), of(held).narrowing());
        let again = asked.without_seed().to_string();
        assert_eq!(again, "macrometer recommend --size 300 --from python --budget 5");
        assert_eq!(Invocation::kept(None, "x"), None);
    }

    #[test]
    fn a_record_has_the_parts_that_are_there() {
        let called = of("macrometer run khc --size 64 --cpu 1 --seed 18446744073709551615");
        let kept = serde_json::json!({
            "verb": "run", "study": "khc", "options": "--size 64", "conditions": "--cpu 1",
            "seed": u64::MAX,
        });
        assert_eq!(serde_json::to_value(&called).unwrap(), kept);
        let newer = serde_json::json!({ "verb": "race" });
        let newer: Invocation = serde_json::from_value(newer).unwrap();
        assert_eq!((newer.to_string().as_str(), newer.asked()), ("macrometer race", None));
        assert_eq!(Invocation::kept(Some(newer.clone()), "macrometer run x"), Some(newer));
        for strange in [r#"{"verb":5}"#, "[]", "\"x\"", r#"{"verb":"run","seed":-1}"#, "null"] {
            let read = lenient(&mut serde_json::Deserializer::from_str(strange)).unwrap();
            assert_eq!(read, None, "{strange}");
        }
        let blank = serde_json::json!({ "verb": "run", "options": " " });
        let blank: Invocation = serde_json::from_value(blank).unwrap();
        assert_eq!((blank.narrowing(), blank.asked()), (None, None));
    }
}
