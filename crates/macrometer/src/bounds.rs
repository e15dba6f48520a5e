//! What bounds each mac on a machine: so many executions of an instruction for so many bytes, one
//! after the other (latency) or side by side (throughput). The counts are in one table, here; what
//! an instruction costs is measured (`lab::clock::instructions`).
//!
//! It takes both the catalog of macs and what a run measured of its machine, and this is the only
//! crate that knows both.
//!
//! A bound says what no code for these instructions can be faster than. It leaves out everything
//! else: padding, loads, key set-up, the last step of a tag.

use lab::cell::Cell;
use lab::record::Instruction;
use lab::record::Measure::{self, Latency, Throughput};
use lab::study::fits;
use macs::MacInfo;
use words::ProviderName;

/// Core cycles per byte that a mac cannot be faster than on this machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// Of one message; absent where the processor lacks the instructions of every known way.
    pub serial: Option<f64>,
    /// Of many messages under as many keys at once.
    pub batch: Option<f64>,
    /// The reason, with the counts.
    pub because: &'static str,
    /// True where operations of the usual code were counted: other code may need fewer.
    pub is_estimate: bool,
}

/// So many executions of an instruction, by its name in `lab::clock::instructions`.
type Work = (f64, &'static str, Measure);

/// One way to compute, by the bytes that it takes: the processor cannot be through before it is
/// through with each kind of its work.
type Way = (f64, &'static [Work]);

/// Of several ways the quickest counts.
struct Row {
    /// Names or patterns.
    macs: &'static [&'static str],
    /// Names of the primitives under them; empty for any.
    primitives: &'static [&'static str],
    serial: &'static [Way],
    batch: &'static [Way],
    because: &'static str,
    is_estimate: bool,
}

const CBC: &[&str] = &["cbc-mac-*", "cmac-*", "emac-*", "omac2-*", "tmac-*", "xcbc-*"];

/// One round of AES is one `aesenc`, 10, 12 or 14 to a block of 16 bytes (FIPS 197; the key added
/// before the first round goes into the last one of the block before): in a chain one waits for the
/// other; of several chains, or in PMAC, a register takes as many blocks as fit into it.
macro_rules! aes {
    ($macs:expr, $primitive:literal, chain $rounds:literal) => {
        aes!($macs, $primitive, $rounds, &[(16.0, &[($rounds, "aesenc xmm", Latency)])])
    };
    ($macs:expr, $primitive:literal, wide $rounds:literal) => {
        aes!($macs, $primitive, $rounds, aes!(ways $rounds))
    };
    (ways $rounds:literal) => {
        &[
            (16.0, &[($rounds, "aesenc xmm", Throughput)]),
            (32.0, &[($rounds, "aesenc ymm", Throughput)]),
            (64.0, &[($rounds, "aesenc zmm", Throughput)]),
        ]
    };
    ($macs:expr, $primitive:literal, $rounds:literal, $serial:expr) => {
        Row {
            macs: $macs,
            primitives: &[$primitive],
            serial: $serial,
            batch: aes!(ways $rounds),
            because: concat!(stringify!($rounds), " aesenc per block"),
            is_estimate: false,
        }
    };
}

/// Products of the polynomials over 2^128 (GHASH) and 2^130 - 5 (Poly1305), and of VMAC's NH.
const GMAC: &[Way] = &[
    (16.0, &[(3.0, "pclmulqdq xmm", Throughput)]),
    (32.0, &[(3.0, "pclmulqdq ymm", Throughput)]),
    (64.0, &[(3.0, "pclmulqdq zmm", Throughput)]),
];
const POLY1305: &[Way] = &[
    (64.0, &[(25.0, "vpmuludq ymm", Throughput)]),
    (128.0, &[(25.0, "vpmuludq zmm", Throughput)]),
    (128.0, &[(18.0, "vpmadd52luq zmm", Throughput)]),
];
const VMAC_64: &[Way] = &[
    (128.0, &[(8.0, "mulx + add + adc", Throughput)]),
    (128.0, &[(7.0, "vpmadd52luq zmm", Throughput)]),
];
const VMAC_128: &[Way] = &[
    (128.0, &[(16.0, "mulx + add + adc", Throughput)]),
    (128.0, &[(14.0, "vpmadd52luq zmm", Throughput)]),
];

/// Counts from the specifications: FIPS 197, FIPS 180-4, RFC 1321, RFC 8439, SP 800-38D and
/// draft-krovetz-vmac-01; how they meet the instructions, from the kernels of `macs`.
const ROWS: &[Row] = &[
    aes!(CBC, "aes-128", chain 10.0),
    aes!(CBC, "aes-192", chain 12.0),
    aes!(CBC, "aes-256", chain 14.0),
    aes!(&["pmac-*"], "aes-128", wide 10.0),
    aes!(&["pmac-*"], "aes-192", wide 12.0),
    aes!(&["pmac-*"], "aes-256", wide 14.0),
    Row {
        macs: &["hmac-*", "khc*"],
        primitives: &["sha224", "sha256"],
        // 64 rounds, two an instruction; the halves of the state change places.
        serial: &[(64.0, &[(16.0, "2 sha256rnds2 xmm", Latency)])],
        // 16 lanes: 64 rounds of 6 rotations, 4 logical operations and 7 additions, 48 words of
        // the schedule of 6 rotations and shifts, 2 logical operations and 3 additions.
        batch: &[
            (64.0, &[(4.0, "8 sha256rnds2 + 3 sha256msg1 + 3 sha256msg2", Throughput)]),
            (1024.0, &[(1616.0, "vpaddd zmm", Throughput), (672.0, "vprord zmm", Throughput)]),
        ],
        because: "32 sha256rnds2 a block, with the schedule in batches; or 1616 operations on 16",
        is_estimate: false,
    },
    Row {
        macs: &["hmac-*"],
        primitives: &["sha1"],
        serial: &[(64.0, &[(20.0, "sha1rnds4 xmm", Latency)])],
        // 16 lanes: 80 rounds of 2 rotations, 1 logical operation and 4 additions, 64 words of the
        // schedule of 1 rotation and 2 logical operations.
        batch: &[
            (64.0, &[(20.0, "sha1rnds4 xmm", Throughput)]),
            (1024.0, &[(752.0, "vpaddd zmm", Throughput), (224.0, "vprord zmm", Throughput)]),
        ],
        because: "20 sha1rnds4 a block; or 752 operations on 16 blocks",
        is_estimate: false,
    },
    Row {
        macs: &["hmac-*"],
        primitives: &["sha384", "sha512", "sha512-224", "sha512-256"],
        // 80 rounds: 23 operations on general registers, a quarter of 11 for the schedule and the
        // constant on vector registers, as many at once as the processor takes; and from e to the
        // next e a rotation, two exclusive ors and an addition.
        serial: &[(
            128.0,
            &[(339.0, "4 add r64 + 2 vpaddq ymm", Throughput), (320.0, "add r64", Latency)],
        )],
        // 8 lanes: as SHA-256, with 80 rounds and 64 words.
        batch: &[(
            1024.0,
            &[(2064.0, "vpaddd zmm", Throughput), (864.0, "vprord zmm", Throughput)],
        )],
        because: "339 groups of 6 operations per block; 2064 operations on 8 blocks",
        is_estimate: true,
    },
    Row {
        macs: &["hmac-*"],
        primitives: &["md5"],
        // From b to the next b: 5 operations in the first and last round, else 4, 16 steps each.
        serial: &[(64.0, &[(288.0, "add r64", Latency)])],
        // 16 lanes: 64 steps of 4 additions, 1 logical operation, 1 rotation.
        batch: &[(1024.0, &[(384.0, "vpaddd zmm", Throughput), (64.0, "vprord zmm", Throughput)])],
        because: "288 operations per block that wait for each other; 384 operations on 16 blocks",
        is_estimate: false,
    },
    Row {
        macs: &["gmac-*"],
        primitives: &[],
        serial: GMAC,
        batch: GMAC,
        because: "3 pclmulqdq a block (Karatsuba), without the reductions",
        is_estimate: false,
    },
    Row {
        macs: &["poly1305"],
        primitives: &[],
        serial: POLY1305,
        batch: POLY1305,
        because: "18 vpmadd52, else 25 vpmuludq, for a block in each lane",
        is_estimate: false,
    },
    Row {
        macs: &["vmac64-*"],
        primitives: &[],
        serial: VMAC_64,
        batch: VMAC_64,
        because: "8 products of words in 128 bytes, by mulx or by 7 vpmadd52",
        is_estimate: false,
    },
    Row {
        macs: &["vmac128-*"],
        primitives: &[],
        serial: VMAC_128,
        batch: VMAC_128,
        because: "16 products of words in 128 bytes, by mulx or by 14 vpmadd52",
        is_estimate: false,
    },
];

/// The bound of a mac where these are the costs of the instructions. `None` where none is known,
/// and where the processor has none of the instructions.
pub fn of(mac: &MacInfo, instructions: &[Instruction]) -> Option<Bound> {
    let is_of = |row: &&Row| {
        row.macs.iter().any(|pattern| fits(pattern, mac.name))
            && (row.primitives.is_empty() || row.primitives.contains(&mac.primitive.name))
    };
    let row = ROWS.iter().filter(|_| !mac.is_composition()).find(is_of)?;
    let (serial, batch) = (quickest(row.serial, instructions), quickest(row.batch, instructions));
    let Row { because, is_estimate, .. } = *row;
    (serial.or(batch).is_some()).then_some(Bound { serial, batch, because, is_estimate })
}

/// The bound of a cell. A batch of few messages is also bounded by its chains, which run side by
/// side. What is pinned to portable code has none: its instructions are others.
pub fn of_cell(cell: &Cell, instructions: &[Instruction]) -> Option<f64> {
    let candidate = &cell.candidate;
    if ProviderName::of(&candidate.provider).code_path == Some("soft") {
        return None;
    }
    let bound = of(macs::find(&candidate.mac)?, instructions)?;
    match cell.regime.batch() {
        None => bound.serial,
        Some(messages) => {
            let chains = bound.serial.map_or(0.0, |serial| serial / messages as f64);
            bound.batch.map(|batch| batch.max(chains))
        }
    }
}

fn quickest(ways: &[Way], instructions: &[Instruction]) -> Option<f64> {
    let cycles = |&(count, name, measure): &Work| {
        let found = instructions.iter().find(|it| it.name == name && it.measure == measure);
        found.map(|it| count * it.cycles)
    };
    let through = |&(bytes, all): &Way| {
        let most = all.iter().try_fold(0.0, |most: f64, work| Some(most.max(cycles(work)?)));
        most.map(|cycles| cycles / bytes)
    };
    ways.iter().filter_map(through).reduce(f64::min)
}

#[cfg(test)]
mod tests {
    use lab::cell::{Candidate, KeyLife};

    use super::*;

    fn costs(costs: &[(&str, Measure, f64)]) -> Vec<Instruction> {
        let cost = |&(name, measure, cycles): &(&str, Measure, f64)| Instruction {
            name: name.into(),
            measure,
            cycles,
        };
        costs.iter().map(cost).collect()
    }

    /// About a Zen 4.
    fn usual() -> Vec<Instruction> {
        costs(&[
            ("add r64", Latency, 1.0),
            ("aesenc xmm", Latency, 4.0),
            ("aesenc xmm", Throughput, 0.5),
            ("aesenc zmm", Throughput, 1.0),
            ("2 sha256rnds2 xmm", Latency, 8.0),
            ("8 sha256rnds2 + 3 sha256msg1 + 3 sha256msg2", Throughput, 8.5),
            ("vpaddd zmm", Throughput, 0.5),
            ("vprord zmm", Throughput, 1.0),
            ("pclmulqdq xmm", Throughput, 2.0),
            ("4 add r64 + 2 vpaddq ymm", Throughput, 1.0),
        ])
    }

    fn bound(mac: &str) -> Option<Bound> {
        of(macs::find(mac).unwrap(), &usual())
    }

    #[test]
    fn a_bound_is_count_times_cost_over_bytes() {
        let both = |mac| bound(mac).map(|it| (it.serial, it.batch)).unwrap();
        for mac in ["cmac-aes-128", "xcbc-prf-128", "cbc-mac-pad2-aes-128", "xcbc-kdf-aes-128"] {
            assert_eq!(both(mac), (Some(2.5), Some(10.0 / 64.0)), "{mac}");
        }
        assert_eq!(both("emac-aes-256"), (Some(3.5), Some(14.0 / 64.0)));
        assert_eq!(both("pmac-aes-192"), (Some(12.0 / 64.0), Some(12.0 / 64.0)));
        // Of two ways the quicker, of two kinds of work the longer.
        assert_eq!(both("khc1-sha256"), (Some(2.0), Some(34.0 / 64.0)));
        assert_eq!(both("hmac-sha512"), (Some(339.0 / 128.0), Some(1032.0 / 1024.0)));
        assert_eq!(both("hmac-md5"), (Some(4.5), Some(192.0 / 1024.0)));
        assert_eq!(both("gmac-aes-256"), (Some(6.0 / 16.0), Some(6.0 / 16.0)));
    }

    #[test]
    fn where_no_instruction_or_no_count_is_known_there_is_no_bound() {
        // Not 0, and not infinite.
        for mac in ["poly1305", "vmac64-aes-128", "hmac-sha3-256", "cmac-tdes-3", "gcm-aes-128"] {
            assert_eq!(bound(mac), None, "{mac}");
        }
        let sha1 = bound("hmac-sha1").unwrap();
        assert_eq!((sha1.serial, sha1.batch), (None, Some(376.0 / 1024.0)));
        assert!(macs::catalog().iter().all(|mac| of(mac, &[]).is_none()));
    }

    #[test]
    fn each_mac_has_one_row_at_most_and_each_row_a_mac() {
        let fitting = |mac: &MacInfo, row: &Row| {
            row.macs.iter().any(|pattern| fits(pattern, mac.name))
                && (row.primitives.is_empty() || row.primitives.contains(&mac.primitive.name))
        };
        for mac in macs::catalog() {
            assert!(ROWS.iter().filter(|row| fitting(mac, row)).count() <= 1, "{}", mac.name);
        }
        for row in ROWS {
            assert!(macs::catalog().iter().any(|mac| fitting(mac, row)), "{:?}", row.macs);
        }
    }

    #[test]
    fn every_instruction_of_the_table_is_one_that_is_measured() {
        let clock = lab::clock::Clock::calibrate();
        let measured = lab::clock::instructions::measure(&clock, &words::Without::default());
        // Only where the processor has them all can a slip in a name be seen.
        if measured.iter().any(|it| it.name == "vpmadd52luq zmm")
            && measured.iter().any(|it| it.name == "sha1rnds4 xmm")
        {
            let works = ROWS.iter().flat_map(|row| row.serial.iter().chain(row.batch));
            for (_, name, measure) in works.flat_map(|(_, all)| *all) {
                let found = measured.iter().any(|it| it.name == *name && it.measure == *measure);
                assert!(found, "{name} {measure:?}");
            }
        }
    }

    #[test]
    fn the_bound_of_a_cell_is_that_of_its_regime() {
        let at = |provider: &str, regime: &str| {
            let candidate = Candidate {
                mac: "cmac-aes-128".into(),
                provider: provider.into(),
                kernel: "soft".into(),
            };
            let key_life = KeyLife::Prepared;
            let (len_bytes, key_len_bytes, usual_key) = (64, 16, true);
            let regime = regime.parse().unwrap();
            let cell = Cell { candidate, regime, key_life, len_bytes, key_len_bytes, usual_key };
            of_cell(&cell, &usual())
        };
        assert_eq!(at("macs", "latency"), Some(2.5));
        assert_eq!(at("macs", "batch-4"), Some(2.5 / 4.0));
        assert_eq!(at("macs", "batch-64"), Some(10.0 / 64.0));
        assert_eq!(at("macs[soft]", "batch-64"), None);
    }
}
