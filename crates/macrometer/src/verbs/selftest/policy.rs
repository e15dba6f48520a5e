//! `selftest --policy`: which of what a policy disallows the providers compute, in this
//! environment.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use lab::record::ProviderRecord;
use lab::worker::client::Launch;
use report::terminal::{table, wrapped};
use serde_json::{Value, json};

use super::{TEST_FAILED, of_each};
use crate::output::{print, print_text, width};
use crate::policies::Policy;
use crate::refusals::{Answer, Answers, Question, ask};
use crate::verbs::Format;

/// What it is and what it is not.
const LIMITS: &str = "What the providers do on this machine, in this environment. It certifies \
                      nothing: whether a library, or its build, is validated is another question.";

/// Where a library is told to refuse.
const SWITCHES: &str = "A library's FIPS mode is switched on outside macrometer: OpenSSL's by its \
                        configuration file (OPENSSL_CONF), libgcrypt's by \
                        LIBGCRYPT_FORCE_FIPS_MODE or the Linux kernel, Java's by its security \
                        files, Go's by GODEBUG=fips140=only.";

/// Variables by which libraries are told so.
const VARIABLES: [&str; 7] = [
    "GODEBUG",
    "JAVA_TOOL_OPTIONS",
    "LIBGCRYPT_FORCE_FIPS_MODE",
    "NODE_OPTIONS",
    "OPENSSL_CONF",
    "OPENSSL_FORCE_FIPS_MODE",
    "OPENSSL_MODULES",
];

/// The questions, their column, and what is counted in it.
const QUESTIONS: [(Question, &str); 4] = [
    (Question::Disallowed, "disallowed"),
    (Question::ShortKey, "short keys"),
    (Question::ShortTag, "short tags"),
    (Question::Approved, "approved"),
];

pub(super) fn run(
    launches: &[Launch],
    providers: &[ProviderRecord],
    policy: &Policy,
    format: Format,
) -> Result<u8> {
    let failed = |provider: &ProviderRecord| Answers {
        ended_by: Some(TEST_FAILED.into()),
        ..Answers::none(provider)
    };
    let work = |launch: &Launch, provider: &ProviderRecord| ask(launch, provider, policy);
    let told = of_each(launches, providers, work, failed);
    match format {
        Format::Json => print(&report::json(&document(policy, &told))?)?,
        Format::Text => print_text(&text(policy, &told, width()))?,
    }
    Ok(0)
}

fn document(policy: &Policy, told: &[Answers]) -> Value {
    json!({
        "policy": {
            "name": policy.name, "title": policy.title, "document": policy.document,
            "version": policy.version, "url": policy.url, "is_draft": policy.is_draft,
        },
        "limits": LIMITS,
        "kernel_fips_enabled": kernel_fips(),
        "variables_set": variables(),
        "providers": told,
    })
}

/// Whether the Linux kernel is in FIPS mode, where it tells.
fn kernel_fips() -> Option<bool> {
    let flag = std::fs::read_to_string("/proc/sys/crypto/fips_enabled").ok()?;
    Some(flag.trim() != "0")
}

fn variables() -> Vec<&'static str> {
    VARIABLES.into_iter().filter(|name| std::env::var_os(name).is_some()).collect()
}

const COUNTED: &str = "MACs computed, of those offered: disallowed by the policy; approved or \
                       allowed, with a key or a tag that is too short (where any such length is \
                       computed); approved or allowed, with usual lengths. In brackets: what the \
                       library said, or macrometer's call of it.";

fn text(policy: &Policy, told: &[Answers], width: usize) -> String {
    let draft = if policy.is_draft { " (DRAFT)" } else { "" };
    let title = format!("Policy {}{draft}: {}, {}", policy.name, policy.document, policy.version);
    let mut text = format!("{}\n\n{}\n\n", wrapped(&title, width, ""), counts(told, width));
    let said = |what: &str| format!("{}\n", wrapped(what, width, ""));
    text += &said(COUNTED);
    for (heading, lines) in [
        ("Disallowed MACs", usual(told, Question::Disallowed)),
        ("Short keys", short(told, Question::ShortKey)),
        ("Short tags", short(told, Question::ShortTag)),
        ("Approved MACs", usual(told, Question::Approved)),
        ("Not asked any further", ended(told)),
    ] {
        if !lines.is_empty() {
            text += &format!("\n{heading}\n");
        }
        text.extend(lines.iter().map(|line| format!("{}\n", wrapped(line, width, "  "))));
    }
    text + "\n" + &said(LIMITS) + &said(&environment()) + &said(SWITCHES)
}

fn environment() -> String {
    let kernel = match kernel_fips() {
        Some(true) => "The Linux kernel is in FIPS mode",
        Some(false) => "The Linux kernel is not in FIPS mode",
        None => "The Linux kernel does not say whether it is in FIPS mode",
    };
    match &variables()[..] {
        [] => format!("{kernel}, and no variable that switches a library's mode is set."),
        set => format!("{kernel}; set: {}.", set.join(", ")),
    }
}

/// One row a provider; a question that nobody could be asked has no column.
fn counts(told: &[Answers], width: usize) -> String {
    let asked = |question| told.iter().any(|answers| answers.to(question).next().is_some());
    let questions = QUESTIONS.iter().filter(|(question, _)| asked(*question));
    let (questions, columns): (Vec<Question>, Vec<&str>) = questions.copied().unzip();
    let head: Vec<&str> = ["provider", "version"].into_iter().chain(columns).collect();
    let row = |answers: &Answers| {
        // Of a provider that is several crates, the first.
        let version = answers.version.split(',').next().unwrap_or_default();
        let words = [answers.provider.clone(), version.to_owned()];
        words.into_iter().chain(questions.iter().map(|it| count(answers, *it))).collect()
    };
    table(&head, told.iter().map(row).collect(), &[0, 1], width).trim_end().to_owned()
}

/// `3 of 4`: the MACs that it computed, in any call.
fn count(answers: &Answers, question: Question) -> String {
    let macs = |is_counted: &dyn Fn(&Answer) -> bool| {
        let counted = answers.to(question).filter(|answer| is_counted(answer));
        counted.map(|answer| answer.mac).collect::<BTreeSet<_>>().len()
    };
    match macs(&|_| true) {
        0 => "–".into(),
        tried => format!("{} of {tried}", macs(&|answer| !answer.computed_bits.is_empty())),
    }
}

/// What was refused of MACs with usual lengths, and what a provider does not give at all.
fn usual(told: &[Answers], question: Question) -> Vec<String> {
    let mut lines = Vec::new();
    for answers in told {
        let mut refused: BTreeMap<(String, &str), Vec<&str>> = BTreeMap::new();
        for answer in answers.to(question) {
            if let Some(reason) = &answer.reason {
                let call = answer.key_life.map(|life| format!(", {life}")).unwrap_or_default();
                refused.entry((call, reason)).or_default().push(answer.mac);
            }
        }
        lines.extend(refused.into_iter().map(|((call, reason), macs)| {
            format!("{}{call}: refused: {} ({reason})", answers.provider, macs.join(", "))
        }));
        lines.extend(absent(answers, question));
    }
    lines
}

/// What a provider does not give at all, by the reason.
fn absent(answers: &Answers, question: Question) -> Vec<String> {
    let absent = match question {
        Question::Disallowed => &answers.absent_disallowed,
        _ => &answers.absent_approved,
    };
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (mac, reason) in absent {
        by_reason.entry(reason).or_default().push(mac);
    }
    let provider = &answers.provider;
    let line = |(reason, macs): (&str, Vec<&str>)| {
        format!("{provider}: refused or not in this build: {} ({reason})", macs.join(", "))
    };
    by_reason.into_iter().map(line).collect()
}

/// Which lengths were refused and which computed: providers that compute them all in one line, the
/// others by MAC.
fn short(told: &[Answers], question: Question) -> Vec<String> {
    let mut all = Vec::new();
    let mut lines = Vec::new();
    for answers in told {
        let mut asked = answers.to(question).peekable();
        if asked.peek().is_none() {
            continue;
        }
        if asked.all(|answer| answer.refused_bits.is_empty()) {
            all.push(&answers.provider[..]);
            continue;
        }
        for (what, macs) in by_lengths(answers, question) {
            lines.push(format!("{}: {}: {what}", answers.provider, macs.join(", ")));
        }
    }
    if !all.is_empty() {
        lines.insert(0, format!("every length that was tried is computed: {}", all.join(", ")));
    }
    lines
}

/// What became of the lengths, and the MACs of which that is so in all calls, or in the calls that
/// it names.
fn by_lengths(answers: &Answers, question: Question) -> BTreeMap<String, Vec<&'static str>> {
    let mut by_mac: BTreeMap<&str, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for answer in answers.to(question) {
        let calls = by_mac.entry(answer.mac).or_default().entry(lengths(answer)).or_default();
        calls.extend(answer.key_life.map(|life| life.to_string()));
    }
    let mut gathered: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for (mac, by_outcome) in by_mac {
        let Some(mac) = macs::find(mac).map(|info| info.name) else { continue };
        let differs = by_outcome.len() > 1;
        for (outcome, calls) in by_outcome {
            let what = if differs { format!("{}: {outcome}", calls.join(", ")) } else { outcome };
            gathered.entry(what).or_default().push(mac);
        }
    }
    gathered
}

/// `8 to 104 bits refused (EVP_MAC_init failed), 112 to 120 computed`.
fn lengths(answer: &Answer) -> String {
    let reason = answer.reason.as_deref().unwrap_or_default();
    let refused = ranges(&answer.refused_bits);
    let computed = ranges(&answer.computed_bits);
    match (refused.is_empty(), computed.is_empty()) {
        (true, _) => "every length computed".into(),
        (_, true) => format!("{refused} bits refused ({reason})"),
        _ => format!("{refused} bits refused ({reason}), {computed} computed"),
    }
}

/// Lengths in whole bytes, neighbours as one: `8 to 104 and 120`.
fn ranges(bits: &[usize]) -> String {
    let runs = bits.chunk_by(|a, b| a + 8 == *b);
    let runs = runs.map(|run| match run {
        [first, .., last] => format!("{first} to {last}"),
        [one] => one.to_string(),
        [] => String::new(),
    });
    runs.collect::<Vec<_>>().join(" and ")
}

fn ended(told: &[Answers]) -> Vec<String> {
    let ended = told.iter().filter_map(|it| Some((&it.provider, it.ended_by.as_ref()?)));
    ended.map(|(provider, reason)| format!("{provider}: {reason}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_fips_mode_is_told_is_said() {
        assert!(environment().starts_with("The Linux kernel "), "{}", environment());
    }

    #[test]
    fn neighbouring_lengths_are_one_range() {
        assert_eq!(ranges(&[0, 8, 16, 32, 48, 56]), "0 to 16 and 32 and 48 to 56");
        assert_eq!(ranges(&[]), "");
    }
}
