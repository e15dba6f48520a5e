//! The control groups that this process is in, and what their quota of the processors does to
//! measurements.

use std::fs;
use std::path::Path;

/// Where the limits of our own control groups may be.
pub(crate) fn own_folders(controller: &str) -> Vec<String> {
    folders(&fs::read_to_string("/proc/self/cgroup").unwrap_or_default(), controller)
}

/// The folders of the control groups that a `/proc/PID/cgroup` names: those of a controller (cgroup
/// v1), and those of all (v2). Each with all above it, whose limits bind as well: batch systems and
/// systemd set theirs there. In a container the path may be the host's, which is not to be found;
/// the root is, and it is the container's own group.
fn folders(text: &str, controller: &str) -> Vec<String> {
    let mut folders = Vec::new();
    for line in text.lines() {
        let mut words = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (words.next(), words.next()) else { continue };
        let root = match controllers {
            "" => "/sys/fs/cgroup".to_owned(),
            _ if controllers.split(',').any(|it| it == controller) => {
                format!("/sys/fs/cgroup/{controller}")
            }
            _ => continue,
        };
        let above = Path::new(path).ancestors();
        folders.extend(above.map(|it| format!("{root}{}", it.display())));
    }
    folders
}

/// A number by its name in a file of such lines: `nr_periods 340`.
pub(crate) fn number_in(stat: &str, name: &str) -> Option<u64> {
    let of_line = |line: &str| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok();
    stat.lines().find_map(of_line)
}

/// What the tightest quota over this process does, in a sentence; absent where it leaves all
/// `processors` to it.
pub(super) fn quota(processors: usize) -> Option<String> {
    told(&own_folders("cpu"), processors)
}

fn told(folders: &[String], processors: usize) -> Option<String> {
    let all = folders.iter().filter_map(|folder| Some((quota_in(folder)?, folder)));
    let (quota, folder) = all.min_by(|one, other| one.0.total_cmp(&other.0))?;
    if quota >= processors as f64 {
        return None;
    }
    let stat = read(folder, "cpu.stat").unwrap_or_default();
    let happened = number_in(&stat, "nr_throttled").zip(number_in(&stat, "nr_periods"));
    let happened = happened.map_or_else(String::new, |(throttled, periods)| {
        format!(" (so far in {throttled} of {periods} periods)")
    });
    Some(format!(
        "the control group, or one above it, has a CPU quota of {quota:.2} with {} to run on: when \
         it is used up, everything in the group stops until the next period, which disturbs \
         measurements{happened}",
        words::counted(processors, "processor")
    ))
}

/// How many processors' time a group gets, by the files of cgroup v2 or v1.
fn quota_in(folder: &str) -> Option<f64> {
    let of_v1 = || {
        let of = |name: &str| read(folder, &format!("cpu.cfs_{name}_us"));
        Some(format!("{} {}", of("quota")?, of("period")?))
    };
    share(&read(folder, "cpu.max").or_else(of_v1)?)
}

/// Microseconds of processors in a period, over its length; of `max 100000` and `-1 100000`, which
/// set no quota, nothing.
fn share(text: &str) -> Option<f64> {
    let mut words = text.split_ascii_whitespace();
    let mut number = || words.next()?.parse::<u64>().ok().filter(|&number| number > 0);
    let (quota, period) = (number()?, number()?);
    Some(quota as f64 / period as f64)
}

fn read(folder: &str, name: &str) -> Option<String> {
    fs::read_to_string(format!("{folder}/{name}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_looked_for_in_all_groups_above() {
        let root = "/sys/fs/cgroup";
        let v2 = folders("0::/user.slice/job:7/step 1\n", "memory");
        let wanted = ["/user.slice/job:7/step 1", "/user.slice/job:7", "/user.slice", "/"];
        assert_eq!(v2, wanted.map(|it| format!("{root}{it}")));
        let v1 = "5:cpu,cpuacct:/a\n4:memory:/docker/7f\n3:pids:/\n1:name=systemd:/b\n";
        let wanted = ["/docker/7f", "/docker", "/"].map(|it| format!("{root}/memory{it}"));
        assert_eq!(folders(v1, "memory"), wanted);
        assert_eq!(folders(v1, "pids"), [format!("{root}/pids/")]);
        assert_eq!(folders(v1, "cpu"), ["/a", "/"].map(|it| format!("{root}/cpu{it}")));
        assert!(folders("", "memory").is_empty());
    }

    #[test]
    fn a_quota_is_a_number_of_processors() {
        assert_eq!(share("150000 100000\n"), Some(1.5));
        assert_eq!(share("5000\n 10000\n"), Some(0.5));
        for none in ["max 100000\n", "-1 100000", "150000", "150000 0", "0 100000", "x y", ""] {
            assert_eq!(share(none), None, "{none:?}");
        }
        let stat = "nr_periods 340\nnr_throttled 12\nnr_throttled_all 99\n";
        assert_eq!((number_in(stat, "nr_throttled"), number_in(stat, "nr")), (Some(12), None));
    }

    #[test]
    fn the_tightest_quota_is_told_where_it_leaves_less_than_all_processors() {
        let root = tempfile::tempdir().unwrap();
        let group = |name: &str, files: &[(&str, &str)]| {
            let folder = root.path().join(name);
            fs::create_dir_all(&folder).unwrap();
            files.iter().for_each(|(file, text)| fs::write(folder.join(file), text).unwrap());
            folder.display().to_string()
        };
        let stat = "usage_usec 9\nnr_periods 340\nnr_throttled 12\nthrottled_usec 7\n";
        let above = group("job", &[("cpu.max", "150000 100000\n"), ("cpu.stat", stat)]);
        let own = group("job/step", &[("cpu.max", "max 100000\n"), ("cpu.stat", "nr_periods 0\n")]);
        let wider = group("wide", &[("cpu.max", "800000 100000\n")]);
        let groups = [own.clone(), above, wider.clone()];
        let whole = "the control group, or one above it, has a CPU quota of 1.50 with 4 processors \
                     to run on: when it is used up, everything in the group stops until the next \
                     period, which disturbs measurements (so far in 12 of 340 periods)";
        assert_eq!(told(&groups, 4).as_deref(), Some(whole));
        assert_eq!(told(&groups, 1), None);
        assert_eq!(told(&[own, wider, "/nowhere".into()], 8), None);
        let v1 = |quota: &str| {
            let files = [("cpu.cfs_quota_us", quota), ("cpu.cfs_period_us", "100000\n")];
            told(&[group("v1", &files)], 1)
        };
        let said = v1("50000\n").unwrap();
        assert!(said.contains(" 0.50 with 1 processor "), "{said}");
        assert!(said.ends_with(" disturbs measurements"), "{said}");
        assert_eq!(v1("-1\n"), None);
    }
}
