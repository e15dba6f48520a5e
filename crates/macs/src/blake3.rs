//! BLAKE3 with a key: the keyed hash mode of J. O'Connor, J.-P. Aumasson, S. Neves and
//! Z. Wilcox-O'Hearn, "BLAKE3: one function, fast everywhere", 2020, by the `blake3` crate. The key
//! is the chaining value that every chunk begins with: there is nothing to prepare.

use digest::consts::U32;
use digest::{InvalidLength, Output};
use zeroize::Zeroize;

use crate::digest_traits::digest_traits;
use crate::facts::{ConstantTime, Facts, Hardware, Prf};
use crate::kernel;
use crate::len::Len;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::wipe::wipe;

/// BLAKE3 with a key of 32 bytes and a tag of 32 bytes.
#[derive(Clone)]
pub struct Blake3Keyed {
    key: [u8; blake3::KEY_LEN],
    /// The message under way, if it is not empty: the state is large, and whole messages need none.
    running: Option<blake3::Hasher>,
}

impl Blake3Keyed {
    #[inline]
    fn keyed(key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self { key: *array(key)?, running: None })
    }

    fn absorb(&mut self, data: &[u8]) {
        let begin = || blake3::Hasher::new_keyed(&self.key);
        self.running.get_or_insert_with(begin).update(data);
    }

    fn finish(&mut self, tag: &mut Output<Self>) {
        match &self.running {
            Some(running) => tag.0 = running.finalize().into(),
            None => self.mac_into(&[], tag),
        }
    }

    fn restart(&mut self) {
        if let Some(running) = &mut self.running {
            running.reset();
        }
    }

    fn wipe_running(&mut self) {
        if let Some(running) = &mut self.running {
            running.zeroize();
            self.running = None;
        }
    }
}

fn array(key: &[u8]) -> Result<&[u8; blake3::KEY_LEN], InvalidLength> {
    key.try_into().map_err(|_| InvalidLength)
}

impl ByRow for Blake3Keyed {}

impl PreparedMac for Blake3Keyed {
    #[inline]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.key = *array(key)?;
        self.wipe_running();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        tag.0 = blake3::keyed_hash(&self.key, message).into();
    }

    #[inline]
    fn mac_once(key: &[u8], message: &[u8], tag: &mut Output<Self>) -> Result<(), InvalidLength> {
        tag.0 = blake3::keyed_hash(array(key)?, message).into();
        Ok(())
    }
}

impl Drop for Blake3Keyed {
    fn drop(&mut self) {
        wipe(&mut self.key);
        self.wipe_running();
    }
}

digest_traits! { [] Blake3Keyed, "Blake3Keyed", key: U32, tag: U32 }

pub(crate) const ROWS: &[MacInfo] = &[MacInfo::mac::<Blake3Keyed>(
    "blake3-keyed",
    "BLAKE3 (keyed)",
    &MODE,
    &BLAKE3,
    (blake3::KEY_LEN, Len::Exactly(blake3::KEY_LEN as u64)),
)];

static BLAKE3: Primitive = Primitive {
    name: "blake3",
    title: "BLAKE3",
    standing: Standing::Sound,
    note: "its compression function is that of BLAKE2s with 7 rounds instead of 10",
    constant_time: ConstantTime::Yes("no table, no branch by data"),
    hardware: Hardware::None,
    block_len_bytes: blake3::BLOCK_LEN,
    paths: Paths::Foreign(kernel::blake3),
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
