use std::ffi::OsString;

use rustix::event::{PollFd, PollFlags};

use super::pipes::wait;
use super::*;

fn shell(script: &str) -> Worker {
    let command = ["sh", "-c", script].map(OsString::from).to_vec();
    Worker::launch(&Launch::new("toy", command), None).unwrap()
}

#[test]
fn a_refusal_is_told_and_the_worker_can_be_asked_again() {
    let mut worker = shell("while read line; do echo err no $line; done");
    for _ in 0..2 {
        let error = worker.prove(3, 1).unwrap_err();
        assert!(error.is_refusal() && error.to_string() == "no prove 3 1", "{error}");
    }
}

#[test]
fn death_and_nonsense_are_told_with_the_request_but_without_keys() {
    let error = shell("read line; kill -SEGV $$").rekey(5, &[0xab; 32]).unwrap_err();
    assert!(error.to_string().contains("died at `rekey 5`: signal: 11"), "{error}");
    let error = shell("read line; echo hello").run(5, 1).unwrap_err();
    assert!(error.to_string().contains("`run 5`") && !error.is_refusal(), "{error}");
    let error = shell("read line; echo 'ok {\"elapsed_ns\":-1}'").run(5, 1).unwrap_err();
    assert!(matches!(error, WorkerError::Garbled { .. }));
    let clock = "read line; echo 'ok {\"elapsed_ns\":1,\"core_hz\":0}'";
    let error = shell(clock).run(5, 1).unwrap_err();
    assert!(matches!(error, WorkerError::Garbled { .. }), "{error}");
    let error = shell("exit 3").pool(&vec![0; 1 << 20]).unwrap_err();
    assert!(matches!(error, WorkerError::Died { .. }) && !error.to_string().contains("0000"));
}

#[test]
fn a_worker_that_hangs_is_noticed_while_reading_and_while_writing() {
    let soon = || Instant::now() + Duration::from_millis(50);
    let mut worker = shell("sleep 60");
    assert!(matches!(worker.receive("info", soon()), Err(WorkerError::Hung { .. })));
    let long = "pool ".to_owned() + &"00".repeat(1 << 20);
    assert!(matches!(worker.send(&long, soon()), Err(WorkerError::Hung { .. })));
}

/// The next answer would be that of the request before, and so on.
#[test]
fn an_answer_that_nobody_asked_for_is_nonsense() {
    let at_once = r#"printf 'ok {"elapsed_ns":7}\nok {"elapsed_ns":8}\n'"#;
    let later = r#"echo 'ok {"elapsed_ns":7}'; sleep 0.05; echo 'ok {"elapsed_ns":8}'"#;
    for twice in [at_once, later] {
        let mut worker = shell(&format!("while read line; do {twice}; done"));
        assert_eq!(worker.run(5, 1).unwrap().elapsed_ns, 7.0);
        let mut ready = [PollFd::new(&worker.replies, PollFlags::IN)];
        if worker.pending.is_empty() {
            wait(&mut ready, Instant::now() + PATIENCE).expect("another answer");
        }
        let error = worker.run(6, 1).unwrap_err();
        assert!(matches!(error, WorkerError::Garbled { .. }), "{error}");
        assert!(error.to_string().contains("`run 6`"), "{error}");
    }
    let mut worker = shell("while read line; do printf 'ok {\"tag\":\"aa\"}\\nok\\n'; done");
    let inputs = Inputs::default();
    let tags = worker.tags("toy", &[inputs]).unwrap();
    assert_eq!(tags, [Ok(vec![0xaa])]);
    assert!(matches!(worker.tags("toy", &[inputs]), Err(WorkerError::Garbled { .. })));
}

#[test]
fn a_worker_may_refuse_everything_before_it_is_asked() {
    let mut worker = shell("echo 'err too old'; read line; exit 1");
    let mut ready = [PollFd::new(&worker.replies, PollFlags::IN)];
    wait(&mut ready, Instant::now() + PATIENCE).expect("its refusal");
    assert_eq!(worker.run(5, 1).unwrap_err().to_string(), "too old");
}

#[test]
fn a_worker_that_ended_after_its_answer_died() {
    let mut worker = shell("read line; echo 'ok {\"elapsed_ns\":7}'; exit 3");
    assert_eq!(worker.run(5, 1).unwrap().elapsed_ns, 7.0);
    assert_eq!(worker.child.wait().unwrap().code(), Some(3));
    assert!(matches!(worker.run(6, 1), Err(WorkerError::Died { .. })));
}

#[test]
fn times_of_other_cells_or_of_other_numbers_of_calls_are_nonsense() {
    let single = |ns: &str| shell(&format!("read line; echo 'ok {{\"ns\":{ns}}}'")).single(5, 4);
    assert_eq!(single("[[7,1],[9,3]]").unwrap(), [(7, 1), (9, 3)]);
    for wrong in ["[[7,1]]", "[[7,5]]", "[[7,18446744073709551615],[9,5]]"] {
        let error = single(wrong).unwrap_err();
        assert!(matches!(error, WorkerError::Garbled { .. }), "{wrong}: {error}");
    }
    let alternate = |cells: &str| {
        let script = format!("read line; echo 'ok {{\"cells\":{{{cells}}}}}'");
        shell(&script).alternate(&[5, 3], 2, 1)
    };
    let own = r#""3":{"ns":[[7,2]],"ticks":[[8,1],[9,1]]}"#;
    let right = alternate(&format!(r#"{own},"5":{{"ns":[[7,1],[9,1]]}}"#)).unwrap();
    assert_eq!(right.keys().copied().collect::<Vec<_>>(), [3, 5]);
    for wrong in [
        r#","5":{"ns":[[7,2]]},"4":{"ns":[[7,2]]}"#,
        r#","4":{"ns":[[7,2]]}"#,
        "",
        r#","5":{"ns":[[7,3]]}"#,
        r#","5":{"ns":[[7,2]],"ticks":[[7,1]]}"#,
        r#","5":{"ns":[[7,18446744073709551615],[8,3]]}"#,
    ] {
        let error = alternate(&format!("{own}{wrong}")).unwrap_err();
        assert!(matches!(error, WorkerError::Garbled { .. }), "{wrong}: {error}");
    }
}

#[test]
fn a_worker_of_another_protocol_is_refused() {
    let info = |protocol: &str| {
        let own = r#""name":"x","version":"1","path":"p","detail":"d","offers":[]"#;
        shell(&format!("read line; echo 'ok {{{protocol}{own}}}'")).info()
    };
    assert_eq!(info(r#""protocol":2,"#).unwrap().name, "toy");
    for (protocol, told) in [
        (r#""protocol":3,"#, "speaks protocol 3; this macrometer speaks 2"),
        ("", "does not say which protocol it speaks; this macrometer speaks 2"),
    ] {
        let error = info(protocol).unwrap_err();
        assert!(!error.is_refusal() && error.to_string() == told, "{error}");
    }
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let command = vec![OsString::from("/no/such/program")];
    let error = Worker::launch(&Launch::new("x", command), None).unwrap_err();
    assert!(error.to_string().contains("cannot start /no/such/program"), "{error}");
}
