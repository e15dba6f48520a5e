//! Processes that get less than a command needs: a small stack, little memory. Both are seen before
//! anything is begun, and told in a line; later nothing could be told.

use std::thread::Builder;

use anyhow::{Result, anyhow, bail};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What the stack of a command may need; systems usually give as much.
const STACK_BYTES: u64 = 8 << 20;

/// With less memory not even a study is read: an allocation that fails ends a process without a
/// word of ours.
const MEMORY_BYTES: usize = 48 << 20;

/// Does the command's work where there is room for it: usually here and now. Workers stay on the
/// first thread, which is the one that the lab holds to its processor.
pub fn with_room(work: impl FnOnce() -> Result<u8> + Send) -> Result<u8> {
    if std::env::args_os().nth(1).is_some_and(|verb| verb == "worker") || raise_stack() {
        check_memory()?;
        return work();
    }
    std::thread::scope(|scope| {
        let own = Builder::new().stack_size(STACK_BYTES as usize);
        let own = own.spawn_scoped(scope, || check_memory().and_then(|()| work()));
        let own = own.map_err(|error| {
            let reason = words::reason(&error);
            anyhow!(
                "the stack is too small (ulimit -s), and there is no thread for another: {reason}"
            )
        })?;
        own.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Whether the first thread's stack may grow as far as it needs.
fn raise_stack() -> bool {
    let Rlimit { current, maximum } = getrlimit(Resource::Stack);
    let is_enough = |limit: Option<u64>| limit.is_none_or(|bytes| bytes >= STACK_BYTES);
    let raised = Rlimit { current: Some(STACK_BYTES), maximum };
    is_enough(current) || is_enough(maximum) && setrlimit(Resource::Stack, raised).is_ok()
}

fn check_memory() -> Result<()> {
    // Not touched, so that it costs nothing.
    if Vec::<u8>::new().try_reserve_exact(MEMORY_BYTES).is_err() {
        let needed = MEMORY_BYTES >> 20;
        bail!("not enough memory: at least {needed} MiB are needed (see ulimit -v and ulimit -d)");
    }
    Ok(())
}
