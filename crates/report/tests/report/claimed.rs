//! A study with one claim, whose end a test says, and macs whose times are planted.

use lab::study::Study;
use synthetic::{Planted, planted};

pub const STUDY: &str = r#"
    name = "s"
    title = "S"
    summary = "s"
    budget_s = 1.0
    launches = 12
    [[panels]]
    name = "all"
    title = "All"
    [[parts]]
    name = "sizes"
    title = "Sizes"
    sizes = [16, 64, 256, 1024]
    key_lives = ["prepared", "new-key"]
    [[parts.cases]]
    name = "c"
    title = "C"
    macs = ["*"]
    tested = false
    [[claims]]
    id = "it"
    text = "It is so."
    source = "page 1"
    part = "sizes"
"#;

/// A mac of the provider `macs` that takes `call_ns + byte_ns · length`, `key_ns` for a new key.
pub fn mac(name: &str, call_ns: f64, byte_ns: f64, key_ns: f64) -> Planted {
    planted(("macs", "soft", name), call_ns, byte_ns, key_ns, 16)
}

/// The study whose claim says this.
pub fn study(claim: &str) -> Study {
    Study::parse(&format!("{STUDY}{claim}")).unwrap()
}
