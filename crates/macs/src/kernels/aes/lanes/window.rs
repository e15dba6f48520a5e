//! A window of messages in lanes: those of about one length begin where they end together; others
//! are left to the scheduler of [`super::runs`].
#![expect(unsafe_code, reason = "keys are written where they are first needed")]

use core::mem::MaybeUninit;

use super::super::Block;
use super::order::{Order, WINDOW};
use super::ring::{KeyRing, Quad};
use super::runs::{Engine, mixed};
use super::texts::Texts;
use super::{Padding, Start};
use crate::kernels::Job;
use crate::wipe::overwrite;

/// `N` lanes of a kernel, whose keys are in `Q` quads, four in each.
///
/// # Safety
/// `together` reads nothing but the texts.
pub(super) unsafe trait Kernel<const KEYS: usize, const N: usize, const Q: usize>:
    Copy
{
    /// What lanes of messages of mixed lengths need besides.
    type Engine<'a>: Engine<'a, KEYS, N>;

    /// Lanes of mixed lengths, with room for their keys.
    fn engine(self, keys: &mut [Quad<KEYS>; Q]) -> Self::Engine<'_>;

    /// Copies four keys into a quad, all but the E_K(0).
    fn gather(self, from: &[(&Quad<KEYS>, usize); 4], to: &mut Quad<KEYS>);

    /// The CBC-MACs of messages that end together; `tags` may have what they start from. Those
    /// shorter than a block less padding have a one bit added if `one`.
    ///
    /// # Safety
    /// The texts can be read.
    unsafe fn together(
        self,
        quads: [&Quad<KEYS>; Q],
        texts: &mut Texts<N>,
        one: bool,
        tags: &mut [Block; N],
    );
}

/// Keys gathered from anywhere, in the order of the lanes.
struct Gathered<const KEYS: usize, const Q: usize> {
    quads: MaybeUninit<[Quad<KEYS>; Q]>,
    used: bool,
}

impl<const KEYS: usize, const Q: usize> Gathered<KEYS, Q> {
    #[inline(always)]
    fn none() -> Self {
        Self { quads: MaybeUninit::uninit(), used: false }
    }

    #[inline(always)]
    fn quads(&mut self) -> &mut [Quad<KEYS>; Q] {
        if !self.used {
            self.used = true;
            return self.quads.write([Quad::ZERO; Q]);
        }
        // SAFETY: they were written when first used.
        unsafe { self.quads.assume_init_mut() }
    }
}

impl<const KEYS: usize, const Q: usize> Drop for Gathered<KEYS, Q> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.used {
            overwrite(self.quads(), [Quad::ZERO; Q]);
        }
    }
}

/// As [`super::KeyRing::cbc`], of a window.
#[inline(always)]
pub(super) fn window<K, const KEYS: usize, const N: usize, const Q: usize>(
    kernel: K,
    ring: &KeyRing<KEYS>,
    jobs: &[Job<'_>],
    padding: Padding,
    start: Start,
    tags: &mut [Block],
) where
    K: Kernel<KEYS, N, Q>,
{
    let head_len = |job: &Job<'_>| padding.head_len(job.message.len());
    let mut gathered = Gathered::none();
    let Some(first_head) = jobs.first().map(head_len) else { return };
    if jobs.iter().all(|job| head_len(job) == first_head) {
        for (jobs, tags) in jobs.chunks(N).zip(tags.chunks_mut(N)) {
            let job = |lane| jobs.get(lane);
            // What follows is inlined, and so there once for whole chunks and the last.
            let mut all = None;
            let place = if tags.len() < N {
                let all = all.insert([[0; 16]; N]);
                all[..tags.len()].copy_from_slice(tags);
                all
            } else {
                tags.first_chunk_mut().expect("a whole chunk")
            };
            side_by_side(kernel, ring, &mut gathered, job, padding, start, place);
            if let Some(all) = &all {
                tags.copy_from_slice(&all[..tags.len()]);
            }
        }
        return;
    }
    let order = Order::new(jobs.iter().map(head_len));
    let order = order.numbers();
    let (mut rest, mut rest_len) = ([0; WINDOW], 0);
    for numbers in order.chunks(N) {
        let heads = numbers.iter().map(|&number| head_len(&jobs[usize::from(number)]));
        let (least, most) = heads.fold((usize::MAX, 0), |(a, b), len| (a.min(len), b.max(len)));
        if most - least > SPREAD_MAX {
            rest[rest_len..][..numbers.len()].copy_from_slice(numbers);
            rest_len += numbers.len();
            continue;
        }
        let job = |lane| numbers.get(lane).map(|&number: &u16| &jobs[usize::from(number)]);
        let mut all = [[0; 16]; N];
        if start == Start::Tags {
            for (number, y) in numbers.iter().zip(&mut all) {
                *y = tags[usize::from(*number)];
            }
        }
        side_by_side(kernel, ring, &mut gathered, job, padding, start, &mut all);
        for (number, tag) in numbers.iter().zip(all) {
            tags[usize::from(*number)] = tag;
        }
    }
    if rest_len > 0 {
        let mut engine = kernel.engine(gathered.quads());
        mixed(&mut engine, ring, jobs, &rest[..rest_len], padding, start, tags);
    }
}

/// Messages are brought to one end if their lengths in bytes differ by no more than this; beyond,
/// lanes that take the next message when one ends are quicker.
const SPREAD_MAX: usize = 16 * 32;

/// At most `N` jobs side by side. A lane without one takes the first message again, under a key
/// that lies well.
#[inline(always)]
fn side_by_side<'a, K, const KEYS: usize, const N: usize, const Q: usize>(
    kernel: K,
    ring: &KeyRing<KEYS>,
    gathered: &mut Gathered<KEYS, Q>,
    job: impl Fn(usize) -> Option<&'a Job<'a>>,
    padding: Padding,
    start: Start,
    tags: &mut [Block; N],
) where
    K: Kernel<KEYS, N, Q>,
{
    const { assert!(N == 4 * Q) }
    let first = job(0).map(|job| job.message).unwrap_or_default();
    let mut texts = Texts::<N>::new(start, padding.head_len(first.len()));
    let (mut keys, mut lens) = ([0; N], [0; N]);
    let (mut apart, mut most, mut unlike) = (0, 0, 0);
    for lane in 0..N {
        let (key, message) = match job(lane) {
            Some(job) => {
                let key = job.key;
                most = most.max(key);
                (key, job.message)
            }
            None if lane % 4 == 0 => (keys[0] & !3, first),
            None => ((keys[lane & !3] & !3) + (lane & 3), first),
        };
        (texts.at[lane], lens[lane], keys[lane]) = (message.as_ptr(), message.len(), key);
        apart |= key ^ ((keys[lane & !3] & !3) + (lane & 3));
        unlike |= message.len() ^ first.len();
    }
    assert!(most < ring.keys(), "key {most} of {}", ring.keys());
    texts.tail_len = [first.len() - texts.head_len; N];
    if unlike != 0 {
        texts.align(&lens, padding);
    }
    let quads: [&Quad<KEYS>; Q] = if apart == 0 {
        core::array::from_fn(|quad| ring.quad_of(keys[4 * quad]))
    } else {
        let quads = gathered.quads();
        for (keys, quad) in keys.as_chunks::<4>().0.iter().zip(&mut *quads) {
            kernel.gather(&keys.map(|key| (ring.quad_of(key), key % 4)), quad);
        }
        quads.each_ref()
    };
    // SAFETY: the texts are whole messages, each with what it skips before it.
    unsafe { kernel.together(quads, &mut texts, padding != Padding::Zeros, tags) }
}
