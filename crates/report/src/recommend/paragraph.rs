//! A paragraph of an answer: what it says first, which a page shows large, and what it adds.

use std::fmt;

pub(crate) struct Paragraph {
    /// The first sentence.
    pub(crate) lead: String,
    /// The others; empty where there are none.
    pub(crate) rest: String,
}

impl Paragraph {
    /// Adds a sentence.
    pub(super) fn add(&mut self, told: &str) {
        if !self.rest.is_empty() {
            self.rest.push(' ');
        }
        self.rest.push_str(told);
    }
}

/// All of it is said at once.
impl From<String> for Paragraph {
    fn from(lead: String) -> Self {
        Self { lead, rest: String::new() }
    }
}

impl fmt::Display for Paragraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lead)?;
        if self.rest.is_empty() { Ok(()) } else { write!(f, " {}", self.rest) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_stands_behind_what_is_said_first() {
        let mut told = Paragraph::from("Use a.".to_owned());
        assert_eq!(told.to_string(), "Use a.");
        told.add("It is the fastest.");
        told.add("At 5 messages per second it takes 1 %.");
        assert_eq!(told.lead, "Use a.");
        let whole = "Use a. It is the fastest. At 5 messages per second it takes 1 %.";
        assert_eq!(told.to_string(), whole);
    }
}
