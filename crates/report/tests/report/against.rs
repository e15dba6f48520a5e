//! One provider against the best of the others, on a run whose truth is known.

use lab::cell::KeyLife;
use report::against::Against;

#[test]
fn the_planted_ratio_is_found_with_its_rival() {
    let against = Against::of(&synthetic::survey(), "macs");
    let prepared = |column: &report::against::Column| column.key_life == KeyLife::Prepared;
    let place = against.columns.iter().position(prepared).unwrap();
    let at = against.columns[place].lens_bytes.iter().position(|&len| len == 1024).unwrap();
    let row = against.rows.iter().find(|row| row.mac == "cmac-aes-128").unwrap();
    let rival = row.ratios[place][at].as_ref().unwrap();
    assert_eq!(rival.source, "openssl[aes-ni]");
    // (25 + 0.62 · 1024) ÷ (120 + 0.63 · 1024)
    assert!((rival.ratio.value / 0.860 - 1.0).abs() < 0.01, "{}", rival.ratio.value);
    let interval = rival.ratio.interval.unwrap();
    assert!(interval.low < rival.ratio.value && rival.ratio.value < interval.high);
}

#[test]
fn what_nobody_else_has_is_named_apart() {
    let against = Against::of(&synthetic::survey(), "macs");
    assert_eq!(against.alone, ["siphash-2-4"]);
    assert!(against.markdown().ends_with("\nNo other provider here has siphash-2-4.\n"));
    assert!(!against.rows.iter().any(|row| row.mac == "hmac-sha256"), "macs has none here");
    assert!(Against::of(&synthetic::survey(), "nobody").rows.is_empty());
    assert_eq!(Against::of(&synthetic::survey(), "nobody").geometric_mean(), None);
}
