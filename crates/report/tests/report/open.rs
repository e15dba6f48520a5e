//! What claims leave open while a run goes on: what is not measured, what has no interval, what has
//! one that shows neither; and nothing of what is decided.

use lab::cell::KeyLife;
use lab::record::{CellRecord, Exclusion, Run};
use report::findings::{Background, OpenComparison, open};
use synthetic::Filling;

use crate::claimed::{mac, study};

/// A is faster, at 256 B and at 1 KiB; and something that no run decides.
const CLAIMS: &str = r#"
    key_lives = ["prepared"]
    sizes = { from = 256 }
    faster = ["a"]
    than = ["b"]
    [[claims]]
    id = "elsewhere"
    text = "It is so everywhere."
    source = "page 2"
    part = "sizes"
    same_trend = ["*"]
"#;

fn run(byte_ns: f64, launches: u32) -> Run {
    let filling = Filling { launches, blocks: 2, launch_sd: 0.02, block_sd: 0.001 };
    let macs = [mac("a", 100.0, 1.0, 0.0), mac("b", 100.0, byte_ns, 0.0)];
    synthetic::run(study(CLAIMS), &macs, filling)
}

fn left(run: &Run) -> Vec<OpenComparison> {
    open(run, &Background::default())
}

#[test]
fn what_was_decided_leaves_nothing_open() {
    assert_eq!(left(&run(2.0, 12)), []);
    assert_eq!(left(&run(0.5, 12)), [], "refuted");
}

#[test]
fn what_was_not_measured_or_has_no_interval_is_open() {
    let mut run = run(2.0, 2);
    let is_long =
        |it: &&CellRecord| it.cell.len_bytes == 1024 && it.cell.key_life == KeyLife::Prepared;
    let long: Vec<u32> = run.cells.iter().filter(is_long).map(|it| it.id).collect();
    run.samples.retain(|sample| !long.contains(&sample.cell));
    let [short, unmeasured] = &left(&run)[..] else { panic!("{:?}", left(&run)) };
    assert!(short.ratio.unwrap() > 1.3 && short.interval.is_none() && short.launches == 0);
    assert_eq!((short.launches_needed, short.shrink), (Some(6), f64::INFINITY));
    assert_eq!((unmeasured.ratio, unmeasured.launches_needed), (None, Some(6)));
    let mut cells = unmeasured.cells.clone();
    cells.sort_unstable();
    assert_eq!(cells, long);
    assert_eq!((short.claim.as_str(), short.panel.as_str()), ("it", "all"));
    run.cells
        .iter_mut()
        .for_each(|it| it.excluded = Some(Exclusion::Failed("its tag differs".into())));
    assert_eq!(left(&run), [], "nobody waits for what is excluded");
}

#[test]
fn an_interval_that_shows_neither_tells_how_far_it_is() {
    // Slower by 1.6 % at 1 KiB, where launches differ by 2 %.
    let open = left(&run(1.018, 6));
    let far = open.iter().find(|it| it.interval.is_some()).expect("one interval shows neither");
    assert!(far.launches == 6 && far.shrink > 1.0, "{far:?}");
    assert!(far.launches_needed.is_none_or(|needed| needed > 6), "{far:?}");
}
