//! A pack is the same whenever it is made, and gives the same plan whenever it is run.

use super::{SMALL, packed, places};
use crate::bench::Bench;

#[test]
fn two_packs_of_one_study_are_equal_byte_for_byte() {
    let bench = Bench::new();
    let one = std::fs::read(packed(&bench, 3, 9)).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let two = std::fs::read(packed(&bench, 3, 9)).unwrap();
    assert_eq!(one, two);
    assert_ne!(one, std::fs::read(packed(&bench, 3, 12)).unwrap());
}

#[test]
fn a_pack_run_twice_gives_the_plan_that_its_study_gives_with_that_seed() {
    let bench = Bench::new();
    packed(&bench, 3, 9);
    // Recognised by its content, whatever it is called.
    std::fs::rename(bench.path("small.pack"), bench.path("small.toml")).unwrap();
    let typed: Vec<&str> = [&["plan"][..], &SMALL, &["--launches", "3", "--blocks", "9"]].concat();
    let cells = bench.right(&[&typed[..], &["--cells"]].concat());
    assert_eq!(bench.right(&["plan", "small.toml", "--cells"]), cells);
    let plans = ["one.db", "two.db"].map(|archive| {
        bench.right(&["run", "small.toml", "--quiet", "--archive", archive]);
        places(&bench.path(archive)).unwrap()
    });
    assert!(plans[0].len() >= 27, "{}", plans[0].len());
    assert_eq!(plans[0], plans[1]);
    let json = bench.right(&["report", "last", "--json", "--archive", "one.db"]);
    let told: serde_json::Value = serde_json::from_str(&json).unwrap();
    let command = told["command"].as_str().unwrap();
    // The command measures the same from the study that everybody has.
    let words = shlex::split(command).unwrap();
    let words: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    bench.right(&[&words[..], &["--quiet", "--archive", "typed.db"]].concat());
    let typed = rusqlite::Connection::open(bench.path("typed.db")).unwrap();
    let count: i64 = typed.query_row("SELECT count(*) FROM sample", [], |row| row.get(0)).unwrap();
    assert_eq!(count as usize, plans[0].len(), "{command}");
}

#[test]
fn a_pack_of_a_study_of_ones_own_needs_no_other_file() {
    let bench = Bench::new();
    bench.right(&["new", "mine.toml"]);
    bench.right(&["pack", "mine.toml", "--provider", "macs", "-o", "mine.pack"]);
    let before = bench.right(&["plan", "mine.pack", "--cells"]);
    std::fs::remove_file(bench.path("mine.toml")).unwrap();
    assert_eq!(bench.right(&["plan", "mine.pack", "--cells"]), before);
}

#[test]
fn what_cannot_be_packed_or_run_is_told_in_one_line() {
    let bench = Bench::with(&[("note.txt", "mine")]);
    let pack = packed(&bench, 3, 9);
    let pack = pack.to_str().unwrap();
    let wrong = |arguments: &[&str], wanted: &str| {
        let line = bench.wrong(arguments);
        assert!(line.contains(wanted), "{arguments:?}: {line}");
    };
    wrong(&["pack", "survey", "--lib", "openssl=x", "-o", "a"], "--lib names a file");
    wrong(&["pack", "survey", "--cores", "0", "-o", "a"], "--cores 0: names processors");
    wrong(&["pack", "survey", "--mac", "hmac-sha265", "-o", "a"], "did you mean hmac-sha2");
    wrong(&["pack", "survey", "--part", "none", "-o", "a"], "none");
    wrong(&["pack", "survey", "-o", "note.txt"], "note.txt: already exists and is not a pack");
    wrong(&["run", pack, "--size", "64"], "a pack has its options and its seed");
    wrong(&["run", pack, "--seed", "1"], "a pack has its options and its seed");
    wrong(&["plan", pack, "--budget", "1"], "a pack has its options");
    let text = std::fs::read_to_string(pack).unwrap();
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        bench.write("other.pack", text.replace(from, to));
    };
    changed("\"macrometer_pack\": 1", "\"macrometer_pack\": 2");
    wrong(&["run", "other.pack"], "a pack of schema 2, made by a newer macrometer");
    changed("\"launches\": ", "\"launches\":  ");
    wrong(&["run", "other.pack"], "it was edited");
    let version = format!("\"macrometer_version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    changed(&version, "\"macrometer_version\": \"9.9.9\"");
    wrong(&["run", "other.pack"], "packed by macrometer 9.9.9");
    // A stranger's pack names no file.
    changed("\"--mac\"", "\"--lib\"");
    wrong(&["run", "other.pack"], "--lib names a file");
    for other in [format!("\u{feff}{text}"), text.replace('\n', "\r\n"), String::new()] {
        bench.write("other.pack", other);
        wrong(&["run", "other.pack"], "other.pack: not as `macrometer pack` writes it");
    }
    wrong(&["fleet", "task", "note.txt", "--store", "s"], "note.txt: not a pack");
    wrong(&["fleet", "run", pack, "--store", "s"], "--local");
    wrong(&["fleet", "run", pack, "--store", "s", "--ssh=-oProxyCommand=x"], "--ssh: ");
    wrong(&["fleet", "run", pack, "--store", "s", "--ssh", "a b"], "must be [user@]host[:port]");
    wrong(&["fleet", "run", pack, "--store", "s", "--local", "0"], "--local 0: must be 1 to");
    assert!(!bench.path("s").exists(), "nothing is made");
}
