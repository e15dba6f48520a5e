//! Claims whose truth is known, on runs that are drawn: how often they are decided, and how often
//! wrongly. The small version is drawn from one seed, and its bounds are those of the binomial
//! distribution, so that its outcome is always the same; the full one prints what docs/method.md
//! tells.

use lab::record::Run;
use lab::study::Study;
use report::findings::{ClaimVerdict, Findings};
use synthetic::{Filling, Noise, Planted, planted};

/// What the launches of one process differ by on an ordinary machine, and blocks within.
const LAUNCH_SD: f64 = 0.01;
const BLOCK_SD: f64 = 0.01;

/// Launches of the studies by default.
const LAUNCHES: u32 = 10;

/// A claim over one length, or over many, of two macs of which b takes `ratio` times as long as a.
struct Case {
    name: &'static str,
    claim: &'static str,
    lengths: u64,
    ratio: f64,
    /// How many times as wide the blocks of b spread within a launch.
    spread: f64,
    /// Blocks of each launch.
    blocks: u32,
    is_true: bool,
}

impl Case {
    /// Three blocks a launch, which spread alike.
    const fn of(
        name: &'static str,
        claim: &'static str,
        lengths: u64,
        ratio: f64,
        is_true: bool,
    ) -> Self {
        Case { name, claim, lengths, ratio, spread: 1.0, blocks: 3, is_true }
    }

    /// Ten blocks a launch, as in part II of `hmac-vs-cmac`.
    const fn of_spread(name: &'static str, lengths: u64, spread: f64, is_true: bool) -> Self {
        Case { spread, blocks: 10, ..Case::of(name, SPREAD, lengths, 1.0, is_true) }
    }
}

const FASTER: &str = "faster = [\"a\"]\nthan = [\"b\"]";
const EQUAL: &str = "ordering = \"b = a\"\nmargin = 0.02";
const RANGE: &str = "ratio = { slower = \"b\", faster = \"a\", least = 1.2, most = 1.5 }";

const SPREAD: &str = "same_spread = [\"*\"]\nmargin = 1.0";

const CASES: [Case; 13] = [
    Case::of("one faster by 5 %", FASTER, 1, 1.05, true),
    Case::of("32 faster by 5 %", FASTER, 32, 1.05, true),
    Case::of("one slower by 3 %", FASTER, 1, 0.97, false),
    Case::of("32 slower by 5 %", FASTER, 32, 0.95, false),
    Case::of("one the same", EQUAL, 1, 1.0, true),
    Case::of("128 the same", EQUAL, 128, 1.0, true),
    Case::of("32 not the same, by 5 %", EQUAL, 32, 1.05, false),
    Case::of("32 within a range", RANGE, 32, 1.35, true),
    Case::of_spread("one spreads alike", 1, 1.0, true),
    Case::of_spread("33 spread alike", 33, 1.0, true),
    Case::of_spread("one spreads just twice as wide", 1, 2.0, false),
    Case::of_spread("one spreads 4 times as wide", 1, 4.0, false),
    Case::of_spread("33 spread 4 times as wide", 33, 4.0, false),
];

fn study(case: &Case) -> Study {
    let text = format!(
        "name = \"s\"\ntitle = \"S\"\nsummary = \"s\"\nbudget_s = 1.0\nlaunches = {LAUNCHES}\n\
         [[panels]]\nname = \"p\"\ntitle = \"P\"\n\
         [[parts]]\nname = \"a\"\ntitle = \"A\"\n\
         size_range = {{ from = 64, to = {}, step = 64 }}\nkey_lives = [\"prepared\"]\n\
         [[parts.cases]]\nname = \"c\"\ntitle = \"C\"\nmacs = [\"*\"]\ntested = false\n\
         [[claims]]\nid = \"it\"\ntext = \"It is so.\"\nsource = \"page 1\"\npart = \"a\"\n{}\n",
        64 * case.lengths,
        case.claim
    );
    Study::parse(&text).unwrap()
}

/// A normal number by Box and Muller.
fn normal(noise: &mut Noise) -> f64 {
    let radius = (-2.0 * (1.0 - noise.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * noise.unit()).cos()
}

/// The run with its times drawn anew: each launch of each cell is off by its own share, and blocks
/// within it by theirs; one block in fifty is disturbed.
fn draw(run: &mut Run, (ratio, spread): (f64, f64), noise: &mut Noise) {
    let is_b = |run: &Run, id: u32| run.cells[id as usize].cell.candidate.mac == "b";
    let mut last = (u32::MAX, u32::MAX);
    let mut launch = 0.0;
    for at in 0..run.samples.len() {
        let sample = run.samples[at];
        if (sample.cell, sample.launch) != last {
            last = (sample.cell, sample.launch);
            launch = LAUNCH_SD * normal(noise);
        }
        let spike = if noise.unit() < 0.02 { 0.05 } else { 0.0 };
        let is_b = is_b(run, sample.cell);
        let spread = if is_b { spread } else { 1.0 };
        let share = (launch + spread * BLOCK_SD * normal(noise) + spike).exp();
        let time_ns = if is_b { 1000.0 * ratio } else { 1000.0 };
        run.samples[at].elapsed_ns = time_ns * share * sample.iterations as f64;
    }
}

/// How many of `runs` end confirmed, refuted and undecided.
fn simulate(case: &Case, runs: u32) -> [u32; 3] {
    let mac = |name: &str| -> Planted { planted(("macs", "soft", name), 1e3, 0.0, 0.0, 16) };
    let filling = Filling { launches: LAUNCHES, blocks: case.blocks, ..Filling::QUIET };
    let mut run = synthetic::run(study(case), &[mac("a"), mac("b")], filling);
    let mut noise = Noise(7);
    let mut ended = [0; 3];
    for _ in 0..runs {
        draw(&mut run, (case.ratio, case.spread), &mut noise);
        let at = match Findings::of(&run).claims[0].panels[0].verdict {
            ClaimVerdict::Confirmed => 0,
            ClaimVerdict::Refuted => 1,
            ClaimVerdict::Undecided | ClaimVerdict::Elsewhere => 2,
        };
        ended[at] += 1;
    }
    ended
}

/// The largest count that a chance of `share` shows in all but one of a million simulations.
fn most_by_chance(runs: u32, share: f64) -> u32 {
    let confidence = stats::Confidence::new(1.0 - 2e-6).unwrap();
    let alpha = stats::Alpha::new(share).unwrap();
    *stats::acceptance_band(u64::from(runs), alpha, confidence).end() as u32
}

fn check(runs: u32) {
    let (wrong_max, open_max) = (most_by_chance(runs, 0.05), most_by_chance(runs, 0.2));
    for case in &CASES {
        let [confirmed, refuted, undecided] = simulate(case, runs);
        println!(
            "{:<30} {:<6} confirmed {confirmed:>4}, refuted {refuted:>4}, undecided {undecided:>4} \
             of {runs}",
            case.name,
            if case.is_true { "true" } else { "false" },
        );
        let wrong = if case.is_true { refuted } else { confirmed };
        assert!(wrong <= wrong_max, "{}: {wrong} of {runs} wrong", case.name);
        // Equal within 2 % is no effect of 5 %: it may stay open.
        if (case.ratio - 1.0).abs() > 0.04 || case.spread > 3.0 {
            assert!(undecided <= open_max, "{}: {undecided} of {runs} undecided", case.name);
        }
    }
}

#[test]
fn claims_are_seldom_decided_wrongly_and_mostly_decided() {
    check(200);
}

/// `cargo test --release -p macrometer-report --test report simulation -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes; docs/method.md has its figures"]
fn a_thousand_runs_of_each() {
    check(1000);
}
