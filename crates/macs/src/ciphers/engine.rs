//! What the modes ask of a block cipher: nothing that a user calls.

#[cfg(feature = "batch")]
use alloc::boxed::Box;

use cipher::inout::InOutBuf;
use cipher::{Block, BlockCipherEncrypt, BlockSizeUser, InvalidLength, Key, KeyInit};

use super::chain::{self, Chain, ChainJob};
use super::variant::{self, LastBlock};
#[cfg(feature = "batch")]
use super::variant::{KeyedChains, Variant};
use super::{AnyCipher, ctr, ctr_cbc, masked};
use crate::doubling::DoublingSize;
use crate::inside::Inside;
use crate::kernels::chaining::{EaxPass, KEPT_MASKS, MaskedPass, Omac, Pass};
use crate::kernels::partial::le_number;
use crate::kernels::{Choice, Pin};
#[cfg(all(
    any(feature = "gcm", feature = "gmac"),
    feature = "aes",
    target_arch = "x86_64",
    target_feature = "sse2"
))]
use crate::kernels::{gcm, ghash};
use crate::wipe::wipe;

/// What the modes ask of a [`BlockCipher`](super::BlockCipher), and only they may ask: [`Inside`].
/// What has a body here is for a cipher that is known by its blocks only; a kernel takes it as a
/// whole.
pub trait Engine:
    AnyCipher<Cipher = Self>
    + BlockCipherEncrypt
    + BlockSizeUser<BlockSize: DoublingSize>
    + KeyInit
    + Clone
    + Send
    + Sync
    + 'static
{
    /// The code paths.
    type Kernel: Choice;

    /// The same cipher with keys of every length that it has: what the catalog is made of. Its rows
    /// know the lengths, so that their modes need not be compiled for each one.
    type OfAnyKey;

    /// Whether a block takes so long that a pointer to a key is not felt beside it.
    const BLOCK_TAKES_LONG: bool = true;

    /// Whether there are code paths with lanes for the chains of many messages, and the others are
    /// for CPUs that hardly anybody has: these need not have code of their own for many messages.
    const LANES_ARE_USUAL: bool = false;

    /// A cipher under a public key, to set a key up in: a key schedule is long, and a copy of it
    /// would be felt.
    fn blank(kernel: Self::Kernel, _: Inside) -> Self;

    /// Sets another key up in place.
    ///
    /// # Errors
    /// When the cipher takes no key of this length; the old key then stays.
    fn rekey(&mut self, key: &[u8], _: Inside) -> Result<(), InvalidLength>;

    /// The code path.
    fn kernel(&self, _: Inside) -> Self::Kernel;

    /// Sets a key up on this code path.
    ///
    /// # Errors
    /// When the cipher takes no key of this length.
    #[inline(always)]
    fn new_on(kernel: Self::Kernel, key: &[u8], inside: Inside) -> Result<Self, InvalidLength> {
        let mut cipher = Self::blank(kernel, inside);
        cipher.rekey(key, inside)?;
        Ok(cipher)
    }

    /// Encrypts the block whose bytes are those of `number`, little-endian; of a shorter block the
    /// first ones. A number travels in registers, where a block made of parts waits for memory.
    #[inline(always)]
    fn encrypt_number(&self, number: u128, block: &mut Block<Self>, _: Inside) {
        let len = block.len();
        block.copy_from_slice(&number.to_le_bytes()[..len]);
        self.encrypt_block(block);
    }

    /// The same, with what comes out as a number, too: for who goes on in words.
    #[inline(always)]
    fn encrypted_number(&self, number: u128, inside: Inside) -> u128 {
        let mut block = Block::<Self>::default();
        self.encrypt_number(number, &mut block, inside);
        let encrypted = le_number(&block);
        wipe(&mut block);
        encrypted
    }

    /// XORs the keystream of the counter blocks that begin with `first` into `head` and then
    /// `data`: counter mode (SP 800-38A §6.5), its counter of the low `COUNTER_BITS` bits.
    #[inline(always)]
    fn ctr<const COUNTER_BITS: u32>(
        &self,
        first: &Block<Self>,
        head: &mut [Block<Self>],
        data: InOutBuf<'_, '_, u8>,
        _: Inside,
    ) {
        ctr::apply::<COUNTER_BITS, Self>(self, first, head, data);
    }

    /// Counter mode and the CBC chain over one message: see [`Pass`]. The chain, under the key of
    /// `mac`, takes what the data becomes, or what it was.
    #[inline(always)]
    fn ctr_cbc<const TAKES_OUTPUT: bool>(
        &self,
        mac: &Self,
        pass: Pass<'_, Block<Self>>,
        _: Inside,
    ) {
        ctr_cbc::in_two_passes::<Self, TAKES_OUTPUT>(self, mac, pass);
    }

    /// Seals or opens a message by EAX, but for the comparison of tags.
    #[inline(always)]
    fn eax<const SEALS: bool>(&self, pass: EaxPass<'_, Block<Self>>, _: Inside) {
        ctr_cbc::eax::<Self, SEALS>(self, pass);
    }

    /// Seals or opens a message by GCM in one pass, but for the comparison of tags, if there is a
    /// kernel for that; tells whether it did.
    #[cfg(all(feature = "gcm", feature = "aes", target_arch = "x86_64", target_feature = "sse2"))]
    #[inline(always)]
    fn gcm<const SEALS: bool>(
        &self,
        _hash: (ghash::Kernel, &ghash::Key),
        _j0: u128,
        _pass: &mut gcm::Pass<'_>,
        _: Inside,
    ) -> bool {
        false
    }

    /// Makes the tag of GMAC in one pass, likewise.
    #[cfg(all(feature = "gmac", feature = "aes", target_arch = "x86_64", target_feature = "sse2"))]
    #[inline(always)]
    fn gmac(
        &self,
        _hash: (ghash::Kernel, &ghash::Key),
        _j0: u128,
        _end: &gcm::End<'_>,
        _tag: &mut [u8; 16],
        _: Inside,
    ) -> bool {
        false
    }

    /// The PMAC of a whole message: `masks` are L·u^i, `full` is the mask of a full last block.
    #[inline(always)]
    fn masked_mac(
        &self,
        masks: &[Block<Self>; KEPT_MASKS],
        full: &Block<Self>,
        message: &[u8],
        tag: &mut Block<Self>,
        _: Inside,
    ) {
        masked::mac(self, masks, full, message, tag);
    }

    /// PMAC's sum: see [`MaskedPass`].
    #[inline(always)]
    fn masked_sum(&self, pass: MaskedPass<'_, Block<Self>>, _: Inside) {
        masked::sum(self, pass);
    }

    /// Sets a key of the right length up on the code path that is pinned.
    #[inline]
    fn keyed_on(pin: Pin, key: &Key<Self>, inside: Inside) -> Self {
        let keyed = Self::new_on(Self::Kernel::pinned(pin), key, inside);
        keyed.expect("KeySize is a length that is taken")
    }

    /// Runs the CBC chain (ISO/IEC 9797-1 §6) over `head` and then `last`, from the value `y`.
    #[inline(always)]
    fn chain(&self, y: &mut Block<Self>, head: &[Block<Self>], last: &[Block<Self>], _: Inside) {
        self.encrypt_with_backend(Chain { y, head, last });
    }

    /// Runs the chain over the end of a message, `blocks` and what `ending` makes of `tail`, and
    /// gives the tag. Where the message begins there is no `y`: a block of zeros on the stack is
    /// written just before it is read, and may wait for the tag of the message before.
    #[inline(always)]
    fn finish_chain(
        &self,
        y: Option<&Block<Self>>,
        blocks: &[Block<Self>],
        tail: &[u8],
        ending: LastBlock<'_, Self>,
        tag: &mut Block<Self>,
        _: Inside,
    ) {
        variant::finish(self, y, blocks, tail, ending, tag);
    }

    /// Sets another key up in place, and makes the masks of OMAC: of a full last block, and of a
    /// padded one.
    ///
    /// # Errors
    /// When the cipher takes no key of this length; the old key then stays.
    #[inline(always)]
    fn rekey_omac(
        &mut self,
        key: &[u8],
        omac: Omac,
        inside: Inside,
    ) -> Result<[Block<Self>; 2], InvalidLength> {
        self.rekey(key, inside)?;
        let mut l = Block::<Self>::default();
        self.encrypt_block(&mut l);
        let masks = omac.masks(&l);
        wipe(&mut l);
        Ok(masks)
    }

    /// The OMAC of a whole message under a key that is used once.
    ///
    /// # Errors
    /// When the cipher takes no key of this length.
    #[inline(always)]
    fn omac_once(
        kernel: Self::Kernel,
        key: &[u8],
        omac: Omac,
        message: &[u8],
        tag: &mut Block<Self>,
        inside: Inside,
    ) -> Result<(), InvalidLength> {
        let mut cipher = Self::blank(kernel, inside);
        let [mut full, mut padded] = cipher.rekey_omac(key, omac, inside)?;
        let ending = LastBlock::masked(&full, &padded);
        let (blocks, tail) = chain::split_held::<Self>(message);
        cipher.finish_chain(None, blocks, tail, ending, tag, inside);
        wipe(&mut full);
        wipe(&mut padded);
        Ok(())
    }

    /// Whether so many chains of so many blocks together are worth gathering for [`Self::chains`]:
    /// for short messages that takes longer than their tags.
    #[cfg(feature = "batch")]
    fn gathers(_kernel: Self::Kernel, _chains: usize, _blocks: usize, _: Inside) -> bool {
        false
    }

    /// Runs many chains, each under a cipher of its own: that of `jobs[i]` from `y[i]` on.
    fn chains(
        _kernel: Self::Kernel,
        jobs: &[ChainJob<'_, Self>],
        y: &mut [Block<Self>],
        inside: Inside,
    ) {
        for (job, y) in jobs.iter().zip(y) {
            job.cipher.chain(y, job.blocks, job.last.as_slice(), inside);
        }
    }

    /// From this mean length on, messages of a composition with one chain gain by chains of many
    /// messages side by side; shorter ones are quicker with their chain beside counter mode.
    fn gathers_from_bytes(_kernel: Self::Kernel, _: Inside) -> usize {
        0
    }

    /// Sets up many keys of a member of the CBC family, whose messages come together, for the lanes
    /// of a kernel that takes them whole; `None` if this one does not. Macs have no use for
    /// [`cipher`](KeyedChains::cipher), which may panic without `with_ciphers`.
    ///
    /// # Errors
    /// When the mac takes no key of one of these lengths.
    #[cfg(feature = "batch")]
    fn in_lanes<V: Variant<Self>>(
        _kernel: Self::Kernel,
        _keys: &[&[u8]],
        _with_ciphers: bool,
        _: Inside,
    ) -> Result<Option<Box<dyn KeyedChains<Self>>>, InvalidLength> {
        Ok(None)
    }
}
