//! How long somebody's messages are: lengths with weights, from words or a file; and the few that
//! are measured for many.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use lab::study::{LEN_BYTES_MAX, Length, Mix};
use report::format::{bytes, list, significant};
use thiserror::Error;

use crate::must_be::MustBe;
use crate::reading;
use crate::sizes::{self, NoLength};

/// Lengths that are measured at most.
const LENGTHS_MAX: usize = 8;

/// More different ones are first put together with their neighbours, in so many.
const SORTED_MAX: usize = 2048;

/// Lengths that are named one by one.
const NAMED_MAX: usize = 4;

/// Beside messages of one length, one so many times shorter and one as many times longer are
/// measured, to tell whether another length would change the answer.
const BESIDE: u64 = 4;

const RIGHT: &str = "must be a length (300, 1KiB), lengths with weights (64:7,576:4), imix, or a \
                     file with a LENGTH and its WEIGHT in each line";

/// How often each length occurs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lengths(BTreeMap<u64, f64>);

impl Lengths {
    /// Counts one more message, or as many as `weight` says.
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn add(&mut self, len_bytes: u64, weight: f64) -> Result<()> {
        if len_bytes > LEN_BYTES_MAX {
            bail!("a message of {len_bytes} bytes; at most {LEN_BYTES_MAX} can be measured");
        }
        if !(weight.is_finite() && (0.0..=1e15).contains(&weight)) {
            let weight = crate::extent::given(weight);
            bail!("weight {weight}: must be a number from 0 to 1e15");
        }
        if weight > 0.0 {
            *self.0.entry(len_bytes).or_default() += weight;
        }
        Ok(())
    }

    /// As `--size` says them.
    ///
    /// # Errors
    /// One line that says what is wrong and what would be right.
    pub fn parse(text: &str) -> Result<Self> {
        if text == "imix" {
            return Self::imix();
        }
        let mut lengths = Self::default();
        let words: Result<Vec<_>, NotWeighted> = text.split(',').map(weighted).collect();
        match words {
            Ok(words) => {
                for (len, weight) in words {
                    lengths.add(len, weight).map_err(|error| anyhow!("--size {text}: {error}"))?;
                }
            }
            Err(_) if Path::new(text).exists() => return Self::read(Path::new(text)),
            // What does not begin like a length was meant as a file's name.
            Err(_) if !text.starts_with(|first: char| first.is_ascii_digit()) => {
                bail!("--size {text:?}: there is no such file; {RIGHT}")
            }
            Err(_) => bail!("--size {text:?}: {RIGHT}"),
        }
        lengths.checked(&format!("--size {text}"))
    }

    fn imix() -> Result<Self> {
        let mut lengths = Self::default();
        for (len, weight) in Mix::Named("imix".into()).lengths() {
            lengths.add(len.into(), weight.into())?;
        }
        Ok(lengths)
    }

    /// A file with a length and a weight in each line, or a length alone; `#` begins a remark.
    fn read(path: &Path) -> Result<Self> {
        let name = path.display();
        let read = reading::whole(path, reading::TABLE_BYTES_MAX);
        let read = read.map_err(|error| anyhow!("cannot read --size {name}: {error}"))?;
        let text = String::from_utf8(read);
        let text =
            text.map_err(|_| anyhow!("--size {name}: not a text file (a capture is --pcap)"))?;
        let mut lengths = Self::default();
        // Where Windows editors like to begin a text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        for (number, line) in (1..).zip(text.lines()) {
            let Some(row) = row_of(line) else { continue };
            let added = row.map_err(Into::into).and_then(|(len, weight)| lengths.add(len, weight));
            added.map_err(|error| anyhow!("--size {name}: line {number}: {error}"))?;
        }
        lengths.checked(&format!("--size {name}"))
    }

    /// Itself, where it has messages.
    ///
    /// # Errors
    /// One line that begins with `what`.
    pub fn checked(self, what: &str) -> Result<Self> {
        if self.0.is_empty() {
            Err(anyhow!("{what}: no message has a weight above 0"))
        } else {
            Ok(self)
        }
    }

    /// Those that are measured, with their shares: all, or, of many, groups of neighbours by their
    /// mean; beside a single one a shorter and a longer one.
    pub fn measured(&self) -> Vec<Length> {
        let all: f64 = self.0.values().sum();
        let groups = grouped(&self.0);
        let mut shares: BTreeMap<u64, f64> = BTreeMap::new();
        for Group { weight, mean } in groups {
            *shares.entry(mean.round() as u64).or_default() += weight / all;
        }
        if let [(&len, _)] = shares.iter().collect::<Vec<_>>()[..] {
            for beside in [len / BESIDE, (len * BESIDE).min(LEN_BYTES_MAX)] {
                shares.entry(beside).or_insert(0.0);
            }
        }
        // So few digits that an archive gives them back as they are.
        let rounded = |share: f64| (share * 1e12).round() / 1e12;
        let length = |(len_bytes, share)| Length { len_bytes, share: rounded(share) };
        shares.into_iter().map(length).collect()
    }

    /// In words: `Messages of 64 B, 576 B and 1500 B (58 %, 33 % and 8 %)`.
    pub fn told(&self) -> String {
        let all: f64 = self.0.values().sum();
        let count = self.0.len();
        let percent = |share: f64| format!("{} %", significant(100.0 * share, 2));
        if count <= NAMED_MAX {
            let names: Vec<String> = self.0.keys().map(|&it| bytes(it)).collect();
            if count == 1 {
                return format!("Messages of {}", list(&names));
            }
            let shares: Vec<String> = self.0.values().map(|weight| percent(weight / all)).collect();
            return format!("Messages of {} ({})", list(&names), list(&shares));
        }
        let sum: f64 = self.0.iter().map(|(&len, weight)| len as f64 * weight).sum();
        let ends = [self.0.keys().next(), self.0.keys().last()];
        let [least, most] = ends.map(|it| bytes(it.copied().unwrap_or(0)));
        let measured = self.measured().len();
        let at = if measured < count { format!(", measured at {measured}") } else { String::new() };
        let mean = sum / all;
        format!("Messages of {count} lengths from {least} to {most}, {mean:.0} B on average{at}")
    }
}

/// Why a text is no length with a weight.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
enum NotWeighted {
    #[error(transparent)]
    Form(#[from] MustBe),
    #[error(transparent)]
    Length(#[from] NoLength),
    #[error("weight {word:?}: must be a number")]
    Weight { word: String },
}

/// `576:4`, or a length alone.
fn weighted(word: &str) -> Result<(u64, f64), NotWeighted> {
    match word.split_once(':') {
        None => Ok((sizes::parse(word)?, 1.0)),
        Some((len, weight)) => Ok((sizes::parse(len)?, number_of(weight)?)),
    }
}

/// A length and its weight in a line of a file; none in an empty line.
fn row_of(line: &str) -> Option<Result<(u64, f64), NotWeighted>> {
    let line = line.split('#').next().unwrap_or_default();
    let words: Vec<&str> =
        line.split([',', ';', ' ', '\t']).filter(|word| !word.is_empty()).collect();
    match words[..] {
        [] => None,
        [len] => Some(sizes::parse(len).map(|len| (len, 1.0)).map_err(NotWeighted::from)),
        [len, weight] => {
            Some(number_of(weight).and_then(|weight| Ok((sizes::parse(len)?, weight))))
        }
        _ => Some(Err(MustBe("LENGTH WEIGHT").into())),
    }
}

fn number_of(word: &str) -> Result<f64, NotWeighted> {
    word.parse().map_err(|_| NotWeighted::Weight { word: word.into() })
}

/// Messages of neighbouring lengths.
#[derive(Debug, Clone, Copy)]
struct Group {
    weight: f64,
    mean: f64,
}

impl Group {
    fn with(self, other: Self) -> Self {
        let weight = self.weight + other.weight;
        Self { weight, mean: (self.mean * self.weight + other.mean * other.weight) / weight }
    }

    /// How much the squares about the means grow where two become one (J. H. Ward, *J. Amer.
    /// Statist. Assoc.* 58 (1963) 236–244). A group costs what its mean costs, but for steps at
    /// whole blocks: the narrower it is the less they weigh.
    fn apart(self, other: Self) -> f64 {
        let distance = self.mean - other.mean;
        self.weight * other.weight / (self.weight + other.weight) * distance * distance
    }
}

fn grouped(lengths: &BTreeMap<u64, f64>) -> Vec<Group> {
    let single: Vec<Group> =
        lengths.iter().map(|(&len, &weight)| Group { weight, mean: len as f64 }).collect();
    let whole = single.chunks(single.len().div_ceil(SORTED_MAX).max(1));
    let mut groups: Vec<Group> =
        whole.filter_map(|it| it.iter().copied().reduce(Group::with)).collect();
    while groups.len() > LENGTHS_MAX {
        let apart = |&at: &usize| groups[at].apart(groups[at + 1]);
        let nearest = (0..groups.len() - 1).min_by(|a, b| apart(a).total_cmp(&apart(b)));
        let Some(at) = nearest else { break };
        let merged = groups[at].with(groups[at + 1]);
        groups.splice(at..=at + 1, [merged]);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(text: &str) -> Vec<(u64, f64)> {
        Lengths::parse(text).unwrap().0.into_iter().collect()
    }

    fn wrong(text: &str) -> String {
        Lengths::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn lengths_are_read_as_people_write_them() {
        assert_eq!(lengths("300"), [(300, 1.0)]);
        assert_eq!(lengths("1KiB,64:7,64:1"), [(64, 8.0), (1024, 1.0)]);
        assert_eq!(lengths("imix"), [(64, 7.0), (576, 4.0), (1500, 1.0)]);
        assert_eq!(wrong("300x"), format!("--size \"300x\": {RIGHT}"));
        assert_eq!(
            wrong("lengths.txt"),
            format!("--size \"lengths.txt\": there is no such file; {RIGHT}")
        );
        assert_eq!(wrong("64:x"), format!("--size \"64:x\": {RIGHT}"));
        assert!(
            wrong("64:-1").contains("weight -1: must be a number from 0"),
            "{}",
            wrong("64:-1")
        );
        assert!(wrong("64:0").contains("no message has a weight"), "{}", wrong("64:0"));
        assert!(wrong("1GiB").contains("at most 16777216"), "{}", wrong("1GiB"));
    }

    #[test]
    fn a_histogram_is_read_line_by_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = |text: &str| {
            let path = folder.path().join("lengths.txt");
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let right = file("# length weight\n64, 7\n\n576\t4.5 # more\n1500\n64 0\n");
        assert_eq!(lengths(&right), [(64, 7.0), (576, 4.5), (1500, 1.0)]);
        assert_eq!(lengths(&file("\u{feff}64 7\n")), [(64, 7.0)]);
        let error = wrong(&file("64 1e300\n"));
        assert!(
            error.ends_with("line 1: weight 1e300: must be a number from 0 to 1e15"),
            "{error}"
        );
        let error = wrong(&file("64 7\n64 seven\n"));
        assert!(error.ends_with("line 2: weight \"seven\": must be a number"), "{error}");
        let error = wrong(&file("64 7 9\n"));
        assert!(error.ends_with("line 1: must be LENGTH WEIGHT"), "{error}");
        assert!(wrong(&file("\n#\n")).ends_with("no message has a weight above 0"));
    }

    #[test]
    fn one_length_is_measured_between_a_shorter_and_a_longer_one() {
        let of = |text: &str| Lengths::parse(text).unwrap().measured();
        let pairs = |text: &str| -> Vec<(u64, f64)> {
            of(text).iter().map(|it| (it.len_bytes, it.share)).collect()
        };
        assert_eq!(pairs("300"), [(75, 0.0), (300, 1.0), (1200, 0.0)]);
        assert_eq!(pairs("0"), [(0, 1.0)]);
        assert_eq!(pairs("64:3,128:1"), [(64, 0.75), (128, 0.25)]);
    }

    /// What packets look like: many short, many full, some of every length between.
    #[test]
    fn few_lengths_cost_what_all_of_them_do() {
        let mut all = Lengths::default();
        for len in 40..=1448_u64 {
            let weight = match len {
                40..=80 => 40.0,
                1448 => 9000.0,
                _ => (len * 7919 % 11) as f64,
            };
            all.add(len, weight).unwrap();
        }
        let measured = all.measured();
        assert_eq!(measured.len(), LENGTHS_MAX);
        assert!((measured.iter().map(|it| it.share).sum::<f64>() - 1.0).abs() < 1e-9);
        let weight: f64 = all.0.values().sum();
        // A hash of 64-byte blocks behind a call, and a cipher of 16-byte ones.
        let costs: [fn(u64) -> f64; 2] = [
            |len| 120.0 + 35.0 * (len + 9).div_ceil(64) as f64,
            |len| 20.0 + 10.0 * len.div_ceil(16) as f64,
        ];
        for cost in costs {
            let whole: f64 = all.0.iter().map(|(&len, own)| cost(len) * own / weight).sum();
            let few: f64 = measured.iter().map(|it| cost(it.len_bytes) * it.share).sum();
            assert!((few / whole - 1.0).abs() < 0.02, "{few} for {whole}");
        }
        let told = all.told();
        assert!(told.starts_with("Messages of 1"), "{told}");
        assert!(told.ends_with("B on average, measured at 8"), "{told}");
    }

    #[test]
    fn many_different_lengths_are_put_together_quickly() {
        let mut all = Lengths::default();
        (0..100_000).for_each(|len| all.add(len, 1.0).unwrap());
        let measured = all.measured();
        assert_eq!(measured.len(), LENGTHS_MAX);
        let mean: f64 = measured.iter().map(|it| it.share * it.len_bytes as f64).sum();
        assert!((mean - 49_999.5).abs() < 1.0, "{mean}");
    }
}
