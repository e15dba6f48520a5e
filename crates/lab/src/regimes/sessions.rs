//! The regimes of many sessions at once: how many, who serves them, where, and which of the
//! measured times is the cell's. `sessions-100-on-all-apparent`.

use std::fmt;
use std::num::NonZeroU32;

use words::KeyLife;

use super::{Named, Regime, RegimeError, Room, SessionsMistake, Way};

/// Sessions where a study asks for no number, and the most that the adjustment begins with: the
/// number of the paper that proposes apparent processing.
pub const SESSIONS_USUAL: u32 = 100;

/// Most sessions that a study may ask for; what a machine allows is less.
pub const SESSIONS_MAX: u32 = 1_000_000;

/// Many sessions at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sessions {
    /// Who serves them.
    pub serving: Serving,
    /// How many; `None`: [`SESSIONS_USUAL`], or fewer where those are too many for a steady state.
    pub count: Option<NonZeroU32>,
    /// Where they run.
    pub binding: Binding,
    /// Which time is meant.
    pub quantity: Quantity,
}

/// Who serves the sessions.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Serving {
    /// A thread a session.
    #[serde(rename = "sessions")]
    Threads,
    /// A thread a processor, each with its share of the sessions, one message after another.
    Pooled,
    /// As `Pooled`, but each thread hands over the messages of many of its sessions at once.
    Batched,
}

/// Processors of a run, in its order of them: one of each core first, their siblings last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Binding {
    /// Wherever the system puts them.
    Free,
    /// Any of the first so many processors.
    On(NonZeroU32),
    /// Any processor of the run.
    OnAll,
    /// Any of one processor of each core: no two are SMT siblings.
    OnCores,
    /// Session i on the i-th of the first so many processors, and on no other.
    Pinned(NonZeroU32),
    /// Session i on the i-th processor of the run, and on no other.
    PinnedAll,
}

/// What is told of a window in which sessions were measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantity {
    /// Time of the processor that the sessions' threads spent, over their messages.
    Absolute,
    /// The window over the messages of all sessions: the time of a message as if one processor did
    /// the work, one message after another.
    Apparent,
    /// Sessions of a given rate that are carried at a given tail; their apparent time a message.
    Capacity,
}

impl Quantity {
    /// Those of one measured window.
    pub const OF_WINDOW: [Self; 2] = [Self::Absolute, Self::Apparent];
}

impl Sessions {
    /// The cell that is measured for this one: a window gives both of its quantities.
    #[must_use]
    pub fn measured_as(self) -> Self {
        match self.quantity {
            Quantity::Absolute => Self { quantity: Quantity::Apparent, ..self },
            Quantity::Apparent | Quantity::Capacity => self,
        }
    }

    fn is_of_window(self) -> bool {
        Quantity::OF_WINDOW.contains(&self.quantity)
    }

    /// Reads a name; where no quantity is named, both of a window are meant.
    ///
    /// # Errors
    /// When it is none of sessions.
    pub fn parse(name: &str) -> Result<Vec<Self>, RegimeError> {
        read(name).map_err(|mistake| RegimeError::Sessions { name: name.into(), mistake })
    }
}

fn read(name: &str) -> Result<Vec<Sessions>, SessionsMistake> {
    let mut words: Vec<&str> = name.split('-').collect();
    let quantity = match words.last().copied() {
        Some("absolute") => Some(Quantity::Absolute),
        Some("apparent") => Some(Quantity::Apparent),
        Some("capacity") => Some(Quantity::Capacity),
        _ => None,
    };
    words.truncate(words.len() - usize::from(quantity.is_some()));
    let serving = match words.first().copied() {
        Some("sessions") => Serving::Threads,
        Some("pooled") => Serving::Pooled,
        Some("batched") => Serving::Batched,
        _ => return Err(SessionsMistake::Serving),
    };
    let of_number = |word: &str| {
        let number = word.parse().ok().filter(|n: &NonZeroU32| n.get() <= SESSIONS_MAX);
        number.ok_or_else(|| SessionsMistake::Number { word: word.into(), most: SESSIONS_MAX })
    };
    let mut rest = &words[1..];
    let count = match rest {
        [word, behind @ ..] if word.starts_with(|c: char| c.is_ascii_digit()) => {
            rest = behind;
            Some(of_number(word)?)
        }
        _ => None,
    };
    if count.is_some() && quantity == Some(Quantity::Capacity) {
        return Err(SessionsMistake::CountOfCapacity);
    }
    let binding = match rest {
        [] | ["on", "all"] => Binding::OnAll,
        ["free"] => Binding::Free,
        ["on", "cores"] => Binding::OnCores,
        ["pinned", "all"] => Binding::PinnedAll,
        ["on", number] => Binding::On(of_number(number)?),
        ["pinned", number] => Binding::Pinned(of_number(number)?),
        _ => return Err(SessionsMistake::Placement),
    };
    let of = |quantity| Sessions { serving, count, binding, quantity };
    Ok(quantity.map_or_else(|| Quantity::OF_WINDOW.map(of).to_vec(), |one| vec![of(one)]))
}

impl fmt::Display for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { serving, count, binding, quantity } = self;
        match count {
            Some(count) => write!(f, "{serving}-{count}-{binding}-{quantity}"),
            None => write!(f, "{serving}-{binding}-{quantity}"),
        }
    }
}

impl Regime {
    /// The sessions that are at work at once.
    #[must_use]
    pub fn sessions(self) -> Option<Sessions> {
        if let Self::Sessions(own) = self { Some(own) } else { None }
    }
}

impl Room for Sessions {
    fn way(&self) -> Way {
        Way::Windows
    }

    fn has(&self, key_life: KeyLife) -> bool {
        self.serving != Serving::Batched || key_life != KeyLife::OneShot
    }

    fn leader(&self) -> Option<Regime> {
        Some(self.measured_as().into())
    }

    fn has_own_keys(&self) -> bool {
        true
    }

    fn gives_times(&self) -> bool {
        self.quantity != Quantity::Capacity
    }

    fn counts_preemptions(&self) -> bool {
        self.is_of_window()
    }

    fn tells_evenness(&self) -> bool {
        self.quantity == Quantity::Apparent
    }

    fn same_with(&self, processors: usize, cores: usize) -> Option<Regime> {
        let binding = match self.binding {
            Binding::On(wanted) if wanted.get() as usize >= processors => Binding::OnAll,
            Binding::Pinned(wanted) if wanted.get() as usize >= processors => Binding::PinnedAll,
            Binding::OnCores if cores == processors => Binding::OnAll,
            _ => return None,
        };
        Some(Self { binding, ..*self }.into())
    }

    fn processors_min(&self) -> usize {
        match self.binding {
            Binding::On(wanted) | Binding::Pinned(wanted) => wanted.get() as usize,
            Binding::Free | Binding::OnAll | Binding::OnCores | Binding::PinnedAll => 0,
        }
    }
}

impl Named for Sessions {
    const PATTERN: Option<&'static str> = Some("sessions-N-on-all and so on");

    fn known() -> Vec<Self> {
        vec![Self {
            serving: Serving::Threads,
            count: None,
            binding: Binding::OnAll,
            quantity: Quantity::Apparent,
        }]
    }

    fn read(name: &str) -> Option<Result<Vec<Self>, RegimeError>> {
        let is_own = ["sessions", "pooled", "batched"].iter().any(|word| {
            name.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        });
        is_own.then(|| Self::parse(name))
    }
}

impl fmt::Display for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Threads => "sessions",
            Self::Pooled => "pooled",
            Self::Batched => "batched",
        })
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Free => f.write_str("free"),
            Self::On(count) => write!(f, "on-{count}"),
            Self::OnAll => f.write_str("on-all"),
            Self::OnCores => f.write_str("on-cores"),
            Self::Pinned(count) => write!(f, "pinned-{count}"),
            Self::PinnedAll => f.write_str("pinned-all"),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Absolute => "absolute",
            Self::Apparent => "apparent",
            Self::Capacity => "capacity",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in [
            "sessions-100-on-1-absolute",
            "pooled-10000-on-cores-apparent",
            "batched-256-pinned-2-apparent",
            "sessions-free-apparent",
            "batched-pinned-all-capacity",
        ] {
            assert_eq!(name.parse::<Regime>().unwrap().to_string(), name);
        }
        let both = Sessions::parse("sessions-7").unwrap();
        let names = both.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(names, ["sessions-7-on-all-absolute", "sessions-7-on-all-apparent"]);
        assert_eq!(both[0].measured_as(), both[1]);
        for wrong in [
            "session-1",
            "sessions-0-on-1",
            "sessions-2000000-on-1",
            "sessions-1-on",
            "sessions-1-on-x",
            "sessions-1-on-all-capacity",
            "pooled-near",
        ] {
            let said = Sessions::parse(wrong).unwrap_err().to_string();
            assert!(
                said.starts_with(&format!("{wrong:?}: ")) && said.contains("must be"),
                "{said}"
            );
        }
    }
}
