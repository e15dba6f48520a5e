//! A run of CBC-MAC's variants: XCBC and TMAC are tied, EMAC takes a call and a schedule more than
//! the bare chain, the OMACs a call for L.

use lab::record::Run;

use super::{Filling, Planted, planted, run, study};

/// Who computes a cipher, with the nanoseconds of one call, of a byte and of a key schedule.
const ENGINES: [((&str, &str), &str, [f64; 3]); 4] = [
    (("macs", "vaes-512"), "aes-128", [11.0, 0.68, 40.0]),
    (("macs", "avx512"), "tdes-3", [160.0, 20.0, 300.0]),
    (("java", "aes-ni"), "aes-128", [30.0, 0.75, 800.0]),
    (("java", "jit"), "tdes-3", [420.0, 52.0, 700.0]),
];

/// Calls and key schedules beside those of the chain.
const MODES: [(&str, f64, f64); 6] = [
    ("cbc-mac", 0.0, 0.0),
    ("cmac", 1.0, 0.02),
    ("emac", 1.0, 1.0),
    ("omac2", 1.0, 0.03),
    ("tmac", 0.02, 0.0),
    ("xcbc", 0.02, 0.0),
];

/// The run, with 8 launches of 4 blocks.
#[must_use]
pub fn cbc_mac_variants() -> Run {
    let mut truth: Vec<Planted> = vec![planted(("null", "none", "null"), 2.1, 0.0, 0.0, 0)];
    for ((provider, kernel), cipher, [call, byte, schedule]) in ENGINES {
        for (mode, calls, schedules) in MODES {
            let mac = format!("{mode}-{cipher}");
            let who = (provider, kernel, mac.as_str());
            // EMAC's second call is made for each message, the OMACs' for each key.
            let (own, of_key) = if mode == "emac" { (calls, 0.0) } else { (0.02, calls) };
            let key = (1.0 + schedules) * schedule + of_key * call;
            truth.push(planted(who, call * (1.0 + own), byte, key, 16));
        }
    }
    let filling = Filling { launches: 8, blocks: 4, launch_sd: 0.002, block_sd: 0.004 };
    run(study(include_str!("cbc-mac-variants.toml")), &truth, filling)
}
