//! Counter mode and the CBC chain side by side. The chain waits for each of its blocks; the
//! keystream, which waits for nothing, is encrypted meanwhile, two blocks ahead, so that the two
//! together take as long as the chain. EAX is such a pass between two more chains, of which that
//! over the associated data waits for nothing either. Written once over what a kernel does with a
//! block in a register.

use super::counter::{Counter, WHOLE_BLOCK};
use super::{Block, EaxPass, Padding, Pass, split_last, words};

/// What a kernel does with blocks in registers: encrypts them under the key of counter mode, and
/// under that of the chain.
pub(super) trait Pair {
    /// A block.
    type V: Copy;

    /// A chain that has taken a block and is still to encrypt it.
    type Pending: Copy;

    fn load(block: &Block) -> Self::V;
    fn store(block: &mut Block, value: Self::V);
    /// The block that is this number, little-endian.
    fn of_number(number: u128) -> Self::V;
    fn number(value: Self::V) -> u128;
    fn xor(a: Self::V, b: Self::V) -> Self::V;

    /// Encrypts two counter blocks.
    fn keystream(&self, counters: [Self::V; 2]) -> [Self::V; 2];
    /// The chain takes its first block.
    fn begin(&self, y: Self::V, block: Self::V) -> Self::Pending;
    /// The chain encrypts what it took and takes the next block.
    fn chain(&self, pending: Self::Pending, next: Self::V) -> Self::Pending;
    /// Likewise, while a counter block is encrypted.
    fn step(
        &self,
        pending: Self::Pending,
        next: Self::V,
        counter: Self::V,
    ) -> (Self::Pending, Self::V);
    /// The last value of the chain.
    fn end(&self, pending: Self::Pending) -> Self::V;
}

/// A chain under way: with a block taken, and what is still to come.
struct Chain<'a, P: Pair> {
    pending: P::Pending,
    rest: &'a [Block],
    last: Option<P::V>,
}

impl<'a, P: Pair> Chain<'a, P> {
    /// Over a message that is not empty, from `y`.
    #[inline(always)]
    fn new(pair: &P, y: P::V, message: &'a [u8], masks: Option<[&Block; 2]>) -> Self {
        let (blocks, tail) = split_last(message);
        let last = match tail.first_chunk() {
            Some(full) => masked::<P>(P::load(full), masks),
            None => padded::<P>(words::padded(tail, Padding::Zeros), tail.len(), masks),
        };
        match blocks {
            [] => Self { pending: pair.begin(y, last), rest: &[], last: None },
            [first, rest @ ..] => {
                Self { pending: pair.begin(y, P::load(first)), rest, last: Some(last) }
            }
        }
    }

    #[inline(always)]
    fn end(self, pair: &P) -> P::V {
        let mut pending = self.pending;
        for block in self.rest {
            pending = pair.chain(pending, P::load(block));
        }
        if let Some(last) = self.last {
            pending = pair.chain(pending, last);
        }
        pair.end(pending)
    }
}

/// A full last block as the chain takes it.
#[inline(always)]
fn masked<P: Pair>(block: P::V, masks: Option<[&Block; 2]>) -> P::V {
    let Some([mask, _]) = masks else { return block };
    P::xor(block, P::load(mask))
}

/// A last block of `len` bytes, less than a full one, likewise.
#[inline(always)]
fn padded<P: Pair>(number: u128, len: usize, masks: Option<[&Block; 2]>) -> P::V {
    let Some([_, mask]) = masks else { return P::of_number(number) };
    P::xor(P::of_number(number | 0x80 << (8 * len)), P::load(mask))
}

/// XORs a block of keystream into `block`, and returns what the chain takes of it.
#[inline(always)]
fn apply<P: Pair, const TAKES_OUTPUT: bool>(block: &mut Block, keystream: P::V) -> P::V {
    let input = P::load(block);
    let output = P::xor(input, keystream);
    P::store(block, output);
    if TAKES_OUTPUT { output } else { input }
}

/// The same for the last block, at most a full one.
#[inline(always)]
fn apply_last<P: Pair, const TAKES_OUTPUT: bool>(
    tail: &mut [u8],
    keystream: P::V,
    masks: Option<[&Block; 2]>,
) -> P::V {
    if let Some(full) = tail.first_chunk_mut() {
        return masked::<P>(apply::<P, TAKES_OUTPUT>(full, keystream), masks);
    }
    let input = words::padded(tail, Padding::Zeros);
    let output = (input ^ P::number(keystream)) & ((1 << (8 * tail.len())) - 1);
    tail.copy_from_slice(&output.to_le_bytes()[..tail.len()]);
    padded::<P>(if TAKES_OUTPUT { output } else { input }, tail.len(), masks)
}

#[inline(always)]
fn counter_block<P: Pair>(counter: Counter<WHOLE_BLOCK>) -> P::V {
    P::of_number(counter.0.swap_bytes())
}

/// The last value of the pass's chain, for data that is not empty. `counter` is the first counter
/// block; `aside` is a chain of its own, which goes on meanwhile. (No closures: they would be
/// compiled without the instructions, and pass registers through memory.)
#[inline(always)]
fn side_by_side<P: Pair, const TAKES_OUTPUT: bool>(
    pair: &P,
    counter: P::V,
    (y, head): (P::V, &[Block]),
    data: &mut [u8],
    masks: Option<[&Block; 2]>,
    aside: &mut Option<Chain<'_, P>>,
) -> P::V {
    let mut next = Counter::<WHOLE_BLOCK>(P::number(counter).swap_bytes()).plus(1);
    let [first, mut keystream] = pair.keystream([counter, counter_block::<P>(next)]);
    let (blocks, tail) = data.split_at_mut((data.len() - 1) / 16 * 16);
    let (block, blocks) = match blocks.as_chunks_mut().0 {
        [] => (None, &mut [][..]),
        [block, blocks @ ..] => (Some(block), blocks),
    };
    let is_only = block.is_none();
    let taken = match block {
        None => apply_last::<P, TAKES_OUTPUT>(tail, first, masks),
        Some(block) => apply::<P, TAKES_OUTPUT>(block, first),
    };
    let mut pending = match head {
        [] => pair.begin(y, taken),
        [begin, rest @ ..] => {
            let mut pending = pair.begin(y, P::load(begin));
            for block in rest {
                pending = pair.chain(pending, P::load(block));
            }
            pair.chain(pending, taken)
        }
    };
    if is_only {
        return pair.end(pending);
    }
    let mut later = &mut blocks[..];
    if let Some(aside) = aside {
        let both = aside.rest.len().min(later.len());
        let (others, rest) = aside.rest.split_at(both);
        let now;
        (now, later) = later.split_at_mut(both);
        for (block, other) in now.iter_mut().zip(others) {
            next = next.plus(1);
            let taken = apply::<P, TAKES_OUTPUT>(block, keystream);
            (pending, keystream) = pair.step(pending, taken, counter_block::<P>(next));
            aside.pending = pair.chain(aside.pending, P::load(other));
        }
        aside.rest = rest;
    }
    for block in later {
        next = next.plus(1);
        let taken = apply::<P, TAKES_OUTPUT>(block, keystream);
        (pending, keystream) = pair.step(pending, taken, counter_block::<P>(next));
    }
    pair.end(pair.chain(pending, apply_last::<P, TAKES_OUTPUT>(tail, keystream, masks)))
}

/// As `Kernel::ctr_cbc`.
#[inline(always)]
pub(super) fn ctr_cbc<P: Pair, const TAKES_OUTPUT: bool>(pair: &P, pass: Pass<'_, Block>) {
    let Pass { counter, y, head, data, masks } = pass;
    let begin = P::load(y);
    let end = match (head, &*data) {
        ([], []) => return,
        (head, []) => Chain::new(pair, begin, head.as_flattened(), None).end(pair),
        _ => {
            let counter = P::load(counter);
            side_by_side::<P, TAKES_OUTPUT>(pair, counter, (begin, head), data, masks, &mut None)
        }
    };
    P::store(y, end);
}

/// As `Kernel::eax`.
#[inline(always)]
pub(super) fn eax<P: Pair, const SEALS: bool>(pair: &P, pass: EaxPass<'_, Block>) {
    let EaxPass { masks, after, of_nothing, nonce, associated_data, data, tag } = pass;
    let masks = Some(masks);
    let n = match nonce {
        [] => P::load(of_nothing[0]),
        _ => Chain::new(pair, P::load(after[0]), nonce, masks).end(pair),
    };
    let mut aside = match associated_data {
        [] => None,
        _ => Some(Chain::new(pair, P::load(after[1]), associated_data, masks)),
    };
    let c = if data.is_empty() {
        P::load(of_nothing[2])
    } else {
        let begin = (P::load(after[2]), &[][..]);
        side_by_side::<P, SEALS>(pair, n, begin, data, masks, &mut aside)
    };
    let h = match aside {
        None => P::load(of_nothing[1]),
        Some(chain) => chain.end(pair),
    };
    P::store(tag, P::xor(P::xor(n, h), c));
}
