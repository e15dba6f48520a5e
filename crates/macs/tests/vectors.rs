//! Known answers: the compact set for every mac of the catalog (RFC, NIST, Wycheproof, an
//! independent oracle for the rest), by every way to a tag; with `MACROMETER_VECTORS=FOLDER` all
//! cases of that folder as well. Each kernel by itself: `kernels.rs`. Cases of macs whose features
//! are off are left out: how many are proved is printed, and `.ci/features-alone` looks at it.
#![cfg(feature = "dyn")]

mod known_answers;

use std::collections::BTreeSet;

use macs::catalog;

#[test]
fn known_answers_for_every_mac() {
    let mut covered = BTreeSet::new();
    for (name, cases) in known_answers::files() {
        let cases: Vec<_> = cases.into_iter().filter(known_answers::is_of_features).collect();
        known_answers::prove(&name, None, cases.iter());
        println!("{name}: {} passed", cases.len());
        covered.extend(cases.into_iter().map(|case| case.mac));
    }
    let macs = catalog().iter().map(|mac| mac.name.to_owned());
    #[cfg(feature = "_ciphers")]
    let macs = macs.chain(
        macs::ciphers::CIPHERS.iter().map(|cipher| format!("block-{}", cipher.primitive.name)),
    );
    for name in macs {
        assert!(covered.contains(&name), "{name} has no known answer");
    }
    println!("known answers of {} macs and ciphers", covered.len());
}
