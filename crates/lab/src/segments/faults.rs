//! Faults planted into segments on their way, and what the receiver makes of them.

use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};

use super::Pair;
use super::error::SegmentsError;
use crate::cell::Flow;
use crate::record::FaultCount;

/// Lengths of the files that faults are planted into. There is something to change: the nonce of an
/// empty message may be flipped unseen under Encrypt-and-MAC, and nothing is lost by it. Many have
/// several segments, or none could be lost or change places; and none is long for its own sake.
fn file_len_bytes(block_len_bytes: usize) -> std::ops::RangeInclusive<usize> {
    1..=(8 * block_len_bytes).min((3 * block_len_bytes).max(1120))
}

/// What may happen to segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// One bit of one segment is another.
    Flip,
    /// A segment is lost; another is there, or the receiver would have nothing to judge.
    Drop,
    /// A segment comes twice.
    Double,
    /// Two different segments change places.
    Swap,
    /// The last segment loses bytes at its end, all of them perhaps.
    Truncate,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Flip, Self::Drop, Self::Double, Self::Swap, Self::Truncate];

    /// The word for it in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Flip => "flip",
            Self::Drop => "drop",
            Self::Double => "double",
            Self::Swap => "swap",
            Self::Truncate => "truncate",
        }
    }

    /// Whether a receiver in this flow refuses every such fault. Parts that are sealed each on its
    /// own, with nothing that says which they are, may be lost, doubled and reordered.
    #[must_use]
    pub fn is_refused_in(self, flow: Flow) -> bool {
        flow != Flow::Se || matches!(self, Self::Flip | Self::Truncate)
    }

    /// Does it to these segments; whether there was a place for it.
    pub fn plant(self, segments: &mut Vec<Vec<u8>>, random: &mut StdRng) -> bool {
        let count = segments.len();
        if count == 0 || (count < 2 && matches!(self, Self::Drop | Self::Swap)) {
            return false;
        }
        let at = random.random_range(0..count);
        match self {
            Self::Flip => {
                let segment = &mut segments[at];
                if segment.is_empty() {
                    return false;
                }
                let byte = random.random_range(0..segment.len());
                segment[byte] ^= 1 << random.random_range(0..8);
            }
            Self::Drop => drop(segments.remove(at)),
            Self::Double => segments.insert(at, segments[at].clone()),
            Self::Swap => {
                let other = random.random_range(0..count);
                if segments[at] == segments[other] {
                    return false;
                }
                segments.swap(at, other);
            }
            Self::Truncate => {
                let last = &mut segments[count - 1];
                if last.is_empty() {
                    return false;
                }
                last.truncate(random.random_range(0..last.len()));
            }
        }
        true
    }
}

/// Plants `each` faults of every kind into random files of this pair, and counts what is refused.
///
/// # Errors
/// Lengths that the composition does not take.
pub fn count(pair: &mut Pair, each: u32, seed: u64) -> Result<Vec<FaultCount>, SegmentsError> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut counts = Vec::new();
    for fault in Fault::ALL {
        let (mut planted, mut refused) = (0, 0);
        while planted < each {
            let mut file = vec![0; random.random_range(file_len_bytes(pair.block_len_bytes))];
            random.fill_bytes(&mut file);
            let mut segments = pair.send(&file)?;
            if fault.plant(&mut segments, &mut random) {
                planted += 1;
                refused += u32::from(pair.receive(segments).is_none());
            }
        }
        let promised = fault.is_refused_in(pair.flow);
        counts.push(FaultCount { fault: fault.name().into(), planted, refused, promised });
    }
    Ok(counts)
}
