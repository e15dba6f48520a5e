//! GMAC: GCM of no message, with the message as associated data.

use aes::Aes192;
use aes_gcm::aead::consts::U12;
use aes_gcm::aead::{self, KeyInit};
use aes_gcm::{Aes128Gcm, Aes256Gcm, AesGcm};

use crate::macs::{KeyLife, NO_ONE_SHOT, Open, Row, Tagger, WRONG_KEY_LEN, write};

#[cfg(not(feature = "former"))]
use aead::AeadInOut as Detached;
#[cfg(feature = "former")]
use aead::AeadInPlace as Detached;

const NONCE_LEN: usize = 12;

const fn row(mac: &'static str, open: Open) -> Row {
    Row { nonce_len: NONCE_LEN, ..Row::new(mac, 16, open) }
}

pub const ROWS: &[Row] = &[
    row("gmac-aes-128", open::<Aes128Gcm>),
    row("gmac-aes-192", open::<AesGcm<Aes192, U12>>),
    row("gmac-aes-256", open::<Aes256Gcm>),
];

fn open<A>(key_life: KeyLife, key: &[u8], nonce: &[u8]) -> Result<Tagger, String>
where
    A: Detached + KeyInit + 'static,
{
    let nonce = nonce_of::<A>(nonce).ok_or("measured with nonces of 12 bytes only")?;
    let kept = A::new_from_slice(key).map_err(|_| WRONG_KEY_LEN)?;
    match key_life {
        KeyLife::Prepared => {
            Ok(Box::new(move |_, message, tag| authenticate(&kept, &nonce, message, tag)))
        }
        KeyLife::NewKey => Ok(Box::new(move |key, message, tag| {
            let fresh = A::new_from_slice(key).map_err(|_| WRONG_KEY_LEN)?;
            authenticate(&fresh, &nonce, message, tag)
        })),
        KeyLife::OneShot => Err(NO_ONE_SHOT.into()),
    }
}

#[cfg(feature = "former")]
fn nonce_of<A: Detached>(nonce: &[u8]) -> Option<aead::Nonce<A>> {
    (nonce.len() == NONCE_LEN).then(|| aead::Nonce::<A>::clone_from_slice(nonce))
}

#[cfg(not(feature = "former"))]
fn nonce_of<A: Detached>(nonce: &[u8]) -> Option<aead::Nonce<A>> {
    aead::Nonce::<A>::try_from(nonce).ok()
}

#[inline(always)]
fn authenticate<A: Detached>(
    aead: &A,
    nonce: &aead::Nonce<A>,
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), &'static str> {
    #[cfg(feature = "former")]
    let computed = aead.encrypt_in_place_detached(nonce, message, &mut []);
    #[cfg(not(feature = "former"))]
    let computed = aead.encrypt_inout_detached(nonce, message, (&mut [][..]).into());
    write(&computed.map_err(|_| "the library refuses to authenticate")?, tag)
}
