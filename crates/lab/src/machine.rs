//! The machine and the state it is in, as far as it can be read: what a figure needs to be
//! believed.

pub(crate) mod cgroup;
mod identity;
mod topology;

use std::fs;
use std::time::{Duration, Instant};

use crate::record::{Machine, Without};
use crate::sessions::account::{memory_bytes, spent};

pub use identity::Identity;
pub use topology::{core_count, one_of_each_core_first, pinnable_cpu, processors};

/// Extensions that decide which code path a MAC library takes, as Linux spells them.
const FLAGS: &[&str] = &[
    "aes",
    "avx",
    "avx2",
    "avx512bw",
    "avx512f",
    "avx512ifma",
    "avx512vl",
    "bmi2",
    "gfni",
    "pclmulqdq",
    "pmull",
    "sha1",
    "sha2",
    "sha3",
    "sha512",
    "sha_ni",
    "ssse3",
    "vaes",
    "vpclmulqdq",
];

/// Reads what can be read; what cannot is absent.
#[must_use]
pub fn read(pinned_cpu: Option<u32>) -> Machine {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = field(&cpuinfo, "flags").or(field(&cpuinfo, "Features")).unwrap_or_default();
    let cpu = pinned_cpu.unwrap_or(0);
    Machine {
        cpu_model: model(&cpuinfo),
        cpu_flags: deciding(flags),
        cpus: online(),
        kernel: kernel(),
        governor: line(&format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor")),
        turbo: turbo(),
        virtualization: virtualization(flags),
        load_1min: load_1min(),
        pinned_cpu,
        memory_bytes: memory_bytes(
            &fs::read_to_string("/proc/meminfo").unwrap_or_default(),
            "MemTotal",
        ),
        distribution: distribution(),
        compiler: Some(env!("MACROMETER_COMPILER").to_owned()).filter(|name| !name.is_empty()),
        processors: vec![],
        without: Without::default(),
        segments_dir: None,
    }
}

/// Those of these flags that decide a code path.
fn deciding(flags: &str) -> Vec<String> {
    flags.split(' ').filter(|flag| FLAGS.contains(flag)).map(Into::into).collect()
}

/// Logical processors online, those included that this process may not use: the machine is the same
/// under `taskset`.
fn online() -> u32 {
    let list = line("/sys/devices/system/cpu/online");
    let usable = || std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    list.and_then(|list| count(&list)).unwrap_or_else(usable)
}

/// Processors of a list as the kernel writes it: `0-3,6`.
fn count(list: &str) -> Option<u32> {
    u32::try_from(topology::numbers(list)?.len()).ok()
}

/// Load average over one minute.
#[must_use]
pub fn load_1min() -> Option<f64> {
    line("/proc/loadavg")?.split(' ').next()?.parse().ok()
}

/// Load above which other programs disturb a measurement noticeably, and for how long the present
/// one is looked at: the average of a minute still has what just ended.
const LOAD_MAX: f64 = 0.5;
const LOOK: Duration = Duration::from_millis(200);

/// What disturbs measurements on this machine, in a sentence: other programs now, or a CPU quota;
/// absent where nothing does.
#[must_use]
pub fn busy() -> Option<String> {
    disturbances(others(), cgroup::quota(processors().len()))
}

fn disturbances(others: Option<String>, quota: Option<String>) -> Option<String> {
    let told: Vec<String> = others.into_iter().chain(quota).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// What other programs do to a measurement now.
fn others() -> Option<String> {
    let load = load_1min().filter(|&load| load > LOAD_MAX)?;
    let now = others_now().unwrap_or(load);
    (now > LOAD_MAX).then(|| {
        format!(
            "other programs use {now:.1} processors now (load average of the last minute: \
             {load:.1}), and disturb measurements"
        )
    })
}

/// Processors that are busy while this process sleeps.
fn others_now() -> Option<f64> {
    let cpus: Vec<u32> = processors().iter().map(|it| it.cpu).collect();
    let (began, before) = (Instant::now(), spent(&cpus)?);
    std::thread::sleep(LOOK);
    let busy_ns = spent(&cpus)?.busy_ns - before.busy_ns;
    Some(busy_ns / began.elapsed().as_nanos() as f64)
}

/// Does `work` with this thread pinned to `cpu`, where that is allowed, and lets it go again.
pub fn pinned<T>(cpu: Option<u32>, work: impl FnOnce() -> T) -> T {
    let before = rustix::thread::sched_getaffinity(None);
    if let Some(cpu) = cpu.filter(|&cpu| may_pin_to(cpu)) {
        let mut only = rustix::thread::CpuSet::new();
        only.set(cpu as usize);
        // Refused or not, the work is done; unpinned it is only less steady.
        let _ = rustix::thread::sched_setaffinity(None, &only);
    }
    let outcome = work();
    if let Ok(before) = before {
        let _ = rustix::thread::sched_setaffinity(None, &before);
    }
    outcome
}

/// Whether this process may run there.
#[must_use]
pub fn may_pin_to(cpu: u32) -> bool {
    let allowed = rustix::thread::sched_getaffinity(None);
    (cpu as usize) < rustix::thread::CpuSet::MAX_CPU
        && allowed.is_ok_and(|allowed| allowed.is_set(cpu as usize))
}

fn field<'a>(cpuinfo: &'a str, name: &str) -> Option<&'a str> {
    cpuinfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim())
    })
}

fn model(cpuinfo: &str) -> String {
    #[cfg(target_arch = "x86_64")]
    if let Some(brand) = raw_cpuid::CpuId::new().get_processor_brand_string() {
        return brand.as_str().trim().to_owned();
    }
    field(cpuinfo, "model name").unwrap_or(std::env::consts::ARCH).to_owned()
}

fn kernel() -> String {
    let uname = rustix::system::uname();
    let word = |name: &std::ffi::CStr| name.to_string_lossy().into_owned();
    format!("{} {} {}", word(uname.sysname()), word(uname.release()), word(uname.machine()))
}

fn distribution() -> Option<String> {
    let files = ["/etc/os-release", "/usr/lib/os-release"];
    distribution_of(&files.iter().find_map(|path| fs::read_to_string(path).ok())?)
}

/// The name for people in an `os-release` file.
fn distribution_of(os_release: &str) -> Option<String> {
    let name = os_release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    let name = name.trim().trim_matches(['"', '\'']);
    (!name.is_empty()).then(|| name.to_owned())
}

fn turbo() -> Option<bool> {
    let intel = line("/sys/devices/system/cpu/intel_pstate/no_turbo").map(|no| no == "0");
    intel.or_else(|| line("/sys/devices/system/cpu/cpufreq/boost").map(|on| on == "1"))
}

fn virtualization(flags: &str) -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    if let Some(hypervisor) = raw_cpuid::CpuId::new().get_hypervisor_info() {
        return Some(format!("{:?}", hypervisor.identify()));
    }
    flags.split(' ').any(|flag| flag == "hypervisor").then(|| "unknown hypervisor".into())
}

fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_name_a_kernel_and_processors() {
        let machine = read(pinnable_cpu());
        assert!(!machine.cpu_model.is_empty() && !machine.kernel.is_empty() && machine.cpus > 0);
    }

    #[test]
    fn processors_of_a_list_are_counted() {
        assert_eq!((count("0"), count("0-1"), count("0-3,6,8-9")), (Some(1), Some(2), Some(7)));
        assert_eq!((count(""), count("x"), count("3-1")), (None, None, None));
    }

    #[test]
    fn a_quota_is_told_whatever_the_load() {
        let [others, quota] = ["others".to_owned(), "quota".to_owned()].map(Some);
        assert_eq!(disturbances(None, quota.clone()), quota);
        assert_eq!(disturbances(others.clone(), None), others);
        assert_eq!(disturbances(others, quota).as_deref(), Some("others; quota"));
        assert_eq!(disturbances(None, None), None);
    }

    #[test]
    fn memory_and_distribution_are_read_from_what_the_system_says() {
        assert_eq!(memory_bytes("MemTotal:       16 kB\nMemFree: 3 kB", "MemTotal"), Some(16_384));
        assert_eq!(memory_bytes("MemTotal: much", "MemTotal"), None);
        let named = "NAME=X\nPRETTY_NAME=\"Fedora 13 (Goddard)\"\n";
        assert_eq!(distribution_of(named).as_deref(), Some("Fedora 13 (Goddard)"));
        assert_eq!(distribution_of("NAME=X"), None);
        assert!(read(None).compiler.is_some_and(|name| name.starts_with("rustc ")));
    }

    #[test]
    fn fields_of_cpuinfo_are_found_by_their_whole_name() {
        let text = "model\t\t: 17\nmodel name\t: A B\nflags : x y";
        assert_eq!(field(text, "model name"), Some("A B"));
        assert_eq!(field(text, "flag"), None);
    }
}
