//! The library and one multi-buffer manager of it: functions, a queue of jobs, lanes.
#![expect(unsafe_code, reason = "calls a C library")]

use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_uint, c_void};
use std::mem::offset_of;
use std::ptr::{NonNull, null_mut};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use super::ROW;
use super::layout::{
    BURST_JOBS_MAX, Data, FEATURE_AVX, FEATURE_AVX512F, Job, Mgr, STATUS_COMPLETED, VERSIONS,
    Version,
};
use crate::ffi::library::{Library, functions, text};
use crate::ffi::state::State;
use crate::restriction::{self, Extension};
use crate::{Forced, Place, Refused, Unavailable, processor};

/// The managers, best last, with what the library asks for before it fills them in
/// (`IMB_CPUFLAGS_…` of its header). What it does not fill in it calls all the same, to test
/// itself.
pub(super) const MANAGERS: [Forced; 4] = [
    manager("sse", &["sse4.2", "aes", "pclmulqdq"]),
    manager("avx", &["sse4.2", "aes", "pclmulqdq", "avx"]),
    manager("avx2", &["sse4.2", "aes", "pclmulqdq", "avx", "avx2", "bmi2"]),
    manager(
        "avx512",
        &[
            "sse4.2",
            "aes",
            "pclmulqdq",
            "avx",
            "avx2",
            "bmi2",
            "avx512f",
            "avx512dq",
            "avx512cd",
            "avx512bw",
            "avx512vl",
        ],
    ),
];

const fn manager(name: &'static str, needs: &'static [&'static str]) -> Forced {
    Forced { name, variables: &[], needs }
}

const NAMES: &[&str] = &["libIPSec_MB.so.2", "libIPSec_MB.so.1"];

functions! {
    /// The same in 1.3 to 2.0.
    Functions {
        alloc_mb_mgr: fn(u64) -> *mut Mgr;
        free_mb_mgr: fn(*mut Mgr);
        imb_get_feature_flags: fn() -> u64;
        imb_get_errno: fn(*mut Mgr) -> c_int;
        imb_get_strerror: fn(c_int) -> *const c_char;
        imb_get_version: fn() -> c_uint;
        imb_get_version_str: fn() -> *const c_char;
        init_mb_mgr_auto: fn(*mut Mgr, *mut c_uint);
    }
}

/// `init_mb_mgr_sse` and its like.
type Init = unsafe extern "C" fn(*mut Mgr);

/// The open library, which all threads share; it stays open as long as one of its managers is used.
pub(super) struct Loaded {
    library: Library,
    functions: Functions,
    version: &'static Version,
    /// `init_mb_mgr_sse` and its like; without one, the library chooses.
    init: Option<Init>,
    /// What the chosen one is called.
    init_name: String,
}

/// What a manager is kept for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// One message at a time.
    Single,
    /// Batches: their bursts find and leave the ring of jobs at its beginning.
    Lanes,
}

thread_local! {
    /// The managers of this thread, one for each library that is open and each use. They are freed
    /// when the thread ends, or with the last tagger that is dropped after that: neither needs the
    /// other, nor the provider, to be still there.
    static OF_THREAD: RefCell<Vec<(Use, Rc<MultiBuffer>)>> = const { RefCell::new(Vec::new()) };
}

/// Held while a manager is made: the error of that is kept in a variable of the whole library too,
/// and read from there.
static START: Mutex<()> = Mutex::new(());

/// One manager, some 200 KB. It is no use to several threads, so each thread has its own: whoever
/// has a call to make shares it by `Rc`, which cannot leave the thread, and each call leaves it
/// without jobs.
pub(super) struct MultiBuffer {
    manager: NonNull<Mgr>,
    pub(super) version: &'static Version,
    loaded: Arc<Loaded>,
}

impl Loaded {
    /// Opens a library whose structures are known, for the manager that the user asks for, or else
    /// the one that the library chooses.
    pub(super) fn open(place: &Place) -> Result<Arc<Self>, Unavailable> {
        if !cfg!(target_arch = "x86_64") {
            return Err(Unavailable::not_installed("supported on x86-64 only"));
        }
        let library = Library::open(place, NAMES, "alloc_mb_mgr")?;
        // SAFETY: a library with `alloc_mb_mgr` is intel-ipsec-mb; declared after its header.
        let functions = unsafe { Functions::load(&library) }?;
        let version = known_version(&library, &functions)?;
        // SAFETY: takes nothing.
        let found = unsafe { (functions.imb_get_feature_flags)() };
        let forced_to = match ROW.forced_to(place)? {
            Some(forced) => Some(forced.name),
            // Without AVX-512 a later type of this one, by the flags.
            None if restriction::left_out().takes(Extension::Avx512) => Some("avx2"),
            None => best_of_ours(&library, found)?,
        };
        let init_name = format!("init_mb_mgr_{}", forced_to.unwrap_or("auto"));
        // SAFETY: all functions of these names but the automatic one have this type.
        let init = forced_to.map(|_| unsafe { library.symbol(&init_name) }).transpose()?;
        Ok(Arc::new(Self { library, functions, version, init, init_name }))
    }

    /// This thread's manager, made by the first call.
    pub(super) fn manager(self: &Arc<Self>, wanted: Use) -> Result<Rc<MultiBuffer>, Refused> {
        OF_THREAD.with_borrow_mut(|managers| {
            let own = |(used, manager): &&(Use, Rc<MultiBuffer>)| {
                *used == wanted && Arc::ptr_eq(&manager.loaded, self)
            };
            if let Some((_, manager)) = managers.iter().find(own) {
                return Ok(Rc::clone(manager));
            }
            let manager = Rc::new(MultiBuffer::of(Arc::clone(self))?);
            managers.push((wanted, Rc::clone(&manager)));
            Ok(manager)
        })
    }

    pub(super) fn path(&self) -> String {
        self.library.path.display().to_string()
    }
}

impl MultiBuffer {
    /// The one of this thread that batches share, as a server would have it.
    pub(super) fn for_lanes(&self) -> Result<Rc<Self>, Refused> {
        self.loaded.manager(Use::Lanes)
    }

    fn of(loaded: Arc<Loaded>) -> Result<Self, Refused> {
        let _one_at_a_time = START.lock().unwrap_or_else(PoisonError::into_inner);
        let functions = &loaded.functions;
        let flags = flags(loaded.version.number.0);
        // SAFETY: flags of its header. The size of a manager is the library's own business.
        let allocated = unsafe { (functions.alloc_mb_mgr)(flags) };
        let manager = NonNull::new(allocated).ok_or("alloc_mb_mgr returned no manager")?;
        // SAFETY: an allocated manager; the second argument may be null. The text is the library's
        // own.
        let (number, error) = unsafe {
            match loaded.init {
                None => (functions.init_mb_mgr_auto)(allocated, null_mut()),
                Some(init) => init(allocated),
            }
            let number = (functions.imb_get_errno)(allocated);
            (number, text((functions.imb_get_strerror)(number)))
        };
        let opened = Self { manager, version: loaded.version, loaded };
        let what = format!("{}: {}", opened.loaded.path(), opened.loaded.init_name);
        if number != 0 {
            return Err(Refused::Said(format!("{error} (error {number})")).of(what));
        }
        if !opened.has_all_functions() {
            let why = "the manager lacks functions that its header declares";
            return Err(Refused::Call(why).of(what));
        }
        Ok(opened)
    }

    /// Whether no pointer is null that is declared to be a function.
    fn has_all_functions(&self) -> bool {
        let first = offset_of!(Mgr, get_next_job);
        let count = (size_of::<Mgr>() - first) / size_of::<*const c_void>();
        // SAFETY: the manager is at least as long, and all of it was written by the library; read
        // as plain pointers, any value is one.
        unsafe {
            let slots = self.manager.as_ptr().cast::<u8>().add(first).cast::<*const c_void>();
            (0..count).all(|i| !slots.add(i).read().is_null())
        }
    }

    /// The functions. Not to be held while one of them is called: they write to the manager.
    #[inline]
    pub(super) fn calls(&self) -> &Mgr {
        // SAFETY: an initialised manager of a known version, without null functions.
        unsafe { self.manager.as_ref() }
    }

    pub(super) fn version_text(&self) -> String {
        // SAFETY: takes nothing, returns a string of the library's own.
        unsafe { text((self.loaded.functions.imb_get_version_str)()) }
    }

    /// One job, as soon as it is there: submitted, and flushed out of its lane.
    ///
    /// # Safety
    /// `job` with `data` is complete: the pointers are valid for the lengths in it, which the
    /// library takes.
    #[inline]
    pub(super) unsafe fn run(&self, job: &Job, data: Data) -> bool {
        let (manager, calls) = (self.manager.as_ptr(), self.calls());
        let (next, submit, flush) = (calls.get_next_job, calls.submit_job_nocheck, calls.flush_job);
        // SAFETY: a free slot of the queue, at least as long as a `Job`; the caller's promise for
        // what is in it. No other job is there, so the one that comes back is this one.
        unsafe {
            fill(next(manager), job, data);
            let mut done = submit(manager);
            if done.is_null() {
                done = flush(manager);
            }
            !done.is_null() && (*done).status == STATUS_COMPLETED
        }
    }

    /// Many jobs, each to a lane as soon as one is free; by the manager [`for_lanes`] alone.
    ///
    /// [`for_lanes`]: Self::for_lanes
    ///
    /// # Safety
    /// As `run`, for all of them.
    pub(super) unsafe fn run_all(&self, jobs: &[(Job, Data)]) -> bool {
        if self.version.has_plain_burst {
            // SAFETY: the caller's promise.
            return jobs.chunks(BURST_JOBS_MAX).all(|jobs| unsafe { self.run_burst(jobs) });
        }
        // SAFETY: the caller's promise.
        unsafe { self.run_queued(jobs) }
    }

    /// One by one into the queue, and out of it.
    ///
    /// # Safety
    /// As `run`, for all of them.
    unsafe fn run_queued(&self, jobs: &[(Job, Data)]) -> bool {
        let (manager, calls) = (self.manager.as_ptr(), self.calls());
        let (next, submit, flush) = (calls.get_next_job, calls.submit_job_nocheck, calls.flush_job);
        let mut done = 0;
        for (job, data) in jobs {
            // SAFETY: a job from the manager's own queue, whose data are valid by the caller's
            // promise; a full queue gives back a job with each one that it takes.
            let completed = unsafe {
                fill(next(manager), job, *data);
                submit(manager)
            };
            done += usize::from(!completed.is_null());
        }
        // SAFETY: all jobs in the queue are the caller's, complete by its promise.
        while done < jobs.len() && !unsafe { flush(manager) }.is_null() {
            done += 1;
        }
        done == jobs.len()
    }

    /// At most [`BURST_JOBS_MAX`] jobs into the queue in one call, and out of it in another. 1.3
    /// miscounts a queue that goes beyond the end of the ring (it divides a negative difference by
    /// an unsigned size); one that begins at the beginning does not.
    ///
    /// # Safety
    /// As `run`, for all of them.
    unsafe fn run_burst(&self, jobs: &[(Job, Data)]) -> bool {
        let (manager, calls) = (self.manager.as_ptr(), self.calls());
        let (next, submit, flush) =
            (calls.get_next_burst, calls.submit_burst_nocheck, calls.flush_burst);
        let mut slots = [null_mut(); BURST_JOBS_MAX];
        let count = jobs.len() as u32;
        // SAFETY: room for as many slots as are asked for.
        if unsafe { next(manager, count, slots.as_mut_ptr()) } != count {
            return false;
        }
        for (slot, (job, data)) in slots.iter().zip(jobs) {
            // SAFETY: a free slot, at least as long as a `Job`.
            unsafe { fill(*slot, job, *data) };
        }
        // SAFETY: the slots just given, in their order; complete jobs, as the caller says.
        let mut done = unsafe { submit(manager, count, slots.as_mut_ptr()) };
        while done < count {
            // SAFETY: room for as many as are asked for.
            let flushed = unsafe { flush(manager, count - done, slots.as_mut_ptr()) };
            if flushed == 0 {
                return false;
            }
            done += flushed;
        }
        true
    }

    /// All jobs of an array at once, which are complete when it returns.
    ///
    /// # Safety
    /// As `run`, for all of them. Hash bursts of this version take `hash_alg`, which all jobs have.
    #[inline]
    pub(super) unsafe fn run_hashes(&self, jobs: &mut Jobs, hash_alg: c_uint) -> bool {
        let (manager, burst) = (self.manager.as_ptr(), self.calls().submit_hash_burst_nocheck);
        let count = jobs.count as u32;
        // SAFETY: an array of as many jobs, of the length that this version has; the rest is the
        // caller's promise.
        unsafe { burst(manager, jobs.first, count, hash_alg) == count }
    }
}

/// The template first and what differs behind it: written into the template and copied with it, it
/// would be read again in wider words than it was written in, which a CPU has to wait for.
///
/// # Safety
/// `slot` must be free, and at least as long as a `Job`.
#[inline]
unsafe fn fill(slot: *mut Job, job: &Job, data: Data) {
    // SAFETY: the caller's promise.
    unsafe {
        slot.write(*job);
        (*slot).set(data);
    }
}

impl Drop for MultiBuffer {
    fn drop(&mut self) {
        // SAFETY: allocated by this library, which is still open, and used nowhere any more.
        unsafe { (self.loaded.functions.free_mb_mgr)(self.manager.as_ptr()) };
    }
}

/// Which manager to ask for where the user asks for none: `None` is the library's own choice. That
/// goes by what the processor says of itself, `found`, and before 2.0 not by whether the operating
/// system saves the registers; where it does not, the best is taken that can run.
fn best_of_ours(library: &Library, found: u64) -> Result<Option<&'static str>, Unavailable> {
    let path = library.path.display();
    processor::check(MANAGERS[0].needs).map_err(|reason| format!("{path}: {reason}"))?;
    let is_unsaved = |feature, name| found & feature != 0 && !processor::lacks(&[name]).is_empty();
    if !is_unsaved(FEATURE_AVX, "avx") && !is_unsaved(FEATURE_AVX512F, "avx512f") {
        return Ok(None);
    }
    // Version 2 has no manager for AVX.
    let has = |it: &&Forced| library.has(&format!("init_mb_mgr_{}", it.name));
    let best = MANAGERS.iter().rev().filter(|it| it.is_runnable()).find(has);
    Ok(best.map(|manager| manager.name))
}

/// `IMB_FLAG_SHANI_OFF`, and `IMB_FLAG_GFNI_OFF` for VAES, which has no flag of its own: the types
/// of managers that use one want the other too. Version 2 has other numbers.
fn flags(major: u32) -> u64 {
    let flag = |extension: &Extension| match extension {
        Extension::Avx512 => 0,
        Extension::Vaes if major < 2 => 1 << 2,
        Extension::Vaes => 1 << 1,
        Extension::Sha => 1 << 0,
    };
    restriction::left_out().extensions().iter().map(flag).fold(0, |flags, flag| flags | flag)
}

/// The row of [`VERSIONS`] for this library: with other structures a call would end anywhere.
fn known_version(
    library: &Library,
    functions: &Functions,
) -> Result<&'static Version, Unavailable> {
    // SAFETY: take nothing; the text is the library's own.
    let (packed, found) =
        unsafe { ((functions.imb_get_version)(), text((functions.imb_get_version_str)())) };
    let number = (packed >> 16, packed >> 8 & 0xFF);
    VERSIONS.iter().find(|version| version.number == number).ok_or_else(|| {
        let known: Vec<_> = VERSIONS
            .iter()
            .map(|Version { number: (major, minor), .. }| format!("{major}.{minor}"))
            .collect();
        let path = library.path.display();
        format!("{path}: version {found} is not supported; {} are", known.join(", ")).into()
    })
}

/// An array of jobs of our own, of the length that the version has.
pub(super) struct Jobs {
    /// What `first` points to.
    _memory: State,
    first: *mut Job,
    stride_bytes: usize,
    count: usize,
}

impl Jobs {
    /// As many as there are templates.
    pub(super) fn new(version: &Version, templates: &[Job]) -> Self {
        let (stride_bytes, count) = (version.job_len_bytes, templates.len());
        let mut memory = State::new(stride_bytes * count);
        let jobs = Self { first: memory.as_mut_ptr(), _memory: memory, stride_bytes, count };
        for (i, template) in templates.iter().enumerate() {
            // SAFETY: within the array, at a multiple of 8 bytes.
            unsafe { jobs.at(i).write(*template) };
        }
        jobs
    }

    /// # Safety
    /// There must be a job `i`.
    #[inline]
    unsafe fn at(&self, i: usize) -> *mut Job {
        // SAFETY: the caller's promise.
        unsafe { self.first.byte_add(i * self.stride_bytes) }
    }

    /// Writes a message and where its tag goes into job `i`.
    #[inline]
    pub(super) fn set(&mut self, i: usize, data: Data) {
        assert!(i < self.count);
        // SAFETY: job `i`, just checked; nothing else points to it.
        unsafe { (*self.at(i)).set(data) };
    }
}
