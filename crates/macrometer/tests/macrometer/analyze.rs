//! `analyze` on tables of others: a mistake is told with its place and what would be right.

use crate::bench::Bench;

#[test]
fn a_mistake_in_a_table_is_told_with_its_place() {
    let bench = Bench::new();
    let repetitions = "BenchmarkA 1 5 ns/op\nBenchmarkA 1 5 ns/op\nBenchmarkB 1 5 ns/op\n";
    for (content, told) in [
        ("a,b\n1,2\n3,1e100\n", "line 3, column \"b\": \"1e100\" is too large: at most 1e60"),
        ("a,b\n1,1e400\n", "line 2, column \"b\": \"1e400\" is too large"),
        ("a,b\n1,2\n3,4,5\n", "line 3: 3 values for 2 columns"),
        ("a,b\n1,2\n3\n", "line 3: 1 value for 2 columns"),
        ("a;b\n1;2\n", "line 1: one column, \"a;b\": separated by ;? Add --delimiter ';'"),
        ("a\tb\n1\t2\n", r"separated by tabulators? Add --delimiter $'\t'"),
        (",a,b\n0,1,2\n", "line 1: column 1 has no name; if it numbers the rows, leave it out"),
        ("a,b\n-500,2\n", "line 2, column \"a\": -500 is not a valid time: must be above 0"),
        ("a,b\n1,0\n", "line 2, column \"b\": 0 is not a valid time: must be above 0"),
        ("a_ns,b_us\n1,2\n", "columns are in different units (a_ns, b_us): give all in one"),
        (r#"{"benchmarks": [{"name": "A"}]}"#, "A: has no real_time"),
        (r#"{"benchmarks": 1}"#, "is in none of the formats known"),
        (r#"{"iters": [1, 2], "times": [5, 9]}"#, "holds one benchmark"),
        (repetitions, "A has 2 repetitions and B 1: analyze needs as many of each"),
    ] {
        bench.write("mine", content);
        let error = bench.wrong(&["analyze", "--times", "mine"]);
        assert!(error.contains(told), "{content:?}: {error}");
    }
    // Windows-1252.
    bench.write("mine", b"a (ns),b (\xb5s)\n1,2\n");
    let error = bench.wrong(&["analyze", "mine"]);
    assert!(error.contains("line 1: is not UTF-8 (byte 0xB5): save it as UTF-8"), "{error}");
    bench.write("mine", "a MB_s,b MB_s\n1,2\n");
    assert!(bench.wrong(&["analyze", "mine"]).contains("times or speeds?"));
    bench.write("mine", "a,b\n1,-2\n");
    assert!(bench.wrong(&["analyze", "mine", "--speeds"]).contains("-2 is not a valid speed"));
}

#[test]
fn help_says_what_a_file_must_be() {
    let bench = Bench::new();
    let help = |verb: &str| {
        let help = bench.right(&[verb, "--help"]);
        help.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(help("analyze").contains("unless all column names end in the same unit"));
    assert!(help("compare").contains("sample.json of criterion"));
}
