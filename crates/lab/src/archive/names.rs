//! Names of runs. An archive may be somebody else's, and a run's name becomes that of a folder.

use super::{ArchiveError, Place};

/// Most letters that a name has.
const LETTERS_MAX: usize = 64;

/// Refuses a name that is more than the name of one file.
pub(super) fn check(place: &Place, id: &str) -> Result<(), ArchiveError> {
    let begins_well = id.starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if begins_well && id.len() <= LETTERS_MAX && id.chars().all(is_plain) {
        return Ok(());
    }
    let id = id.chars().take(LETTERS_MAX).collect();
    Err(ArchiveError::Name { place: place.clone(), id })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_name_is_that_of_one_file() {
        let is_taken = |id: &str| check(&Path::new("a.db").into(), id).is_ok();
        assert!(is_taken("20261121-103045-1f3a") && is_taken("a") && is_taken("V1.2_b"));
        let wrong = ["", ".", "..", "../x", "a/b", "/etc", "a\\b", "a b", "-x", "é", "a\n", "a\0b"];
        for id in wrong {
            assert!(!is_taken(id), "{id:?}");
        }
        assert!(is_taken(&"a".repeat(64)) && !is_taken(&"a".repeat(65)));
        let told = check(&Path::new("a.db").into(), "../\u{1b}[2J\n").unwrap_err().to_string();
        assert!(!told.contains(['\n', '\u{1b}']) && told.contains("a.db"), "{told}");
    }
}
