//! A database whose owner wants something of its readers: it is refused before anything is read.

use super::measured;
use super::server::Server;
use crate::bench::Bench;

/// What an owner can do to the tables, each in a database of its own, and what is told of it. By
/// `ran` it is seen whether anything of it was called.
const TRAPS: [(&str, &str); 20] = [
    (
        "ALTER TABLE macrometer.cell ALTER record TYPE VARCHAR;
         CREATE FUNCTION macrometer.octet_length(VARCHAR) RETURNS INT LANGUAGE plpgsql
         AS 'BEGIN PERFORM public.ran(); RETURN 1; END'",
        "\"octet_length\" is a function",
    ),
    (
        "CREATE FUNCTION macrometer.pg_advisory_xact_lock(TEXT) RETURNS VOID LANGUAGE sql
         AS 'SELECT public.ran()'",
        "is a function",
    ),
    (
        "CREATE FUNCTION public.eq(TEXT, TEXT) RETURNS BOOL LANGUAGE sql AS 'SELECT public.ran()';
         CREATE OPERATOR macrometer.= (LEFTARG = TEXT, RIGHTARG = TEXT, FUNCTION = public.eq)",
        "\"=\" is an operator",
    ),
    ("CREATE DOMAIN macrometer.d AS TEXT CHECK (public.ran())", "\"d\" is a type"),
    ("CREATE TYPE macrometer.e AS ENUM ('a')", "is a type"),
    (
        "CREATE FUNCTION public.to_int(macrometer.event) RETURNS INT LANGUAGE sql AS 'SELECT 1';
         CREATE CAST (macrometer.event AS INT) WITH FUNCTION public.to_int",
        "\"event\" has a cast",
    ),
    ("CREATE COLLATION macrometer.c FROM \"C\"", "is a collation"),
    ("ALTER TABLE macrometer.run ALTER id TYPE TEXT COLLATE \"C\"", "has other columns"),
    ("ALTER TABLE macrometer.event ALTER kind TYPE VARCHAR", "has other columns"),
    ("ALTER TABLE macrometer.event ADD x TEXT", "has other columns"),
    ("ALTER TABLE macrometer.event RENAME text TO words", "has other columns"),
    ("ALTER TABLE macrometer.event ALTER rowid DROP IDENTITY", "has other columns"),
    ("CREATE TABLE macrometer.mine (x INT)", "is no table of an archive"),
    ("DROP TABLE macrometer.load", "is missing"),
    ("ALTER TABLE macrometer.event ALTER kind SET DEFAULT public.ran()::text", "has a default"),
    (
        "ALTER TABLE macrometer.event ADD x BOOL GENERATED ALWAYS AS (public.ran()) STORED",
        "a generated column",
    ),
    ("ALTER TABLE macrometer.event ADD CONSTRAINT k CHECK (public.ran())", "has a constraint k"),
    ("CREATE INDEX i ON macrometer.event ((public.ran()))", "is an index of expressions"),
    ("CREATE INDEX i ON macrometer.event (run) WHERE public.ran()", "is an index of expressions"),
    ("CREATE TABLE public.child () INHERITS (macrometer.sample)", "inherits or is inherited"),
];

#[test]
fn nothing_of_an_owner_runs_with_the_rights_of_others() {
    let Some(server) = Server::start("trust") else { return };
    let (bench, archive) = (Bench::new(), server.archive());
    assert!(measured(&bench, &archive, &["--budget", "1"]).output().unwrap().status.success());
    server.sql("bench", "CREATE SEQUENCE public.calls");
    server.sql(
        "bench",
        "CREATE FUNCTION public.ran() RETURNS BOOL IMMUTABLE LANGUAGE sql
         AS 'SELECT nextval(''public.calls'') > 0'",
    );
    for (at, (trap, told)) in TRAPS.into_iter().enumerate() {
        let own = format!("trap{at}");
        server.sql("postgres", &format!("CREATE DATABASE {own} TEMPLATE bench"));
        server.sql(&own, trap);
        let calls = || server.sql(&own, "SELECT last_value, is_called FROM public.calls");
        let (before, url) = (calls(), server.url("ann", &own));
        for arguments in [&["runs"][..], &["report", "last"], &["runs", "remove", "x"]] {
            let error = bench.wrong(&[arguments, &["--archive", &url]].concat());
            assert!(error.contains(told) && error.contains("plain tables only"), "{trap}: {error}");
        }
        assert_eq!(calls(), before, "{trap}");
    }
    // Beside the schema there may be anything.
    server.sql(
        "bench",
        "CREATE VIEW public.run AS SELECT 1 AS id;
         CREATE FUNCTION public.length(TEXT) RETURNS INT LANGUAGE sql AS 'SELECT 1 / 0';
         ALTER DATABASE bench SET search_path = public, pg_catalog",
    );
    bench.right(&["runs", "check", "--archive", &archive]);
    bench.right(&["report", "last", "--archive", &archive, "--format", "json"]);
}
