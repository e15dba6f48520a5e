//! Random inputs to all providers of the machine, which must agree. What is counted are
//! comparisons: an input of a MAC of which two providers or more gave a tag.

use std::thread;
use std::time::{Duration, Instant};

use crate::Tried;
use crate::bed::{Bed, ended};

/// Inputs of each MAC in one go, at the most and at first: where there is little time, it is kept.
const RANDOM: u64 = 2_000;
const RANDOM_FIRST: u64 = 10;

/// A go takes minutes where cores are busy, and a slow worker is dropped by name only.
const PATIENCE: Duration = Duration::from_secs(1800);

pub fn run(tried: &mut Tried) {
    let bed = Bed::new(tried.program(), "differential", tried.seed);
    bed.let_find_runtimes(true);
    let (mut macs, mut most) = (0, RANDOM_FIRST);
    while tried.has_time() {
        let left = tried.most.map_or(u64::MAX, |most| most - tried.count);
        // Hundreds of MACs have as many inputs each.
        let random = most.min(left / 100 + 1);
        let (random, seed) = (random.to_string(), (tried.random.next() >> 1).to_string());
        let words = ["selftest", "--random", &random, "--seed", &seed];
        let child = bed.command(&words).spawn().expect("the program to start");
        let ended = ended(child, PATIENCE);
        // One that takes twice as long has to end in time.
        let left = tried.until.map(|it| it.saturating_duration_since(Instant::now()));
        if left.is_none_or(|left| left > 3 * ended.took) {
            most = RANDOM.min(2 * most);
        }
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        let line = words.join(" ");
        let Some((of_macs, agreed)) = said.lines().find_map(agreed) else {
            let wrong = ended.is_broken().unwrap_or(ended.stderr);
            tried.one(Some(format!("`{line}`: {}", wrong.trim())));
            thread::sleep(Duration::from_secs(1));
            continue;
        };
        (tried.count, macs) = (tried.count + agreed, of_macs.max(macs));
        if ended.code() != Some(0) {
            let differs = |line: &&str| line.starts_with("FAILED");
            let wrong: Vec<&str> = said.lines().filter(differs).take(3).collect();
            tried.failures.push(format!("`{line}`: exit code {:?}: {wrong:?}", ended.code()));
        }
        if left.is_some_and(|left| left < ended.took) {
            break;
        }
    }
    tried.figure(format!("over {macs} MACs that two or more providers have"));
    tried.look_around(&bed);
}

/// MACs and inputs of `42 MACs of two or more providers agree on 8376 of 8400 random inputs`.
fn agreed(line: &str) -> Option<(u64, u64)> {
    let (macs, rest) = line.split_once(" MACs of two or more providers agree on ")?;
    Some((macs.trim().parse().ok()?, rest.split(' ').next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_are_counted() {
        let line =
            "42 MACs of two or more providers agree on 8376 of 8400 random inputs (--seed 4)";
        assert_eq!(agreed(line), Some((42, 8376)));
        assert_eq!(agreed("macs      0.1.0     466    1183       0        0"), None);
    }
}
