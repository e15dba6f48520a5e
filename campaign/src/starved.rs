//! Under limits of the system: what cannot be done is told, and nothing panics or hangs.

use crate::Tried;
use crate::bed::{Bed, PATIENCE, ended};

const COMMANDS: [&str; 6] = [
    "$M list providers --format json",
    "$M run --provider macs --mac hmac-sha256 --size 64 --launches 1 --blocks 2 --archive a.db",
    "$M report last --format files --out out --archive a.db",
    "$M selftest --provider macs",
    "$M plan survey --provider macs",
    "$M tag --mac hmac-sha256 --key-file key big",
];

pub fn run(tried: &mut Tried) {
    let bed = Bed::new(tried.program(), "starved", tried.seed);
    bed.write("key", "00".repeat(32));
    bed.write("big", vec![7; 1 << 20]);
    let mut aborted = 0;
    while tried.has_time() {
        let random = &mut tried.random;
        let limit = match random.below(5) {
            0 => format!("ulimit -v {}", 30_000 + random.below(600_000)),
            1 => format!("ulimit -f {}", random.below(400)),
            2 => format!("ulimit -n {}", 4 + random.below(40)),
            3 => format!("ulimit -d {}", 1_000 + random.below(100_000)),
            _ => format!("ulimit -s {}", 64 + random.below(8_000)),
        };
        let line = format!("{limit}; exec {}", tried.random.pick(&COMMANDS));
        let child = bed.shell(&line).spawn().expect("a shell to start");
        let ended = ended(child, PATIENCE);
        // Rust has no other answer to memory that cannot be had; it is told by name.
        let is_for_memory = ended.stderr.contains("memory allocation of");
        let is_unstarted = ended.stderr.contains("error while loading shared libraries")
            || ended.stderr.contains("Cannot allocate memory");
        aborted += u64::from(is_for_memory);
        let failure = ended.is_broken().filter(|_| !is_for_memory && !is_unstarted);
        tried.one(failure.map(|failure| format!("{line}: {failure}")));
    }
    tried.note(format!("{aborted} of them ended with \"memory allocation of … bytes failed\""));
}
