//! By name, what has masks: once its key is set up it is CMAC, so that one type serves all of it
//! for each cipher whose blocks take so long that a call of the set-up is not felt. By type each is
//! code of its own.

#[cfg(feature = "dyn")]
use alloc::boxed::Box;

#[cfg(feature = "dyn")]
use digest::InvalidLength;
use digest::typenum::Unsigned;

use super::Cbc;
use super::Variant;
#[cfg(feature = "batch")]
use super::batch::Chains;
use super::masks::Masks;
#[cfg(feature = "dyn")]
use super::masks::Omac1Masks;
#[cfg(feature = "dyn")]
use super::{Joined, SetUp};
use crate::block_mac::BlockMac;
#[cfg(feature = "dyn")]
use crate::block_mac::BlockMode;
use crate::ciphers::{BlockCipher, CipherInfo};
#[cfg(feature = "dyn")]
use crate::inside::Inside;
#[cfg(feature = "dyn")]
use crate::kernels::chaining::Omac;
#[cfg(feature = "dyn")]
use crate::kernels::{Choice, Pin};
#[cfg(feature = "dyn")]
use crate::keyed::Keyed;
#[cfg(feature = "batch")]
use crate::keyed::KeyedBatch;
use crate::len::Len;
#[cfg(feature = "dyn")]
use crate::prepared::boxed::array;
use crate::row::{MacInfo, Maker};
use crate::status::Mode;

/// The catalog row of a variant.
pub(super) const fn row<C: BlockCipher, V: Variant<C, Ending = Masks<C>>>(
    name: &'static str,
    title: &'static str,
    mode: &'static Mode,
    cipher: &'static CipherInfo,
    key_len: (usize, Len),
) -> MacInfo {
    if !C::BLOCK_TAKES_LONG {
        return BlockMac::<Cbc<C, V>>::joined_row(name, title, mode, cipher, key_len);
    }
    let maker = Maker::Mac {
        #[cfg(feature = "dyn")]
        keyed: keyed::<C, V>,
        #[cfg(feature = "dyn")]
        one_shot: one_shot::<C, V>,
        #[cfg(feature = "batch")]
        batch: batch::<C, V>,
    };
    MacInfo::new(name, title, mode, &cipher.primitive, key_len, C::BlockSize::USIZE, maker)
}

/// CMAC but for how its keys are set up.
#[cfg(feature = "dyn")]
#[derive(Clone)]
struct Masked<C: BlockCipher> {
    mac: BlockMac<Cbc<C, Omac1Masks>>,
    set_up: SetUp<C, Masks<C>>,
}

#[cfg(feature = "dyn")]
impl<C: BlockCipher> Masked<C> {
    #[inline(never)]
    fn boxed(
        pin: Pin,
        set_up: SetUp<C, Masks<C>>,
        key: &[u8],
    ) -> Result<Box<dyn Keyed>, InvalidLength> {
        let mode = Cbc::keyed_by(C::Kernel::pinned(pin), set_up, key)?;
        Ok(Box::new(Self { mac: BlockMac::with_mode(mode), set_up }))
    }
}

#[cfg(feature = "dyn")]
impl<C: BlockCipher> Keyed for Masked<C> {
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.mac.rekey_by(|mode| mode.rekey_by(self.set_up, key))
    }

    fn mac_into(&self, _: &[u8], message: &[u8], tag: &mut [u8]) -> Result<(), InvalidLength> {
        self.mac.mode().mac_into(message, array(tag));
        Ok(())
    }

    fn update(&mut self, data: &[u8]) {
        Keyed::update(&mut self.mac, data);
    }

    fn finalize_reset_into(&mut self, nonce: &[u8], tag: &mut [u8]) -> Result<(), InvalidLength> {
        Keyed::finalize_reset_into(&mut self.mac, nonce, tag)
    }

    fn reset(&mut self) {
        Keyed::reset(&mut self.mac);
    }

    fn clone_boxed(&self) -> Box<dyn Keyed> {
        Box::new(self.clone())
    }
}

#[cfg(feature = "dyn")]
fn keyed<C: BlockCipher, V: Variant<C, Ending = Masks<C>>>(
    pin: Pin,
    key: &[u8],
    _: &[u8],
) -> Result<Box<dyn Keyed>, InvalidLength> {
    Masked::<C>::boxed(pin, V::set_up, key)
}

#[cfg(feature = "dyn")]
fn one_shot<C: BlockCipher, V: Variant<C, Ending = Masks<C>>>(
    key: &[u8],
    _: &[u8],
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), InvalidLength> {
    match V::JOINED {
        Joined::Omac(omac) => omac_once::<C>(omac, key, message, tag),
        _ => mac_once::<C>(V::set_up, key, message, tag),
    }
}

#[cfg(feature = "dyn")]
#[inline(never)]
fn omac_once<C: BlockCipher>(
    omac: Omac,
    key: &[u8],
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), InvalidLength> {
    C::omac_once(C::Kernel::best(), key, omac, message, array(tag), Inside(()))
}

#[cfg(feature = "dyn")]
#[inline(never)]
fn mac_once<C: BlockCipher>(
    set_up: SetUp<C, Masks<C>>,
    key: &[u8],
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), InvalidLength> {
    Cbc::<C, Omac1Masks>::keyed_by(C::Kernel::best(), set_up, key)?.mac_into(message, array(tag));
    Ok(())
}

#[cfg(feature = "batch")]
fn batch<C: BlockCipher, V: Variant<C, Ending = Masks<C>>>(
    pin: Pin,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
    let kernel = C::Kernel::pinned(pin);
    Ok(Chains::<C, Omac1Masks>::boxed_by(kernel, V::set_up, keys)?)
}
