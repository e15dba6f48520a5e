//! Compositions that a library does not have as such, made of its counter mode and its CMAC by
//! their definitions: what an application would write that has only these.

use macs::MacInfo;
use words::MacName;

use crate::Sealing;
use crate::sealing::{Opened, SameLength, SealInPlace, Step};

/// XORs the keystream that begins with this counter block into the data.
pub(super) type Keystream = Box<dyn FnMut(&[u8], &mut [u8]) -> Result<(), &'static str>>;

/// The CMAC of these parts, one behind the other.
pub(super) type MacOfParts = Box<dyn FnMut(&[&[u8]], &mut [u8]) -> Result<(), &'static str>>;

const BLOCK_LEN_BYTES: usize = 16;

type Block = [u8; BLOCK_LEN_BYTES];

/// Which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Encrypt-and-MAC: the CMAC of the message.
    CtrAndCmac,
    /// Encrypt-then-MAC: the CMAC of A ‖ N ‖ C ‖ the length of A in bits.
    CtrThenCmac,
    /// EAX (Bellare, Rogaway, Wagner): three CMACs, of nonce, associated data and ciphertext.
    Eax,
}

/// What can be made so, over AES.
fn form(info: &MacInfo) -> Option<Form> {
    let name = MacName::of(info.name);
    match name.mode {
        _ if name.family() != Some("aes") => None,
        "ctr+cmac" => Some(Form::CtrAndCmac),
        "ctr-then-cmac" => Some(Form::CtrThenCmac),
        "eax" => Some(Form::Eax),
        _ => None,
    }
}

/// All of them in the catalog.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    macs::catalog().iter().filter(|info| form(info).is_some()).map(|info| info.name)
}

/// The keys of counter mode and CMAC: two of one length, or one for both (EAX).
pub(super) fn keys<'a>(info: &MacInfo, key: &'a [u8]) -> Option<[&'a [u8]; 2]> {
    match form(info)? {
        Form::Eax => Some([key, key]),
        Form::CtrAndCmac | Form::CtrThenCmac => Some(key.split_at(key.len() / 2).into()),
    }
}

/// A composition of a library's counter mode and CMAC under the keys of [`keys`].
pub(super) fn sealing(
    info: &MacInfo,
    keystream: Keystream,
    mac: MacOfParts,
) -> Option<Box<dyn Sealing>> {
    let form = form(info)?;
    Some(Box::new(SameLength {
        nonce_len_bytes: BLOCK_LEN_BYTES,
        tag_len_bytes: BLOCK_LEN_BYTES,
        takes_associated_data: form != Form::CtrAndCmac,
        library: Composed { form, keystream, mac },
    }))
}

struct Composed {
    form: Form,
    keystream: Keystream,
    mac: MacOfParts,
}

impl Composed {
    /// CMAC with a block before the data that says what they are.
    fn tweaked(&mut self, tweak: u8, data: &[u8]) -> Result<Block, &'static str> {
        let (mut first, mut tag) = ([0; BLOCK_LEN_BYTES], [0; BLOCK_LEN_BYTES]);
        first[BLOCK_LEN_BYTES - 1] = tweak;
        (self.mac)(&[&first, data], &mut tag)?;
        Ok(tag)
    }

    /// Of EAX: the first counter block, and its sum with what the associated data give.
    fn begin(&mut self, nonce: &[u8], data: &[u8]) -> Result<(Block, Block), &'static str> {
        let first = self.tweaked(0, nonce)?;
        Ok((first, sum(first, self.tweaked(1, data)?)))
    }

    /// The tag, where it is of what is sent.
    fn tag_of_sent(
        &mut self,
        nonce: &[u8],
        data: &[u8],
        ciphertext: &[u8],
    ) -> Result<Block, &'static str> {
        let (mut tag, bits) = ([0; BLOCK_LEN_BYTES], 8 * data.len() as u64);
        (self.mac)(&[data, nonce, ciphertext, &bits.to_be_bytes()], &mut tag)?;
        Ok(tag)
    }

    fn sealed(
        &mut self,
        nonce: &[u8],
        data: &[u8],
        buffer: &mut [u8],
    ) -> Result<Block, &'static str> {
        match self.form {
            Form::CtrAndCmac => {
                let mut tag = [0; BLOCK_LEN_BYTES];
                (self.mac)(&[buffer], &mut tag)?;
                (self.keystream)(nonce, buffer)?;
                Ok(tag)
            }
            Form::CtrThenCmac => {
                (self.keystream)(nonce, buffer)?;
                self.tag_of_sent(nonce, data, buffer)
            }
            Form::Eax => {
                let (first, begun) = self.begin(nonce, data)?;
                (self.keystream)(&first, buffer)?;
                Ok(sum(begun, self.tweaked(2, buffer)?))
            }
        }
    }
}

impl SealInPlace for Composed {
    fn seal_whole(&mut self, nonce: &[u8], data: &[u8], buffer: &mut [u8], tag: &mut [u8]) -> Step {
        tag.copy_from_slice(&self.sealed(nonce, data, buffer)?);
        Ok(())
    }

    fn open_whole(&mut self, nonce: &[u8], data: &[u8], buffer: &mut [u8], tag: &[u8]) -> Opened {
        match self.form {
            Form::CtrAndCmac => {
                let mut right = [0; BLOCK_LEN_BYTES];
                (self.keystream)(nonce, buffer)?;
                (self.mac)(&[buffer], &mut right)?;
                Ok(is_equal(&right, tag))
            }
            Form::CtrThenCmac => {
                let right = self.tag_of_sent(nonce, data, buffer)?;
                Ok(is_equal(&right, tag) && (self.keystream)(nonce, buffer).is_ok())
            }
            Form::Eax => {
                let (first, begun) = self.begin(nonce, data)?;
                let right = sum(begun, self.tweaked(2, buffer)?);
                Ok(is_equal(&right, tag) && (self.keystream)(&first, buffer).is_ok())
            }
        }
    }
}

fn sum(a: Block, b: Block) -> Block {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// Looks at all bytes, whichever differ.
fn is_equal(a: &Block, b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}
