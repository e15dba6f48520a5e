//! Archives of others: nothing in them need be what macrometer writes, and they need not have
//! checksums. Whatever reads one tells what it finds, or in one line why it does not.

use std::fs;
use std::time::Duration;

use rusqlite::types::Value;
use rusqlite::{Connection, params};

use crate::Tried;
use crate::bed::{Bed, Ended, REFUSED_WITHIN, ended};

const PATIENCE: Duration = Duration::from_secs(60);

/// Runs whose archives are changed: with samples and single calls, sessions, transactions; a gate.
const RUNS: [&str; 4] = [
    "run --provider macs --mac hmac-sha256,cmac-aes-128 --size 64,256 --launches 2 --budget 3",
    "run --provider macs --mac hmac-sha256 --size 64 --regime sessions-2-free --launches 2 \
     --blocks 2",
    "run sms --part memory --provider macs --mac eax-aes-128-es --size 1024 --launches 2 \
     --blocks 3",
    "gate --base macs --new macs --mac siphash-2-4 --size 64 --margin 80% --budget 10",
];

/// All that reads an archive and measures nothing.
const COMMANDS: [&str; 34] = [
    "report last",
    "report last --tables",
    "report last --format json",
    "report last --format csv",
    "report last --format samples",
    "report last --format log",
    "report last --format html",
    "report last --format files --out out",
    "report last --format latex --out out",
    "report last --format bundle --out out",
    "report last --format crprf",
    "report last --format crprf_moc",
    "report last --format crprf_moc_sha256cf",
    "report last --format markdown",
    "report last --format benchstat",
    "report last --format google-benchmark",
    "report last --format bencher",
    "report last --format github-action-benchmark",
    "report last --format openmetrics",
    "report last --against macs",
    "list runs",
    "list runs --format json",
    "claims",
    "claims --details",
    "compare last last",
    "compare last last --format json",
    "runs",
    "runs check",
    "runs check --quick",
    "runs export last --output out.db",
    "cite last",
    "cite last --format cff",
    "doctor --consistency",
    "analyze --times --run last",
];

/// Columns whose content is JSON.
const JSON: [(&str, &str); 11] = [
    ("run", "record"),
    ("run", "chosen"),
    ("cell", "record"),
    ("single_calls", "counts"),
    ("single_calls", "ticks"),
    ("scheme", "record"),
    ("load", "record"),
    ("sessions", "record"),
    ("processor", "record"),
    ("launch", "record"),
    ("writer", "record"),
];

const TABLES: [&str; 11] = [
    "run",
    "cell",
    "sample",
    "single_calls",
    "event",
    "scheme",
    "load",
    "sessions",
    "processor",
    "launch",
    "writer",
];

/// Values of JSON in the place of others.
const TOKENS: [&str; 22] = [
    "0",
    "-1",
    "1",
    "-0.0",
    "1e308",
    "-1e308",
    "5e-324",
    "1e999",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "\"../../x\"",
    "\"\\u001b[2J\\u202e\"",
    "\"=1+1\"",
    "\"\\u0000\"",
];

/// More memory than any report of these takes, and less than the machine has.
const MEMORY_KIB: u64 = 8 << 20;

pub fn run(tried: &mut Tried) {
    let bed = Bed::new(tried.program(), "archives", tried.seed);
    let kept: Vec<Vec<u8>> = match RUNS.iter().map(|run| made(&bed, run)).collect() {
        Ok(kept) => kept,
        Err(error) => return tried.one(Some(error)),
    };
    let mut codes = [0; 3];
    while tried.has_time() {
        bed.remove_archive("their.db");
        let whole = tried.random.pick(&kept).clone();
        bed.write("their.db", whole);
        let changes = match changed(&bed, tried) {
            Ok(changes) => changes,
            Err(error) => return tried.one(Some(format!("an archive cannot be changed: {error}"))),
        };
        // A run of theirs is also brought into an archive of one's own.
        let line = match tried.random.below(COMMANDS.len() + 2) {
            at if at < COMMANDS.len() => format!("{} --archive their.db", COMMANDS[at]),
            _ => "runs import their.db --archive into.db".to_owned(),
        };
        let mut ended = once(&bed, &line);
        // On a machine that is busy: is it so again?
        if ended.took > REFUSED_WITHIN && ended.is_broken().is_none() {
            ended = once(&bed, &line);
        }
        let wrong = judged(&line, &ended);
        if let Some(count) = ended.code().and_then(|code| codes.get_mut(code as usize)) {
            *count += 1;
        }
        tried.one(wrong.map(|wrong| format!("`{line}`: {wrong}; {}", changes.join("; "))));
    }
    let [read, verdicts, refused] = codes;
    tried.figure(format!("{read} read, {refused} refused in one line, {verdicts} verdicts"));
    tried.look_around(&bed);
}

fn once(bed: &Bed, line: &str) -> Ended {
    bed.remove_archive("into.db");
    bed.remove("out.db");
    let _ = fs::remove_dir_all(bed.path("out"));
    let shell = format!("PATH=/nowhere; ulimit -v {MEMORY_KIB}; exec \"$M\" {line}");
    ended(bed.shell(&shell).spawn().expect("a shell to start"), PATIENCE)
}

fn judged(line: &str, ended: &Ended) -> Option<String> {
    if let Some(broken) = ended.is_broken() {
        return Some(broken);
    }
    if ended.took > REFUSED_WITHIN {
        return Some(format!("took {} s", ended.took.as_secs()));
    }
    let is_control = |c: char| {
        c.is_control() && c != '\n' && c != '\t' || ('\u{202a}'..='\u{202e}').contains(&c)
    };
    let printed = String::from_utf8_lossy(&ended.stdout);
    // Formats for programs have their own escapes.
    let printed = printed.chars().filter(|_| !line.contains("--format") && !line.contains("cite"));
    if let Some(letter) = ended.stderr.chars().chain(printed).find(|c| is_control(*c)) {
        return Some(format!("{letter:?} reaches a terminal"));
    }
    let is_about_others = |line: &&str| !line.contains(": warning: ");
    let lines: Vec<&str> = ended.stderr.lines().filter(is_about_others).collect();
    let is_one = lines.len() == 1 && lines[0].starts_with("macrometer: ");
    match ended.code() {
        Some(0) => None,
        Some(1) if line.starts_with("runs check") || line.starts_with("doctor") => None,
        Some(2) if is_one => None,
        code => Some(format!("exit code {code:?}, {} lines: {lines:?}", lines.len())),
    }
}

fn made(bed: &Bed, run: &str) -> Result<Vec<u8>, String> {
    bed.remove_archive("own.db");
    let words = run.split_whitespace().chain(["--cpu", "none", "--archive", "own.db"]);
    let ended = bed.run(&words.collect::<Vec<_>>());
    match ended.code() {
        // A gate is one however it ends.
        Some(0 | 1 | 3) => fs::read(bed.path("own.db")).map_err(|error| error.to_string()),
        _ => Err(format!("`{run}`: {}", ended.stderr.trim())),
    }
}

/// So many are tried for one to three that are made.
const CHANGES_TRIED_MAX: u32 = 100;

/// What is said of a table that has other rules and the same content: no change by itself.
const LOOSENED: &str = " takes any value";

/// Changes one to three things in the archive, which loses its checksums; what was changed.
fn changed(bed: &Bed, tried: &mut Tried) -> rusqlite::Result<Vec<String>> {
    let store = Connection::open(bed.path("their.db"))?;
    store.execute_batch(
        "PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; DROP TABLE seal;
         PRAGMA user_version = 0; DROP INDEX IF EXISTS sample_once;",
    )?;
    let mut changes = Vec::new();
    // Tables that take any kind of value in any column.
    if tried.random.below(4) == 0 {
        let table = *tried.random.pick(&TABLES);
        store.execute_batch(&format!(
            "CREATE TABLE loose AS SELECT * FROM {table}; DROP TABLE {table};
             ALTER TABLE loose RENAME TO {table};"
        ))?;
        changes.push(format!("{table}{LOOSENED}"));
    }
    let wanted = changes.len() + 1 + tried.random.below(3);
    // What the tables do not take is no change: another is tried.
    for _ in 0..CHANGES_TRIED_MAX {
        if changes.len() == wanted {
            break;
        }
        let change = match tried.random.below(8) {
            0..3 => token(&store, tried),
            3 => named(&store, tried),
            4 => rows(&store, tried),
            _ => column(&store, tried),
        };
        changes.extend(change.ok());
    }
    // After a table is gone, say, little else may be.
    match changes.iter().any(|it| !it.ends_with(LOOSENED)) {
        true => Ok(changes),
        false => Err(rusqlite::Error::QueryReturnedNoRows),
    }
}

/// Another value somewhere in a record.
fn token(store: &Connection, tried: &mut Tried) -> rusqlite::Result<String> {
    let (table, column) = match tried.random.below(2) {
        0 => JSON[0],
        _ => *tried.random.pick(&JSON),
    };
    // Not `random()` of SQLite, which no seed brings again.
    let count = format!("SELECT count(*) FROM {table}");
    let count: usize = store.query_row(&count, [], |row| row.get::<_, i64>(0))? as usize;
    if count == 0 {
        return Err(rusqlite::Error::QueryReturnedNoRows);
    }
    let at = tried.random.below(count);
    let sql = format!("SELECT rowid, {column} FROM {table} ORDER BY rowid LIMIT 1 OFFSET {at}");
    let (row, text): (i64, String) =
        store.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let places = values(&text);
    if places.is_empty() {
        return Err(rusqlite::Error::QueryReturnedNoRows);
    }
    let (from, to) = *tried.random.pick(&places);
    let new = match tried.random.below(12) {
        0 => format!("\"{}\"", "x".repeat(1 << 20)),
        1 => "[".repeat(1 << (1 + tried.random.below(17))),
        _ => (*tried.random.pick(&TOKENS)).to_owned(),
    };
    let changed = [&text[..from], &new, &text[to..]].concat();
    let sql = format!("UPDATE {table} SET {column} = ?1 WHERE rowid = ?2");
    store.execute(&sql, params![changed, row])?;
    let before = from.saturating_sub(30);
    let before = text.get(before..from).unwrap_or_default();
    let new: String = new.chars().take(40).collect();
    Ok(format!("{table}.{column}: …{before}[{} → {new}]", &text[from..to.min(from + 40)]))
}

/// Where the values of JSON stand: numbers, words, and strings with their marks.
fn values(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut places, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let from = at;
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + 1).min(bytes.len());
                // The names of fields stay: others are none.
                if bytes.get(at) != Some(&b':') {
                    places.push((from, at));
                }
            }
            byte if byte.is_ascii_alphanumeric() || byte == b'-' => {
                while at < bytes.len() && !b",]}".contains(&bytes[at]) {
                    at += 1;
                }
                places.push((from, at));
            }
            _ => at += 1,
        }
    }
    places.retain(|(from, to)| text.is_char_boundary(*from) && text.is_char_boundary(*to));
    places
}

/// The run has another name.
fn named(store: &Connection, tried: &mut Tried) -> rusqlite::Result<String> {
    let names = ["../../x", "/tmp/planted", "", "a\u{1b}[2J", "\u{202e}b", "a b", "x", "-", "last"];
    let long = "n".repeat(1000);
    let name = match tried.random.below(names.len() + 1) {
        at if at < names.len() => names[at],
        _ => &long,
    };
    for table in &TABLES[1..] {
        store.execute(&format!("UPDATE {table} SET run = ?1"), [name])?;
    }
    let sql = "UPDATE run SET id = ?1, record = json_set(record, '$.id', ?1)";
    store.execute(sql, [name])?;
    Ok(format!("named {:?}", name.chars().take(20).collect::<String>()))
}

/// Rows less, rows twice, a table or a column that is gone.
fn rows(store: &Connection, tried: &mut Tried) -> rusqlite::Result<String> {
    let table = *tried.random.pick(&TABLES);
    let sql = match tried.random.below(5) {
        0 => format!("DELETE FROM {table} WHERE rowid % 2 = 0"),
        1 => format!("DELETE FROM {table}"),
        2 => format!("INSERT INTO {table} SELECT * FROM {table}"),
        3 => format!("DROP TABLE {table}"),
        _ => {
            let columns = columns(store, table)?;
            let column = tried.random.pick(&columns);
            format!("ALTER TABLE {table} DROP COLUMN {column}")
        }
    };
    store.execute_batch(&sql)?;
    if sql.starts_with("DELETE") && store.changes() == 0 {
        return Err(rusqlite::Error::QueryReturnedNoRows);
    }
    Ok(sql)
}

fn columns(store: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT name FROM pragma_table_info(?1)";
    store.prepare(sql)?.query_map([table], |row| row.get(0))?.collect()
}

/// An extreme value in a column, in one row or in all.
fn column(store: &Connection, tried: &mut Tried) -> rusqlite::Result<String> {
    let table = match tried.random.below(3) {
        0 => "sample",
        _ => *tried.random.pick(&TABLES),
    };
    let names = columns(store, table)?;
    let name = match names.is_empty() {
        true => return Err(rusqlite::Error::QueryReturnedNoRows),
        false => tried.random.pick(&names).clone(),
    };
    let numbers = [0, -1, 1, i64::MIN, i64::MAX, 1 << 32, (1 << 32) - 1, 1 << 53];
    let reals = [0.0, -0.0, -1.0, 1e308, -1e308, f64::INFINITY, f64::NEG_INFINITY, 5e-324, 0.5];
    let texts =
        ["", "x", "\u{1b}[2J\u{7}", "\u{202e}", "null", "{}", "[]", "[[1,0]]", "\0", "é", "=1"];
    let value = match tried.random.below(10) {
        0..3 => Value::Integer(*tried.random.pick(&numbers)),
        3..6 => Value::Real(*tried.random.pick(&reals)),
        6 => Value::Text("\u{1b}x".repeat(1 << 21)),
        7 => Value::Blob(vec![0xff; 1 + tried.random.below(20)]),
        8 if tried.random.below(3) == 0 => Value::Null,
        _ => Value::Text((*tried.random.pick(&texts)).to_owned()),
    };
    let is_huge = matches!(&value, Value::Text(text) if text.len() > 1000);
    // The huge one once: thousands of them fill a disk.
    let which = match is_huge {
        true => " WHERE rowid = 1",
        false => *tried.random.pick(&["", " WHERE rowid = 1", " WHERE rowid % 3 = 0"]),
    };
    if store.execute(&format!("UPDATE {table} SET {name} = ?1{which}"), [&value])? == 0 {
        return Err(rusqlite::Error::QueryReturnedNoRows);
    }
    let shown: String = format!("{value:?}").chars().take(60).collect();
    Ok(format!("{table}.{name} = {shown}{which}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_json_are_found() {
        let text = r#"{"a":1,"b":["x\"y",-2.5,null],"c":{"d":""}}"#;
        let found: Vec<&str> = values(text).into_iter().map(|(from, to)| &text[from..to]).collect();
        assert_eq!(found, ["1", "\"x\\\"y\"", "-2.5", "null", "\"\""]);
    }
}
