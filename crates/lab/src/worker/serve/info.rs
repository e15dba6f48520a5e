//! The reply to `info`: what the provider says of itself, and what its worker adds for it.

use serde::Serialize;
use serde_json::{Value, json};
use words::{Info, KeyLife, Offer, Provider};

use crate::cell::{Flow, Regime, Scheme};
use crate::regimes::Way;
use crate::worker::PROTOCOL;

#[derive(Serialize)]
struct Reply {
    #[serde(flatten)]
    info: Info,
    protocol: u32,
    regimes: Vec<Regime>,
}

pub(super) fn reply(provider: &dyn Provider) -> Value {
    let (mut info, sealings) = (provider.info(), provider.sealings());
    info.offers.extend(sealings.iter().flat_map(schemes));
    let is_known = |regime: &Regime| match regime.way() {
        Way::Calls | Way::Windows => true,
        Way::Transactions => !sealings.is_empty(),
        // Opening a library tries all that it has: no call after that is a first one.
        Way::FirstCalls => false,
    };
    let regimes = Regime::kinds().filter(is_known).collect();
    json!(Reply { info, protocol: PROTOCOL, regimes })
}

/// The schemes over a composition, with a key that is set up once a session.
fn schemes(offer: &Offer) -> impl Iterator<Item = Offer> {
    Flow::ALL.iter().map(|&flow| Offer {
        mac: Scheme { composition: &offer.mac, flow }.to_string(),
        kernel: offer.kernel.clone(),
        key_lives: vec![KeyLife::Prepared],
    })
}
