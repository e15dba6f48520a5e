//! What a code path needs of the processor, and what this one lacks of it. A library that is told
//! to take a path does not always ask: entered without its instructions, the process dies.

/// Asks by the names that the standard library has for instruction sets. An answer of yes means
/// that the operating system saves the registers as well, which the processor alone does not tell.
macro_rules! instruction_sets {
    ($($name:tt)*) => {
        #[cfg(all(test, target_arch = "x86_64"))]
        const INSTRUCTION_SETS: &[&str] = &[$($name),*];

        #[cfg(target_arch = "x86_64")]
        fn has(name: &str) -> bool {
            match name {
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

/// Those of `needs` that this processor has not.
pub(crate) fn lacks(needs: &[&'static str]) -> Vec<&'static str> {
    needs.iter().copied().filter(|name| !has(name)).collect()
}

/// Nothing, where this processor has all of `needs`.
///
/// # Errors
/// One line with those that it lacks.
pub(crate) fn check(needs: &[&'static str]) -> Result<(), String> {
    match &lacks(needs)[..] {
        [] => Ok(()),
        lacks => Err(format!("this processor lacks {}", lacks.join(", "))),
    }
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
        let refused = check(&["made-up", "made-up-too"]);
        assert_eq!(refused, Err("this processor lacks made-up, made-up-too".into()));
    }
}
