//! Programs that end well, also where valgrind looks at every access to memory.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::compiled::{Linked, folder, is_there, program, root, skipped, source};

/// What a program printed; it must have ended well. `None`, which is told, where it cannot run.
fn run(program: &Path, under_valgrind: bool) -> Option<String> {
    let mut command = match under_valgrind {
        false => Command::new(program),
        true => {
            let mut valgrind = Command::new("valgrind");
            valgrind.args(["--quiet", "--error-exitcode=99", "--leak-check=full"]);
            // What is kept until the end is no leak: the texts of the catalog.
            valgrind.args(["--errors-for-leak-kinds=definite,indirect,possible"]).arg(program);
            valgrind
        }
    };
    let ended = command.output().expect("a program that starts");
    let (told, failed) =
        (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    if ended.status.code() == Some(77) {
        skipped(told.trim());
        return None;
    }
    assert!(ended.status.success(), "{command:?}: {}\n{told}{failed}", ended.status);
    Some(told.into_owned())
}

/// Compiles a program of `tests/c` and runs it, also under valgrind where that is asked for.
fn passes(name: &str, says: &str, under_valgrind: bool) {
    let Some(program) = program(&source(name), Linked::Shared) else { return };
    let Some(told) = run(&program, false) else { return };
    assert!(told.contains(says), "{name}: {told}");
    if !under_valgrind {
        return;
    }
    if !is_there("valgrind") {
        skipped(&format!("{name} under valgrind, which is not here"));
        return;
    }
    let told = run(&program, true).unwrap_or_default();
    assert!(told.contains(says), "{name} under valgrind: {told}");
}

#[test]
fn what_is_wrong_is_refused() {
    passes("misuse.c", "refused as it must be", true);
}

#[test]
fn a_tag_takes_no_heap_and_freed_memory_holds_no_key() {
    passes("no_heap.c", " macs and compositions", false);
}

#[test]
fn threads_share_keys() {
    passes("threads.c", "the same tags in all threads", false);
}

#[test]
fn handles_work_in_cpp() {
    passes("handles.cpp", "cmac-aes-128 takes a key of 16 bytes, not of 5 bytes", true);
}

/// The block between three backticks and `c`.
#[test]
fn the_example_of_the_readme_runs() {
    let text = fs::read_to_string(root().join("README.md")).expect("a README");
    let (_, rest) = text.split_once("```c\n").expect("an example in C");
    let (example, _) = rest.split_once("```").expect("its end");
    let source = folder().join("readme.c");
    fs::write(&source, example).expect("the example is written");
    for linked in [Linked::Shared, Linked::Static] {
        let Some(program) = program(&source, linked) else { return };
        assert_eq!(run(&program, false).as_deref(), Some("genuine\n"));
    }
}

/// The man page has no mistakes that its formatter sees.
#[test]
fn the_man_page_is_formatted() {
    let page = root().join("man/macs.3");
    if !is_there("groff") {
        skipped("man/macs.3: no groff");
        return;
    }
    let ended = Command::new("groff")
        .args(["-man", "-Tutf8", "-ww", "-z"])
        .arg(&page)
        .output()
        .expect("groff starts");
    let told = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success() && told.is_empty(), "{told}");
}
