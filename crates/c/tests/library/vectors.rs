//! Known answers through the library, from a program in C: the compact set, and with
//! `MACROMETER_VECTORS=FOLDER` all files of that folder.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use vectors::Case;

use crate::compiled::{Linked, program, source};

#[test]
fn known_answers_for_every_mac() {
    let Some(program) = program(&source("vectors.c"), Linked::Shared) else { return };
    let (mut covered, mut count, mut blocks) = (Vec::new(), 0, 0);
    for (name, cases) in vectors::compact().chain(asked_for()) {
        let (macs, ciphers): (Vec<_>, Vec<_>) =
            cases.into_iter().partition(|case| !case.mac.starts_with("block-"));
        prove(&program, &name, &macs);
        count += macs.len();
        blocks += ciphers.len();
        covered.extend(macs.into_iter().map(|case| case.mac));
    }
    println!("{count} cases passed; {blocks} left out, of ciphers alone, which C does not get");
    for mac in macs::catalog() {
        assert!(covered.iter().any(|name| name == mac.name), "{} has no known answer", mac.name);
    }
}

/// The files of the folder that `MACROMETER_VECTORS` names; none without it.
fn asked_for() -> impl Iterator<Item = (String, Vec<Case>)> {
    let folder = std::env::var_os("MACROMETER_VECTORS");
    if folder.is_none() {
        println!("not asked: set MACROMETER_VECTORS to a folder of vectors to run them all");
    }
    let entries = folder.into_iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    files.into_iter().map(|file| (file.display().to_string(), vectors::read(&file).unwrap()))
}

/// The line that asks the program about a case; `None` for a tag that has another length than the
/// case says, which is invalid whatever a library does.
fn question(case: &Case) -> Option<String> {
    let info = macs::find(&case.mac).unwrap_or_else(|| panic!("{}: no mac {}", case.id, case.mac));
    let is_input = info.accepted_tag_len.accepts(case.tag.len());
    let whole = if is_input { case.tag.len() } else { info.tag_len_bytes };
    let tag_len = case.tag_len_bytes(whole)?;
    let (kind, tag) = match info.is_composition() {
        true if case.is_valid => ("sealed", &case.tag[..]),
        true => ("opened", &case.tag[..]),
        false => ("mac", &case.tag[..tag_len]),
    };
    let hex = |bytes: &[u8]| match bytes {
        [] => "-".into(),
        bytes => hex::encode(bytes),
    };
    let fields = [
        kind.into(),
        case.mac.clone(),
        hex(&case.key),
        hex(&case.nonce),
        hex(&case.customization),
        hex(&case.associated_data),
        hex(&case.message.unit),
        case.message.len_bytes.to_string(),
        hex(case.ciphertext.as_deref().unwrap_or_default()),
        hex(tag),
        whole.to_string(),
    ];
    Some(fields.join(" ") + "\n")
}

/// Asks about all cases, and fails naming those that were answered wrongly.
fn prove(program: &Path, name: &str, cases: &[Case]) {
    let mut failed: Vec<String> = Vec::new();
    let mut asked = Vec::new();
    for case in cases {
        match question(case) {
            Some(question) => asked.push((case, question)),
            None if case.is_valid => failed.push(format!("{}: a tag of another length", case.id)),
            None => {}
        }
    }
    let mut running = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a program that starts");
    let mut questions = running.stdin.take().expect("its input");
    let text: String = asked.iter().map(|(_, question)| question.as_str()).collect();
    // It answers while it is asked; one that ends early is told below.
    let asking = thread::spawn(move || drop(questions.write_all(text.as_bytes())));
    let ended = running.wait_with_output().expect("it ends");
    asking.join().expect("all was asked");
    let answers = String::from_utf8_lossy(&ended.stdout);
    let answers: Vec<&str> = answers.lines().collect();
    let next = asked.get(answers.len()).map_or("the end", |(case, _)| &case.id);
    assert!(ended.status.success(), "{name}: {} at {next}", ended.status);
    assert_eq!(answers.len(), asked.len(), "{name}: answers to all");
    // Intel's vectors for GCM have a valid tag of a byte: SP 800-38D has none, and it is refused.
    let has_tag_len = |case: &Case| {
        let info = macs::find(&case.mac).expect("known, as it was asked for");
        !info.is_composition() || info.accepted_short_tag_len.accepts(case.tag.len())
    };
    for ((case, _), answer) in asked.iter().zip(answers) {
        let is_known = answer == "accepted" || answer == "mismatch";
        assert!(is_known || answer.starts_with("refused "), "{name}: {}: {answer}", case.id);
        if (answer == "accepted") != (case.is_valid && has_tag_len(case)) {
            failed.push(format!("{}: {answer}", case.id));
        }
    }
    assert!(failed.is_empty(), "{name}: {failed:?}");
}
