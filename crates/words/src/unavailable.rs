//! Why a provider cannot be had here: its row, its worker and whoever looks for it speak of it in
//! the same kinds.

use std::fmt::{self, Display};

use crate::Refused;

/// A provider that cannot be had here, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unavailable {
    /// What kind of reason it is.
    pub cause: Cause,
    /// The reason, in one line.
    pub reason: String,
}

/// Kinds of reasons why a provider cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// It, or what it is run or built with, is not installed, or it is not for machines like this
    /// one: nothing is wrong with it.
    NotInstalled,
    /// It is here, but cannot do without what this run leaves out of the processor's instructions.
    Restriction,
    /// Anything else: it is here, and does not work.
    Failure,
}

impl Cause {
    /// Every one of them.
    pub const ALL: [Self; 3] = [Self::NotInstalled, Self::Restriction, Self::Failure];

    /// What the reply of a worker begins with that has no provider for this reason: the reason
    /// follows after a space.
    #[must_use]
    pub fn reply(self) -> &'static str {
        match self {
            Self::NotInstalled => "not-installed",
            Self::Restriction => "restricted",
            Self::Failure => "err",
        }
    }

    /// The cause that a worker's reply begins with.
    #[must_use]
    pub fn of_reply(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cause| cause.reply() == word)
    }
}

impl Unavailable {
    /// Something that is not installed.
    pub fn not_installed(reason: impl Display) -> Self {
        Self { cause: Cause::NotInstalled, reason: reason.to_string() }
    }

    /// Something that is here, and needs instructions which are left out.
    pub fn restricted(reason: impl Display) -> Self {
        let reason = format!("cannot do without these instructions: {reason}");
        Self { cause: Cause::Restriction, reason }
    }
}

impl Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Unavailable {}

/// What is told without a kind is a failure.
impl From<String> for Unavailable {
    fn from(reason: String) -> Self {
        Self { cause: Cause::Failure, reason }
    }
}

impl From<Refused> for Unavailable {
    fn from(refused: Refused) -> Self {
        refused.to_string().into()
    }
}

impl From<&str> for Unavailable {
    fn from(reason: &str) -> Self {
        reason.to_owned().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_a_reply_of_its_own() {
        for cause in Cause::ALL {
            assert_eq!(Cause::of_reply(cause.reply()), Some(cause));
        }
        assert_eq!(Cause::of_reply("ok"), None);
    }
}
