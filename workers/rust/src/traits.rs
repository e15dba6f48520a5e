//! Calls through the traits `Mac` and `KeyInit`, whose names are the same in both generations.
#![allow(dead_code, reason = "not every crate has MACs that need both")]

use digest::{FixedOutputReset, KeyInit, Mac};

use crate::macs::{KeyLife, NO_ONE_SHOT, Tagger, WRONG_KEY_LEN, write};

/// `Kept` is reset to its key after each message; `Fresh` is made for one message.
pub fn reset<Kept, Fresh>(key_life: KeyLife, key: &[u8], _: &[u8]) -> Result<Tagger, String>
where
    Kept: Mac + KeyInit + FixedOutputReset + 'static,
    Fresh: Mac + KeyInit + 'static,
{
    match key_life {
        KeyLife::Prepared => {
            let mut mac = keyed::<Kept>(key)?;
            Ok(Box::new(move |_, message, tag| {
                Mac::update(&mut mac, message);
                write(&mac.finalize_reset().into_bytes(), tag)
            }))
        }
        KeyLife::NewKey => {
            keyed::<Fresh>(key)?;
            Ok(Box::new(once::<Fresh>))
        }
        KeyLife::OneShot => Err(NO_ONE_SHOT.into()),
    }
}

/// A MAC that is cloned with its key for each message.
pub fn cloned<M>(key_life: KeyLife, key: &[u8], _: &[u8]) -> Result<Tagger, String>
where
    M: Mac + KeyInit + Clone + 'static,
{
    match key_life {
        KeyLife::Prepared => {
            let kept = keyed::<M>(key)?;
            Ok(Box::new(move |_, message, tag| {
                let mut mac = kept.clone();
                mac.update(message);
                write(&mac.finalize().into_bytes(), tag)
            }))
        }
        KeyLife::NewKey => {
            keyed::<M>(key)?;
            Ok(Box::new(once::<M>))
        }
        KeyLife::OneShot => Err(NO_ONE_SHOT.into()),
    }
}

/// Key set-up and one message.
#[inline(always)]
fn once<M: Mac + KeyInit>(key: &[u8], message: &[u8], tag: &mut [u8]) -> Result<(), &'static str> {
    let mut mac = <M as KeyInit>::new_from_slice(key).map_err(|_| WRONG_KEY_LEN)?;
    mac.update(message);
    write(&mac.finalize().into_bytes(), tag)
}

fn keyed<M: KeyInit>(key: &[u8]) -> Result<M, String> {
    M::new_from_slice(key).map_err(|_| WRONG_KEY_LEN.into())
}
