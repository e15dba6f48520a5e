//! Whose something is: a process, so described that another one can prove that it has ended. A
//! number alone proves nothing: it is given away again, and means something else in another
//! container or on another machine.

use std::fs;

use serde::{Deserialize, Serialize};

/// The first namespace of processes of any Linux, whichever machine it is and however often it was
/// started.
const FIRST_NAMESPACE: &str = "pid:[4026531836]";

/// A process that writes a run, told apart from all others on any machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Its process id.
    pub pid: u32,
    /// When it was started, in ticks since the machine was.
    started: String,
    /// Which start of the machine that was.
    boot: String,
    /// Among which processes the number is its.
    namespace: String,
    /// The machine's own number.
    machine: String,
    /// The machine's name.
    pub host: String,
}

impl Owner {
    /// What tells this process apart.
    #[must_use]
    pub fn this_process() -> Self {
        let pid = std::process::id();
        let line = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
        let namespace = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        Self {
            pid,
            started: stat_of(pid).as_deref().and_then(running_since).unwrap_or_default(),
            boot: line("/proc/sys/kernel/random/boot_id"),
            namespace: namespace.to_string_lossy().into_owned(),
            machine: line("/etc/machine-id"),
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
        }
    }

    /// Whether it has ended; `None` where that cannot be known from here.
    #[must_use]
    pub fn has_ended(&self) -> Option<bool> {
        self.has_ended_for(&Self::this_process())
    }

    /// The same as a process knows it that is `here`.
    fn has_ended_for(&self, here: &Self) -> Option<bool> {
        if self.boot.is_empty() || here.boot.is_empty() {
            return None;
        }
        if self.boot != here.boot {
            let is_same = |a: &str, b: &str| !a.is_empty() && a == b;
            let is_here = is_same(&self.machine, &here.machine) && is_same(&self.host, &here.host);
            // A container has both of its image, wherever it is started.
            let is_in_none = [self, here].iter().all(|it| it.namespace == FIRST_NAMESPACE);
            // The same machine, started again.
            return (is_here && is_in_none).then_some(true);
        }
        if self.namespace != here.namespace || self.namespace.is_empty() {
            return None;
        }
        match stat_of(self.pid) {
            Some(stat) => Some(running_since(&stat).is_none_or(|it| it != self.started)),
            // That there is none to be seen proves nothing where `/proc` is mounted with `hidepid`.
            None => is_free(self.pid).then_some(true),
        }
    }
}

/// What the system tells of the process of this number; `None` where it tells us nothing.
fn stat_of(pid: u32) -> Option<String> {
    fs::read_to_string(format!("/proc/{pid}/stat")).ok()
}

/// Whether no process has this number, be it one that is hidden from us: a signal would not find
/// any.
fn is_free(pid: u32) -> bool {
    let Ok(number) = i32::try_from(pid) else { return true };
    let Some(number) = rustix::process::Pid::from_raw(number) else { return true };
    rustix::process::test_kill_process(number) == Err(rustix::io::Errno::SRCH)
}

/// When the process was started of which the system tells this; `None` where it is dead and only
/// not yet buried.
fn running_since(stat: &str) -> Option<String> {
    // The name in brackets may have brackets and spaces of its own.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?;
    let started = fields.nth(18)?;
    (!matches!(state, "Z" | "X")).then(|| started.to_owned())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn what_has_ended_is_known_of_processes_of_this_machine_only() {
        let own = Owner::this_process();
        assert_eq!(own.has_ended(), Some(false));
        let ended = |change: fn(&mut Owner)| {
            let mut other = own.clone();
            change(&mut other);
            other.has_ended()
        };
        assert_eq!(ended(|it| it.started = "1".into()), Some(true), "the number was given again");
        assert_eq!(ended(|it| it.namespace = "pid:[1]".into()), None, "another container");
        let elsewhere: fn(&mut Owner) = |it| {
            it.boot = "x".into();
            it.host = "elsewhere".into();
        };
        assert_eq!(ended(elsewhere), None);
        assert_eq!(ended(|it| it.boot.clear()), None);
    }

    #[test]
    fn what_ran_before_the_machine_was_started_again_has_ended() {
        let text = |it: &str| it.to_owned();
        let here = Owner {
            pid: 1,
            started: text("2"),
            boot: text("this"),
            namespace: text(FIRST_NAMESPACE),
            machine: text("a machine"),
            host: text("its name"),
        };
        let before = Owner { boot: text("the last"), ..here.clone() };
        assert_eq!(before.has_ended_for(&here), Some(true));
        let unknown: [fn(&mut Owner); 6] = [
            |it| it.host = "elsewhere".into(),
            |it| it.host.clear(),
            |it| it.machine = "another".into(),
            |it| it.machine.clear(),
            |it| it.boot.clear(),
            |it| it.namespace = "pid:[4026532201]".into(),
        ];
        for (number, change) in unknown.into_iter().enumerate() {
            let (mut other, mut changed) = (before.clone(), here.clone());
            change(&mut other);
            assert_eq!(other.has_ended_for(&here), None, "{number}");
            change(&mut changed);
            assert_eq!(before.has_ended_for(&changed), None, "{number}, from there");
        }
        // Alike, but nothing that only one machine has.
        let unsaid: [fn(&mut Owner); 2] = [|it| it.machine.clear(), |it| it.host.clear()];
        for change in unsaid {
            let mut both = [before.clone(), here.clone()];
            both.iter_mut().for_each(change);
            assert_eq!(both[0].has_ended_for(&both[1]), None);
        }
    }

    #[test]
    fn a_dead_process_has_ended_buried_or_not() {
        let mut child = Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let mut owner = Owner::this_process();
        owner.pid = child.id();
        owner.started = running_since(&stat_of(child.id()).unwrap()).unwrap();
        assert_eq!(owner.has_ended(), Some(false));
        child.kill().unwrap();
        while owner.has_ended() == Some(false) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert_eq!(owner.has_ended(), Some(true));
    }

    #[test]
    fn a_number_is_free_only_where_no_process_has_it() {
        // The first process is there, and of another user where we are not root.
        assert!(!is_free(1) && !is_free(std::process::id()));
        // Not numbers of processes: to the system they are groups of them, or all.
        assert!(is_free(0) && is_free(u32::MAX));
    }
}
