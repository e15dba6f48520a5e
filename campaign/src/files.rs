//! Files that commands read, with something in them changed: tables, lists of tags, keys, policies,
//! test vectors, exported runs.

use std::fs;

use crate::Tried;
use crate::bed::Bed;
use crate::inputs::{VALUES, mutated, texts};

const TABLE: &str = "macs,openssl,\"a, b\"\n1.5,2.25,3\n1.25,2.5,3.5\n1.75,2,2.75\n1.5,2.125,3.25\n\
                     1.625,2.375,3\n1.375,2.5,3.125\n";

/// A command and the file it reads: `mine.END`, made of one of these.
struct Kind {
    line: &'static str,
    bases: Vec<Vec<u8>>,
    /// Whether it has lines and fields, so that these are changed, too.
    is_toml: bool,
}

pub struct Files(Vec<Kind>);

impl Files {
    pub fn of(bed: &Bed) -> Result<Self, String> {
        let bytes = |texts: Vec<String>| texts.into_iter().map(String::into_bytes).collect();
        let read = |name: &str| fs::read(bed.path(name)).unwrap_or_default();
        let (list, run) = (read("list"), read("one.db"));
        let bsd = ["tag", "--mac", "hmac-sha256", "--key-file", "key", "--format", "bsd", "t.csv"];
        let bsd = bed.run(&bsd).stdout;
        let (policies, vectors) =
            (texts("policies", "toml"), texts("crates/vectors/cases", "json"));
        let tables = vec![TABLE.into()];
        let hex = vec!["00".repeat(32).into_bytes(), format!("{}\n", "a7 ".repeat(32)).into()];
        let base64 = vec![b"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n".to_vec()];
        let kinds = [
            ("analyze --times mine.csv", tables.clone()),
            ("analyze --speeds mine.csv --alpha 0.01", tables),
            ("verify --mac hmac-sha256 --key-file key --check mine.list", vec![list, bsd]),
            ("tag --mac hmac-sha256 --key-file mine.key t.csv", hex),
            ("tag --mac hmac-sha256 --key-file mine.key --key-format base64 t.csv", base64),
            ("tag --mac hmac-sha256 --key-file mine.key --key-format raw t.csv", vec![vec![7; 32]]),
            ("list macs --policy ./mine.toml", bytes(policies)),
            ("selftest --provider macs --random 0 --vectors mine.json", bytes(vectors)),
            ("runs import mine.db --archive into.db", vec![run]),
        ];
        let kind = |(line, bases): (&'static str, Vec<Vec<u8>>)| {
            let is_toml = line.contains(".toml");
            match bases.is_empty() || bases.iter().any(Vec::is_empty) {
                true => Err(format!("`{line}`: there is no such file to change")),
                false => Ok(Kind { line, bases, is_toml }),
            }
        };
        kinds.into_iter().map(kind).collect::<Result<_, _>>().map(Self)
    }

    /// Writes one of them with changes; the command that reads it.
    pub fn changed(&self, bed: &Bed, tried: &mut Tried) -> Vec<String> {
        let Kind { line, bases, is_toml } = tried.random.pick(&self.0);
        let base = tried.random.pick(bases);
        let bytes = match *is_toml && tried.random.below(2) == 0 {
            true => mutated(tried, &String::from_utf8_lossy(base)).into_bytes(),
            false => changed(tried, base.clone()),
        };
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let file = words.iter().map(|word| word.trim_start_matches("./"));
        for name in file.filter(|name| name.starts_with("mine.")) {
            bed.write(name, &bytes);
        }
        words
    }
}

/// Up to four changes anywhere.
pub fn changed(tried: &mut Tried, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..=tried.random.below(4) {
        let random = &mut tried.random;
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        let to = (at + 1 + random.below(40)).min(bytes.len());
        match random.below(9) {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes[at] = random.next() as u8,
            3 => drop(bytes.drain(at..to)),
            4 => {
                let piece = bytes[at..to].to_vec();
                let place = random.below(bytes.len());
                bytes.splice(place..place, piece);
            }
            // A line as often as nobody has it.
            5 => {
                let piece = bytes[at..to].repeat(1 + random.below(3000));
                bytes.splice(at..at, piece);
            }
            6 => {
                let odd: [&[u8]; 8] =
                    [b"\0", b"\r\n", b"\x1b[2J", b"\xff\xfe", b"\"", b",,", b"\n\n", b"\\"];
                let piece = random.pick(&odd).to_vec();
                bytes.splice(at..at, piece);
            }
            // Another value where one was.
            _ => {
                let is_of_value = |byte: &u8| byte.is_ascii_alphanumeric() || b"-.".contains(byte);
                let begin =
                    bytes[..at].iter().rposition(|it| !is_of_value(it)).map_or(0, |it| it + 1);
                let end = bytes[at..].iter().position(|it| !is_of_value(it));
                let end = end.map_or(bytes.len(), |it| at + it).max(begin);
                let piece = random.pick(&VALUES).bytes().collect::<Vec<_>>();
                bytes.splice(begin..end, piece);
            }
        }
    }
    bytes
}
