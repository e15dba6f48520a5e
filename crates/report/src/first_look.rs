//! What is shown of a run while it goes on: one line without intervals, and marked so.

use lab::cell::{KeyLife, Regime};
use lab::measure::Look;

use crate::findings::{key_life_words, regime_words};
use crate::format::{bytes, time};

/// The length that most messages come near.
const USUAL_BYTES: u64 = 1024;

/// Macs in a line at most.
const MACS_MAX: usize = 6;

/// `first look, 1 KiB, key prepared: hmac-sha256 621 ns, cmac-aes-128 632 ns`: of one part, key
/// life, regime and length the fastest implementation of each mac, those in wide use first, no
/// wider than `width`. `None` where fewer than two macs were timed.
#[must_use]
pub fn line(look: &Look<'_>, width: usize) -> Option<String> {
    let (first, _) = look.times_ns.first()?;
    let part = first.part;
    let kind = |regime: Regime, life: KeyLife| (regime.to_string(), life);
    let of_first = kind(first.cell.regime, first.cell.key_life);
    let alike: Vec<_> = look
        .times_ns
        .iter()
        .map(|(record, ns)| (*record, *ns))
        .filter(|(it, _)| it.part == part && kind(it.cell.regime, it.cell.key_life) == of_first)
        .collect();
    let lens = || alike.iter().map(|(it, _)| it.cell.len_bytes);
    // A workload says which length it is about.
    let asked = look.study.workload.as_ref().and_then(|it| {
        let mut lengths =
            it.lengths.iter().filter(|length| lens().any(|it| it == length.len_bytes));
        let first = lengths.next()?;
        Some(lengths.fold(first, |most, it| if it.share > most.share { it } else { most }))
    });
    let len_bytes = match asked {
        Some(length) => length.len_bytes,
        None => lens().min_by_key(|&len| far(len))?,
    };
    let mut macs: Vec<(&str, f64)> = Vec::new();
    for (record, ns) in alike.iter().filter(|(it, _)| it.cell.len_bytes == len_bytes) {
        let mac = record.cell.candidate.mac.as_str();
        match macs.iter_mut().find(|it| it.0 == mac) {
            Some(known) => known.1 = known.1.min(*ns),
            None => macs.push((mac, *ns)),
        }
    }
    if macs.len() < 2 {
        return None;
    }
    macs.sort_by(|a, b| a.1.total_cmp(&b.1));
    // Who asks for a workload wants to know who is first.
    if asked.is_none() {
        macs.sort_by_key(|it| look.study.place_in_use(it.0));
    }
    let seen = match look.launches {
        0 => "first look".into(),
        1 => "after 1 launch".into(),
        launches => format!("after {launches} launches"),
    };
    let mut what = vec![seen, bytes(len_bytes), key_life_words(of_first.1).to_owned()];
    if first.cell.regime != Regime::USUAL {
        what.push(regime_words(first.cell.regime));
    }
    let mut line = what.join(", ") + ":";
    for (place, (mac, ns)) in macs.iter().take(MACS_MAX).enumerate() {
        let next = format!("{} {mac} {}", if place > 0 { "," } else { "" }, time(*ns));
        // Two say what one does not.
        if place >= 2 && line.chars().count() + next.chars().count() > width {
            break;
        }
        line += &next;
    }
    Some(line)
}

/// How far a length is from the usual one, in doublings and what is beyond.
fn far(len_bytes: u64) -> u64 {
    let (less, more) = (len_bytes.min(USUAL_BYTES), len_bytes.max(USUAL_BYTES));
    more.saturating_mul(1 << 10) / less.max(1)
}

#[cfg(test)]
mod unit {
    use lab::cell::{Candidate, Cell};
    use lab::record::CellRecord;
    use lab::study::Study;

    use super::*;

    const STUDY: &str = r#"
        name = "toy"
        title = "Toy"
        summary = "Toy."
        budget_s = 60
        launches = 3
        named = ["hmac-sha256", "cmac-aes-128"]
        [[panels]]
        name = "all"
        title = "All"
        [[parts]]
        name = "one"
        title = "One"
        sizes = [64, 1500]
        key_lives = ["prepared"]
        [[parts.cases]]
        name = "all"
        title = "All"
        macs = ["*"]
    "#;

    #[test]
    fn the_fastest_of_each_mac_near_the_usual_length_those_in_use_first() {
        let study = Study::parse(STUDY).unwrap();
        let cells = [
            ("cmac-aes-128", "macs", KeyLife::Prepared, 64, 20.0),
            ("umac-64", "macs", KeyLife::Prepared, 1500, 52.4),
            ("cmac-aes-128", "openssl", KeyLife::Prepared, 1500, 900.0),
            ("cmac-aes-128", "macs", KeyLife::Prepared, 1500, 632.0),
            ("hmac-sha256", "macs", KeyLife::Prepared, 1500, 921.0),
            ("hmac-sha256", "macs", KeyLife::NewKey, 1500, 1.0),
        ];
        let record = |mac: &str, provider: &str, key_life, len_bytes| {
            let [mac, provider, kernel] = [mac, provider, "soft"].map(String::from);
            let candidate = Candidate { mac, provider, kernel };
            let (regime, key_len_bytes, usual_key) = (Regime::USUAL, 16, true);
            let cell = Cell { candidate, regime, key_life, len_bytes, key_len_bytes, usual_key };
            CellRecord::new(0, 0, cell)
        };
        let records =
            cells.map(|(mac, provider, life, len, ns)| (record(mac, provider, life, len), ns));
        let times_ns: Vec<_> = records.iter().map(|(record, ns)| (record, *ns)).collect();
        let look = |launches| Look { study: &study, launches, times_ns: times_ns.clone() };
        let told = "first look, 1500 B, key prepared: hmac-sha256 921 ns, cmac-aes-128 632 ns";
        assert_eq!(line(&look(0), 100).unwrap(), format!("{told}, umac-64 52.4 ns"));
        assert_eq!(line(&look(0), 80).unwrap(), told);
        assert!(
            line(&look(2), 80).unwrap().starts_with("after 2 launches, 1500 B, key prepared: ")
        );
        let lone = Look { study: &study, launches: 0, times_ns: times_ns[4..].to_vec() };
        assert_eq!(line(&lone, 100), None);
    }
}
