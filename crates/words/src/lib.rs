//! The vocabulary that the lab and the providers share, below both: how long a key lives, what goes
//! into a tag, what a provider offers and can be asked, what it is called. The providers answer in
//! these words, the lab asks in them, and neither knows the other. Nothing here computes or times.

mod counted;
mod detail;
mod different;
mod extension;
mod inputs;
mod key_life;
mod legible;
mod mac_name;
mod offer;
mod provider;
mod provider_name;
mod reason;
mod refused;
mod sealing;
mod unavailable;

pub use counted::{counted, is_are, noun};
pub use detail::Detail;
pub use different::{Different, DifferentPart};
pub use extension::{Extension, Tier, Without};
pub use inputs::{Inputs, Sealed};
pub use key_life::KeyLife;
pub use legible::{is_control, legible, legible_but};
pub use mac_name::{BLOCK, MacName};
pub use offer::{Info, Offer};
pub use provider::{BatchTagger, Provider, Tagger, in_turn};
pub use provider_name::ProviderName;
pub use reason::reason;
pub use refused::{Input, Refused};
pub use sealing::Sealing;
pub use unavailable::{Cause, Unavailable};
