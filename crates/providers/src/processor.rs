//! What a code path needs of the processor, and what this one lacks of it. A library that is told
//! to take a path does not always ask: entered without its instructions, the process dies.

use thiserror::Error;
use words::Extension;

use crate::restriction;

/// Asks by the names that the standard library has for instruction sets. An answer of yes means
/// that the operating system saves the registers as well, which the processor alone does not tell.
macro_rules! instruction_sets {
    ($($name:tt)*) => {
        #[cfg(all(test, target_arch = "x86_64"))]
        const INSTRUCTION_SETS: &[&str] = &[$($name),*];

        #[cfg(target_arch = "x86_64")]
        fn has(name: &str) -> bool {
            match name {
                _ if restriction::takes_feature(name) => false,
                $($name => is_x86_feature_detected!($name),)*
                _ => false,
            }
        }
    };
}

instruction_sets! {
    "adx" "aes" "avx" "avx2" "avx512bw" "avx512cd" "avx512dq" "avx512f" "avx512ifma" "avx512vl"
    "bmi1" "bmi2" "pclmulqdq" "sha" "sse4.1" "sse4.2" "ssse3" "vaes" "vpclmulqdq"
}

/// Code paths have needs on x86-64 only.
#[cfg(not(target_arch = "x86_64"))]
fn has(_: &str) -> bool {
    false
}

/// Whether the standard library knows of it, which asks once.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub(crate) fn tells_of(extension: Extension) -> bool {
    match extension {
        Extension::Avx512 => is_x86_feature_detected!("avx512f"),
        Extension::Vaes => {
            is_x86_feature_detected!("vaes") || is_x86_feature_detected!("vpclmulqdq")
        }
        Extension::Sha => is_x86_feature_detected!("sha"),
    }
}

/// Those of `needs` that this processor has not, or that are left out.
pub(crate) fn lacks(needs: &[&'static str]) -> Vec<&'static str> {
    needs.iter().copied().filter(|name| !has(name)).collect()
}

/// Instruction sets that a code path needs and cannot have here.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Lacking {
    /// Some of them are left out of this run.
    #[error("it needs {}, which the run leaves out", .0.join(", "))]
    LeftOut(Vec<&'static str>),
    /// This processor has none of them.
    #[error("this processor lacks {}", .0.join(", "))]
    Processor(Vec<&'static str>),
}

/// Nothing, where this processor has all of `needs`.
///
/// # Errors
/// Those that it lacks.
pub(crate) fn check(needs: &[&'static str]) -> Result<(), Lacking> {
    let lacks = lacks(needs);
    if lacks.is_empty() {
        return Ok(());
    }
    let is_left_out = lacks.iter().any(|name| restriction::takes_feature(name));
    Err(if is_left_out { Lacking::LeftOut(lacks) } else { Lacking::Processor(lacks) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that is not in the list would be lacking on every processor.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn all_needs_of_all_code_paths_are_known_by_name() {
        for forced in crate::ROWS.iter().flat_map(|row| (row.forced)()) {
            for need in forced.needs {
                assert!(INSTRUCTION_SETS.contains(need), "{}: {need}", forced.name);
            }
        }
    }

    #[test]
    fn what_is_lacking_is_named_in_one_line() {
        assert_eq!(check(&[]), Ok(()));
        let lacking = check(&["made-up", "made-up-too"]).unwrap_err();
        assert_eq!(lacking.to_string(), "this processor lacks made-up, made-up-too");
    }
}
