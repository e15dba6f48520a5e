//! Windows of toy macs: what is counted is what was done, however busy the machine is. What counts
//! come to is tested with planted ones, beside the code.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use lab::cell::KeyLife;
use lab::clock::Clock;
use lab::machine;
use lab::record::sessions::{Load, Measured, Spread};
use lab::regimes::sessions::Serving;
use lab::sessions::needs::{Needs, STACK_LEN_BYTES};
use lab::sessions::{Workload, measure, measure_on};
use words::{Info, Provider, Refused, Tagger};

/// One window at a time: the system's account is of the whole process.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is planted into a toy.
#[derive(Clone, Copy, PartialEq)]
enum Planted {
    Nothing,
    /// The state of all threads is one, as in a library that is not made for threads.
    SharedState,
    /// The tag of the tenth call is wrong; before that, known tags are computed.
    WrongTag,
}

/// A toy mac of 4 bytes that takes some time, on no memory.
struct Toy {
    planted: Planted,
    rounds: u32,
    state: &'static AtomicU32,
    calls: &'static AtomicU32,
    opened: AtomicU32,
}

impl Toy {
    /// Some 1 µs per message.
    fn new(planted: Planted) -> Self {
        Self {
            planted,
            rounds: 1000,
            state: Box::leak(Box::default()),
            calls: Box::leak(Box::default()),
            opened: AtomicU32::new(0),
        }
    }
}

fn mixed(rounds: u32, mut state: u32) -> u32 {
    for _ in 0..rounds {
        state = black_box(state.wrapping_mul(0x9e37_79b1).rotate_left(5));
    }
    state
}

impl Provider for Toy {
    fn info(&self) -> Info {
        Info::default()
    }

    fn tagger(&self, mac: &str, life: KeyLife, key: &[u8]) -> Result<Tagger, Refused> {
        if mac == "none" {
            return Err("no such mac".into());
        }
        self.opened.fetch_add(1, Ordering::Relaxed);
        let &Self { planted, rounds, state, calls, .. } = self;
        let kept = key.to_vec();
        Ok(Box::new(move |key, message, tag| {
            let key = if life == KeyLife::Prepared { &kept } else { key };
            let bytes = key.iter().chain(message);
            let begin = bytes.fold(message.len() as u32, |sum, &it| {
                sum.wrapping_mul(31).wrapping_add(it.into())
            });
            let made = match planted {
                Planted::SharedState => {
                    state.store(begin, Ordering::Relaxed);
                    // Other threads, if there are any, have a turn in between.
                    std::thread::yield_now();
                    black_box(mixed(rounds, begin));
                    mixed(rounds, state.load(Ordering::Relaxed))
                }
                _ => mixed(rounds, begin),
            };
            let call = calls.fetch_add(1, Ordering::Relaxed);
            let is_wrong = planted == Planted::WrongTag && call == 10;
            tag.copy_from_slice(&(made ^ u32::from(is_wrong)).to_le_bytes());
            Ok(())
        }))
    }

    fn tag_len_bytes(&self, _mac: &str) -> Option<usize> {
        Some(4)
    }
}

/// A window of 60 ms after 20.
fn load(serving: Serving, count: u32, cpus: &[u32]) -> Load {
    Load {
        serving,
        count,
        cpus: cpus.to_vec(),
        pinned: false,
        lengths: vec![(16, 1)],
        verify: false,
        rekey_every: 0,
        rate_per_s: None,
        from_ms: 20.0,
        to_ms: 80.0,
    }
}

fn with_workload<T>(toy: &Toy, mac: &str, work: impl FnOnce(&Workload<'_>) -> T) -> T {
    let keys: Vec<u8> = (0..31).map(|i: u8| i.wrapping_mul(77)).collect();
    let pool: Vec<u8> = (0..4000_u32).map(|i| ((i * i) >> 3) as u8).collect();
    let key_life = KeyLife::Prepared;
    work(&Workload { provider: toy, mac, key_life, keys: &keys, pool: &pool, tag_len: 4 })
}

fn window(toy: &Toy, load: &Load) -> Result<Measured, String> {
    let measured =
        with_workload(toy, "toy", |workload| measure(workload, load, Clock::calibrate()));
    measured.map_err(|error| error.to_string())
}

/// The longest window that is tried, in milliseconds since all began.
const LONGEST_MS: f64 = 60_000.0;

/// What was seen of such a load, in a window as long as it takes: on a busy machine nobody may have
/// had a turn in a short one.
fn in_time<T>(load: &Load, attempt: impl Fn(&Load) -> Option<T>) -> T {
    let mut load = load.clone();
    while load.to_ms < LONGEST_MS {
        if let Some(seen) = attempt(&load) {
            return seen;
        }
        load.to_ms *= 2.0;
    }
    panic!("not within {} ms", load.to_ms / 2.0);
}

/// A window in which so many messages were done at least.
fn window_with(messages: u64, toy: &Toy, load: &Load) -> Measured {
    in_time(load, |load| Some(window(toy, load).unwrap()).filter(|it| it.messages >= messages))
}

fn one_cpu() -> [u32; 1] {
    [machine::processors()[0].cpu]
}

#[test]
fn all_servings_count_what_they_did() {
    let _alone = alone();
    for serving in [Serving::Threads, Serving::Pooled, Serving::Batched] {
        let toy = Toy::new(Planted::Nothing);
        let seen = window_with(1, &toy, &load(serving, 70, &one_cpu()));
        assert_eq!(seen.bytes, seen.messages * 16);
        assert_eq!(seen.threads, if serving == Serving::Threads { 70 } else { 1 });
        assert!(seen.served <= 70 && seen.served > 0, "{seen:?}");
        assert!(seen.fairness > 0.0 && seen.fairness < 1.0 + 1e-9);
        // To a nanosecond.
        assert!(seen.window_ns + 1.0 >= 60e6 && seen.cpu_ns > 0.0, "{seen:?}");
        assert!(seen.apparent_ns() > 0.0 && seen.absolute_ns() > 0.0, "{seen:?}");
        assert!(!seen.slices.is_empty() && seen.times.iter().all(|it| it.1 > 0));
        let slices_ns: f64 = seen.slices.iter().map(|slice| slice.ns).sum();
        assert!((slices_ns / seen.window_ns - 1.0).abs() < 1e-6);
    }
}

#[test]
fn sessions_of_a_pool_are_served_alike() {
    let _alone = alone();
    let seen = window_with(10, &Toy::new(Planted::Nothing), &load(Serving::Pooled, 10, &one_cpu()));
    let Spread { least, most, .. } = seen.messages_of_session;
    assert!(most - least <= 1.0, "{seen:?}");
}

#[test]
fn sessions_that_are_held_to_a_processor_stay_there() {
    let _alone = alone();
    let cpus: Vec<u32> = machine::processors().iter().map(|it| it.cpu).take(2).collect();
    let load = Load { pinned: true, ..load(Serving::Threads, 2, &cpus) };
    let seen = window_with(1, &Toy::new(Planted::Nothing), &load);
    assert_eq!((seen.threads, seen.migrations), (2, 0));
    let received = seen.received.unwrap();
    assert_eq!(received.processors as usize, cpus.len());
}

#[test]
fn sessions_have_no_more_of_a_processor_than_there_is_however_long_their_messages() {
    let _alone = alone();
    // Messages of some 3 ms. Most sessions have their first turn within the window, so that more
    // messages are cut by its end than by its beginning.
    let toy = Toy { rounds: 3_000_000, ..Toy::new(Planted::Nothing) };
    let load = Load { from_ms: 5.0, to_ms: 125.0, ..load(Serving::Threads, 24, &one_cpu()) };
    let seen = window_with(1, &toy, &load);
    // The edges are when all clocks were read, in a fraction of a millisecond or not at all.
    if let Some(had_ns) = seen.window_cpu_ns {
        assert!(had_ns <= 1.01 * seen.window_ns && seen.excess().is_none(), "{seen:?}");
    }
}

#[test]
fn messages_of_a_mix_have_its_lengths() {
    let _alone = alone();
    for serving in [Serving::Threads, Serving::Pooled, Serving::Batched] {
        let lengths = vec![(64, 7), (570, 4), (1518, 1)];
        let load = Load { lengths, verify: true, ..load(serving, 10, &one_cpu()) };
        // So many that one session at least went through all of them.
        let seen = window_with(10 * 12, &Toy::new(Planted::Nothing), &load);
        let (least, most) = (64 * seen.messages, 1518 * seen.messages);
        assert!((least + 1..most).contains(&seen.bytes), "{serving}: {seen:?}");
    }
}

#[test]
fn a_wrong_tag_is_noticed_by_those_who_verify() {
    let _alone = alone();
    for serving in [Serving::Threads, Serving::Pooled, Serving::Batched] {
        let load = Load { verify: true, ..load(serving, 3, &one_cpu()) };
        let said = in_time(&load, |load| window(&Toy::new(Planted::WrongTag), load).err());
        assert!(said.starts_with("tags differ under threads"), "{said}");
        window(&Toy::new(Planted::Nothing), &load).unwrap();
    }
}

#[test]
fn a_library_that_is_wrong_under_threads_is_noticed() {
    let _alone = alone();
    let load = load(Serving::Threads, 40, &[]);
    let said = in_time(&load, |load| window(&Toy::new(Planted::SharedState), load).err());
    assert!(said.starts_with("tags differ under threads"), "{said}");
    let one = Load { count: 1, ..load };
    window(&Toy::new(Planted::SharedState), &one).unwrap();
}

#[test]
fn sessions_get_new_keys_and_their_tags_stay_right() {
    let _alone = alone();
    for serving in [Serving::Threads, Serving::Pooled, Serving::Batched] {
        let load = Load { verify: true, rekey_every: 10, ..load(serving, 70, &one_cpu()) };
        // So many that those keys are few that each session has at the beginning, five.
        let (opened, seen) = in_time(&load, |load| {
            let toy = Toy::new(Planted::Nothing);
            let seen = window(&toy, load).unwrap();
            let opened = u64::from(toy.opened.load(Ordering::Relaxed));
            (seen.messages > 100 * 70).then_some((opened, seen))
        });
        assert!(opened > seen.messages / 10, "{opened} {seen:?}");
    }
}

/// How often times of single messages were kept.
fn kept(seen: &Measured) -> u64 {
    seen.times.iter().map(|it| it.1).sum()
}

#[test]
fn each_message_that_comes_at_a_rate_has_a_time() {
    let _alone = alone();
    for serving in [Serving::Threads, Serving::Pooled, Serving::Batched] {
        let load = Load { rate_per_s: Some(100.0), ..load(serving, 20, &one_cpu()) };
        let seen = window_with(1, &Toy::new(Planted::Nothing), &load);
        assert_eq!(kept(&seen), seen.messages, "{serving}");
    }
}

#[test]
fn at_a_rate_above_what_any_processor_can_do_messages_fall_behind() {
    let _alone = alone();
    for serving in [Serving::Threads, Serving::Pooled, Serving::Batched] {
        // 30 messages a microsecond, each of 1000 multiplications that wait for one another.
        let load = Load { rate_per_s: Some(1e7), ..load(serving, 3, &one_cpu()) };
        let seen = window(&Toy::new(Planted::Nothing), &load).unwrap();
        assert!(seen.behind > 0, "{serving}: {seen:?}");
        assert_eq!(kept(&seen), seen.messages, "{serving}");
    }
}

/// Threads that this one has started, and itself: unlike those of other tests, they have its name.
fn threads() -> usize {
    let name = std::fs::read_to_string("/proc/thread-self/comm").unwrap();
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    // One that has just ended has no name.
    let names = tasks.filter_map(|it| std::fs::read_to_string(it.ok()?.path().join("comm")).ok());
    names.filter(|it| *it == name).count()
}

#[test]
fn what_cannot_be_done_is_told_in_a_line_and_leaves_no_thread() {
    let _alone = alone();
    let toy = Toy::new(Planted::Nothing);
    let load = load(Serving::Threads, 50, &one_cpu());
    let absurd = |thread| if thread < 20 { STACK_LEN_BYTES } else { 1 << 60 };
    let said = with_workload(&toy, "toy", |workload| {
        measure_on(workload, &load, Clock::calibrate(), absurd).unwrap_err().to_string()
    });
    assert!(said.starts_with("20 of 50 threads were started, then: "), "{said}");
    let refused = with_workload(&toy, "none", |workload| {
        measure(workload, &load, Clock::calibrate()).unwrap_err().to_string()
    });
    assert_eq!(refused, "no such mac");
    for (wrong, what) in [
        (Load { count: 0, ..load.clone() }, "0 sessions"),
        (Load { lengths: vec![], ..load.clone() }, "without a message length"),
        (Load { lengths: vec![(9999, 1)], ..load.clone() }, "the pool is too short"),
        (Load { to_ms: 20.0, ..load.clone() }, "no window"),
        (Load { cpus: vec![1000], ..load.clone() }, "processor"),
        (Load { rate_per_s: Some(0.0), ..load.clone() }, "must be above 0"),
        (Load { count: u32::MAX, ..load.clone() }, "more than this machine allows"),
    ] {
        let said = window(&toy, &wrong).unwrap_err();
        assert!(said.contains(what) && !said.contains('\n'), "{said}");
    }
    // One that was waited for may be in the list a moment longer.
    let begun = Instant::now();
    while threads() > 1 {
        assert!(begun.elapsed().as_secs() < 60, "{} threads", threads());
        std::thread::yield_now();
    }
}

#[test]
fn ten_thousand_sessions_begin_and_end_within_the_memory_that_is_told() {
    let _alone = alone();
    let load = load(Serving::Threads, 10_000, &[]);
    let needs = Needs::of(&load, 2);
    if let Err(why) = needs.check() {
        eprintln!("skipped: {why}");
        return;
    }
    let seen = window_with(1, &Toy::new(Planted::Nothing), &load);
    assert_eq!(seen.threads, 10_000);
    assert!(seen.served > 0, "{seen:?}");
    let most = seen.memory_bytes.unwrap();
    assert!(most <= needs.memory_bytes, "{most} of {}", needs.memory_bytes);
    // An estimate that is far too large would refuse what can be done.
    assert!(most * 32 > needs.memory_bytes, "{most} of {}", needs.memory_bytes);
}
