//! A published sentence made checkable: whose cells decide, and what they must show.

use serde::{Deserialize, Serialize};

use super::{Part, fits_any};
use crate::cell::{KeyLife, Regime};

/// A published sentence made checkable. It says exactly one thing: see [`Statement`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its name within the study.
    pub id: String,
    /// The sentence, as published.
    pub text: String,
    /// Page, table or figure.
    pub source: String,
    /// The part whose cells decide.
    pub part: String,
    /// The cases whose cells decide; absent: all of the part.
    #[serde(default)]
    pub cases: Vec<String>,
    /// The key lives that decide; absent: all of the part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub key_lives: Vec<KeyLife>,
    /// The regimes that decide; absent: all of the part.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub regimes: Vec<Regime>,
    /// The message lengths that decide; absent: all of the part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<SizeSpan>,
    /// Differences within this share do not count; absent: the study's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// An ordering of speeds: `cmac-aes-128 < hmac-sha224 = hmac-sha256`.
    #[serde(default)]
    pub ordering: Option<String>,
    /// Macs or patterns said to be faster …
    #[serde(default)]
    pub faster: Vec<String>,
    /// … than each of these.
    #[serde(default)]
    pub than: Vec<String>,
    /// Macs or patterns whose time of a byte is said to fall from each length to the next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub falling: Vec<String>,
    /// How many times longer one mac is said to take than another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<ClaimedRatio>,
    /// Macs or patterns whose time is said to be proportional to the calls of their primitive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proportional: Vec<String>,
    /// Where one mac is said to overtake another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crossover: Option<ClaimedCrossover>,
}

/// Message lengths from one to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeSpan {
    /// Shortest length in bytes; absent: the shortest there is.
    #[serde(default)]
    pub from: Option<u64>,
    /// Longest length in bytes; absent: the longest there is.
    #[serde(default)]
    pub to: Option<u64>,
}

impl SizeSpan {
    fn holds(self, len_bytes: u64) -> bool {
        self.from.is_none_or(|from| from <= len_bytes) && self.to.is_none_or(|to| len_bytes <= to)
    }
}

/// The time of one mac over the time of another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimedRatio {
    /// Who takes longer; `*` stands for the same in both names, or, here only, for every other mac.
    pub slower: String,
    /// Who takes less time.
    pub faster: String,
    /// The ratio is at least this.
    pub least: f64,
    /// And at most this.
    pub most: f64,
}

impl ClaimedRatio {
    /// What the `*` of a pattern stands for in `name`; empty where there is no `*`.
    #[must_use]
    pub fn star<'a>(pattern: &str, name: &'a str) -> Option<&'a str> {
        match pattern.split_once('*') {
            None => (pattern == name).then_some(""),
            Some((head, tail)) => name.strip_prefix(head)?.strip_suffix(tail),
        }
    }
}

/// One mac overtakes another as messages grow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClaimedCrossover {
    /// Who is faster for messages up to `from`.
    pub below: String,
    /// Who is faster for messages of `to` and more.
    pub above: String,
    /// Length in bytes.
    pub from: u64,
    /// Length in bytes.
    pub to: u64,
}

/// What a claim says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Statement<'a> {
    /// Speeds from slow to fast.
    Ordering(&'a str),
    /// Each of the first is faster than each of the second.
    Faster(&'a [String], &'a [String]),
    /// The time of a byte falls as messages grow.
    Falling(&'a [String]),
    /// One takes so many times longer than the other.
    Ratio(&'a ClaimedRatio),
    /// The time is proportional to the calls of the primitive.
    Proportional(&'a [String]),
    /// One overtakes the other.
    Crossover(&'a ClaimedCrossover),
}

/// What a claim can say, as its key in the file.
const KEYS: &str = "`ordering`, `faster` with `than`, `falling`, `ratio`, `proportional`, \
                    `crossover`";

impl Claim {
    /// What it says; `None` where that is nothing, or more than one thing.
    #[must_use]
    pub fn statement(&self) -> Option<Statement<'_>> {
        match self.statements()[..] {
            [(_, only)] => Some(only),
            _ => None,
        }
    }

    fn statements(&self) -> Vec<(&'static str, Statement<'_>)> {
        let list = |items: &[String]| !items.is_empty();
        let pair = list(&self.faster) && list(&self.than);
        let given = [
            self.ordering.as_ref().map(|it| ("ordering", Statement::Ordering(it))),
            pair.then_some(("faster", Statement::Faster(&self.faster, &self.than))),
            list(&self.falling).then_some(("falling", Statement::Falling(&self.falling))),
            self.ratio.as_ref().map(|it| ("ratio", Statement::Ratio(it))),
            list(&self.proportional)
                .then_some(("proportional", Statement::Proportional(&self.proportional))),
            self.crossover.as_ref().map(|it| ("crossover", Statement::Crossover(it))),
        ];
        given.into_iter().flatten().collect()
    }

    /// Whether cells of this length decide.
    #[must_use]
    pub fn concerns(&self, len_bytes: u64) -> bool {
        self.sizes.is_none_or(|span| span.holds(len_bytes))
    }

    /// The lengths of its part that decide, ascending.
    #[must_use]
    pub fn lengths(&self, part: &Part) -> Vec<u64> {
        part.lengths().into_iter().filter(|&len| self.concerns(len)).collect()
    }

    /// Refuses what no run could decide.
    pub(super) fn check(&self, parts: &[Part]) -> Result<(), String> {
        self.mistake(parts).map_or(Ok(()), |what| Err(format!("claim {:?}: {what}", self.id)))
    }

    fn mistake(&self, parts: &[Part]) -> Option<String> {
        let Some(part) = parts.iter().find(|part| part.name == self.part) else {
            return Some(format!("no part {:?}", self.part));
        };
        self.mistaken_cells(part).or_else(|| self.mistaken_statement(part))
    }

    /// Cells that the part does not have.
    fn mistaken_cells(&self, part: &Part) -> Option<String> {
        let name = &part.name;
        let is_known = |case: &&String| part.cases.iter().any(|known| known.name == **case);
        if let Some(case) = self.cases.iter().find(|case| !is_known(case)) {
            return Some(format!("part {name:?} has no case {case:?}"));
        }
        if let Some(life) = self.key_lives.iter().find(|life| !part.key_lives.contains(life)) {
            return Some(format!("part {name:?} has no key life {life}"));
        }
        if let Some(regime) = self.regimes.iter().find(|regime| !part.regimes.contains(regime)) {
            return Some(format!("part {name:?} has no regime {regime}"));
        }
        if let Some(SizeSpan { from: Some(from), to: Some(to) }) = self.sizes
            && from > to
        {
            return Some(format!("sizes from {from} to {to}: from must not be above to"));
        }
        if self.lengths(part).is_empty() {
            return Some(format!("no length of part {name:?} lies within its sizes"));
        }
        let margin = self.margin.filter(|margin| !(*margin > 0.0 && *margin < 1.0))?;
        Some(format!("margin = {margin}: must be above 0 and below 1"))
    }

    fn mistaken_statement(&self, part: &Part) -> Option<String> {
        if self.faster.is_empty() != self.than.is_empty() {
            return Some("`faster` and `than` belong together".into());
        }
        let given = self.statements();
        let [(_, statement)] = given[..] else {
            let keys: Vec<&str> = given.iter().map(|(key, _)| *key).collect();
            let what = if keys.is_empty() { "none".into() } else { keys.join(" and ") };
            return Some(format!("give exactly one of {KEYS}; it has {what}"));
        };
        match statement {
            Statement::Ordering(text) => mistaken_ordering(text),
            Statement::Faster(..) => None,
            Statement::Falling(_) | Statement::Proportional(_) => {
                let few = self.lengths(part).len() < 2;
                few.then(|| format!("needs at least two lengths of part {:?}", part.name))
            }
            Statement::Ratio(ratio) => mistaken_ratio(ratio),
            Statement::Crossover(it) => mistaken_crossover(it, &self.lengths(part)),
        }
    }

    /// Whether enough of it is left in a narrowed study to be decided: all its cases, and one at
    /// least of its key lives, regimes and lengths. Where the user named macs, of each side one
    /// too; where not, a mac that is not there is told as missing, for it may be misspelt.
    pub(crate) fn is_left_in(&self, parts: &[Part], macs_named: bool) -> bool {
        let Some(part) = parts.iter().find(|part| part.name == self.part) else { return false };
        let is_left = |name: &String| part.cases.iter().any(|case| case.name == *name);
        let any = |own: usize, left: bool| own == 0 || left;
        let life = self.key_lives.iter().any(|life| part.key_lives.contains(life));
        let regime = self.regimes.iter().any(|regime| part.regimes.contains(regime));
        self.cases.iter().all(is_left)
            && any(self.key_lives.len(), life)
            && any(self.regimes.len(), regime)
            && !self.lengths(part).is_empty()
            && (!macs_named || self.has_macs_in(part))
    }

    fn has_macs_in(&self, part: &Part) -> bool {
        let decides = |name: &String| self.cases.is_empty() || self.cases.contains(name);
        let cases = part.cases.iter().filter(|case| decides(&case.name));
        let macs: Vec<&String> = cases.flat_map(|case| &case.macs).collect();
        let any = |side: &[String]| macs.iter().any(|mac| fits_any(side, mac));
        let one = |side: &String| any(std::slice::from_ref(side));
        match self.statement() {
            None => true,
            Some(Statement::Ordering(text)) => {
                let named: Vec<String> =
                    text.split_whitespace().step_by(2).map(String::from).collect();
                named.iter().filter(|mac| one(mac)).count() > 1
            }
            Some(Statement::Faster(faster, than)) => any(faster) && any(than),
            Some(Statement::Falling(side) | Statement::Proportional(side)) => any(side),
            Some(Statement::Ratio(it)) => one(&it.slower) && one(&it.faster),
            Some(Statement::Crossover(it)) => one(&it.below) && one(&it.above),
        }
    }
}

fn mistaken_ordering(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let signs_right = words.iter().skip(1).step_by(2).all(|sign| matches!(*sign, "<" | "="));
    let names_right = words.iter().step_by(2).all(|name| !matches!(*name, "<" | "="));
    let right = words.len() >= 3 && words.len() % 2 == 1 && signs_right && names_right;
    (!right).then(|| format!("ordering {text:?}: must be macs with < or = between them, in spaces"))
}

fn mistaken_ratio(ratio: &ClaimedRatio) -> Option<String> {
    let ClaimedRatio { slower, faster, least, most } = ratio;
    let right = *least > 0.0 && least <= most && most.is_finite();
    if !right {
        return Some(format!("ratio from {least} to {most}: needs 0 < least <= most"));
    }
    let stars = [slower, faster].map(|pattern| pattern.matches('*').count());
    (![[1, 1], [1, 0], [0, 0]].contains(&stars)).then(|| {
        format!("ratio of {slower:?} and {faster:?}: one `*` in each, in `slower` only, or in none")
    })
}

fn mistaken_crossover(it: &ClaimedCrossover, lengths: &[u64]) -> Option<String> {
    let ClaimedCrossover { below, above, from, to } = it;
    if from >= to {
        return Some(format!("crossover from {from} to {to}: from must be below to"));
    }
    if below == above {
        return Some(format!("crossover: {below:?} cannot overtake itself"));
    }
    let sides = lengths.iter().any(|len| len <= from) && lengths.iter().any(|len| len >= to);
    (!sides).then(|| {
        format!(
            "crossover from {from} to {to}: needs a length of {from} B or less, and of {to} B \
                 or more"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::Study;
    use super::*;
    use crate::plan::{MacFacts, Selection, narrow};

    const STUDY: &str = r#"
        name = "s"
        title = "S"
        summary = "s"
        budget_s = 1.0
        launches = 2
        [[panels]]
        name = "p"
        title = "P"
        [[parts]]
        name = "a"
        title = "A"
        sizes = [16, 64, 256]
        key_lives = ["prepared", "new-key"]
        [[parts.cases]]
        name = "c"
        title = "C"
        macs = ["hmac-*", "cmac-*"]
        [[claims]]
        id = "it"
        text = "It is so."
        source = "page 1"
        part = "a"
    "#;

    fn with(claim: &str) -> Result<Study, String> {
        Study::parse(&format!("{STUDY}{claim}\n"))
    }

    /// Every kind, rightly written.
    const RIGHT: [&str; 6] = [
        "ordering = \"a < b = c\"",
        "faster = [\"hmac-*\"]\nthan = [\"cmac-*\"]",
        "falling = [\"*\"]",
        "ratio = { slower = \"*-md5\", faster = \"*-sha1\", least = 5, most = 11.0 }",
        "proportional = [\"hmac-*\"]\nmargin = 0.25",
        "crossover = { below = \"x\", above = \"y\", from = 16, to = 64 }",
    ];

    #[test]
    fn every_kind_is_read_and_kept_in_an_archive() {
        for text in RIGHT {
            let study = with(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert!(study.claims[0].statement().is_some());
            let kept = serde_json::to_string(&study).unwrap();
            assert_eq!(serde_json::from_str::<Study>(&kept).unwrap(), study, "{text}");
        }
        let old = r#"{"id": "i", "text": "t", "source": "s", "part": "p", "cases": [],
                      "ordering": null, "faster": ["a"], "than": ["b"]}"#;
        let old: Claim = serde_json::from_str(old).unwrap();
        assert!(matches!(old.statement(), Some(Statement::Faster(..))));
        assert!(old.concerns(0) && old.margin.is_none());
    }

    #[test]
    fn mistakes_are_told_with_the_name_of_the_claim() {
        let falling = "falling = [\"*\"]\n";
        let ratio = "ratio = { slower = \"S\", faster = \"F\", least = L, most = M }";
        let ratio = |slower: &str, faster: &str, least: &str, most: &str| {
            let text = ratio.replace('S', slower).replace('F', faster);
            text.replace('L', least).replace('M', most)
        };
        let crossover = |below: &str, from: u64, to: u64| {
            format!(
                "crossover = {{ below = \"{below}\", above = \"y\", from = {from}, to = {to} }}"
            )
        };
        let wrong: [(String, &str); 18] = [
            (String::new(), "exactly one of `ordering`, `faster` with `than`"),
            (RIGHT[0].to_owned() + "\n" + falling, "it has ordering and falling"),
            ("faster = [\"a\"]".into(), "`faster` and `than` belong together"),
            ("ordering = \"a b\"".into(), "macs with < or = between them"),
            ("ordering = \"a < b <\"".into(), "macs with < or = between them"),
            (falling.to_owned() + "cases = [\"d\"]", "part \"a\" has no case \"d\""),
            (falling.to_owned() + "key_lives = [\"one-shot\"]", "has no key life one-shot"),
            (falling.to_owned() + "regimes = [\"latency\"]", "has no regime latency"),
            (falling.to_owned() + "sizes = { from = 64, to = 16 }", "from must not be above to"),
            (falling.to_owned() + "sizes = { from = 300 }", "no length of part \"a\" lies within"),
            (falling.to_owned() + "sizes = { to = 16 }", "at least two lengths"),
            (falling.to_owned() + "margin = 1.0", "margin = 1: must be above 0 and below 1"),
            (ratio("a", "b", "11", "5"), "needs 0 < least <= most"),
            (ratio("a", "b", "1", "inf"), "needs 0 < least <= most"),
            (ratio("a", "*-b", "5", "11"), "one `*` in each, in `slower` only, or in none"),
            (ratio("*-*", "*", "5", "11"), "one `*` in each, in `slower` only, or in none"),
            (crossover("x", 64, 64), "from must be below to"),
            (crossover("y", 16, 64), "cannot overtake itself"),
        ];
        for (text, error) in wrong {
            let said = with(&text).unwrap_err();
            assert!(said.starts_with("claim \"it\": ") && said.contains(error), "{text}: {said}");
            assert_eq!(said.lines().count(), 1);
        }
        assert!(with(&crossover("x", 8, 64)).unwrap_err().contains("a length of 8 B or less"));
        assert!(with("falling = [\"*\"]\nsizes = { form = 1 }").unwrap_err().contains("`form`"));
        let part = STUDY.replace("part = \"a\"", "part = \"b\"\nfalling = [\"*\"]");
        assert_eq!(Study::parse(&part).unwrap_err(), "claim \"it\": no part \"b\"");
    }

    #[test]
    fn a_star_stands_for_the_same_in_both() {
        let star = |pattern: &str, name| ClaimedRatio::star(pattern, name);
        assert_eq!(star("*-tdes-3", "omac1-tdes-3"), Some("omac1"));
        assert_eq!(star("c*-128", "cmac-aes-128"), Some("mac-aes"));
        assert_eq!((star("a", "a"), star("a", "b"), star("ab*ba", "aba")), (Some(""), None, None));
    }

    #[test]
    fn a_claim_of_which_nothing_is_left_is_dropped() {
        let text = "faster = [\"hmac-*\"]\nthan = [\"cmac-*\"]\nsizes = { from = 64 }\n\
                    key_lives = [\"new-key\"]";
        let study = with(text).unwrap();
        let fact =
            |name: &str| MacFacts { name: name.into(), key_len_bytes: 16, any_key_len: false };
        let facts = ["hmac-md5", "cmac-aes"].map(fact);
        let left = |wanted: Selection| narrow(&study, &wanted, &facts).unwrap().claims.len();
        let named = |name: &str| Selection { macs: vec![name.into()], ..Selection::default() };
        assert_eq!(left(Selection::default()), 1);
        assert_eq!((left(named("*mac-*")), left(named("hmac-*"))), (1, 0), "a side is missing");
        let sizes = |sizes: &[u64]| Selection { sizes: sizes.to_vec(), ..Selection::default() };
        assert_eq!((left(sizes(&[16, 64])), left(sizes(&[16]))), (1, 0));
        let life = |life| Selection { key_lives: vec![life], ..Selection::default() };
        assert_eq!((left(life(KeyLife::NewKey)), left(life(KeyLife::Prepared))), (1, 0));
        // Without a selection a misspelt mac stays, to be told as missing.
        let study = with("faster = [\"hmca-*\"]\nthan = [\"cmac-*\"]").unwrap();
        assert_eq!(narrow(&study, &Selection::default(), &facts).unwrap().claims.len(), 1);
    }
}
