//! Retail MAC: ISO/IEC 9797-1 algorithm 3 with padding method 2, over DES. The chain is single DES
//! under K, and its last block two-key TDES under K and K'. Single DES is TDES under K three times,
//! by the same kernels, so that a block costs what one of TDES does.

#[cfg(feature = "batch")]
use alloc::boxed::Box;
#[cfg(feature = "batch")]
use alloc::vec::Vec;

use cipher::array::Array;
use cipher::consts::U16;
use cipher::{Block, BlockCipherEncrypt};
use digest::InvalidLength;

use crate::block_mac::{BlockMac, BlockMode};
#[cfg(feature = "batch")]
use crate::ciphers::chain::ChainJob;
use crate::ciphers::chain::{pad_with_one, xor};
use crate::ciphers::{Engine, TdesEde2};
use crate::facts::{ConstantTime, Facts, Hardware, KeyLife, Prf, Quantum};
use crate::inside::Inside;
#[cfg(feature = "batch")]
use crate::kernels::Job;
#[cfg(feature = "batch")]
use crate::kernels::wiped::wipe_values;
use crate::kernels::{Choice, Pin, tdes};
#[cfg(feature = "batch")]
use crate::keyed::{KeyedBatch, set_up_all};
use crate::len::Len;
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::wipe::wipe;

/// Retail MAC. Its key is K‖K', both of 8 bytes, whose bits of parity are ignored; the whole tag
/// has 8 bytes, of which payments often take the first 4.
pub type RetailMac = BlockMac<Retail>;

/// The two keys.
#[derive(Clone)]
pub struct Retail {
    /// DES under K.
    single: TdesEde2,
    /// TDES under K and K'.
    double: TdesEde2,
}

impl Retail {
    fn keyed_on(kernel: tdes::Kernel, key: &[u8]) -> Result<Self, InvalidLength> {
        let mut mode = Self {
            single: TdesEde2::blank(kernel, Inside(())),
            double: TdesEde2::blank(kernel, Inside(())),
        };
        mode.set_up(key)?;
        Ok(mode)
    }

    fn set_up(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.double.rekey(key, Inside(()))?;
        let mut twice = [0; 16];
        for half in twice.as_chunks_mut().0 {
            *half = *key.first_chunk::<8>().ok_or(InvalidLength)?;
        }
        self.single.rekey(&twice, Inside(()))?;
        wipe(&mut twice);
        Ok(())
    }
}

impl BlockMode for Retail {
    type Cipher = TdesEde2;
    type KeySize = U16;
    /// The chaining value.
    type Running = Block<TdesEde2>;

    const NAME: &'static str = "RetailMac";
    const HOLDS_FULL_BLOCK: bool = false;

    fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        Self::keyed_on(tdes::Kernel::pinned(pin), key)
    }

    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.set_up(key)
    }

    #[cfg(feature = "batch")]
    fn batch(pin: Pin, keys: &[&[u8]]) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        let kernel = tdes::Kernel::pinned(pin);
        let keys = set_up_all(keys, |key| Self::keyed_on(kernel, key))?;
        Ok(Box::new(Chains { kernel, keys }))
    }

    fn absorb(
        &self,
        running: &mut Self::Running,
        first: &[Block<TdesEde2>],
        then: &[Block<TdesEde2>],
    ) {
        self.single.chain(running, first, then, Inside(()));
    }

    fn finish(
        &self,
        running: &mut Self::Running,
        blocks: &[Block<TdesEde2>],
        tail: &[u8],
        tag: &mut Block<TdesEde2>,
    ) {
        self.single.chain(running, blocks, &[], Inside(()));
        *tag = pad_with_one(tail);
        xor(tag, running);
        self.double.encrypt_block(tag);
    }
}

/// Many messages under many keys: all chains at once, then all last blocks.
#[cfg(feature = "batch")]
struct Chains {
    kernel: tdes::Kernel,
    keys: Vec<Retail>,
}

#[cfg(feature = "batch")]
impl Drop for Chains {
    fn drop(&mut self) {
        wipe_values(&mut self.keys);
    }
}

#[cfg(feature = "batch")]
impl KeyedBatch for Chains {
    fn keys(&self) -> usize {
        self.keys.len()
    }

    fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        let places = self.keys[first..][..keys.len()].iter_mut();
        places.zip(keys).try_for_each(|(place, key)| place.set_up(key))
    }

    fn mac_into(&self, job: &Job<'_>, tag: &mut [u8]) -> Result<(), InvalidLength> {
        let tag = Array::slice_as_mut_array(tag).expect("the caller checks the length");
        self.keys[job.key].mac_into(job.message, tag);
        Ok(())
    }

    fn macs_into(&self, jobs: &[Job<'_>], _: usize, tags: &mut [u8]) -> Result<(), InvalidLength> {
        let (tags, _) = Array::slice_as_chunks_mut(tags);
        let blocks = jobs.iter().map(|job| job.message.len() / 8 + 1).sum();
        if !TdesEde2::gathers(self.kernel, jobs.len(), blocks, Inside(())) {
            for (job, tag) in jobs.iter().zip(tags) {
                self.keys[job.key].mac_into(job.message, tag);
            }
            return Ok(());
        }
        tags.fill(Array::default());
        let mut chains: Vec<ChainJob<'_, TdesEde2>> = Vec::with_capacity(jobs.len());
        chains.extend(jobs.iter().map(|job| {
            let (blocks, _) = Array::slice_as_chunks(job.message);
            ChainJob { cipher: &self.keys[job.key].single, blocks, last: None }
        }));
        TdesEde2::chains(self.kernel, &chains, tags, Inside(()));
        // A chain begins with zeros: what it begins with is not wiped.
        chains.clear();
        chains.extend(jobs.iter().zip(&*tags).map(|(job, running)| {
            let (_, tail) = Block::<TdesEde2>::slice_as_chunks(job.message);
            let mut last = pad_with_one(tail);
            xor(&mut last, running);
            ChainJob { cipher: &self.keys[job.key].double, blocks: &[], last: Some(last) }
        }));
        tags.fill(Array::default());
        TdesEde2::chains(self.kernel, &chains, tags, Inside(()));
        wipe_values(&mut chains);
        Ok(())
    }
}

pub(crate) const ROWS: &[MacInfo] = &[MacInfo::mac::<RetailMac>(
    "retail-mac-des",
    "Retail MAC",
    &MODE,
    &DES,
    (16, Len::Exactly(16)),
)];

static DES: Primitive = Primitive {
    name: "des",
    title: "DES",
    standing: Standing::Legacy,
    note: "keys of 56 bits, found by trying all: only where a mode makes more of two",
    constant_time: ConstantTime::Yes("by shuffles, or bit-sliced"),
    hardware: Hardware::None,
    block_len_bytes: 8,
    paths: Paths::own::<tdes::Kernel>(),
};

static MODE: Mode = Mode {
    title: "Retail MAC",
    specification: "ISO/IEC 9797-1 algorithm 3, padding method 2; ANSI X9.19 with padding method 1",
    standing: Standing::Legacy,
    proof: "none for the length of its key",
    bound: "about q²/2^64 for q messages",
    nonce: "",
    key_life: "far below 2^32 messages: about so many tags and the work for a few keys of DES find \
               the whole key",
    approved_by: "ISO/IEC 9797-1 algorithm 3; in payments (EMV) and passports (ICAO Doc 9303-11)",
    attacks: "the whole key from 2^32.5 tags and 3·2^56 operations (Preneel, van Oorschot 1996)",
    facts: Facts {
        prf: Prf::No,
        key_life: KeyLife::Messages,
        quantum: Quantum::Superposition,
        ..Facts::MAC
    },
};
