//! Tags compared: in constant time, and the right one is wiped, since whoever has it can forge.

use subtle::ConstantTimeEq;

use crate::wipe::wipe;

/// Whether `tag`, which is no longer, is the leftmost bytes of `right`. `right` is wiped.
#[inline(always)]
pub(crate) fn is_leftmost_of(right: &mut [u8], tag: &[u8]) -> bool {
    let is_leftmost = bool::from(right[..tag.len()].ct_eq(tag));
    wipe(right);
    is_leftmost
}
