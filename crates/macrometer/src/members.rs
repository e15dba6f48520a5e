//! The runs of a store, read by as many threads as there are processors: many machines have many
//! samples, of which only the times of launches are kept.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Result, anyhow, bail};
use fleet::{Bundle, Division, Refused, Verdict, store};
use lab::record::Run;
use report::Findings;
use report::machines::{Catalog, Member, Traits};

use crate::output;
use crate::stores::Store;

/// Studies that an error names.
const NAMED_MAX: usize = 5;

/// The runs of one study in a store.
pub struct Members {
    /// The store, as the user named it.
    pub store: String,
    /// Hash of the pack that they measured.
    pub study_id: String,
    /// In the order of machines and runs.
    pub members: Vec<Member>,
    /// Names of the places and offers that they have, each once.
    pub catalog: Catalog,
    /// Bundles that are not sound.
    pub refused: Vec<Refused>,
}

/// Reads a store. `study` is a study_id, or the start of one; without it the store must be of one
/// study. `each` is called with every run, by several threads.
pub fn read(
    place: &Path,
    study: Option<&str>,
    each: impl Fn(&Bundle, &Run, &Findings) -> Result<()> + Sync,
) -> Result<Members> {
    let store = Store::named(place)?;
    let mut refused = store.refused.clone();
    let places = store::bundles(store.path(), &mut refused);
    let places = places.map_err(|error| anyhow!("{error}"))?;
    let chosen = of_study(&store, places, study, &mut refused);
    let (study_id, places) = chosen.inspect_err(|_| tell(&refused))?;
    let catalog = Catalog::default();
    let made = of_each(&places, |place| {
        let (bundle, run) = match sound(place) {
            Ok(read) => read,
            Err(error) => return Ok(Err(error)),
        };
        let findings = Findings::of(&run);
        let member = Member::of(&run, &findings, traits(&bundle, &run), &catalog);
        each(&bundle, &run, &findings)?;
        Ok(Ok(member))
    })?;
    let mut members = Vec::new();
    for member in made {
        match member {
            Ok(member) => members.push(member),
            Err(error) => refused.push(error),
        }
    }
    if members.is_empty() {
        tell(&refused);
        bail!("{store}: no valid bundle");
    }
    Ok(Members { store: store.to_string(), study_id, members, catalog, refused })
}

/// Names what was not taken, a line each.
pub fn tell(refused: &[Refused]) {
    refused.iter().for_each(|it| output::say(&format!("macrometer: refused: {it}")));
}

fn sound(place: &Path) -> Result<(Bundle, Run), Refused> {
    let bundle = Bundle::read(place)?;
    let run = bundle.run().map_err(|error| Refused::new(place, error.to_string()))?;
    Ok((bundle, run))
}

/// What is made of each place, in their order, by several threads.
fn of_each<T: Send>(
    places: &[PathBuf],
    make: impl Fn(&Path) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let (next, made) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    by_threads(|| {
        while let Some(place) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
            let one = make(place)?;
            made.lock().unwrap_or_else(PoisonError::into_inner).push((place, one));
        }
        Ok(())
    })?;
    let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    made.sort_by(|x, y| x.0.cmp(y.0));
    Ok(made.into_iter().map(|(_, one)| one).collect())
}

/// The same work by as many threads as there are processors.
fn by_threads(work: impl Fn() -> Result<()> + Sync) -> Result<()> {
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    thread::scope(|scope| {
        // Where a limit allows no more threads, those that are there do it all, or this one.
        let start = |_| thread::Builder::new().spawn_scoped(scope, &work).ok();
        let workers: Vec<_> = (0..threads).map_while(start).collect();
        if workers.is_empty() {
            return work();
        }
        let mut ended =
            workers.into_iter().map(|it| it.join().map_err(|_| anyhow!("a thread died"))?);
        ended.try_for_each(|ended| ended)
    })
}

/// The bundles of the study that is meant. Where there are several, those count that have a sound
/// bundle; of the others each is refused.
fn of_study(
    store: &Store,
    places: Vec<PathBuf>,
    study: Option<&str>,
    refused: &mut Vec<Refused>,
) -> Result<(String, Vec<PathBuf>)> {
    let id = |place: &Path| {
        let folder = place.ancestors().nth(2).and_then(Path::file_name);
        folder.map_or(String::new(), |it| it.to_string_lossy().into_owned())
    };
    let mut ids: Vec<String> = places.iter().map(|place| id(place)).collect();
    ids.dedup();
    ids.retain(|id| study.is_none_or(|study| id.starts_with(study)));
    if ids.len() > 1 {
        ids.retain(|it| {
            let mut wrong = Vec::new();
            let mut own = places.iter().filter(|place| id(place) == *it);
            let is_sound = own.any(|place| sound(place).map_err(|error| wrong.push(error)).is_ok());
            if !is_sound {
                refused.append(&mut wrong);
            }
            is_sound
        });
    }
    match &ids[..] {
        [only] => Ok((only.clone(), places.into_iter().filter(|it| id(it) == *only).collect())),
        [] => match study {
            Some(study) => bail!("{store}: has no bundle of study {study}"),
            None if refused.is_empty() => bail!("{store}: has no bundle"),
            None => bail!("{store}: no valid bundle"),
        },
        several => {
            let named: Vec<&str> = several.iter().take(NAMED_MAX).map(String::as_str).collect();
            let (count, named) = (several.len(), named.join(", "));
            bail!("{store}: has {count} studies, choose one by --study: {named}")
        }
    }
}

fn traits(bundle: &Bundle, run: &Run) -> Traits {
    let (about, machine) = (&bundle.about, &bundle.about.machine);
    let generation = [&machine.family, &machine.model].map(|it| it.as_deref().unwrap_or("?"));
    let division = match Verdict::of(bundle, run).division {
        Division::Closed => "closed",
        Division::Open => "open",
    };
    Traits {
        machine_id: about.machine_id.clone(),
        host_id: about.host_id.clone(),
        run_id: about.run_id.clone(),
        cpu: run.machine.cpu_model.clone(),
        vendor: machine.vendor.clone(),
        generation: Some(generation.join("/")),
        features: machine.features.clone(),
        hypervisor: machine.hypervisor.clone(),
        system: run.machine.kernel.clone(),
        processors: machine.processors,
        simulated: about.simulated,
        division: division.into(),
    }
}
