//! Writes a store of machines that never were, to see what many machines cost and how they look:
//!
//! ```text
//! cargo run --release -p macrometer-fleet --example simulate -- STORE [--machines N] [--cells N]
//!     [--launches N] [--blocks N] [--seed N] [--from ARCHIVE[:RUN]]
//! ```
//!
//! Every bundle says that it is simulated. With `--from` the machines are drawn from a measured
//! run.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use fleet::{AaTest, Contents, Doctor, Pack, ProviderTest, Selftest};
use lab::archive::Archive;
use lab::record::{Packed, ProviderRecord};
use synthetic::{Filling, Fleet, Simulated};

type Failure = Box<dyn Error + Send + Sync>;

struct Asked {
    store: PathBuf,
    machines: usize,
    cells: usize,
    filling: Filling,
    seed: u64,
    from: Option<String>,
}

fn main() -> Result<(), Failure> {
    let asked = asked()?;
    let fleet = match &asked.from {
        None => Fleet::synthetic(asked.cells, asked.filling, asked.seed),
        Some(from) => {
            let (file, run) = from.rsplit_once(':').unwrap_or((from, "last"));
            Fleet::of(Archive::open(Path::new(file))?.load(run)?, asked.filling, asked.seed)
        }
    };
    let pack = Pack::new(fleet.study().clone(), vec![], Some(asked.seed), "0.1.0");
    std::fs::create_dir_all(&asked.store)?;
    let (next, threads) = (AtomicUsize::new(0), std::thread::available_parallelism()?.get());
    let work = || -> Result<(), Failure> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= asked.machines {
                return Ok(());
            }
            write(&asked.store, &pack, fleet.machine(at), at)?;
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ended = workers.into_iter().map(|it| it.join().unwrap_or_else(|_| Err("died".into())));
        ended.collect::<Result<Vec<()>, Failure>>()
    })?;
    println!("{}: {} machines of study {}", asked.store.display(), asked.machines, pack.id());
    Ok(())
}

fn asked() -> Result<Asked, Failure> {
    let mut words = std::env::args().skip(1);
    let store = words.next().ok_or("which folder?")?.into();
    let filling = Filling { launches: 12, blocks: 1, launch_sd: 0.004, block_sd: 0.004 };
    let mut asked = Asked { store, machines: 12, cells: 100, filling, seed: 1, from: None };
    while let Some(option) = words.next() {
        let value = words.next().ok_or_else(|| format!("{option}: of what?"))?;
        match option.as_str() {
            "--machines" => asked.machines = value.parse()?,
            "--cells" => asked.cells = value.parse()?,
            "--launches" => asked.filling.launches = value.parse()?,
            "--blocks" => asked.filling.blocks = value.parse()?,
            "--seed" => asked.seed = value.parse()?,
            "--from" => asked.from = Some(value),
            _ => return Err(format!("{option}: no such option").into()),
        }
    }
    Ok(asked)
}

fn write(store: &Path, pack: &Pack, simulated: Simulated, at: usize) -> Result<(), Failure> {
    let Simulated { mut run, identity } = simulated;
    run.packed = Some(Packed { study_id: pack.id(), machine_id: identity.id() });
    let tested = |it: &ProviderRecord| ProviderTest {
        name: it.name.clone(),
        version: it.version.clone(),
        path: it.path.clone(),
        passed: 7,
        failed: 0,
        refused: 0,
        ended_by: None,
    };
    let providers = run.providers.iter().map(tested).collect();
    let selftest = Selftest { vectors_id: "00".repeat(16), vectors: 7, providers };
    let a_a =
        AaTest { pairs: 20, launches: 12, called_different: 1, band: [0, 3], intervals_apart: 1 };
    let doctor = Doctor { doubts: vec![], a_a: Some(a_a) };
    let contents = Contents {
        pack,
        machine: &identity,
        host_id: &format!("{at:032x}"),
        host_name: None,
        selftest: &selftest,
        doctor: &doctor,
        authors: &[],
        licence: "CC0-1.0",
        macrometer_version: "0.1.0",
        simulated: true,
    };
    let path = std::env::temp_dir().join(format!("simulate-{}-{at}.db", std::process::id()));
    let archive = synthetic::keep(&path, &run)?;
    let written = fleet::bundle::write(store, &archive, &run.id, &contents);
    drop(archive);
    for end in ["", "-wal", "-shm", "-lock"] {
        // Not all of them are there.
        let _ = std::fs::remove_file(format!("{}{end}", path.display()));
    }
    written?;
    Ok(())
}
