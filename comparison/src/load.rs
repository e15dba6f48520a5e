//! Other processes that keep every processor busy for half of the time.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, hint, process, thread};

use anyhow::{Context, Result};

/// The processes; they end with this.
pub struct Load(Vec<Child>);

impl Load {
    /// One per processor, pinned to none.
    pub fn start() -> Result<Self> {
        let own = env::current_exe()?;
        let count = thread::available_parallelism()?.get();
        let start = || {
            let mut command = Command::new(&own);
            command.arg("--busy").stdin(Stdio::null()).spawn()
        };
        let started = (0..count).map(|_| start()).collect::<Result<_, _>>();
        started.map(Self).context("cannot start the load")
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Works and sleeps in turn, for 5 to 45 ms each, until the process that started it has ended.
pub fn be_busy() -> ! {
    let parent = std::os::unix::process::parent_id();
    let mut random = fastrand::Rng::new();
    loop {
        let spell = Duration::from_micros(random.u64(5_000..45_000));
        let begin = Instant::now();
        while begin.elapsed() < spell {
            hint::spin_loop();
        }
        thread::sleep(Duration::from_micros(random.u64(5_000..45_000)));
        if std::os::unix::process::parent_id() != parent {
            process::exit(0);
        }
    }
}
