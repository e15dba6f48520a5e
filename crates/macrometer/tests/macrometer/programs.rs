//! Transactions of programs in languages of their own, against those of our own library: it opens
//! what they send, byte for byte, and they refuse the faults that it refuses.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use lab::cell::{Candidate, Cell, Flow, KeyLife, Scheme};
use lab::owner::Owner;
use lab::record::ProviderRecord;
use lab::regimes::segments::{Action, Medium, Segments};
use lab::segments::Pair;
use lab::segments::folder::Folder;
use lab::worker::client::{Launch, Worker};
use lab::worker::{keys_len_bytes, pool_len_bytes};
use providers::{Kind, Place, ROWS, Row};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Around the length of a segment, and many of them.
const LENS_BYTES: [usize; 7] = [0, 1, 139, 140, 141, 1024, 10240];

/// The argument vector of a program, where it is here and its libraries have anything that seals.
fn sealing_programs() -> Vec<(&'static Row, Vec<String>, ProviderRecord)> {
    let mut found = Vec::new();
    for row in ROWS {
        let Kind::Program(command) = row.kind else { continue };
        let words = match command(&Place::default()) {
            Ok(words) => words,
            Err(reason) => {
                println!("skipped: {}: {reason}", row.name);
                continue;
            }
        };
        match Worker::launch(&launch(row, &words), None).and_then(|mut worker| worker.info()) {
            Ok(info) if info.regimes.iter().any(|it| it.is_of_schemes()) => {
                found.push((row, words, info));
            }
            Ok(info) => println!("skipped: {} makes no transactions ({})", row.name, info.detail),
            Err(error) => println!("skipped: {}: {error}", row.name),
        }
    }
    // Without any the tests would pass; what CI installs has what Python seals with.
    let is_ci = std::env::var("CI").is_ok_and(|it| it == "true");
    let has_python = found.iter().any(|(row, ..)| row.name == "python");
    assert!(!is_ci || has_python, "Python makes no transactions in CI");
    found
}

fn launch(row: &Row, words: &[String]) -> Launch {
    Launch::new(row.name, words.iter().map(Into::into).collect())
}

/// Our own pair under a key, in memory: what receives what the programs send.
fn ours(scheme: Scheme<'_>, key: &[u8]) -> Pair {
    let macs = providers::row("macs").unwrap().kind;
    let Kind::InProcess(open) = macs else { panic!("our own library is no program") };
    let sealing = open(&Place::default()).unwrap().sealing(scheme.composition, key).unwrap();
    Pair::in_memory(sealing, scheme.flow, 1)
}

/// The files of the segments of the last transaction, of a file of this length.
fn segments(folder: &Path, scheme: Scheme<'_>, pair: &Pair, len: usize) -> Vec<Vec<u8>> {
    let added = pair.added();
    let (name, len) = match scheme.flow {
        Flow::Es => ("segment", len + added.nonce_len_bytes + added.tag_len_bytes),
        Flow::Se => ("sealed", len),
        Flow::SeBound => ("bound", len),
    };
    let file = |i| fs::read(folder.join(format!("{name}-{i}"))).unwrap();
    (0..len.div_ceil(140).max(1)).map(file).collect()
}

/// A scheme's cell over all lengths: our library receives what is on the disk, proofs are its tags,
/// and the program refuses faults as promised.
fn check_scheme(worker: &mut Worker, folder: &Path, pool: &[u8], offer: &Candidate, key: &[u8]) {
    let scheme = Scheme::of(&offer.mac).expect("a scheme");
    let mut pair = ours(scheme, &key[..key.len() - 15]);
    for (id, len) in (0..).zip(LENS_BYTES) {
        for medium in [Medium::Memory, Medium::Fsync, Medium::Disk] {
            if medium == Medium::Fsync && len > 141 {
                continue;
            }
            let what = format!("{offer}, {len} bytes, {medium}");
            let cell = Cell {
                candidate: offer.clone(),
                regime: Segments { medium, action: Action::Transaction }.into(),
                key_life: KeyLife::Prepared,
                len_bytes: len as u64,
                key_len_bytes: u32::try_from(key.len() - 15).unwrap(),
                usual_key: true,
            };
            let file = &pool[..len];
            let known = hex::encode(pair.known_tag(file).unwrap());
            worker.open(id, &cell, key, Some(140)).expect(&what);
            assert_eq!(worker.prove(id, 1).expect(&what), known, "{what}");
            let actions = worker.segments(id, 1, 80).expect(&what).actions;
            let sum: f64 = Action::ALL[..4].iter().map(|it| actions[it].elapsed_ns).sum();
            assert!(sum > 0.0 && sum <= actions[&Action::Transaction].elapsed_ns, "{what}");
            if medium != Medium::Memory {
                let sent = segments(folder, scheme, &pair, len);
                assert_eq!(pair.receive(sent).as_deref(), Some(file), "{what}");
                assert_eq!(fs::read(folder.join("received")).unwrap(), file, "{what}");
            }
        }
    }
    let added = pair.added();
    let faults = worker.faults(0, 10, u64::MAX).expect("faults");
    assert_eq!(faults.nonce_len_bytes as usize, added.nonce_len_bytes, "{offer}");
    assert_eq!(faults.tag_len_bytes as usize, added.tag_len_bytes, "{offer}");
    assert_eq!(faults.bound_len_bytes as usize, added.bound_len_bytes, "{offer}");
    assert_eq!(faults.ciphertext_block_len_bytes, 1, "{offer}");
    let right = lab::segments::faults::count(&mut pair, 10, 1).unwrap();
    assert_eq!(format!("{:?}", faults.faults), format!("{right:?}"), "{offer}");
}

#[test]
fn our_own_library_receives_what_programs_send() {
    let mut random = StdRng::seed_from_u64(6);
    let mut bytes = |len: usize| {
        let mut bytes = vec![0; len];
        random.fill_bytes(&mut bytes);
        bytes
    };
    let base = tempfile::tempdir().unwrap();
    let pool = bytes(pool_len_bytes(10240));
    for (row, words, info) in sealing_programs() {
        let folder = Folder::in_base(base.path()).unwrap();
        let mut worker = Worker::launch(&launch(row, &words), None).unwrap();
        worker.pool(&pool).unwrap();
        assert!(worker.folder(base.path()).is_err(), "a folder that was not made for segments");
        worker.folder(folder.path()).unwrap();
        let schemes = info.offers.iter().filter(|offer| Scheme::of(&offer.mac).is_some());
        for offer in schemes {
            let Scheme { composition, .. } = Scheme::of(&offer.mac).unwrap();
            let key_len = macs::find(composition).expect(composition).key_len_bytes;
            let keys = bytes(keys_len_bytes(u32::try_from(key_len).unwrap()));
            let (mac, kernel) = (offer.mac.clone(), offer.kernel.clone());
            let candidate = Candidate { mac, provider: row.name.into(), kernel };
            check_scheme(&mut worker, folder.path(), &pool, &candidate, &keys);
        }
        println!("{}: {}", row.name, info.detail);
        for scheme in ["eax-aes-128-es", "ctr+cmac-aes-128-se"] {
            assert!(info.offers.iter().any(|offer| offer.mac == scheme), "{scheme}");
        }
    }
}

/// A program that was told its folder, and then hears nothing more.
fn deserted(words: &[String], folder: &Path) -> Child {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut requests = child.stdin.take().unwrap();
    writeln!(requests, "folder {}", folder.display()).unwrap();
    let mut reply = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut reply).unwrap();
    assert_eq!(reply, "ok {}\n");
    child
}

#[test]
fn programs_remove_the_segments_of_a_lab_that_has_ended_and_nothing_else() {
    // Larger than any process number of Linux.
    let mut dead = Owner::this_process();
    dead.pid = 4_194_999;
    for (row, words, _) in sealing_programs() {
        let base = tempfile::tempdir().unwrap();
        let path = |number: usize| base.path().join(format!("macrometer-segments-{number:016x}"));
        let owners = [dead.clone(), dead.clone(), Owner::this_process()];
        for (number, owner) in owners.iter().enumerate() {
            fs::create_dir(path(number)).unwrap();
            fs::write(path(number).join("segment-0"), [0; 140]).unwrap();
            let mark = serde_json::to_string(owner).unwrap();
            fs::write(path(number).join("owner.json"), mark).unwrap();
        }
        fs::write(path(1).join("thesis.tex"), "years").unwrap();
        let children = [0, 1, 2].map(|number| deserted(&words, &path(number)));
        for mut child in children {
            child.wait().unwrap();
        }
        assert!(!path(0).exists(), "{}: the lab has ended", row.name);
        let left = |number| fs::read_dir(path(number)).unwrap().count();
        assert_eq!(left(1), 2, "{}: what others put there stays, and the mark", row.name);
        assert_eq!(left(2), 2, "{}: the lab lives, and removes it itself", row.name);
    }
}

#[test]
fn python_takes_no_hidden_process_for_one_that_has_ended() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../workers/python");
    let code = "import json, sys\n\
        sys.path.insert(0, sys.argv[1])\n\
        import macrometer_worker as worker\n\
        owner, read = json.loads(sys.argv[2]), worker.text_of\n\
        assert worker.has_ended(owner) is False\n\
        worker.text_of = lambda path: '' if path.endswith('/stat') else read(path)\n\
        assert worker.has_ended(owner) is None\n\
        owner['pid'] = 4194999\n\
        assert worker.has_ended(owner) is True\n";
    let owner = serde_json::to_string(&Owner::this_process()).unwrap();
    let ended = Command::new("python3").args(["-B", "-c", code, folder, &owner]).output();
    let Ok(ended) = ended else { return println!("skipped: python: not found") };
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}
