//! HighwayHash: J. Alakuijala, B. Cox, J. Wassenberg, "Fast keyed hash/pseudo-random function using
//! SIMD multiply and permute", 2016, frozen as of google/highwayhash, by the crate `highway`. For
//! hash tables: no cryptanalysis but its authors' stands behind it. Words are little-endian.

use core::marker::PhantomData;

use digest::array::{Array, ArraySize};
use digest::consts::{U8, U16, U32};
use digest::{InvalidLength, Output};
use highway::{HighwayHash as _, HighwayHasher, Key};
use zeroize::optimization_barrier;

use crate::digest_traits::digest_traits;
use crate::facts::{ConstantTime, Facts, Hardware, Kind, Prf, ShortTags};
use crate::kernel;
use crate::len::Len;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Primitive, Standing};

const KEY_LEN_BYTES: usize = 32;

/// HighwayHash with a value of `N` bytes: 8, 16 or 32.
#[derive(Clone)]
pub struct HighwayHash<N: TagSize> {
    keyed: HighwayHasher,
    running: HighwayHasher,
    tag_size: PhantomData<N>,
}

/// HighwayHash-64.
pub type HighwayHash64 = HighwayHash<U8>;
/// HighwayHash-128.
pub type HighwayHash128 = HighwayHash<U16>;
/// HighwayHash-256.
pub type HighwayHash256 = HighwayHash<U32>;

/// The lengths of a value: 8, 16 and 32 bytes.
pub trait TagSize: ArraySize + Send + Sync + 'static {
    /// The value of what the hasher took.
    fn finish(hasher: HighwayHasher, tag: &mut Array<u8, Self>);
}

#[inline(always)]
fn write<const WORDS: usize>(tag: &mut [u8], words: [u64; WORDS]) {
    for (bytes, word) in tag.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
}

impl TagSize for U8 {
    #[inline]
    fn finish(hasher: HighwayHasher, tag: &mut Array<u8, Self>) {
        write(tag, [hasher.finalize64()]);
    }
}

impl TagSize for U16 {
    #[inline]
    fn finish(hasher: HighwayHasher, tag: &mut Array<u8, Self>) {
        write(tag, hasher.finalize128());
    }
}

impl TagSize for U32 {
    #[inline]
    fn finish(hasher: HighwayHasher, tag: &mut Array<u8, Self>) {
        write(tag, hasher.finalize256());
    }
}

fn hasher(key: &[u8]) -> Result<HighwayHasher, InvalidLength> {
    let (&[k0, k1, k2, k3], []) = key.as_chunks() else { return Err(InvalidLength) };
    Ok(HighwayHasher::new(Key([k0, k1, k2, k3].map(u64::from_le_bytes))))
}

impl<N: TagSize> HighwayHash<N> {
    #[inline]
    fn keyed(key: &[u8]) -> Result<Self, InvalidLength> {
        let keyed = hasher(key)?;
        Ok(Self { running: keyed.clone(), keyed, tag_size: PhantomData })
    }

    fn absorb(&mut self, data: &[u8]) {
        self.running.append(data);
    }

    fn finish(&mut self, tag: &mut Output<Self>) {
        N::finish(self.running.clone(), tag);
    }

    fn restart(&mut self) {
        self.running = self.keyed.clone();
    }
}

impl<N: TagSize> ByRow for HighwayHash<N> {
    const IS_QUICK: bool = true;
}

impl<N: TagSize> PreparedMac for HighwayHash<N> {
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.keyed = hasher(key)?;
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        let mut hasher = self.keyed.clone();
        hasher.append(message);
        N::finish(hasher, tag);
    }
}

impl<N: TagSize> Drop for HighwayHash<N> {
    fn drop(&mut self) {
        for hasher in [&mut self.keyed, &mut self.running] {
            *hasher = HighwayHasher::default();
            optimization_barrier(hasher);
        }
    }
}

digest_traits! { [N: TagSize] HighwayHash<N>, "HighwayHash", key: U32, tag: N }

pub(crate) const ROWS: &[MacInfo] = &[
    row::<U16>("highwayhash-128", "HighwayHash-128"),
    row::<U32>("highwayhash-256", "HighwayHash-256"),
    row::<U8>("highwayhash-64", "HighwayHash-64"),
];

const fn row<N: TagSize>(name: &'static str, title: &'static str) -> MacInfo {
    let key_len = (KEY_LEN_BYTES, Len::Exactly(KEY_LEN_BYTES as u64));
    MacInfo::mac::<HighwayHash<N>>(name, title, &MODE, &UPDATE, key_len)
}

static UPDATE: Primitive = Primitive {
    name: "highway",
    title: "HighwayHash's update",
    standing: Standing::Conditional,
    note: "not studied but by its designers: for hash tables, whose values nobody sees",
    constant_time: ConstantTime::Mostly("where multiplication is"),
    hardware: Hardware::None,
    block_len_bytes: 32,
    paths: Paths::Foreign(kernel::highway),
};

static MODE: Mode = Mode {
    title: "HighwayHash",
    specification: "Alakuijala, Cox, Wassenberg: Fast keyed hash/pseudo-random function using SIMD \
                    multiply and permute, 2016; frozen in google/highwayhash",
    standing: Standing::Conditional,
    proof: "none; statistical tests by its designers",
    bound: "none; its designers claim a strong pseudorandom function, others doubt it",
    nonce: "",
    key_life: "no limit named; 64-bit values collide after about 2^32 messages",
    approved_by: "no standards body",
    attacks: "",
    facts: Facts { kind: Kind::HashTable, prf: Prf::No, short_tags: ShortTags::No, ..Facts::MAC },
};
