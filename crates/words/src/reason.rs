//! What the system said.

use std::io;

/// What the system said, as the end of a sentence: without its number, in lower case.
#[must_use]
pub fn reason(error: &io::Error) -> String {
    let said = error.to_string();
    // The standard library tells it with its number only, and so do those that wrap such errors,
    // with a path of theirs behind it.
    let (said, _) = said.split_once(" (os error ").unwrap_or((&said, ""));
    let mut letters = said.chars();
    let first = letters.next().map(|it| it.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_said_is_the_end_of_a_sentence() {
        let none = io::Error::from_raw_os_error(2);
        assert_eq!(reason(&none), "no such file or directory");
        assert_eq!(reason(&io::Error::other(format!("{none} at \"/x\""))), reason(&none));
        assert_eq!(reason(&io::Error::other("Too long (x)")), "too long (x)");
    }
}
