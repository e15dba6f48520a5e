//! The sessions that one thread serves, and how: one message after another, or in batches.

use subtle::ConstantTimeEq;
use words::{BatchTagger, Refused, Tagger};

use super::error::SessionsError;
use super::workload::{Workload, key_of};
use crate::record::sessions::Load;
use crate::regimes::sessions::Serving;
use crate::worker::MESSAGE_STEP_BYTES;

/// Most sessions whose messages are handed over in one call.
pub(super) const BATCH_MAX: usize = 64;

/// Keys that a session goes through, where it gets new ones: few, since the tags of all are known
/// beforehand.
const KEYS_OF_SESSION: usize = 4;

/// A session: its key, its messages, and how far it is.
pub(super) struct Session {
    /// Its number among all.
    pub(super) number: u32,
    /// The key in use is the first; others wait for their turn.
    keys: Vec<Vec<u8>>,
    message: Message,
    /// Where in the deck of lengths its next message is.
    place: usize,
    /// Tags known beforehand: of each key in use, of each length.
    known: Vec<Vec<Vec<u8>>>,
    /// Messages it is done with.
    pub(super) messages: u64,
    since_key: u32,
    /// Length and tag of its last message.
    last_len: u32,
    tag: Vec<u8>,
}

/// A message of the session's own, which begins at a cache line like those of the pool.
struct Message {
    bytes: Vec<u8>,
    begin: usize,
}

impl Message {
    fn new(content: &[u8]) -> Self {
        let mut bytes = vec![0; content.len() + MESSAGE_STEP_BYTES];
        let begin = bytes.as_ptr().align_offset(MESSAGE_STEP_BYTES).min(MESSAGE_STEP_BYTES);
        bytes[begin..begin + content.len()].copy_from_slice(content);
        Self { bytes, begin }
    }

    #[inline(always)]
    fn first(&self, len: u32) -> &[u8] {
        &self.bytes[self.begin..][..len as usize]
    }
}

/// The last tag of a session, for whoever computes it again.
pub(super) struct Last {
    /// Number of the session.
    pub(super) session: u32,
    pub(super) key: Vec<u8>,
    pub(super) len: u32,
    pub(super) tag: Vec<u8>,
}

/// What all shares have in common.
#[derive(Clone, Copy)]
pub(super) struct Common<'a> {
    pub(super) workload: &'a Workload<'a>,
    pub(super) load: &'a Load,
    /// The lengths of messages, in the order in which all sessions go through them.
    pub(super) deck: &'a [u32],
}

impl Common<'_> {
    /// Place of a length among those that the load names.
    fn length(&self, len: u32) -> usize {
        self.load.lengths.iter().position(|it| it.0 == len).unwrap_or(0)
    }

    fn tagger(&self, key: &[u8]) -> Result<Tagger, Refused> {
        self.workload.provider.tagger(self.workload.mac, self.workload.key_life, key)
    }
}

impl Session {
    /// Opens nothing that lasts: its tags are computed beforehand by a tagger of their own.
    fn new(common: Common<'_>, number: u32) -> Result<Self, SessionsError> {
        let Common { workload, load, deck } = common;
        let count = if load.rekey_every > 0 { KEYS_OF_SESSION } else { 1 };
        // The further keys are those of sessions that are not there.
        let key = |turn: usize| key_of(workload.keys, number + turn as u32 * load.count);
        let keys: Vec<Vec<u8>> = (0..count).map(key).collect();
        let longest = load.lengths.iter().map(|it| it.0).max().unwrap_or(0);
        let message = Message::new(workload.message(number, longest));
        let known_of = |key: &Vec<u8>| -> Result<Vec<Vec<u8>>, Refused> {
            let mut tagger = common.tagger(key)?;
            let tags = load.lengths.iter().map(|&(len, _)| {
                let mut tag = vec![0; workload.tag_len];
                tagger(key, message.first(len), &mut tag).map(|()| tag)
            });
            Ok(tags.collect::<Result<_, _>>()?)
        };
        let known = keys.iter().map(known_of).collect::<Result<_, Refused>>()?;
        // Far from one another in the deck, for any number of sessions: steps of the golden ratio.
        let place = (f64::from(number) * 0.618_033_988_75).fract() * deck.len() as f64;
        Ok(Self {
            number,
            keys,
            message,
            place: (place as usize).min(deck.len() - 1),
            known,
            messages: 0,
            since_key: 0,
            last_len: 0,
            tag: vec![0; workload.tag_len],
        })
    }

    #[inline(always)]
    fn next_len(&mut self, deck: &[u32]) -> u32 {
        let len = deck[self.place];
        self.place += 1;
        if self.place == deck.len() {
            self.place = 0;
        }
        len
    }

    /// A message is done.
    #[inline(always)]
    fn count(&mut self, len: u32) {
        self.messages += 1;
        self.since_key += 1;
        self.last_len = len;
    }

    /// Its next key comes into use.
    fn turn_key(&mut self) {
        self.keys.rotate_left(1);
        self.known.rotate_left(1);
        self.since_key = 0;
    }

    fn verify(&self, common: Common<'_>) -> Result<(), SessionsError> {
        let known = &self.known[0][common.length(self.last_len)];
        if bool::from(known.ct_eq(&self.tag)) { Ok(()) } else { Err(SessionsError::WrongTag) }
    }

    pub(super) fn last(&self) -> Option<Last> {
        (self.messages > 0).then(|| Last {
            session: self.number,
            key: self.keys[0].clone(),
            len: self.last_len,
            tag: self.tag.clone(),
        })
    }
}

/// Sessions whose messages are handed over in one call.
struct Group {
    tagger: BatchTagger,
    /// Where they begin among those of the thread.
    begin: usize,
    count: usize,
    tags: Vec<u8>,
    /// A session got its next key since the batch was opened: the batch still has the one before.
    is_stale: bool,
}

/// What a thread serves.
pub(super) struct Share<'a> {
    common: Common<'a>,
    pub(super) sessions: Vec<Session>,
    /// A tagger for each session; without any where all come in batches.
    taggers: Vec<Tagger>,
    groups: Vec<Group>,
    /// The session or group whose turn it is.
    next: usize,
    /// The session that was served last.
    last: usize,
    pub(super) bytes: u64,
}

impl<'a> Share<'a> {
    /// The share of thread `thread` of `threads`: sessions dealt out in turn.
    pub(super) fn open(
        common: Common<'a>,
        thread: u32,
        threads: u32,
    ) -> Result<Self, SessionsError> {
        let numbers = (thread..common.load.count).step_by(threads as usize);
        let sessions: Vec<Session> =
            numbers.map(|number| Session::new(common, number)).collect::<Result<_, _>>()?;
        let is_batched = common.load.serving == Serving::Batched;
        // At a rate too few may be due for a batch: those go one by one.
        let taggers = if is_batched && common.load.rate_per_s.is_none() {
            vec![]
        } else {
            sessions.iter().map(|it| common.tagger(&it.keys[0])).collect::<Result<_, Refused>>()?
        };
        let mut share =
            Self { common, sessions, taggers, groups: vec![], next: 0, last: 0, bytes: 0 };
        if is_batched {
            let begins = (0..share.sessions.len()).step_by(BATCH_MAX);
            share.groups = begins.map(|begin| share.group(begin)).collect::<Result<_, _>>()?;
        }
        Ok(share)
    }

    fn group(&self, begin: usize) -> Result<Group, SessionsError> {
        let workload = self.common.workload;
        let count = BATCH_MAX.min(self.sessions.len() - begin);
        let keys: Vec<&[u8]> =
            self.sessions[begin..][..count].iter().map(|it| it.keys[0].as_slice()).collect();
        let tagger = workload.provider.batch(workload.mac, workload.key_life, &keys)?;
        let tags = vec![0; count * workload.tag_len];
        Ok(Group { tagger, begin, count, tags, is_stale: false })
    }

    pub(super) fn load(&self) -> &Load {
        self.common.load
    }

    /// The next message of the session whose turn it is, or of each of its group.
    #[inline(always)]
    pub(super) fn step(&mut self) -> Result<(), SessionsError> {
        let turn = self.next;
        self.next += 1;
        if self.groups.is_empty() {
            if self.next == self.sessions.len() {
                self.next = 0;
            }
            return self.serve(turn);
        }
        if self.next == self.groups.len() {
            self.next = 0;
        }
        self.serve_group(turn, |_| true)
    }

    /// The next message of one session.
    #[inline(always)]
    pub(super) fn serve(&mut self, at: usize) -> Result<(), SessionsError> {
        let load = self.common.load;
        if load.rekey_every > 0 && self.sessions[at].since_key >= load.rekey_every {
            self.renew(at)?;
        }
        let session = &mut self.sessions[at];
        let len = session.next_len(self.common.deck);
        let Session { keys, message, tag, .. } = session;
        self.taggers[at](&keys[0], message.first(len), tag)?;
        session.count(len);
        self.bytes += u64::from(len);
        self.last = at;
        if load.verify {
            session.verify(self.common)?;
        }
        Ok(())
    }

    /// The next messages of those of a group that are due, by their places in the thread's share.
    /// The others' lanes get a message of no bytes: a batch has as many messages as keys.
    pub(super) fn serve_group(
        &mut self,
        group: usize,
        is_due: impl Fn(usize) -> bool,
    ) -> Result<(), SessionsError> {
        self.renew_group(group, &is_due)?;
        let Group { tagger, begin, count, tags, .. } = &mut self.groups[group];
        let (begin, count) = (*begin, *count);
        let mut keys: [&[u8]; BATCH_MAX] = [&[]; BATCH_MAX];
        let mut messages: [&[u8]; BATCH_MAX] = [&[]; BATCH_MAX];
        let mut lens = [0; BATCH_MAX];
        for (i, session) in self.sessions[begin..][..count].iter_mut().enumerate() {
            if is_due(begin + i) {
                lens[i] = session.next_len(self.common.deck);
            }
            messages[i] = session.message.first(lens[i]);
            keys[i] = &session.keys[0];
        }
        tagger(&keys[..count], &messages[..count], tags)?;
        let tags = tags.chunks_exact(self.common.workload.tag_len);
        for (i, tag) in tags.enumerate().filter(|(i, _)| is_due(begin + i)) {
            let session = &mut self.sessions[begin + i];
            session.tag.copy_from_slice(tag);
            session.count(lens[i]);
            self.bytes += u64::from(lens[i]);
            self.last = begin + i;
            if self.common.load.verify {
                session.verify(self.common)?;
            }
        }
        Ok(())
    }

    /// The tag of the message that was served last is what it was beforehand. Looked at now and
    /// then, so that a library that is wrong under threads is noticed without `verify` too.
    pub(super) fn check_last(&self) -> Result<(), SessionsError> {
        self.sessions[self.last].verify(self.common)
    }

    /// A session's next key, when its next message is there and not before: what it did last goes
    /// with the key that it has.
    #[cold]
    fn renew(&mut self, at: usize) -> Result<(), SessionsError> {
        self.sessions[at].turn_key();
        if let Some(group) = self.groups.get_mut(at / BATCH_MAX) {
            group.is_stale = true;
        }
        if let Some(tagger) = self.taggers.get_mut(at) {
            *tagger = self.common.tagger(&self.sessions[at].keys[0])?;
        }
        Ok(())
    }

    /// The next keys of those of a group that are due and have had theirs for long enough. Its
    /// batch is opened anew where any has a new key, be it from when it was served alone: a
    /// library's batch has its keys together.
    fn renew_group(
        &mut self,
        group: usize,
        is_due: impl Fn(usize) -> bool,
    ) -> Result<(), SessionsError> {
        let every = self.common.load.rekey_every;
        if every == 0 {
            return Ok(());
        }
        let Group { begin, count, .. } = self.groups[group];
        for at in begin..begin + count {
            if is_due(at) && self.sessions[at].since_key >= every {
                self.renew(at)?;
            }
        }
        if self.groups[group].is_stale {
            self.groups[group] = self.group(begin)?;
        }
        Ok(())
    }

    /// The group of a session, by its place in the share, and the places that belong to it.
    pub(super) fn group_of(&self, at: usize) -> Option<(usize, std::ops::Range<usize>)> {
        let group = self.groups.get(at / BATCH_MAX)?;
        Some((at / BATCH_MAX, group.begin..group.begin + group.count))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use words::{Info, KeyLife, Provider, Refused};

    use super::super::workload::deck;
    use super::*;

    /// A toy whose tag tells keys apart: it sums up key and message.
    struct Sum;

    impl Provider for Sum {
        fn info(&self) -> Info {
            Info::default()
        }

        fn tagger(&self, _mac: &str, life: KeyLife, key: &[u8]) -> Result<Tagger, Refused> {
            let kept = key.to_vec();
            Ok(Box::new(move |key, message, tag| {
                let key = if life == KeyLife::Prepared { &kept } else { key };
                let sum = key
                    .iter()
                    .chain(message)
                    .fold(0, |sum: u32, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
                tag.copy_from_slice(&sum.to_le_bytes());
                Ok(())
            }))
        }

        fn tag_len_bytes(&self, _mac: &str) -> Option<usize> {
            Some(4)
        }
    }

    /// So many sessions, each with one message after another, in a window that nothing comes to.
    pub(in crate::sessions) fn load(serving: Serving, count: u32) -> Load {
        Load {
            serving,
            count,
            cpus: vec![],
            pinned: false,
            lengths: vec![(16, 1)],
            verify: true,
            rekey_every: 0,
            rate_per_s: None,
            from_ms: 10.0,
            to_ms: 90.0,
        }
    }

    /// The share of a thread that serves all sessions of a load.
    pub(in crate::sessions) fn with_share_of(load: &Load, work: impl FnOnce(&mut Share<'_>)) {
        let keys: Vec<u8> = (0..31).map(|i: u8| i.wrapping_mul(77)).collect();
        let pool: Vec<u8> = (0..4000_u32).map(|i| ((i * i) >> 3) as u8).collect();
        let key_life = KeyLife::Prepared;
        let (keys, pool) = (&keys, &pool);
        let workload = Workload { provider: &Sum, mac: "sum", key_life, keys, pool, tag_len: 4 };
        let deck = deck(&load.lengths);
        let common = Common { workload: &workload, load, deck: &deck };
        work(&mut Share::open(common, 0, 1).unwrap());
    }

    /// Batches of three sessions at a rate, with new keys after two messages each.
    fn with_share(work: impl FnOnce(&mut Share<'_>)) {
        let load = Load { rekey_every: 2, rate_per_s: Some(1.0), ..load(Serving::Batched, 3) };
        with_share_of(&load, work);
    }

    #[test]
    fn sessions_of_a_thread_are_served_in_turn() {
        with_share_of(&load(Serving::Pooled, 10), |share| {
            for step in 1..=25 {
                share.step().unwrap();
                let counts = || share.sessions.iter().map(|session| session.messages);
                assert_eq!(counts().sum::<u64>(), step);
                assert!(counts().max().unwrap() - counts().min().unwrap() <= 1, "{step}");
            }
        });
    }

    #[test]
    fn a_mix_has_its_mean_length() {
        let lengths = vec![(64, 7), (570, 4), (1518, 1)];
        for (serving, steps) in [(Serving::Pooled, 12 * 100), (Serving::Batched, 12 * 2)] {
            let load = Load { lengths: lengths.clone(), ..load(serving, 100) };
            with_share_of(&load, |share| {
                for _ in 0..steps {
                    share.step().unwrap();
                }
                assert!(share.sessions.iter().all(|session| session.messages == 12));
                assert_eq!(share.bytes, 100 * (7 * 64 + 4 * 570 + 1518));
                let mean = share.bytes as f64 / (12.0 * 100.0);
                assert!((mean / load.mean_len_bytes() - 1.0).abs() < 1e-12, "{serving}: {mean}");
            });
        }
    }

    /// The last tag of each session that has one is that of the key it is told with.
    fn check_lasts(share: &Share<'_>) {
        let Common { workload, .. } = share.common;
        for Last { session, key, len, tag } in share.sessions.iter().filter_map(Session::last) {
            let mut own = vec![0; 4];
            let mut tagger = share.common.tagger(&key).unwrap();
            tagger(&key, workload.message(session, len), &mut own).unwrap();
            assert_eq!(tag, own, "session {session}");
        }
    }

    #[test]
    fn a_batch_has_the_key_that_a_session_got_when_it_was_served_alone() {
        with_share(|share| {
            let first = share.sessions[1].keys[0].clone();
            for _ in 0..3 {
                share.serve(1).unwrap();
            }
            assert_ne!(share.sessions[1].keys[0], first);
            for _ in 0..5 {
                share.serve_group(0, |_| true).unwrap();
                check_lasts(share);
            }
        });
    }

    #[test]
    fn a_session_that_is_not_due_keeps_the_key_of_its_last_message() {
        with_share(|share| {
            for _ in 0..2 {
                share.serve_group(0, |_| true).unwrap();
            }
            let kept = share.sessions[1].keys[0].clone();
            for _ in 0..3 {
                share.serve_group(0, |at| at != 1).unwrap();
                check_lasts(share);
            }
            assert_eq!(share.sessions[1].keys[0], kept);
            share.serve_group(0, |_| true).unwrap();
            assert_ne!(share.sessions[1].keys[0], kept);
            check_lasts(share);
        });
    }
}
