//! Names that become folders: hashes, and what a run is called. A store may be somebody else's.

/// Letters of a `study_id`: 20 bytes in hexadecimal.
pub const STUDY_ID_LETTERS: usize = 40;

/// Letters of a `machine_id` and of a `host_id`: 16 bytes in hexadecimal.
pub const MACHINE_ID_LETTERS: usize = 32;

/// Most letters of a run's name.
const RUN_LETTERS_MAX: usize = 64;

/// Whether it is a `study_id`.
#[must_use]
pub fn is_study_id(name: &str) -> bool {
    name.len() == STUDY_ID_LETTERS && is_hex(name)
}

/// Whether it is a `machine_id`, or a `host_id`.
#[must_use]
pub fn is_machine_id(name: &str) -> bool {
    name.len() == MACHINE_ID_LETTERS && is_hex(name)
}

/// Whether it is a name that a run may have, which is that of one file.
#[must_use]
pub fn is_run_id(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.len() <= RUN_LETTERS_MAX
        && name.chars().all(is_plain)
}

fn is_hex(name: &str) -> bool {
    name.bytes().all(|it| it.is_ascii_digit() || matches!(it, b'a'..=b'f'))
}

/// A new `host_id`: random, so that it says nothing of the host.
#[must_use]
pub fn new_host_id() -> String {
    hex::encode(rand::random::<[u8; MACHINE_ID_LETTERS / 2]>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_one_folder() {
        assert!(is_study_id(&"0a".repeat(20)) && is_machine_id(&"f9".repeat(16)));
        assert!(is_machine_id(&new_host_id()) && new_host_id() != new_host_id());
        for wrong in ["", "..", "0a", &"0A".repeat(20), &"0a/".repeat(20), &"é".repeat(20)] {
            assert!(!is_study_id(wrong) && !is_machine_id(wrong), "{wrong:?}");
        }
        assert!(is_run_id("20261121-103045-1f3a"));
        for wrong in ["", ".", "..", "../x", "a/b", "-x", "a b", &"a".repeat(65)] {
            assert!(!is_run_id(wrong), "{wrong:?}");
        }
    }
}
