//! Bundles are written whole, read strictly, and never changed.

mod made;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use fleet::{Bundle, Refused, store};
use lab::owner::Owner;
use made::{Made, names_in};
use serde_json::Value;

#[test]
fn a_bundle_is_what_was_measured_and_nothing_stays_beside_it() {
    let made = Made::new();
    let place = made.write();
    let ids = [made.pack.id(), made.machine.id(), made.run.id.clone()];
    assert_eq!(place, ids.iter().fold(made.store(), |path, id| path.join(id)));
    let bundle = Bundle::read(&place).unwrap();
    assert_eq!(bundle.run().unwrap(), made.run);
    assert_eq!((&bundle.pack, &bundle.selftest), (&made.pack, &made.selftest));
    assert_eq!((&bundle.doctor, &bundle.about.machine), (&made.doctor, &made.machine));
    assert_eq!(names_in(&made.store()), [made.pack.id()], "no part is left");
    // Reading leaves no file beside the archive, and other programs find the sums right.
    let files = names_in(&place);
    assert_eq!(files.len(), fleet::bundle::FILES.len() + 1, "{files:?}");
    let mut check = Command::new("sha256sum");
    check.args(["--check", "--quiet", "--strict", "SHA256SUMS"]).current_dir(&place);
    let checked = check.status();
    assert!(checked.is_ok_and(|status| status.success()));
}

#[test]
fn what_a_process_left_that_has_ended_is_removed_and_nothing_else() {
    let made = Made::new();
    let left = |name: &str, change: fn(&mut Value)| {
        let part = made.store().join(name);
        fs::create_dir_all(part.join("study")).unwrap();
        fs::write(part.join("study/archive.sqlite"), "half").unwrap();
        let mut owner = serde_json::to_value(Owner::this_process()).unwrap();
        change(&mut owner);
        fs::write(part.join("owner.json"), owner.to_string()).unwrap();
        part
    };
    // Its number was given again; of the others one lives, one is of another host, nobody knows
    // whose the third is, with something in it, and the fourth is none.
    let ended = left(".part-1", |it| it["started"] = "1".into());
    let others = [
        left(".part-2", |_| {}),
        left(".part-3", |it| {
            it["boot"] = "another".into();
            it["host"] = "another".into();
        }),
        made.store().join(".part-4"),
        left("notes", |it| it["started"] = "1".into()),
    ];
    fs::create_dir(&others[2]).unwrap();
    fs::write(others[2].join("notes"), "").unwrap();
    made.write();
    assert!(!ended.exists());
    assert!(others.iter().all(|it| it.exists()), "{:?}", names_in(&made.store()));
    assert_eq!(names_in(&made.store()).len(), others.len() + 1);
}

const HOUR: Duration = Duration::from_secs(60 * 60);

/// As a process leaves it that is killed before it has marked its folder.
#[test]
fn what_was_never_marked_is_removed_after_a_minute() {
    let made = Made::new();
    let now = SystemTime::now();
    let left = |name: &str, file: Option<(&str, &str)>, made_at: SystemTime| {
        let part = made.store().join(name);
        fs::create_dir_all(&part).unwrap();
        if let Some((name, content)) = file {
            fs::write(part.join(name), content).unwrap();
        }
        fs::File::open(&part).unwrap().set_modified(made_at).unwrap();
        part
    };
    let mark = "owner.json";
    // However long this test takes, the later ones are younger than a minute.
    let [before, after] = [now - HOUR, now + HOUR];
    let never = [left(".part-1", None, before), left(".part-2", Some((mark, "")), before)];
    // Of one that is written now nothing may be taken away, nor what somebody else has put there.
    let others = [
        left(".part-3", None, after),
        left(".part-4", Some((mark, "")), after),
        left(".part-5", Some((mark, "mine")), before),
        left(".part-6", Some(("archive.sqlite", "")), before),
        left("notes", None, before),
    ];
    made.write();
    assert!(never.iter().all(|it| !it.exists()), "{:?}", names_in(&made.store()));
    assert!(others.iter().all(|it| it.exists()), "{:?}", names_in(&made.store()));
}

#[test]
fn a_bundle_never_changes() {
    let mut made = Made::new();
    let place = made.write();
    let before = fs::read(place.join("SHA256SUMS")).unwrap();
    assert_eq!(made.write(), place, "the same again is no trouble");
    made.run.samples.pop();
    let error = made.try_write().unwrap_err().to_string();
    assert!(error.ends_with("a bundle never changes"), "{error}");
    assert_eq!(fs::read(place.join("SHA256SUMS")).unwrap(), before);
    assert_eq!(names_in(&made.store()), [made.pack.id()]);
}

#[test]
fn a_run_of_no_pack_or_another_one_or_another_machine_makes_no_bundle() {
    type Change = fn(&mut Made);
    let changes: [(&str, Change); 3] = [
        ("no pack", |made| made.run.packed = None),
        ("another pack", |made| made.run.packed.as_mut().unwrap().study_id = "00".repeat(20)),
        ("another machine", |made| made.machine.cores += 1),
    ];
    for (wanted, change) in changes {
        let mut made = Made::new();
        change(&mut made);
        let error = made.try_write().unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
        assert!(!made.store().exists(), "nothing is made");
    }
}

/// What the store says of the bundle after a change; another one beside it is taken.
#[track_caller]
fn refused(change: impl FnOnce(&Path)) -> String {
    let mut made = Made::new();
    let place = made.write();
    made.run.id = "20261122-000000-0000".into();
    let sound = made.write();
    change(&place);
    let line = the_other_is_taken(&made.store(), &sound);
    let named = line.contains("20261121-103045-1f3a") || line.contains(&made.machine.id());
    assert!(named, "it names the bundle: {line}");
    line
}

/// The one line that a store is told to be refused for.
#[track_caller]
fn the_other_is_taken(store: &Path, sound: &Path) -> String {
    let read = store::read(store).unwrap();
    let taken: Vec<&PathBuf> = read.bundles.iter().map(|bundle| &bundle.place).collect();
    assert_eq!(taken, [sound], "the other is taken");
    let [refused] = &read.refused[..] else { panic!("{:?}", read.refused) };
    let line = refused.to_string();
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}

#[test]
fn a_flipped_bit_of_any_file_is_refused_by_the_name_of_the_file() {
    let mut made = Made::new();
    let place = made.write();
    made.run.id = "20261122-000000-0000".into();
    let sound = made.write();
    for name in fleet::bundle::FILES {
        let path = place.join(name);
        let whole = fs::read(&path).unwrap();
        for at in [0.0, 0.5, 0.999] {
            let mut bytes = whole.clone();
            bytes[(at * whole.len() as f64) as usize] ^= 1;
            fs::write(&path, bytes).unwrap();
            let line = the_other_is_taken(&made.store(), &sound);
            assert!(line.contains(&format!("/{name}: ")), "{name} at {at}: {line}");
        }
        fs::write(&path, whole).unwrap();
    }
    assert_eq!(store::read(&made.store()).unwrap().bundles.len(), 2);
}

#[test]
fn flipped_bits_of_the_sums_are_refused_wherever_they_are() {
    let made = Made::new();
    let place = made.write();
    let sums = fs::read(place.join("SHA256SUMS")).unwrap();
    for at in 0..sums.len() {
        let mut changed = sums.clone();
        changed[at] ^= 1;
        fs::write(place.join("SHA256SUMS"), changed).unwrap();
        assert!(Bundle::read(&place).is_err(), "byte {at}");
    }
    fs::write(place.join("SHA256SUMS"), [&sums[..], b"00  ../../../etc/passwd\n"].concat())
        .unwrap();
    let error = Bundle::read(&place).unwrap_err().what;
    assert_eq!(error, "names files that no bundle has");
    fs::write(place.join("SHA256SUMS"), sums).unwrap();
    Bundle::read(&place).unwrap();
}

#[test]
fn a_missing_file_one_more_and_a_link_are_refused() {
    let made = Made::new();
    let place = made.write();
    for name in fleet::bundle::FILES.into_iter().chain(["SHA256SUMS"]) {
        let (path, aside) = (place.join(name), made.store().join("aside"));
        fs::rename(&path, &aside).unwrap();
        let line = Bundle::read(&place).unwrap_err().to_string();
        assert!(line.ends_with(&format!("/{name}: missing")), "{line}");
        fs::rename(aside, path).unwrap();
    }
    let line = refused(|place| fs::write(place.join("archive.sqlite-wal"), "").unwrap());
    assert!(line.ends_with("/archive.sqlite-wal: not part of a bundle"), "{line}");
    let line = refused(|place| fs::write(place.join("\u{1b}[2J\nx"), "").unwrap());
    assert!(!line.contains('\u{1b}'), "{line:?}");
    let line = refused(|place| {
        let (path, aside) = (place.join("pack.json"), place.join("../../../aside"));
        fs::rename(&path, &aside).unwrap();
        symlink(aside, path).unwrap();
    });
    assert!(line.contains("links are not followed"), "{line}");
    let line = refused(|place| {
        let aside = place.join("../../../.aside");
        fs::rename(place, &aside).unwrap();
        symlink(&aside, place).unwrap();
    });
    assert!(line.contains("links are not followed"), "{line}");
}

/// Writes a file of a bundle anew, and the sums as if nothing had happened.
fn with_sums(place: &Path, name: &str, content: &[u8]) {
    fs::write(place.join(name), content).unwrap();
    let files = fleet::bundle::FILES;
    let sums = Command::new("sha256sum").args(files).current_dir(place).output().unwrap();
    fs::write(place.join("SHA256SUMS"), sums.stdout).unwrap();
}

fn replaced(place: &Path, name: &str, from: &str, to: &str) {
    let text = fs::read_to_string(place.join(name)).unwrap();
    assert!(text.contains(from), "{from}");
    with_sums(place, name, text.replace(from, to).as_bytes());
}

#[test]
fn what_contradicts_itself_is_refused_even_with_sums_that_match() {
    let newer = |place: &Path| {
        fs::write(place.join("more.json"), "{}").unwrap();
        replaced(place, "bundle.json", "\"schema\": 1", "\"schema\": 2");
    };
    let line = refused(newer);
    assert!(line.contains("bundle.json: schema 2, made by a newer macrometer"), "{line}");
    let climbing = |place: &Path| {
        let package = "datapackage.json";
        replaced(place, package, "\"path\": \"pack.json\"", "\"path\": \"../../../x\"");
    };
    let line = refused(climbing);
    assert!(line.contains("datapackage.json: \"../../../x\" is not part of the bundle"), "{line}");
    let line = refused(|place| with_sums(place, "archive.sqlite", b"SQLite format 3\0"));
    assert!(line.contains("archive.sqlite: "), "{line}");
    let line = refused(|place| with_sums(place, "archive.sqlite", b""));
    assert!(line.ends_with("archive.sqlite: not an archive of macrometer"), "{line}");
    let other = fleet::Pack::new(synthetic::small().study, vec![], None, "0.1.0");
    let line = refused(|place| with_sums(place, "pack.json", other.text().as_bytes()));
    assert!(line.contains("pack.json: another study: "), "{line}");
    let line = refused(|place| replaced(place, "bundle.json", "\"cores\": ", "\"cores\": 9"));
    assert!(line.contains("machine_id is not that of its machine"), "{line}");
    let different = |place: &Path| {
        let a_a = b"{\"doubts\": [], \"a_a\": {\"pairs\": 2, \"launches\": 12, \
            \"called_different\": 3, \"band\": [0, 9], \"intervals_apart\": 0}}";
        with_sums(place, "doctor.json", a_a);
    };
    let line = refused(different);
    assert!(line.contains("doctor.json: 3 of 2 pairs"), "{line}");
    let endless = |place: &Path| {
        let file = fs::OpenOptions::new().write(true).open(place.join("CITATION.cff")).unwrap();
        file.set_len(1 << 40).unwrap();
    };
    let line = refused(endless);
    assert!(line.contains("CITATION.cff: more than"), "{line}");
    let line = refused(|place| with_sums(place, "doctor.json", b"[]"));
    assert!(line.contains("/doctor.json: "), "{line}");
}

#[test]
fn what_lies_elsewhere_than_it_says_is_refused() {
    let line = refused(|place| {
        let elsewhere = place.with_file_name("20261121-103045-1f3b");
        fs::rename(place, elsewhere).unwrap();
    });
    assert!(line.contains("lies in 20261121-103045-1f3b"), "{line}");
    let line = refused(|place| {
        let machine = place.parent().unwrap().with_file_name("0".repeat(32));
        fs::create_dir_all(&machine).unwrap();
        fs::rename(place, machine.join("20261121-103045-1f3a")).unwrap();
    });
    assert!(line.contains("is of the machine "), "{line}");
}

#[test]
fn a_run_of_another_study_in_the_archive_is_refused() {
    let made = Made::new();
    let mut other = made.run.clone();
    other.packed.as_mut().unwrap().study_id = "0".repeat(40);
    let folder = tempfile::tempdir().unwrap();
    let archive = synthetic::keep(&folder.path().join("a.db"), &other).unwrap();
    archive.export(&other.id, &folder.path().join("b.db")).unwrap();
    let bytes = fs::read(folder.path().join("b.db")).unwrap();
    // A machine of its own for each test: only the study differs.
    let place = made.write();
    with_sums(&place, "archive.sqlite", &bytes);
    let error = Bundle::read(&place).unwrap_err().to_string();
    assert!(error.contains("archive.sqlite: its run is of another study: 0000"), "{error}");
}

#[test]
fn a_store_may_have_files_beside_its_studies_but_no_other_folders() {
    let made = Made::new();
    made.write();
    let store = made.store();
    fs::write(store.join("README.md"), "mine").unwrap();
    fs::create_dir_all(store.join(".part-0123/x")).unwrap();
    let read = store::read(&store).unwrap();
    assert_eq!((read.bundles.len(), read.refused), (1, vec![]));
    fs::create_dir(store.join("notes")).unwrap();
    symlink("/", store.join(made.pack.id()).join("f".repeat(32))).unwrap();
    let read = store::read(&store).unwrap();
    let told: Vec<String> = read.refused.iter().map(Refused::to_string).collect();
    assert_eq!((read.bundles.len(), told.len()), (1, 2), "{told:?}");
    assert!(told.iter().any(|line| line.ends_with("notes: its name is not a study_id")));
    assert!(told.iter().any(|line| line.ends_with("not a folder; links are not followed")));
    let error = store::read(&store.join("none")).unwrap_err().to_string();
    assert!(error.contains("none: cannot be read"), "{error}");
}
