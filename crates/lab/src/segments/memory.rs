//! A transaction in memory. Each byte is copied where a real sender and receiver would copy it:
//! once by what cuts it off or encloses it, once by what joins it; sealing and opening are in
//! place.

use std::ops::Range;

use super::error::SegmentsError;
use super::sealer::{Binding, Sealer, binding};
use super::{Watch, parts};
use crate::cell::Flow;
use crate::regimes::segments::Action;

/// A file as it was received, where it lies in the buffer that it was opened in.
pub(super) struct Received {
    buffer: Vec<u8>,
    place: Range<usize>,
}

impl Received {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[self.place.clone()]
    }
}

/// What binds part `number` of `count` in this flow.
pub(super) fn bound(flow: Flow, number: usize, count: usize) -> Option<Binding> {
    (flow == Flow::SeBound).then(|| binding(number, count))
}

/// The segments of a file.
pub(super) fn send(
    sealer: &mut Sealer,
    flow: Flow,
    block_len_bytes: usize,
    file: &[u8],
    watch: &mut Watch,
) -> Result<Vec<Vec<u8>>, SegmentsError> {
    if flow == Flow::Es {
        let sealed = watch.time(Action::Encryption, || {
            let mut buffer = sealer.enclose(file, None);
            sealer.seal(&mut buffer, file.len(), None).map(|()| buffer)
        })?;
        return Ok(watch.time(Action::Splitting, || {
            sealed.chunks(block_len_bytes).map(<[u8]>::to_vec).collect()
        }));
    }
    let parts = || parts(file, block_len_bytes);
    let count = parts().count();
    let mut segments: Vec<Vec<u8>> = watch.time(Action::Splitting, || {
        let enclose = |(number, part)| sealer.enclose(part, bound(flow, number, count).as_ref());
        parts().enumerate().map(enclose).collect()
    });
    watch.time(Action::Encryption, || {
        for ((number, part), segment) in parts().enumerate().zip(&mut segments) {
            sealer.seal(segment, part.len(), bound(flow, number, count).as_ref())?;
        }
        Ok::<_, &'static str>(())
    })?;
    Ok(segments)
}

/// The file of these segments, in the order in which they arrived; `None` where one is refused, and
/// where none arrived. The receiver numbers and counts what it has.
pub(super) fn receive(
    sealer: &mut Sealer,
    flow: Flow,
    mut segments: Vec<Vec<u8>>,
    watch: &mut Watch,
) -> Option<Received> {
    if flow == Flow::Es {
        let mut buffer = watch.time(Action::Combining, || segments.concat());
        let place = watch.time(Action::Decryption, || sealer.open(&mut buffer, None))?;
        return Some(Received { buffer, place });
    }
    let count = segments.len();
    let places = watch.time(Action::Decryption, || {
        let opened = segments
            .iter_mut()
            .enumerate()
            .map(|(number, segment)| sealer.open(segment, bound(flow, number, count).as_ref()));
        opened.collect::<Option<Vec<_>>>()
    });
    let places = places.filter(|places| !places.is_empty())?;
    let buffer = watch.time(Action::Combining, || {
        let mut file = Vec::with_capacity(places.iter().map(Range::len).sum());
        for (segment, place) in segments.iter().zip(places) {
            file.extend_from_slice(&segment[place]);
        }
        file
    });
    Some(Received { place: 0..buffer.len(), buffer })
}
