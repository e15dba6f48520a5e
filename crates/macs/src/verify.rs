//! Tags compared: in constant time, and the right one is wiped, since whoever has it can forge.

use ctutils::CtEq;

use crate::wipe::wipe;

/// Whether `tag`, which is no longer, is the leftmost bytes of `right`. `right` is wiped.
#[inline(always)]
pub(crate) fn is_leftmost_of(right: &mut [u8], tag: &[u8]) -> bool {
    let is_leftmost = right[..tag.len()].ct_eq(tag).to_bool();
    // Valgrind would take what follows from the outcome for a branch on a secret.
    #[cfg(test)]
    #[cfg(all(feature = "full", target_arch = "x86_64", target_feature = "sse2"))]
    let is_leftmost = crate::kernels::secrets::told(is_leftmost);
    wipe(right);
    is_leftmost
}
