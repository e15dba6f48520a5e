//! One message at a time: FIPS 180-4 §5 and §6.2, and HMAC over it (FIPS 198-1 §4). Whatever needs
//! it is padded in registers, and two compressions that do not need each other go side by side.

use core::marker::PhantomData;

use super::unit::{Begun, END_OF_MESSAGE, Task, Unit};
use super::{BLOCK_LEN, Digest, State};
use crate::kernels::lanes::hmac::{Hash, HmacKey, IPAD, OPAD};
use crate::wipe::overwrite;

const IPADS: u32 = u32::from_ne_bytes([IPAD; 4]);
const OPADS: u32 = u32::from_ne_bytes([OPAD; 4]);

/// A run of blocks, which the message is.
pub(crate) struct Blocks<'a> {
    pub(crate) state: &'a mut State,
}

impl Task for Blocks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<U: Unit>(self, unit: U, message: &[u8]) {
        *self.state = unit.state(unit.absorb(unit.chain(self.state), message.as_chunks().0));
    }
}

/// The hash.
pub(crate) struct Plain<'a> {
    pub(crate) initial: &'a State,
}

impl Task for Plain<'_> {
    type Output = Digest;

    #[inline(always)]
    fn run<U: Unit>(self, unit: U, message: &[u8]) -> Digest {
        unit.digest(unit.absorb_all(unit.chain(self.initial), message, 0))
    }
}

/// HMAC under a prepared key.
pub(crate) struct Hmac<'a, H> {
    key: &'a HmacKey<State>,
    hash: PhantomData<H>,
}

impl<'a, H> Hmac<'a, H> {
    #[inline(always)]
    pub(crate) fn new(key: &'a HmacKey<State>) -> Self {
        Self { key, hash: PhantomData }
    }
}

impl<H: Hash<BLOCK_LEN, State = State>> Task for Hmac<'_, H> {
    type Output = Digest;

    #[inline(always)]
    fn run<U: Unit>(self, unit: U, message: &[u8]) -> Digest {
        let inner = unit.absorb_all(unit.chain(&self.key.inner), message, BLOCK_LEN);
        hash_again::<U, H>(unit, unit.chain(&self.key.outer), inner)
    }
}

/// HMAC under a key that is used once.
pub(crate) struct HmacOnce<'a, H> {
    key: &'a [u8],
    hash: PhantomData<H>,
}

impl<'a, H> HmacOnce<'a, H> {
    #[inline(always)]
    pub(crate) fn new(key: &'a [u8]) -> Self {
        Self { key, hash: PhantomData }
    }
}

impl<H: Hash<BLOCK_LEN, State = State>> Task for HmacOnce<'_, H> {
    type Output = Digest;

    /// The opad block goes beside the last block of the message.
    #[inline(always)]
    fn run<U: Unit>(self, unit: U, message: &[u8]) -> Digest {
        let key = key_block::<U, H>(unit, self.key);
        let initial = unit.chain(&H::INITIAL);
        let inner = unit.one(initial, unit.xor_words(key, IPADS));
        let begun = Begun::new(unit, inner, message, BLOCK_LEN);
        let opad = unit.xor_words(key, OPADS);
        let [inner, outer] = unit.two([begun.chain, initial], [begun.last, opad]);
        hash_again::<U, H>(unit, outer, inner)
    }
}

/// The set-up of the key, which the message is.
pub(crate) struct SetUp<H>(PhantomData<H>);

impl<H> SetUp<H> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<H: Hash<BLOCK_LEN, State = State>> Task for SetUp<H> {
    type Output = HmacKey<State>;

    #[inline(always)]
    fn run<U: Unit>(self, unit: U, key: &[u8]) -> HmacKey<State> {
        let key = key_block::<U, H>(unit, key);
        let blocks = [unit.xor_words(key, IPADS), unit.xor_words(key, OPADS)];
        let [inner, outer] = unit.two([unit.chain(&H::INITIAL); 2], blocks);
        HmacKey { inner: unit.state(inner), outer: unit.state(outer) }
    }
}

/// Two keys side by side.
#[inline(always)]
pub(crate) fn set_up_two<U: Unit, H: Hash<BLOCK_LEN, State = State>>(
    unit: U,
    keys: [&[u8]; 2],
) -> [HmacKey<State>; 2] {
    let [a, b] = keys.map(|key| key_block::<U, H>(unit, key));
    let blocks = [
        unit.xor_words(a, IPADS),
        unit.xor_words(a, OPADS),
        unit.xor_words(b, IPADS),
        unit.xor_words(b, OPADS),
    ];
    let [inner_a, outer_a, inner_b, outer_b] = unit.four([unit.chain(&H::INITIAL); 4], blocks);
    let key = |inner, outer| HmacKey { inner: unit.state(inner), outer: unit.state(outer) };
    [key(inner_a, outer_a), key(inner_b, outer_b)]
}

/// The block of this index of a message that follows a key block, padding included.
#[inline(always)]
pub(crate) fn block_of<U: Unit>(unit: U, message: &[u8], index: usize, is_last: bool) -> U::Words {
    let (blocks, _) = message.as_chunks();
    let words = match blocks.get(index) {
        Some(block) => unit.words(block),
        None if index == blocks.len() => unit.tail(message, END_OF_MESSAGE),
        None => unit.zero(),
    };
    if !is_last {
        return words;
    }
    unit.with_field(words, (BLOCK_LEN as u64 + message.len() as u64) << 3)
}

/// The digest that is `inner`, hashed under the outer key block.
#[inline(always)]
fn hash_again<U: Unit, H: Hash<BLOCK_LEN>>(unit: U, outer: U::Chain, inner: U::Chain) -> Digest {
    unit.digest(unit.one(outer, unit.digest_words(inner, H::DIGEST_LEN / 4)))
}

/// K0 of FIPS 198-1 §4 steps 1 to 3.
#[inline(always)]
fn key_block<U: Unit, H: Hash<BLOCK_LEN, State = State>>(unit: U, key: &[u8]) -> U::Words {
    if key.len() < BLOCK_LEN {
        unit.tail(key, 0)
    } else if let Ok(block) = key.try_into() {
        unit.words(block)
    } else {
        // Apart, for hardly any key is so long.
        let mut digest = unit.apart(Plain { initial: &H::INITIAL }, key);
        let words = unit.tail(&digest[..H::DIGEST_LEN], 0);
        overwrite(&mut digest, [0; 32]);
        words
    }
}
