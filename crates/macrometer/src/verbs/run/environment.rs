//! Variables of the environment that make other programs of the workers: a library put before all
//! others, modules from elsewhere, options of a virtual machine. They are told with a run.

use std::env;

use lab::record::{ENVIRONMENT, Event, EventKind};

const NAMES: &[&str] = &[
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "NODE_OPTIONS",
    "NODE_PATH",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "CLASSPATH",
    "GODEBUG",
    "GOFIPS140",
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
    "OPENSSL_armcap",
    "OPENSSL_ia32cap",
    "GNUTLS_CPUID_OVERRIDE",
    "BOTAN_CLEAR_CPUID",
    "GLIBC_TUNABLES",
];

/// Most letters of a value that are kept.
const VALUE_LETTERS_MAX: usize = 200;

/// What is told of a run that goes on where nothing is set any more. Not in the words that a bundle
/// is judged by: the earlier note has them.
const NOTHING: &str = "resumed with none of these variables in the workers' environment";

/// What is set of them, if anything.
pub(super) fn told() -> Option<String> {
    of(|name| env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
}

/// The same of a run that goes on, where it is not what was told of it last.
pub(super) fn changed_since(events: &[Event]) -> Option<String> {
    changed(events, told())
}

fn changed(events: &[Event], now: Option<String>) -> Option<String> {
    let is_told = |it: &&Event| {
        it.kind == EventKind::Note && (it.text == NOTHING || it.text.starts_with(ENVIRONMENT))
    };
    let last = events.iter().rev().find(is_told).map_or(NOTHING, |it| it.text.as_str());
    let now = now.unwrap_or_else(|| NOTHING.to_owned());
    (now != last).then_some(now)
}

fn of(value: impl Fn(&str) -> Option<String>) -> Option<String> {
    let set = NAMES.iter().filter_map(|name| {
        let value = value(name).filter(|value| !value.is_empty())?;
        let shown: String = value.escape_debug().take(VALUE_LETTERS_MAX).collect();
        Some(format!("{name}={shown}"))
    });
    let set: Vec<String> = set.collect();
    (!set.is_empty()).then(|| format!("{ENVIRONMENT}{}", set.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_told_and_is_one_line() {
        assert_eq!(of(|_| None), None);
        assert_eq!(of(|_| Some(String::new())), None);
        let told = of(|name| (name == "LD_PRELOAD").then(|| "a\n\u{1b}[2J.so".into())).unwrap();
        assert_eq!(told, "the workers' environment has LD_PRELOAD=a\\n\\u{1b}[2J.so");
        let long = of(|name| (name == "CLASSPATH").then(|| "x".repeat(9999))).unwrap();
        assert!(long.len() < 300, "{}", long.len());
        let armcap = of(|name| (name == "OPENSSL_armcap").then(|| "0".into())).unwrap();
        assert!(armcap.ends_with(" OPENSSL_armcap=0"), "{armcap}");
    }

    #[test]
    fn what_has_changed_is_told_again_and_only_that() {
        let set = |value: &str| of(|name| (name == "GODEBUG").then(|| value.into()));
        let note = |text: String| Event { unix_s: 0, kind: EventKind::Note, text };
        let mut events = vec![note("this machine: x".into())];
        assert_eq!(changed(&events, None), None);
        for now in [set("a=1"), set("a=2"), None, set("a=1")] {
            let told = changed(&events, now.clone()).unwrap();
            assert_eq!(told, now.clone().unwrap_or_else(|| NOTHING.into()));
            events.push(note(told));
            assert_eq!(changed(&events, now), None);
        }
    }
}
