//! Windows of toy macs: what is counted is what was done.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use lab::cell::KeyLife;
use lab::clock::Clock;
use lab::machine;
use lab::regimes::sessions::Serving;
use lab::sessions::needs::{Needs, STACK_LEN_BYTES};
use lab::sessions::{Load, Measured, Spread, Workload, measure, measure_on};
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
    /// All work is done under one lock.
    Lock,
    /// The state of all threads is one, as in a library that is not made for threads.
    SharedState,
    /// One tag is wrong, of the so-and-so-many-th call.
    WrongTag,
}

/// A toy mac of 4 bytes that takes some time, on no memory.
struct Toy {
    planted: Planted,
    rounds: u32,
    lock: &'static Mutex<()>,
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
            lock: Box::leak(Box::default()),
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
        let &Self { planted, rounds, lock, state, calls, .. } = self;
        let kept = key.to_vec();
        Ok(Box::new(move |key, message, tag| {
            let key = if life == KeyLife::Prepared { &kept } else { key };
            let bytes = key.iter().chain(message);
            let begin = bytes.fold(message.len() as u32, |sum, &it| {
                sum.wrapping_mul(31).wrapping_add(it.into())
            });
            let made = match planted {
                Planted::Lock => {
                    let _held = lock.lock();
                    mixed(rounds, begin)
                }
                Planted::SharedState => {
                    state.store(begin, Ordering::Relaxed);
                    black_box(mixed(rounds, begin));
                    mixed(rounds, state.load(Ordering::Relaxed))
                }
                _ => mixed(rounds, begin),
            };
            let call = calls.fetch_add(1, Ordering::Relaxed);
            let is_wrong = planted == Planted::WrongTag && call == 1000;
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

/// The processors that this process may use; `None`, and a word, where there is but one.
fn two_cpus() -> Option<[u32; 2]> {
    let found: Vec<u32> = machine::processors().iter().map(|it| it.cpu).collect();
    if found.len() < 2 {
        eprintln!("skipped: one processor only");
    }
    found.first_chunk().copied()
}

fn one_cpu() -> [u32; 1] {
    [machine::processors()[0].cpu]
}

/// Other work on the machine spoils a window now and then: the best of several must do.
fn best_of(tries: u32, mut attempt: impl FnMut() -> Result<(), String>) {
    let mut said = Vec::new();
    for _ in 0..tries {
        match attempt() {
            Ok(()) => return,
            Err(why) => said.push(why),
        }
    }
    panic!("{said:#?}");
}

fn must(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

#[test]
fn all_servings_count_what_they_did() {
    let _alone = alone();
    for serving in [Serving::Threads, Serving::Pooled, Serving::Batched] {
        let seen = window(&Toy::new(Planted::Nothing), &load(serving, 70, &one_cpu())).unwrap();
        assert_eq!(seen.bytes, seen.messages * 16);
        assert_eq!(seen.threads, if serving == Serving::Threads { 70 } else { 1 });
        assert!(seen.messages > 0 && seen.served <= 70 && seen.served > 0, "{seen:?}");
        assert!(seen.fairness > 0.0 && seen.fairness < 1.0 + 1e-9);
        assert!(seen.window_ns >= 60e6 && seen.cpu_ns > 0.0, "{seen:?}");
        assert!(!seen.slices.is_empty() && seen.times.iter().all(|it| it.1 > 0));
        let slices_ns: f64 = seen.slices.iter().map(|slice| slice.ns).sum();
        assert!((slices_ns / seen.window_ns - 1.0).abs() < 1e-6);
        // What is published and what is counted differ by a burst of each thread.
        let published: u64 = seen.slices.iter().map(|slice| slice.bytes).sum();
        let ratio = published as f64 / seen.bytes as f64;
        assert!((0.5..2.0).contains(&ratio), "{published} {seen:?}");
    }
}

#[test]
fn sessions_of_a_pool_are_served_alike() {
    let _alone = alone();
    let seen = window(&Toy::new(Planted::Nothing), &load(Serving::Pooled, 10, &one_cpu())).unwrap();
    let Spread { least, most, .. } = seen.messages_of_session;
    assert!(most - least <= 1.0 && seen.fairness > 0.999, "{seen:?}");
}

#[test]
fn two_sessions_that_have_a_processor_each_get_as_much() {
    let _alone = alone();
    let Some(cpus) = two_cpus() else { return };
    best_of(10, || {
        let load = Load { pinned: true, ..load(Serving::Threads, 2, &cpus) };
        let seen = window(&Toy::new(Planted::Nothing), &load).unwrap();
        assert_eq!(seen.migrations, 0);
        must(seen.served == 2 && seen.fairness > 0.9, || format!("{seen:?}"))
    });
}

#[test]
fn the_threads_clocks_agree_with_the_systems_account_of_the_process() {
    let _alone = alone();
    best_of(5, || {
        let load = Load { to_ms: 320.0, ..load(Serving::Threads, 20, &one_cpu()) };
        let seen = window(&Toy::new(Planted::Nothing), &load).unwrap();
        let ratio = seen.cpu_to_process().unwrap_or(f64::NAN);
        must((0.95..1.05).contains(&ratio), || format!("{ratio}"))
    });
}

#[test]
fn on_one_processor_apparent_is_absolute_or_slightly_more() {
    let _alone = alone();
    let cpus = one_cpu();
    let mut void = Vec::new();
    for _ in 0..10 {
        let load = Load { to_ms: 420.0, ..load(Serving::Threads, 100, &cpus) };
        let before_ns = busy_ns(cpus[0]);
        let cpu_before_ns = process_cpu_ns();
        let seen = window(&Toy::new(Planted::Nothing), &load).unwrap();
        let others_ns = busy_ns(cpus[0]) - before_ns - (process_cpu_ns() - cpu_before_ns);
        let ratio = seen.apparent_ns() / seen.absolute_ns();
        assert!(ratio > 0.95, "{seen:?}");
        if ratio < 1.10 {
            return;
        }
        // Others who take the processor make it more.
        void.push((ratio, others_ns / seen.window_ns));
    }
    let is_quiet = |&(_, others): &(f64, f64)| others < 0.05;
    assert!(!void.iter().any(is_quiet), "apparent/absolute, share of others: {void:?}");
    eprintln!("skipped: processor {} is busy with other work", cpus[0]);
}

#[test]
fn sessions_have_no_more_of_a_processor_than_there_is_however_long_their_messages() {
    let _alone = alone();
    // Messages of some 3 ms. Most sessions have their first turn within the window, so that more
    // messages are cut by its end than by its beginning.
    let toy = Toy { rounds: 3_000_000, ..Toy::new(Planted::Nothing) };
    let load = Load { from_ms: 5.0, to_ms: 125.0, ..load(Serving::Threads, 24, &one_cpu()) };
    for _ in 0..3 {
        let seen = window(&toy, &load).unwrap();
        let had_ns = seen.window_cpu_ns.unwrap();
        assert!(had_ns <= 1.01 * seen.window_ns, "{seen:?}");
        assert!(seen.excess().is_none() && seen.share().unwrap() > 0.0);
        // What a message seems to take is no less than what it took.
        let ratio = seen.apparent_ns() / seen.absolute_ns();
        assert!(ratio > 0.99, "{ratio} {seen:?}");
    }
}

/// Time that a processor was not idle since the start, by the system's own account.
fn busy_ns(cpu: u32) -> f64 {
    let text = std::fs::read_to_string("/proc/stat").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("cpu{cpu} "))).unwrap();
    let steps: Vec<f64> = line.split_ascii_whitespace().map(|it| it.parse().unwrap()).collect();
    // Without idling and waiting for disks; time of guests is in that of users.
    (steps[..3].iter().sum::<f64>() + steps[5..8].iter().sum::<f64>()) * 1e7
}

fn process_cpu_ns() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Time that others than this process had of these processors since the start.
fn others_ns(cpus: [u32; 2]) -> f64 {
    cpus.map(busy_ns).iter().sum::<f64>() - process_cpu_ns()
}

/// How often a quota of processors has held this process up: it is idle then, and nobody is busy.
fn throttled() -> u64 {
    let files = ["/sys/fs/cgroup/cpu.stat", "/sys/fs/cgroup/cpu/cpu.stat"];
    let texts = files.iter().filter_map(|file| std::fs::read_to_string(file).ok());
    let of = |line: &str| line.strip_prefix("nr_throttled ")?.trim().parse::<u64>().ok();
    texts.filter_map(|text| text.lines().find_map(of)).sum()
}

/// Of several windows on two processors: apparent time over the absolute time on one, which other
/// work on the machine hardly touches, and how many processors the sessions had.
fn two_over_one(planted: Planted, cpus: [u32; 2]) -> Vec<(f64, f64)> {
    let toy = Toy::new(planted);
    let of = |cpus: &[u32]| {
        let load = Load { pinned: true, ..load(Serving::Threads, 8, cpus) };
        window(&toy, &load).unwrap()
    };
    let one_ns = of(&cpus[..1]).absolute_ns();
    let two = (0..8).map(|_| of(&cpus));
    two.map(|it| (it.apparent_ns() / one_ns, it.cpu_ns / it.window_ns)).collect()
}

#[test]
fn a_second_processor_halves_the_apparent_time_unless_a_lock_stands_before_it() {
    let _alone = alone();
    let Some(cpus) = two_cpus() else { return };
    let locked = two_over_one(Planted::Lock, cpus);
    assert!(locked.iter().all(|&(ratio, _)| ratio > 0.8), "{locked:?}");
    let mut void = Vec::new();
    for _ in 0..5 {
        let (begun, before_ns, throttled_before) = (Instant::now(), others_ns(cpus), throttled());
        let free = two_over_one(Planted::Nothing, cpus);
        let others_ns = others_ns(cpus) - before_ns;
        let share_of_others = others_ns / (2.0 * begun.elapsed().as_secs_f64() * 1e9);
        if free.iter().any(|&(ratio, _)| ratio < 0.75) {
            return;
        }
        assert!(free.iter().all(|&(_, processors)| processors < 1.6), "{free:?}");
        void.push((share_of_others, throttled() > throttled_before, free));
    }
    // Sessions that do without a processor which nobody else has are kept from it by the harness.
    let is_quiet = |&(others, is_throttled, _): &(f64, bool, _)| others < 0.05 && !is_throttled;
    assert!(!void.iter().any(is_quiet), "share of others, throttled, windows: {void:?}");
    eprintln!("skipped: the processors are busy with other work");
}

#[test]
fn a_mix_has_its_mean_length() {
    let _alone = alone();
    for serving in [Serving::Threads, Serving::Pooled, Serving::Batched] {
        let lengths = vec![(64, 7), (570, 4), (1518, 1)];
        let load = Load { lengths, verify: true, ..load(serving, 10, &one_cpu()) };
        let seen = window(&Toy::new(Planted::Nothing), &load).unwrap();
        let mean = seen.bytes as f64 / seen.messages as f64;
        assert!((mean / load.mean_len_bytes() - 1.0).abs() < 0.05, "{serving}: {mean}");
    }
}

#[test]
fn a_wrong_tag_is_noticed_by_those_who_verify() {
    let _alone = alone();
    for serving in [Serving::Threads, Serving::Pooled, Serving::Batched] {
        let load = Load { verify: true, ..load(serving, 3, &one_cpu()) };
        let said = window(&Toy::new(Planted::WrongTag), &load).unwrap_err();
        assert!(said.starts_with("tags differ under threads"), "{said}");
        window(&Toy::new(Planted::Nothing), &load).unwrap();
    }
}

#[test]
fn a_library_that_is_wrong_under_threads_is_noticed() {
    let _alone = alone();
    let load = load(Serving::Threads, 40, &[]);
    let said = window(&Toy::new(Planted::SharedState), &load).unwrap_err();
    assert!(said.starts_with("tags differ under threads"), "{said}");
    let one = Load { count: 1, ..load };
    window(&Toy::new(Planted::SharedState), &one).unwrap();
}

#[test]
fn sessions_get_new_keys_and_their_tags_stay_right() {
    let _alone = alone();
    for serving in [Serving::Threads, Serving::Pooled, Serving::Batched] {
        let toy = Toy::new(Planted::Nothing);
        let load = Load { verify: true, rekey_every: 10, ..load(serving, 70, &one_cpu()) };
        let seen = window(&toy, &load).unwrap();
        let opened = u64::from(toy.opened.load(Ordering::Relaxed));
        assert!(opened > seen.messages / 10, "{opened} {seen:?}");
    }
}

#[test]
fn at_a_low_rate_nothing_is_behind() {
    let _alone = alone();
    for serving in [Serving::Threads, Serving::Pooled, Serving::Batched] {
        best_of(8, || {
            let rate_per_s = Some(100.0);
            let load = Load { rate_per_s, to_ms: 520.0, ..load(serving, 20, &one_cpu()) };
            let seen = window(&Toy::new(Planted::Nothing), &load).unwrap();
            // 20 sessions x 100 a second x 0.5 s, as a Poisson process has it.
            let expected = 1000.0 * seen.window_ns / 0.5e9;
            must((seen.messages as f64 - expected).abs() < 150.0, || format!("{seen:?}"))?;
            let kept: u64 = seen.times.iter().map(|it| it.1).sum();
            assert_eq!(kept, seen.messages);
            must(seen.behind <= 2, || format!("{serving}: {} behind", seen.behind))
        });
    }
}

#[test]
fn at_a_rate_above_what_can_be_done_messages_fall_behind() {
    let _alone = alone();
    for serving in [Serving::Threads, Serving::Pooled, Serving::Batched] {
        // 100 sessions x 100,000 a second x 1 µs: ten processors' work for one.
        let load = Load { rate_per_s: Some(1e5), ..load(serving, 100, &one_cpu()) };
        let seen = window(&Toy::new(Planted::Nothing), &load).unwrap();
        assert!(seen.behind > seen.messages, "{serving}: {seen:?}");
    }
}

#[test]
fn what_cannot_be_done_is_told_in_a_line_and_leaves_no_thread() {
    let _alone = alone();
    let toy = Toy::new(Planted::Nothing);
    let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
    let before = threads();
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
    // Those of the test harness come and go.
    assert!(threads() <= before + 2, "{} threads, {before} before", threads());
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
    let seen = window(&Toy::new(Planted::Nothing), &load).unwrap();
    assert_eq!(seen.threads, 10_000);
    assert!(seen.messages > 0 && seen.served > 0, "{seen:?}");
    let most = seen.memory_bytes.unwrap();
    assert!(most <= needs.memory_bytes, "{most} of {}", needs.memory_bytes);
    // An estimate that is far too large would refuse what can be done.
    assert!(most * 32 > needs.memory_bytes, "{most} of {}", needs.memory_bytes);
}
