//! Many messages at once, and keys. A batch too small for lanes goes one after the other.

use core::marker::PhantomData;

use super::message::{self, Hmac, SetUp, block_of};
use super::unit::{Task, Unit};
use super::{BLOCK_LEN, Block, Digest, State};
use crate::kernels::lanes::Plan;
use crate::kernels::lanes::hmac::batch::{Ways, one_by_one, some};
use crate::kernels::lanes::hmac::{Hash, HmacKey, KeyBlocks, Tags, blocks};

/// Key set-ups.
pub(crate) struct SetUps<'a, H> {
    keys: &'a [&'a [u8]],
    states: &'a mut [HmacKey<State>],
    hash: PhantomData<H>,
}

impl<'a, H> SetUps<'a, H> {
    #[inline(always)]
    pub(crate) fn new(keys: &'a [&'a [u8]], states: &'a mut [HmacKey<State>]) -> Self {
        Self { keys, states, hash: PhantomData }
    }
}

impl<H: Hash<BLOCK_LEN, State = State>> Task for SetUps<'_, H> {
    type Output = ();

    #[inline(always)]
    fn run<U: Unit>(self, unit: U, _: &[u8]) {
        // A key takes two lanes.
        if U::SETS_UP_BY_TWO || 2 * self.keys.len() < U::LANES_MIN {
            let (keys, last_key) = self.keys.as_chunks();
            let (states, last_state) = self.states.as_chunks_mut();
            for (keys, states) in keys.iter().zip(states) {
                *states = message::set_up_two::<U, H>(unit, *keys);
            }
            for (key, state) in last_key.iter().zip(last_state) {
                *state = SetUp::<H>::new().run(unit, key);
            }
            return;
        }
        unit.drive(KeyBlocks::<H, BLOCK_LEN> { keys: self.keys, states: self.states });
    }
}

/// HMAC of some of the messages, at most a window.
pub(crate) struct Hmacs<'a, 'b, 'c, H: Hash<BLOCK_LEN>> {
    pub(crate) tags: &'c mut Tags<'a, 'b, H, BLOCK_LEN>,
    pub(crate) numbers: &'c [u16],
}

impl<H: Hash<BLOCK_LEN, State = State>> Task for Hmacs<'_, '_, '_, H> {
    type Output = ();

    #[inline(always)]
    fn run<U: Unit>(self, unit: U, _: &[u8]) {
        some::<_, H, BLOCK_LEN>(OfUnit(unit), self.tags, self.numbers);
    }
}

/// Three messages of so many blocks are quicker as two and one than as four.
const FEW_BLOCKS: usize = 4;

#[derive(Clone, Copy)]
struct OfUnit<U>(U);

impl<U: Unit, H: Hash<BLOCK_LEN, State = State>> Ways<H, BLOCK_LEN> for OfUnit<U> {
    const STEP: usize = 4;
    const STEP_MIN: usize = U::STEP_MIN;
    const LANES_MIN: usize = U::LANES_MIN;

    #[inline(always)]
    fn one(self, key: &HmacKey<State>, message: &[u8], tag: &mut [u8]) {
        write_tag(self.0.apart(Hmac::<H>::new(key), message), tag);
    }

    #[inline(always)]
    fn in_step(self, tags: &mut Tags<'_, '_, H, BLOCK_LEN>, numbers: &[u16]) {
        let Self(unit) = self;
        let four = match *numbers {
            [a, b, c] if blocks::<H, BLOCK_LEN>(tags.message(a).len()) > FEW_BLOCKS => [a, b, c, c],
            [a, b, c, d] => [a, b, c, d],
            [a, b, ref third @ ..] => {
                in_step(unit, tags, [a, b], U::absorb_two, U::step_two);
                return one_by_one(self, tags, third);
            }
            _ => unreachable!("two to four messages"),
        };
        in_step(unit, tags, four, U::absorb_four, U::step_four);
    }

    #[inline(always)]
    fn drive<'a, P: Plan<'a, BLOCK_LEN, State = State>>(self, plan: P) {
        self.0.drive(plan);
    }
}

/// Messages that take equally many blocks. The blocks that do not lie in them are made in
/// registers, and so is that of the outer hash.
#[inline(always)]
fn in_step<U: Unit, H: Hash<BLOCK_LEN, State = State>, const N: usize>(
    unit: U,
    tags: &mut Tags<'_, '_, H, BLOCK_LEN>,
    numbers: [u16; N],
    absorb: impl Fn(U, &mut [U::Chain; N], [&[Block]; N]),
    compress: impl Fn(U, &mut [U::Chain; N], &mut [U::Words; N]),
) {
    let messages = numbers.map(|number| tags.message(number));
    // Written in place, for copies of arrays go by wider vectors than these were stored by.
    let mut chains = [unit.chain(&H::INITIAL); N];
    let mut words = [unit.zero(); N];
    for (chain, number) in chains.iter_mut().zip(numbers) {
        *chain = unit.chain(&tags.key(number).inner);
    }
    let count = blocks::<H, BLOCK_LEN>(messages[0].len());
    let full = messages.iter().map(|message| message.len() / BLOCK_LEN).min().unwrap_or(0);
    if full > 0 {
        absorb(unit, &mut chains, messages.map(|message| &message.as_chunks().0[..full]));
    }
    for index in full..count {
        let is_last = index + 1 == count;
        for (words, message) in words.iter_mut().zip(messages) {
            *words = block_of(unit, message, index, is_last);
        }
        compress(unit, &mut chains, &mut words);
    }
    for ((words, chain), number) in words.iter_mut().zip(&mut chains).zip(numbers) {
        *words = unit.digest_words(*chain, H::DIGEST_LEN / 4);
        *chain = unit.chain(&tags.key(number).outer);
    }
    compress(unit, &mut chains, &mut words);
    for (number, chain) in numbers.into_iter().zip(chains) {
        write_tag(unit.digest(chain), tags.tag(number));
    }
}

/// A whole digest goes as it is: wider loads of what was just stored would wait.
#[inline(always)]
fn write_tag(digest: Digest, tag: &mut [u8]) {
    match <&mut Digest>::try_from(&mut *tag) {
        Ok(tag) => *tag = digest,
        Err(_) => tag.copy_from_slice(&digest[..tag.len()]),
    }
}
