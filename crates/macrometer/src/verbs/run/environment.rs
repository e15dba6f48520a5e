//! Variables of the environment that make other programs of the workers: a library put before all
//! others, modules from elsewhere, options of a virtual machine. They are told with a run.

use std::env;

use lab::record::ENVIRONMENT;

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
    "OPENSSL_ia32cap",
    "GNUTLS_CPUID_OVERRIDE",
    "BOTAN_CLEAR_CPUID",
    "GLIBC_TUNABLES",
];

/// Most letters of a value that are kept.
const VALUE_LETTERS_MAX: usize = 200;

/// What is set of them, if anything.
pub(super) fn told() -> Option<String> {
    of(|name| env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
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
    }
}
