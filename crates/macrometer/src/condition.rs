//! The condition under which a MAC of the standing “conditional” is sound.

use macs::{MacInfo, Standing};

/// What must hold for it to be sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// No nonce is used twice under a key.
    FreshNonce,
    /// A key is used for one message.
    OneMessage,
    /// Nobody relies on it as a MAC: it guards hash tables.
    HashTables,
}

impl Condition {
    /// That of a mac whose standing is conditional.
    pub fn of(mac: &MacInfo) -> Self {
        if mac.nonce.is_some() {
            Self::FreshNonce
        } else if mac.primitive.standing == Standing::Conditional {
            Self::HashTables
        } else {
            Self::OneMessage
        }
    }

    /// In a few words, behind a name in a table.
    pub fn words(self) -> &'static str {
        match self {
            Self::FreshNonce => "unique nonce",
            Self::OneMessage => "one message per key",
            Self::HashTables => "for hash tables",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_one_that_the_status_of_every_conditional_mac_names() {
        let conditional = macs::catalog().iter().filter(|it| !it.is_composition());
        let conditional = conditional.filter(|it| it.standing() == Standing::Conditional);
        for mac in conditional {
            let named = match Condition::of(mac) {
                Condition::FreshNonce => mac.mode.nonce.contains("never twice"),
                Condition::OneMessage => mac.mode.key_life.contains("one message"),
                Condition::HashTables => mac.primitive.note.contains("hash tables"),
            };
            assert!(named, "{}", mac.name);
        }
    }
}
