//! BLAKE3 with a key: the keyed hash mode of J. O'Connor, J.-P. Aumasson, S. Neves and
//! Z. Wilcox-O'Hearn, "BLAKE3: one function, fast everywhere", 2020, §2. The key is the chaining
//! value that every node of the tree begins with: there is nothing to prepare.

#[cfg(feature = "batch")]
mod batch;
#[cfg(all(test, feature = "batch"))]
mod tests;
mod tree;

#[cfg(feature = "batch")]
use alloc::boxed::Box;

use digest::consts::U32;
use digest::{InvalidLength, Output};

use self::tree::Running;
use crate::digest_traits::digest_traits;
use crate::facts::{ConstantTime, Facts, Hardware, Prf};
#[cfg(feature = "batch")]
use crate::inside::Inside;
use crate::kernels::blake3::{BLOCK_BYTES, Kernel};
use crate::kernels::{Choice, Pin};
#[cfg(feature = "batch")]
use crate::keyed::KeyedBatch;
use crate::len::Len;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::wipe::wipe;

const KEY_LEN_BYTES: usize = 32;

/// BLAKE3 with a key of 32 bytes and a tag of 32 bytes.
#[derive(Clone)]
pub struct Blake3Keyed {
    kernel: Kernel,
    key: [u8; KEY_LEN_BYTES],
    /// Messages in pieces, if there was one: the state is large, and whole messages need none.
    running: Option<Running>,
}

impl Blake3Keyed {
    #[inline]
    fn keyed(key: &[u8]) -> Result<Self, InvalidLength> {
        Self::new_on(Pin::BEST, key)
    }

    fn absorb(&mut self, data: &[u8]) {
        let running = self.running.get_or_insert(Running::EMPTY);
        running.absorb(self.kernel, &self.key, data);
    }

    fn finish(&mut self, tag: &mut Output<Self>) {
        match &self.running {
            Some(running) => tag.0 = running.finish(self.kernel, &self.key),
            None => self.mac_into(&[], tag),
        }
    }

    #[inline]
    fn restart(&mut self) {
        if let Some(running) = &mut self.running {
            running.restart();
        }
    }
}

fn array(key: &[u8]) -> Result<&[u8; KEY_LEN_BYTES], InvalidLength> {
    key.try_into().map_err(|_| InvalidLength)
}

impl ByRow for Blake3Keyed {
    #[cfg(feature = "batch")]
    fn batch(pin: Pin, keys: &[&[u8]], _: Inside) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        batch::Keys::boxed(Kernel::pinned(pin), keys)
    }
}

impl PreparedMac for Blake3Keyed {
    #[inline]
    fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self { kernel: Kernel::pinned(pin), key: *array(key)?, running: None })
    }

    #[inline]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.key = *array(key)?;
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        tag.0 = tree::mac(self.kernel, &self.key, message);
    }

    #[inline]
    fn mac_once(key: &[u8], message: &[u8], tag: &mut Output<Self>) -> Result<(), InvalidLength> {
        tag.0 = tree::mac(Kernel::best(), array(key)?, message);
        Ok(())
    }
}

impl Drop for Blake3Keyed {
    fn drop(&mut self) {
        wipe(&mut self.key);
        self.restart();
    }
}

digest_traits! { [] Blake3Keyed, "Blake3Keyed", key: U32, tag: U32 }

pub(crate) const ROWS: &[MacInfo] = &[MacInfo::mac::<Blake3Keyed>(
    "blake3-keyed",
    "BLAKE3 (keyed)",
    &MODE,
    &BLAKE3,
    (KEY_LEN_BYTES, Len::Exactly(KEY_LEN_BYTES as u64)),
)];

static BLAKE3: Primitive = Primitive {
    name: "blake3",
    title: "BLAKE3",
    standing: Standing::Sound,
    note: "its compression function is that of BLAKE2s with 7 rounds instead of 10",
    constant_time: ConstantTime::Yes("no table, no branch by data"),
    hardware: Hardware::None,
    block_len_bytes: BLOCK_BYTES,
    paths: Paths::own::<Kernel>(),
};

static MODE: Mode = Mode {
    title: "keyed BLAKE3",
    specification: "O'Connor, Aumasson, Neves, Wilcox-O'Hearn: BLAKE3: one function, fast \
                    everywhere, 2020",
    standing: Standing::Sound,
    proof: "its designers argue that the tree mode adds no weakness to the compression function",
    bound: "claimed: 128 bits of strength",
    nonce: "",
    key_life: "no practical limit",
    approved_by: "no standards body",
    attacks: "",
    facts: Facts { prf: Prf::Claimed, ..Facts::MAC },
};
