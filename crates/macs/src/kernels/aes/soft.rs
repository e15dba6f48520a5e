//! AES on bit planes, in constant time: four blocks in eight words, of which word b has bit b of
//! every byte. Bit 16·row + 4·column + block of a word is that of the byte in this place of the
//! state (FIPS 197 §3.4), so that MixColumns rotates words and ShiftRows rotates 16-bit fields.
//! The byte schedule is turned into planes at the beginning of each call.

mod ctr_cbc;
mod sub_bytes;

use cipher::inout::InOutBuf;

pub(super) use ctr_cbc::{ctr_cbc, eax};

use super::{
    Block, Ending, KEPT_MASKS, MaskedPass, Omac, Padding, Schedule, counter, masked, split_last,
    words,
};
use crate::wipe::overwrite;
use sub_bytes::{inv_sub_bytes, sub_bytes};

/// The bits of four blocks.
pub(super) type Planes = [u64; 8];

/// Number of blocks in planes.
const WIDTH: usize = 4;

/// Exchanges the bits of `mask` in b with those `shift` above in a.
#[inline(always)]
fn exchange(planes: &mut Planes, a: usize, b: usize, mask: u64, shift: u32) {
    let differing = (planes[a] >> shift ^ planes[b]) & mask;
    planes[b] ^= differing;
    planes[a] ^= differing << shift;
}

/// Transposes the 8×8 bits that byte j of the eight words are, for every j. Its own inverse.
#[inline(always)]
fn transpose(planes: &mut Planes) {
    for i in [0, 2, 4, 6] {
        exchange(planes, i, i + 1, 0x5555_5555_5555_5555, 1);
    }
    for i in [0, 1, 4, 5] {
        exchange(planes, i, i + 2, 0x3333_3333_3333_3333, 2);
    }
    for i in 0..4 {
        exchange(planes, i, i + 4, 0x0f0f_0f0f_0f0f_0f0f, 4);
    }
}

/// The bytes of a column, each with an empty one behind.
#[inline(always)]
fn spread(column: &[u8; 4]) -> u64 {
    let column = u64::from(u32::from_le_bytes(*column));
    let pairs = (column | column << 16) & 0x0000_ffff_0000_ffff;
    (pairs | pairs << 8) & 0x00ff_00ff_00ff_00ff
}

/// The other way; what is in the bytes between is left out.
#[inline(always)]
fn gather(bytes: u64) -> [u8; 4] {
    let bytes = bytes & 0x00ff_00ff_00ff_00ff;
    let pairs = (bytes | bytes >> 8) & 0x0000_ffff_0000_ffff;
    ((pairs | pairs >> 16) as u32).to_le_bytes()
}

#[inline(always)]
pub(super) fn to_planes(blocks: &[Block; WIDTH]) -> Planes {
    let mut planes = [0; 8];
    for (i, block) in blocks.iter().enumerate() {
        let columns = block.as_chunks().0;
        planes[i] = spread(&columns[0]) | spread(&columns[2]) << 8;
        planes[i + 4] = spread(&columns[1]) | spread(&columns[3]) << 8;
    }
    transpose(&mut planes);
    planes
}

#[inline(always)]
pub(super) fn to_blocks(mut planes: Planes) -> [Block; WIDTH] {
    transpose(&mut planes);
    let mut blocks = [[0; 16]; WIDTH];
    for (i, block) in blocks.iter_mut().enumerate() {
        let columns = block.as_chunks_mut().0;
        columns[0] = gather(planes[i]);
        columns[1] = gather(planes[i + 4]);
        columns[2] = gather(planes[i] >> 8);
        columns[3] = gather(planes[i + 4] >> 8);
    }
    blocks
}

/// Row r of the state rotated by `by[r]` places.
#[inline(always)]
fn rotate_rows(planes: &mut Planes, by: [u32; 4]) {
    for plane in planes {
        let mut rotated = 0;
        for (row, places) in by.into_iter().enumerate() {
            let bits = (*plane >> (16 * row)) as u16;
            rotated |= u64::from(bits.rotate_right(4 * places)) << (16 * row);
        }
        *plane = rotated;
    }
}

#[inline(always)]
fn shift_rows(planes: &mut Planes) {
    rotate_rows(planes, [0, 1, 2, 3]);
}

#[inline(always)]
fn inv_shift_rows(planes: &mut Planes) {
    rotate_rows(planes, [0, 3, 2, 1]);
}

/// Every byte times x, in the field of FIPS 197 §4.2.
#[inline(always)]
fn double([a, b, c, d, e, f, g, h]: Planes) -> Planes {
    [h, a ^ h, b, c ^ h, d ^ h, e, f, g]
}

/// With a the byte and a1 to a3 those below: 2a + 3a1 + a2 + a3 is 2(a + a1) + a1 + (a2 + a3).
#[inline(always)]
fn mix_columns(planes: &mut Planes) {
    let below = planes.map(|plane| plane.rotate_right(16));
    let mut pairs = *planes;
    add(&mut pairs, &below);
    let doubled = double(pairs);
    for i in 0..8 {
        planes[i] = doubled[i] ^ below[i] ^ pairs[i].rotate_right(32);
    }
}

/// InvMixColumns is MixColumns after a + 4(a + a2).
#[inline(always)]
fn inv_mix_planes(planes: &mut Planes) {
    let sums = planes.map(|plane| plane ^ plane.rotate_right(32));
    add(planes, &double(double(sums)));
    mix_columns(planes);
}

#[inline(always)]
fn add(planes: &mut Planes, others: &Planes) {
    planes.iter_mut().zip(others).for_each(|(plane, other)| *plane ^= other);
}

#[inline(always)]
fn xor(a: Block, b: Block) -> Block {
    (u128::from_ne_bytes(a) ^ u128::from_ne_bytes(b)).to_ne_bytes()
}

/// The round keys in planes, each for all blocks: of keys of any length, so that all is compiled
/// once. Beside these rounds it is not felt that their number is not known.
pub(super) struct Keys {
    planes: [Planes; KEYS_MAX],
    /// So many are used.
    count: usize,
}

/// Of a key of 256 bits.
const KEYS_MAX: usize = 15;

impl Keys {
    #[inline(never)]
    pub(super) fn new(schedule: &[Block]) -> Self {
        let mut keys = Self { planes: [[0; 8]; KEYS_MAX], count: schedule.len() };
        for (planes, blocks) in keys.planes.chunks_mut(WIDTH).zip(schedule.chunks(WIDTH)) {
            let mut four = [[0; 16]; WIDTH];
            four[..blocks.len()].copy_from_slice(blocks);
            let four = to_planes(&four);
            for (i, key) in planes.iter_mut().enumerate() {
                *key = four.map(|plane| (plane >> i & 0x1111_1111_1111_1111) * 0xf);
            }
        }
        keys
    }

    /// The first, those between, the last.
    #[inline(always)]
    fn parts(&self) -> (&Planes, &[Planes], &Planes) {
        let [first, between @ .., last] = &self.planes[..self.count] else {
            unreachable!("there are 11 or more")
        };
        (first, between, last)
    }

    /// FIPS 197 §5.1. Compiled once and not for every mode: beside the rounds a call is hardly
    /// felt.
    #[inline(never)]
    pub(super) fn encrypt(&self, planes: &mut Planes) {
        let (first, between, last) = self.parts();
        add(planes, first);
        for key in between {
            sub_bytes(planes);
            shift_rows(planes);
            mix_columns(planes);
            add(planes, key);
        }
        sub_bytes(planes);
        shift_rows(planes);
        add(planes, last);
    }

    /// The equivalent inverse cipher of FIPS 197 §5.3.5.
    #[inline(never)]
    pub(super) fn decrypt(&self, planes: &mut Planes) {
        let (first, between, last) = self.parts();
        add(planes, first);
        for key in between {
            inv_sub_bytes(planes);
            inv_shift_rows(planes);
            inv_mix_planes(planes);
            add(planes, key);
        }
        inv_sub_bytes(planes);
        inv_shift_rows(planes);
        add(planes, last);
    }

    /// Each block by itself.
    #[inline(never)]
    fn encrypt_each(&self, blocks: &mut [Block]) {
        each_four(blocks, |planes| self.encrypt(planes));
    }

    /// One block.
    #[inline(never)]
    fn one(&self, block: Block) -> Block {
        let mut planes = to_planes(&[block, [0; 16], [0; 16], [0; 16]]);
        self.encrypt(&mut planes);
        to_blocks(planes)[0]
    }

    /// The chain over `blocks`, from `y`.
    fn chain(&self, y: Block, blocks: &[Block]) -> Block {
        blocks.iter().fold(y, |y, block| self.one(xor(y, *block)))
    }

    /// As `Kernel::cbc_finish`, but for what follows the chain.
    #[inline(never)]
    fn finish(
        &self,
        y: Block,
        blocks: &[Block],
        tail: &[u8],
        padding: Padding,
        [full, padded]: [&Block; 2],
    ) -> Block {
        let mask = if tail.len() < 16 { padded } else { full };
        let last = xor(words::padded(tail, padding).to_le_bytes(), *mask);
        self.one(xor(self.chain(y, blocks), last))
    }

    /// As `Kernel::ctr`.
    #[inline(never)]
    fn ctr<const BITS: u32>(&self, counter: &mut Block, data: InOutBuf<'_, '_, u8>) {
        counter::apply::<BITS>(|blocks| self.encrypt_each(blocks), counter, data);
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        overwrite(&mut self.planes, [[0; 8]; KEYS_MAX]);
    }
}

/// Four blocks at a time.
#[inline(always)]
fn each_four(blocks: &mut [Block], function: impl Fn(&mut Planes)) {
    for run in blocks.chunks_mut(WIDTH) {
        let mut four = [[0; 16]; WIDTH];
        four[..run.len()].copy_from_slice(run);
        let mut planes = to_planes(&four);
        function(&mut planes);
        run.copy_from_slice(&to_blocks(planes)[..run.len()]);
    }
}

/// A round on each block, but for its key: SubBytes, ShiftRows and MixColumns.
#[cfg(feature = "aegis")]
pub(in crate::kernels) fn rounds(blocks: &mut [Block]) {
    each_four(blocks, |planes| {
        sub_bytes(planes);
        shift_rows(planes);
        mix_columns(planes);
    });
}

fn sub_word(word: u32) -> u32 {
    let mut planes = to_planes(&[u128::from(word).to_le_bytes(), [0; 16], [0; 16], [0; 16]]);
    sub_bytes(&mut planes);
    u128::from_le_bytes(to_blocks(planes)[0]) as u32
}

/// As `Kernel::expand`.
pub(super) fn expand<const KEYS: usize>(key: &[u8], schedule: &mut Schedule<KEYS>) {
    words::expand(key, schedule, sub_word);
}

/// InvMixColumns on every block.
pub(super) fn inv_mix_columns(blocks: &mut [Block]) {
    each_four(blocks, inv_mix_planes);
}

/// As `Kernel::encrypt`.
#[inline(never)]
pub(super) fn encrypt<const KEYS: usize>(schedule: &Schedule<KEYS>, block: &mut Block) {
    *block = Keys::new(&schedule.keys).one(*block);
}

/// As `Kernel::encrypt_number`.
#[inline(never)]
pub(super) fn encrypt_number<const KEYS: usize>(
    schedule: &Schedule<KEYS>,
    number: u128,
    block: &mut Block,
) {
    *block = Keys::new(&schedule.keys).one(number.to_le_bytes());
}

/// As `Kernel::encrypted_number`.
#[inline(always)]
pub(super) fn encrypted_number<const KEYS: usize>(schedule: &Schedule<KEYS>, number: u128) -> u128 {
    let mut block = [0; 16];
    encrypt_number(schedule, number, &mut block);
    let number = u128::from_le_bytes(block);
    overwrite(&mut block, [0; 16]);
    number
}

/// As `Kernel::encrypt_blocks`.
#[inline(never)]
pub(super) fn encrypt_blocks<const KEYS: usize>(schedule: &Schedule<KEYS>, blocks: &mut [Block]) {
    Keys::new(&schedule.keys).encrypt_each(blocks);
}

/// As `Kernel::masked_mac`.
#[inline(never)]
pub(super) fn masked_mac<const KEYS: usize>(
    schedule: &Schedule<KEYS>,
    masks: &[Block; KEPT_MASKS],
    full: &Block,
    message: &[u8],
    tag: &mut Block,
) {
    masked_mac_of(&Keys::new(&schedule.keys), masks, full, message, tag);
}

#[inline(never)]
fn masked_mac_of(
    keys: &Keys,
    masks: &[Block; KEPT_MASKS],
    full: &Block,
    message: &[u8],
    tag: &mut Block,
) {
    masked::mac(masks, full, message, tag, |blocks| keys.encrypt_each(blocks));
}

/// As `Kernel::masked_sum`.
#[inline(never)]
pub(super) fn masked_sum<const KEYS: usize>(
    schedule: &Schedule<KEYS>,
    pass: MaskedPass<'_, Block>,
) {
    let keys = Keys::new(&schedule.keys);
    masked::sum_by_runs(pass, |blocks| keys.encrypt_each(blocks));
}

/// As `Kernel::decrypt_blocks`.
#[inline(never)]
pub(super) fn decrypt_blocks<const KEYS: usize>(inverse: &Schedule<KEYS>, blocks: &mut [Block]) {
    decrypt_blocks_of(&Keys::new(&inverse.keys), blocks);
}

#[inline(never)]
fn decrypt_blocks_of(keys: &Keys, blocks: &mut [Block]) {
    each_four(blocks, |planes| keys.decrypt(planes));
}

/// As `Kernel::cbc`.
#[inline(never)]
pub(super) fn cbc<const KEYS: usize>(
    schedule: &Schedule<KEYS>,
    y: &mut Block,
    head: &[Block],
    last: &[Block],
) {
    let keys = Keys::new(&schedule.keys);
    *y = keys.chain(keys.chain(*y, head), last);
}

/// As `Kernel::cbc_finish`.
#[inline(never)]
pub(super) fn cbc_finish<const KEYS: usize>(
    schedule: &Schedule<KEYS>,
    y: &Block,
    blocks: &[Block],
    tail: &[u8],
    ending: Ending<'_, KEYS>,
    tag: &mut Block,
) {
    let masks = [ending.full, ending.padded];
    *tag = Keys::new(&schedule.keys).finish(*y, blocks, tail, ending.padding, masks);
    if let Some(outer) = ending.outer {
        encrypt(outer, tag);
    }
}

/// As `Kernel::expand_omac`.
pub(super) fn expand_omac<const KEYS: usize>(
    key: &[u8],
    omac: Omac,
    schedule: &mut Schedule<KEYS>,
    masks: &mut [Block; 2],
) {
    expand(key, schedule);
    let mut l = [0; 16];
    encrypt(schedule, &mut l);
    *masks = words::masks(&l, omac);
    overwrite(&mut l, [0; 16]);
}

/// As `Kernel::omac_once`.
pub(super) fn omac_once<const KEYS: usize>(
    key: &[u8],
    omac: Omac,
    message: &[u8],
    tag: &mut Block,
) {
    let (mut schedule, mut masks) = (Schedule::<KEYS>::BLANK, [[0; 16]; 2]);
    expand_omac(key, omac, &mut schedule, &mut masks);
    let (blocks, tail) = split_last(message);
    let [full, padded] = &masks;
    let ending = Ending { full, padded, padding: Padding::One, outer: None };
    cbc_finish(&schedule, &[0; 16], blocks, tail, ending, tag);
    overwrite(&mut schedule, Schedule::BLANK);
    overwrite(&mut masks, [[0; 16]; 2]);
}

/// As `Kernel::ctr`.
#[inline(never)]
pub(super) fn ctr<const KEYS: usize, const BITS: u32>(
    schedule: &Schedule<KEYS>,
    counter: &mut Block,
    data: InOutBuf<'_, '_, u8>,
) {
    Keys::new(&schedule.keys).ctr::<BITS>(counter, data);
}
