//! Servers, databases and URLs that cannot be used: one line, exit code 2, and never a password.

use std::io::Read;
use std::net::TcpListener;

use super::measured;
use super::server::Server;
use crate::bench::Bench;

const PASSWORD: &str = "n0t-told";

/// What is said where a run is listed and where one is begun.
#[track_caller]
fn refused(bench: &Bench, url: &str) -> String {
    let told = bench.wrong(&["runs", "--archive", url]);
    let run = bench.wrong(&["run", "--quick", "--quiet", "--archive", url]);
    assert_eq!(told, run);
    assert!(!told.contains(PASSWORD), "{told}");
    told
}

#[test]
fn what_is_no_database_is_refused_in_a_line() {
    let bench = Bench::new();
    for (url, what) in [
        ("postgres://ann:n0t-told@localhost:1/bench", "Connection refused"),
        ("postgres://ann:n0t-told@%2Fnowhere/bench", "cannot be reached"),
        ("postgres://ann:n0t-told@localhost", "names no database"),
        ("postgres://ann:n0t-told@localhost/bench?sslmode=require", "no TLS"),
        ("postgres://ann:n0t-told@localhost:port/bench", "its port is not a number"),
        ("postgres://ann:x@n0t-told@localhost/bench", "write @ as %40"),
        ("postgres://ann:x/n0t-told@localhost/bench", "write @ as %40"),
        ("postgres:/ann:n0t-told@localhost/bench", "not a URL"),
        ("postgres//ann:n0t-told@localhost/bench", "not a URL"),
        ("mysql://ann:n0t-told@localhost/bench", "not a URL"),
        (" postgres://ann:n0t-told@localhost/bench", "begins with a blank"),
    ] {
        let told = refused(&bench, url);
        assert!(told.contains(what), "{told}");
    }
    let made = std::fs::read_dir(bench.folder()).unwrap();
    let mut made = made.map(|it| it.unwrap().file_name().into_string().unwrap());
    assert!(made.all(|it| !it.contains("postgres") && !it.contains("sql")), "a folder was made");
    let stores = [
        vec!["fleet", "run", "x.pack", "--local", "1", "--store", "mysql://ann:n0t-told@h/bench"],
        vec!["fleet", "gather", "postgres:/ann:n0t-told@h/bench", "--csv"],
        vec!["fleet", "gather", "postgres://ann:n0t-told@localhost:1/bench", "--csv"],
        vec!["fleet", "status", "postgres://ann:n0t-told@localhost:1/bench"],
        vec!["fleet", "check", "postgres://ann:n0t-told@localhost:1/bench"],
        vec!["fleet", "site", "postgres://ann:n0t-told@localhost:1/bench", "-o", "out"],
        vec!["compare", "--fleet", "postgres://ann:n0t-told@localhost:1/bench"],
        vec!["runs", "import", "postgres://ann:n0t-told@localhost:1/bench"],
    ];
    for arguments in stores {
        let told = bench.wrong(&arguments);
        assert!(!told.contains(PASSWORD), "{told}");
    }
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let silent = std::thread::spawn(move || {
        let (mut heard, _) = listener.accept().unwrap();
        // Until the other side has had enough.
        let _ = heard.read_to_end(&mut Vec::new());
    });
    let bench = Bench::new();
    let url = format!("postgres://ann:{PASSWORD}@127.0.0.1:{port}/bench");
    let told = bench.wrong(&["runs", "--archive", &url]);
    assert!(told.contains("did not answer for 10 s"), "{told}");
    silent.join().unwrap();
}

#[test]
fn passwords_are_asked_for_and_found() {
    let Some(server) = Server::start("scram-sha-256") else { return };
    let bench = Bench::new();
    let told = refused(&bench, &server.archive());
    assert!(told.contains("PGPASSWORD"), "{told}");
    let socket = server.url("ann", "bench").replacen("ann@", &format!("ann:{PASSWORD}@"), 1);
    let told = refused(&bench, &socket);
    assert!(told.contains("password authentication failed"), "{told}");
    let told = bench.output(&["runs", "--archive", &server.url("ann", "nowhere")]);
    assert_eq!(told.status.code(), Some(2));
    let archive = server.archive();
    let mut right = measured(&bench, &archive, &["--budget", "1"]);
    assert!(right.env("PGPASSWORD", "s3cret").output().unwrap().status.success());
    bench.write("passwords", "*:*:bench:ann:s3cret\n");
    let list = |mode: u32| {
        use std::os::unix::fs::PermissionsExt;
        let file = bench.path("passwords");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        bench.command(&["runs", "--archive", &archive]).env("PGPASSFILE", file).output().unwrap()
    };
    let told = list(0o644);
    assert_eq!(told.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&told.stderr).contains("others may read it"));
    assert!(list(0o600).status.success());
    // Neither what is kept nor a report has it.
    for file in bench.files_below(&bench.path("macrometer")) {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(6).any(|it| it == b"s3cret"), "{}", file.display());
    }
    let dump = "SELECT count(*) FROM macrometer.run WHERE record LIKE '%s3cret%'";
    assert_eq!(server.sql("bench", dump), "0");
}

/// Each is made, seen and taken back.
const MADE_WRONG: [(&str, &str, &str); 4] = [
    (
        "UPDATE macrometer.archive SET version = 2",
        "newer macrometer",
        "UPDATE macrometer.archive SET version = 1",
    ),
    (
        "CREATE VIEW macrometer.endless AS SELECT generate_series(1, 1000000000000)",
        "plain tables only",
        "DROP VIEW macrometer.endless",
    ),
    (
        "CREATE RULE r AS ON INSERT TO macrometer.event DO ALSO SELECT 1",
        "plain tables only",
        "DROP RULE r ON macrometer.event",
    ),
    (
        "UPDATE macrometer.sample SET ticks = ticks + 1 WHERE rowid = 1;
             UPDATE macrometer.seal SET rows = rows + 1 WHERE of = 'sample'",
        "were stored",
        "UPDATE macrometer.seal SET rows = rows - 1 WHERE of = 'sample'",
    ),
];

#[test]
fn a_database_is_believed_no_more_than_a_file() {
    let Some(server) = Server::start("trust") else { return };
    let (bench, archive) = (Bench::new(), server.archive());
    let told = bench.wrong(&["runs", "--archive", &server.url("ann", "nowhere")]);
    assert!(told.contains("database \"nowhere\" does not exist"), "{told}");
    assert!(bench.wrong(&["runs", "--archive", &archive]).contains("no archive here yet"));
    server.sql("postgres", "CREATE DATABASE other");
    server.sql("other", "CREATE SCHEMA macrometer; CREATE TABLE macrometer.run (id INT)");
    let told = refused(&bench, &server.url("ann", "other"));
    assert!(told.contains("not a macrometer archive"), "{told}");
    assert!(measured(&bench, &archive, &["--budget", "1"]).output().unwrap().status.success());
    bench.right(&["runs", "check", "--archive", &archive]);
    let list = || {
        let told = bench.output(&["runs", "--archive", &archive]);
        (told.status.code(), String::from_utf8_lossy(&told.stderr).into_owned())
    };
    for (make, what, undo) in MADE_WRONG {
        server.sql("bench", make);
        let (_, told) = list();
        assert!(told.contains(what), "{make}: {told}");
        server.sql("bench", undo);
    }
    assert_eq!(list().0, Some(0));
    let check = bench.output(&["runs", "check", "--archive", &archive]);
    assert_eq!(check.status.code(), Some(1), "a sample was changed");
    let report = bench.wrong(&["report", "last", "--archive", &archive]);
    assert!(report.contains("is damaged"), "{report}");
    server.sql(
        "bench",
        "UPDATE macrometer.cell SET record = repeat('x', 300000000)
                         WHERE id = (SELECT min(id) FROM macrometer.cell)",
    );
    let report = bench.wrong(&["report", "last", "--archive", &archive]);
    assert!(report.contains("record of cell has more than"), "{report}");
    server.sql("bench", "ALTER TABLE macrometer.cell DROP CONSTRAINT cell_run_fkey");
    server.sql(
        "bench",
        "SET session_replication_role = replica;
                         UPDATE macrometer.run SET id = '../../x'",
    );
    let (code, told) = list();
    assert!(code == Some(0) && told.contains("run name"), "{told}");
}
