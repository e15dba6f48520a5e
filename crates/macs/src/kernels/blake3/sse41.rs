//! Four nodes in columns of 128 bits, one in rows.
#![expect(unsafe_code, reason = "instructions that the token proves")]

use super::form;
use super::lanes::Lanes;
use super::rows;
use super::xmm::Xmm;
use super::{Input, Node, Value};
use crate::kernels::cpu::Sse41;

/// As `Kernel::values`.
pub(super) fn values(token: Sse41, inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
    form::in_groups(4, inputs, values, |inputs, values| match (inputs, &mut *values) {
        ([input], [output]) => value(token, *input, node, output),
        // SAFETY: the token proves the instructions.
        _ => unsafe { four(inputs, node, values) },
    });
}

/// As `Kernel::value`.
#[inline]
pub(super) fn value(_: Sse41, input: Input<'_>, node: Node, value: &mut Value) {
    #[target_feature(enable = "sse4.1,ssse3")]
    fn on_cpu(input: Input<'_>, node: Node, value: &mut Value) {
        rows::value::<Xmm>(input, node, value);
    }
    // SAFETY: the token proves the instructions.
    unsafe { on_cpu(input, node, value) }
}

#[target_feature(enable = "sse4.1,ssse3")]
fn four(inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
    form::values::<Lanes<Xmm, 4>, 4>(inputs, node, values);
}
