//! The tree over the chunks of a message: §2.1. On every level neighbours have a parent, and a last
//! one without a neighbour goes up as it is. A message in pieces keeps the subtrees that are whole,
//! and the last one in halves: whether their parent is the root is known when more of it comes.

use crate::kernels::blake3::{CHUNK_BYTES, Input, Kernel, Key, LANES_MAX, Node, Value};
use crate::wipe::{overwrite, wipe};

/// Nodes that are handed over together.
const GROUP: usize = LANES_MAX;
/// Chunks whose values are kept until their subtree is joined.
const WINDOW: usize = 128;
/// Most subtrees that wait for a neighbour, with the halves of the last: a message has fewer than
/// 2^64 bytes, 2^54 chunks.
const SUBTREES: usize = 55;

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
    stack.join_halves(nodes);
    stack.join(nodes, stack.depth, &mut tag);
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
        if message.len() <= CHUNK_BYTES {
            let input = Input { key: self.key, data: message, counter: first };
            return self.kernel.value(input, Node::CHUNK);
        }
        let mut halves = self.halves(message, first);
        let value = self.parent(&halves, top);
        overwrite(&mut halves, [[0; 32]; 2]);
        value
    }

    /// The values of the two nodes below that one, of at least two chunks.
    fn halves(self, message: &[u8], first: u64) -> [Value; 2] {
        // Of few chunks there is less to wipe.
        match message.len().div_ceil(CHUNK_BYTES) {
            ..=4 => self.join_chunks::<4, 2>(message, first),
            5..=GROUP => self.join_chunks::<GROUP, { GROUP / 2 }>(message, first),
            _ => self.join_chunks::<WINDOW, { WINDOW / 2 }>(message, first),
        }
    }

    /// The same of at most `N` chunks, of whose parents there are at most `HALF`.
    #[inline(always)]
    fn join_chunks<const N: usize, const HALF: usize>(
        self,
        message: &[u8],
        first: u64,
    ) -> [Value; 2] {
        let (mut values, mut above) = ([[0; 32]; N], [[0; 32]; HALF]);
        let mut count = message.len().div_ceil(CHUNK_BYTES);
        self.chunks(message, first, &mut values[..count]);
        let (mut level, mut next) = (&mut values[..], &mut above[..]);
        while count > 2 {
            let parents = count / 2;
            self.parents(&level[..2 * parents], &mut next[..parents]);
            if count % 2 == 1 {
                next[parents] = level[count - 1];
            }
            count -= parents;
            (level, next) = (next, level);
        }
        let halves = [level[0], level[1]];
        overwrite(&mut values, [[0; 32]; N]);
        overwrite(&mut above, [[0; 32]; HALF]);
        halves
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

    /// The values of the parents of pairs, none of which is the root.
    #[inline(never)]
    fn parents(self, children: &[Value], values: &mut [Value]) {
        let (pairs, _) = children.as_flattened().as_chunks::<{ 2 * size_of::<Value>() }>();
        for (pairs, values) in pairs.chunks(GROUP).zip(values.chunks_mut(GROUP)) {
            let mut inputs = [Input { key: self.key, data: &[], counter: 0 }; GROUP];
            for (input, pair) in inputs.iter_mut().zip(pairs) {
                input.data = pair;
            }
            self.kernel.values(&inputs[..values.len()], Node::PARENT, values);
        }
    }

    /// The value of a parent.
    fn parent(self, children: &[Value; 2], node: Node) -> Value {
        let input = Input { key: self.key, data: children.as_flattened(), counter: 0 };
        self.kernel.value(input, node)
    }
}

/// The values of the subtrees that are whole and wait for a neighbour, the largest first; of the
/// last one perhaps its halves.
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
    /// here. After one chunk more of the message has to follow.
    fn push(&mut self, nodes: Nodes<'_>, data: &[u8]) {
        self.join_halves(nodes);
        if data.len() == CHUNK_BYTES {
            self.values[self.depth] = nodes.subtree(data, self.chunks, Node::PARENT);
            self.depth += 1;
        } else {
            let mut halves = nodes.halves(data, self.chunks);
            self.values[self.depth..][..2].copy_from_slice(&halves);
            overwrite(&mut halves, [[0; 32]; 2]);
            self.depth += 2;
        }
        self.chunks += (data.len() / CHUNK_BYTES) as u64;
    }

    /// Joins the halves of the last subtree, and what is whole with it: more of the message
    /// follows, so that no parent is the root. One subtree is left for each bit of the number of
    /// chunks.
    fn join_halves(&mut self, nodes: Nodes<'_>) {
        while self.depth > self.chunks.count_ones() as usize {
            self.depth -= 1;
            let pair = &mut self.values[self.depth - 1..];
            let pair = pair.first_chunk_mut().expect("two are there");
            pair[0] = nodes.parent(pair, Node::PARENT);
        }
    }

    /// Makes the value of what follows the first `depth` subtrees the tag.
    fn join(&self, nodes: Nodes<'_>, depth: usize, value: &mut Value) {
        for (place, left) in self.values[..depth].iter().enumerate().rev() {
            let node = if place == 0 { Node::ROOT } else { Node::PARENT };
            let mut pair = [*left, *value];
            *value = nodes.parent(&pair, node);
            overwrite(&mut pair, [[0; 32]; 2]);
        }
    }

    /// The tag where nothing follows: the last subtree is in halves.
    fn tag(&self, nodes: Nodes<'_>) -> Value {
        let depth = self.depth - 2;
        let halves = self.values[depth..].first_chunk().expect("two are there");
        let mut tag = nodes.parent(halves, if depth == 0 { Node::ROOT } else { Node::PARENT });
        self.join(nodes, depth, &mut tag);
        tag
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
    /// What follows the subtrees; if nothing does, the last one is in halves.
    chunk: [u8; CHUNK_BYTES],
    len: usize,
}

impl Running {
    pub(super) const EMPTY: Self = Self { stack: Stack::EMPTY, chunk: [0; CHUNK_BYTES], len: 0 };

    pub(super) fn absorb(&mut self, kernel: Kernel, key: &Key, data: &[u8]) {
        let (nodes, mut rest) = (Nodes { kernel, key }, data);
        let room = CHUNK_BYTES - self.len;
        if data.len() <= room {
            return self.keep(nodes, data);
        }
        if self.len > 0 {
            let (begin, behind) = rest.split_at(room);
            self.chunk[self.len..].copy_from_slice(begin);
            self.stack.push(nodes, &self.chunk);
            rest = behind;
        }
        while rest.len() > CHUNK_BYTES {
            // The largest subtree that begins here.
            let whole = rest.len() / CHUNK_BYTES;
            let aligned = self.stack.chunks.trailing_zeros().min(WINDOW.ilog2());
            let chunks = 1 << whole.ilog2().min(aligned);
            let (subtree, behind) = rest.split_at(chunks * CHUNK_BYTES);
            self.stack.push(nodes, subtree);
            rest = behind;
        }
        self.len = 0;
        self.keep(nodes, rest);
    }

    /// Adds bytes to those that follow the subtrees; they fit.
    #[inline]
    fn keep(&mut self, nodes: Nodes<'_>, data: &[u8]) {
        if !data.is_empty() {
            self.stack.join_halves(nodes);
        }
        self.chunk[self.len..][..data.len()].copy_from_slice(data);
        self.len += data.len();
    }

    pub(super) fn finish(&self, kernel: Kernel, key: &Key) -> Value {
        let input = Input { key, data: &self.chunk[..self.len], counter: self.stack.chunks };
        let nodes = Nodes { kernel, key };
        match (self.stack.depth, self.len) {
            (0, _) => kernel.value(input, Node::ONLY_CHUNK),
            (_, 0) => self.stack.tag(nodes),
            (depth, _) => {
                let mut tag = kernel.value(input, Node::CHUNK);
                self.stack.join(nodes, depth, &mut tag);
                tag
            }
        }
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
