//! Variables of the environment that make other programs of the workers: a library put before all
//! others, modules from elsewhere, options of a virtual machine. They are told with a run.

use std::borrow::Cow;
use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use lab::record::{Event, EventKind, unix_s};

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

/// Most letters of a value that are kept; of a longer one there is a checksum, so that another that
/// begins alike is another.
const VALUE_LETTERS_MAX: usize = 200;

/// What is set of them, if anything.
pub(super) fn told() -> Option<String> {
    of(env::var_os)
}

/// What is told of a run that goes on, where it is not what was told of it last.
pub(super) fn changed_since(events: &[Event]) -> Option<Event> {
    let now = told();
    has_changed(events, now.as_deref()).then(|| Event::environment(unix_s(), now))
}

fn has_changed(events: &[Event], now: Option<&str>) -> bool {
    let last = events.iter().rev().find_map(|event| match &event.kind {
        EventKind::Environment { variables } => Some(variables.as_deref()),
        _ => None,
    });
    last.flatten() != now
}

fn of(value: impl Fn(&'static str) -> Option<OsString>) -> Option<String> {
    let set = NAMES.iter().filter_map(|name| {
        let value = value(name).filter(|value| !value.is_empty())?;
        Some(format!("{name}={}", shown(&value)))
    });
    let set: Vec<String> = set.collect();
    (!set.is_empty()).then(|| set.join(", "))
}

/// A value in one short line, of another value another one.
fn shown(value: &OsStr) -> String {
    let text = value.to_string_lossy();
    let mut letters = text.escape_debug();
    let mut shown: String = letters.by_ref().take(VALUE_LETTERS_MAX).collect();
    let is_whole = letters.next().is_none();
    // What is no text is told as if it were: two such values look alike.
    if is_whole && matches!(text, Cow::Borrowed(_)) {
        return shown;
    }
    if !is_whole {
        shown.push('…');
    }
    let bytes = value.as_bytes();
    let sum = &blake3::hash(bytes).to_hex()[..16];
    format!("{shown} ({} bytes, BLAKE3 {sum})", bytes.len())
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn what_is_set_is_told_and_is_one_line() {
        assert_eq!(of(|_| None), None);
        assert_eq!(of(|_| Some(OsString::new())), None);
        let told = of(|name| (name == "LD_PRELOAD").then(|| "a\n\u{1b}[2J.so".into())).unwrap();
        assert_eq!(told, "LD_PRELOAD=a\\n\\u{1b}[2J.so");
        let long = of(|name| (name == "CLASSPATH").then(|| "x".repeat(9999).into())).unwrap();
        assert!(long.len() < 300, "{}", long.len());
        let armcap = of(|name| (name == "OPENSSL_armcap").then(|| "0".into())).unwrap();
        assert_eq!(armcap, "OPENSSL_armcap=0");
    }

    fn told_then(variables: Option<String>) -> Event {
        Event::environment(0, variables)
    }

    #[test]
    fn a_change_behind_what_is_shown_is_told() {
        let set = |value: &OsStr| of(|name| (name == "LD_PRELOAD").then(|| value.into()));
        let long = |end: &str| OsString::from("/l.so:".repeat(50) + end);
        let strange = |byte: u8| OsString::from_vec(vec![b'/', byte]);
        for [then, now] in [[long("a.so"), long("b.so")], [strange(0x80), strange(0x81)]] {
            let events = [told_then(set(&then))];
            assert!(!has_changed(&events, set(&then).as_deref()));
            assert!(has_changed(&events, set(&now).as_deref()));
            let told = set(&now).unwrap();
            assert!(told.contains(" bytes, BLAKE3 ") && told.len() < 300, "{told}");
        }
        let just = "x".repeat(VALUE_LETTERS_MAX);
        assert!(set(just.as_ref()).unwrap().ends_with(&format!("LD_PRELOAD={just}")));
    }

    #[test]
    fn what_has_changed_is_told_again_and_only_that() {
        let set = |value: &str| of(|name| (name == "GODEBUG").then(|| value.into()));
        let text = "this machine: x".into();
        let mut events = vec![Event { unix_s: 0, kind: EventKind::Note, text }];
        assert!(!has_changed(&events, None));
        for now in [set("a=1"), set("a=2"), None, set("a=1")] {
            assert!(has_changed(&events, now.as_deref()));
            events.push(told_then(now.clone()));
            assert!(!has_changed(&events, now.as_deref()));
        }
    }
}
