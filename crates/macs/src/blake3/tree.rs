//! The tree over the chunks of a message: §2.1. On every level neighbours have a parent, and a last
//! one without a neighbour goes up as it is. A message in pieces keeps the subtrees that are whole.

use crate::kernels::blake3::{CHUNK_BYTES, Input, Kernel, Key, LANES_MAX, Node, Value};
use crate::wipe::{overwrite, wipe};

/// Nodes that are handed over together.
const GROUP: usize = LANES_MAX;
/// Chunks whose values are kept until their subtree is joined.
const WINDOW: usize = 128;
/// Most subtrees that wait for a neighbour: a message has fewer than 2^64 bytes, 2^54 chunks.
const SUBTREES: usize = 54;

/// The tag of a whole message.
#[inline]
pub(super) fn mac(kernel: Kernel, key: &Key, message: &[u8]) -> Value {
    if message.len() <= CHUNK_BYTES {
        return kernel.value(Input { key, data: message, counter: 0 }, Node::ONLY_CHUNK);
    }
    long(Nodes { kernel, key }, message)
}

#[inline(never)]
fn long(nodes: Nodes<'_>, message: &[u8]) -> Value {
    if message.len() <= WINDOW * CHUNK_BYTES {
        return nodes.subtree(message, 0, Node::ROOT);
    }
    let (mut stack, mut rest) = (Stack::EMPTY, message);
    while rest.len() > WINDOW * CHUNK_BYTES {
        let (window, behind) = rest.split_at(WINDOW * CHUNK_BYTES);
        stack.push(nodes, window);
        rest = behind;
    }
    let mut tag = nodes.subtree(rest, stack.chunks, Node::PARENT);
    stack.join(nodes, &mut tag);
    stack.wipe();
    tag
}

/// What all nodes have in common.
#[derive(Clone, Copy)]
struct Nodes<'a> {
    kernel: Kernel,
    key: &'a Key,
}

impl Nodes<'_> {
    /// The value of the node above at most a window of chunks, at least one; `top` is what it is if
    /// it is a parent.
    fn subtree(self, message: &[u8], first: u64, top: Node) -> Value {
        // Of few chunks there is less to wipe.
        match message.len().div_ceil(CHUNK_BYTES) {
            1 => self
                .kernel
                .value(Input { key: self.key, data: message, counter: first }, Node::CHUNK),
            2..=4 => self.join_chunks::<4, 2>(message, first, top),
            5..=GROUP => self.join_chunks::<GROUP, { GROUP / 2 }>(message, first, top),
            _ => self.join_chunks::<WINDOW, { WINDOW / 2 }>(message, first, top),
        }
    }

    /// The same of at most `N` chunks, of whose parents there are at most `HALF`.
    #[inline(always)]
    fn join_chunks<const N: usize, const HALF: usize>(
        self,
        message: &[u8],
        first: u64,
        top: Node,
    ) -> Value {
        let (mut values, mut above) = ([[0; 32]; N], [[0; 32]; HALF]);
        let mut count = message.len().div_ceil(CHUNK_BYTES);
        self.chunks(message, first, &mut values[..count]);
        let (mut level, mut next) = (&mut values[..], &mut above[..]);
        while count > 1 {
            let node = if count == 2 { top } else { Node::PARENT };
            let parents = count / 2;
            self.parents(&level[..2 * parents], node, &mut next[..parents]);
            if count % 2 == 1 {
                next[parents] = level[count - 1];
            }
            count -= parents;
            (level, next) = (next, level);
        }
        let value = level[0];
        overwrite(&mut values, [[0; 32]; N]);
        overwrite(&mut above, [[0; 32]; HALF]);
        value
    }

    /// The values of chunks, the first of which has this number in the message.
    #[inline(never)]
    fn chunks(self, message: &[u8], first: u64, values: &mut [Value]) {
        let groups = message.chunks(GROUP * CHUNK_BYTES).zip(values.chunks_mut(GROUP));
        for ((data, values), counter) in groups.zip((first..).step_by(GROUP)) {
            let mut inputs = [Input { key: self.key, data: &[], counter }; GROUP];
            for ((input, data), i) in inputs.iter_mut().zip(data.chunks(CHUNK_BYTES)).zip(0..) {
                (input.data, input.counter) = (data, counter + i);
            }
            self.kernel.values(&inputs[..values.len()], Node::CHUNK, values);
        }
    }

    /// The values of the parents of pairs.
    #[inline(never)]
    fn parents(self, children: &[Value], node: Node, values: &mut [Value]) {
        let (pairs, _) = children.as_flattened().as_chunks::<{ 2 * size_of::<Value>() }>();
        for (pairs, values) in pairs.chunks(GROUP).zip(values.chunks_mut(GROUP)) {
            if let [pair] = pairs {
                values[0] =
                    self.kernel.value(Input { key: self.key, data: pair, counter: 0 }, node);
                return;
            }
            let mut inputs = [Input { key: self.key, data: &[], counter: 0 }; GROUP];
            for (input, pair) in inputs.iter_mut().zip(pairs) {
                input.data = pair;
            }
            self.kernel.values(&inputs[..values.len()], node, values);
        }
    }

    /// The value of a parent.
    fn parent(self, left: &Value, right: &Value, node: Node) -> Value {
        let mut block = [*left, *right];
        let input = Input { key: self.key, data: block.as_flattened(), counter: 0 };
        let value = self.kernel.value(input, node);
        overwrite(&mut block, [[0; 32]; 2]);
        value
    }
}

/// The values of the subtrees that are whole and wait for a neighbour, the largest first.
#[derive(Clone)]
struct Stack {
    values: [Value; SUBTREES],
    depth: usize,
    /// Chunks below them all.
    chunks: u64,
}

impl Stack {
    const EMPTY: Self = Self { values: [[0; 32]; SUBTREES], depth: 0, chunks: 0 };

    /// Adds whole chunks, a power of two of them, at most a window, that has its place in the tree
    /// here: more of the message has to follow, so that no parent is the root.
    fn push(&mut self, nodes: Nodes<'_>, data: &[u8]) {
        let chunks = (data.len() / CHUNK_BYTES) as u64;
        let mut value = nodes.subtree(data, self.chunks, Node::PARENT);
        self.chunks += chunks;
        for _ in 0..(self.chunks / chunks).trailing_zeros() {
            self.depth -= 1;
            value = nodes.parent(&self.values[self.depth], &value, Node::PARENT);
        }
        self.values[self.depth] = value;
        overwrite(&mut value, [0; 32]);
        self.depth += 1;
    }

    /// Makes the value of what follows the tag; there is a subtree.
    fn join(&self, nodes: Nodes<'_>, value: &mut Value) {
        for (place, left) in self.values[..self.depth].iter().enumerate().rev() {
            let node = if place == 0 { Node::ROOT } else { Node::PARENT };
            *value = nodes.parent(left, value, node);
        }
    }

    fn wipe(&mut self) {
        wipe(self.values.as_flattened_mut());
        (self.depth, self.chunks) = (0, 0);
    }
}

/// A message in pieces.
#[derive(Clone)]
pub(super) struct Running {
    stack: Stack,
    /// What follows the subtrees: their parents can be computed only when it is known that they
    /// are not the root, so that this is never empty when they are there.
    chunk: [u8; CHUNK_BYTES],
    len: usize,
}

impl Running {
    pub(super) const EMPTY: Self = Self { stack: Stack::EMPTY, chunk: [0; CHUNK_BYTES], len: 0 };

    pub(super) fn absorb(&mut self, kernel: Kernel, key: &Key, data: &[u8]) {
        let room = CHUNK_BYTES - self.len;
        if data.len() <= room {
            self.chunk[self.len..][..data.len()].copy_from_slice(data);
            self.len += data.len();
            return;
        }
        let (nodes, mut rest) = (Nodes { kernel, key }, data);
        if self.len > 0 {
            let (begin, behind) = rest.split_at(room);
            self.chunk[self.len..].copy_from_slice(begin);
            self.stack.push(nodes, &self.chunk);
            rest = behind;
        }
        while rest.len() > CHUNK_BYTES {
            // The largest subtree that begins here and is not the last.
            let whole = (rest.len() - 1) / CHUNK_BYTES;
            let aligned = self.stack.chunks.trailing_zeros().min(WINDOW.ilog2());
            let chunks = 1 << whole.ilog2().min(aligned);
            let (subtree, behind) = rest.split_at(chunks * CHUNK_BYTES);
            self.stack.push(nodes, subtree);
            rest = behind;
        }
        self.chunk[..rest.len()].copy_from_slice(rest);
        self.len = rest.len();
    }

    pub(super) fn finish(&self, kernel: Kernel, key: &Key) -> Value {
        let input = Input { key, data: &self.chunk[..self.len], counter: self.stack.chunks };
        if self.stack.depth == 0 {
            return kernel.value(input, Node::ONLY_CHUNK);
        }
        let mut tag = kernel.value(input, Node::CHUNK);
        self.stack.join(Nodes { kernel, key }, &mut tag);
        tag
    }

    /// Empties it, and wipes what was written.
    pub(super) fn restart(&mut self) {
        let written = if self.stack.chunks == 0 { self.len } else { CHUNK_BYTES };
        wipe(&mut self.chunk[..written]);
        self.len = 0;
        if self.stack.chunks > 0 {
            self.stack.wipe();
        }
    }

    /// Whether nothing is left of what it took.
    #[cfg(test)]
    pub(super) fn is_wiped(&self) -> bool {
        let Self { stack, chunk, len } = self;
        (stack.depth, stack.chunks, *len) == (0, 0, 0)
            && stack.values.as_flattened().iter().chain(chunk).all(|byte| *byte == 0)
    }
}
