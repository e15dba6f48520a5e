//! How often a gate errs, by simulation: launches of processes that differ, some of them slowed
//! down, in two processes of each version.

use stats::{Alpha, GateCell, GateVerdict, Gated, Margin, gate, looks};

/// Cells of a gate, and launches in which its budget ends.
const CELLS: usize = 20;
const LAUNCHES: usize = 59;

/// A generator with a fixed seed: SplitMix64 (S. Vigna).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Nearly normal, mean 0, standard deviation 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// What one process deviates by in a launch: `spread`, and one of ten, which is disturbed,
    /// takes longer, by five times that.
    fn process(&mut self, spread: f64) -> f64 {
        let deviation = self.normal() * spread;
        if self.unit() < 0.1 { 5.0 * deviation.abs() } else { deviation }
    }
}

/// Cells of which the first `slower` take `ratio` times as long as their base and the others as
/// long. Half of what a process deviates by is the same in all of its cells.
fn simulated(random: &mut Random, slower: usize, ratio: f64, spread: f64) -> Vec<GateCell> {
    let mut cells = vec![GateCell::default(); CELLS];
    for _ in 0..LAUNCHES {
        let shared = [(); 4].map(|()| random.process(spread * 0.5f64.sqrt()));
        for (at, cell) in cells.iter_mut().enumerate() {
            let [base, base_again, new, new_again] =
                shared.map(|shared| shared + random.process(spread * 0.5f64.sqrt()));
            let shift = if at < slower { ratio.ln() } else { 0.0 };
            cell.log_ratios.push(Some((new + new_again - base - base_again) / 2.0 + shift));
            cell.log_controls.push(Some(base_again - base));
        }
    }
    cells
}

/// Of so many gates: how many called a cell slower, alarmed, and called every cell not slower.
struct Counts {
    red: u32,
    alarm: u32,
    green: u32,
    /// Launches until all of the slower cells were decided, median over the gates that were.
    launches: u32,
}

fn counts(gates: u32, slower: usize, ratio: f64, margin: f64, spread: f64) -> Counts {
    let (margin, looks) = (Margin::new(margin).unwrap(), looks(CELLS, Alpha::FIVE_PERCENT));
    let mut random = Random(18);
    let mut counts = Counts { red: 0, alarm: 0, green: 0, launches: 0 };
    let mut decided = Vec::new();
    for _ in 0..gates {
        let cells = simulated(&mut random, slower, ratio, spread);
        let Gated { cells, alarms, .. } = gate(&cells, LAUNCHES as u32, &looks, margin);
        let are = |verdict| cells.iter().filter(|it| it.verdict == verdict).count();
        counts.red += u32::from(are(GateVerdict::Slower) > 0);
        counts.alarm += u32::from(!alarms.is_empty());
        counts.green += u32::from(are(GateVerdict::NotSlower) == CELLS);
        let found = cells[..slower].iter().filter(|it| it.verdict == GateVerdict::Slower);
        decided.extend(found.map(|it| it.launches).max());
    }
    decided.sort_unstable();
    counts.launches = decided.get(decided.len() / 2).copied().unwrap_or(0);
    counts
}

#[test]
fn a_gate_of_twenty_cells_without_a_difference_errs_in_at_most_one_of_twenty() {
    for (margin, spread) in [(0.02, 0.01), (0.02, 0.03), (0.005, 0.01), (0.0, 0.01)] {
        let of = counts(1000, 0, 1.0, margin, spread);
        assert!(of.red <= 50, "margin {margin}, spread {spread}: red {}", of.red);
        assert!(of.alarm <= 50, "margin {margin}, spread {spread}: alarm {}", of.alarm);
    }
}

#[test]
fn cells_slower_by_just_the_margin_are_hardly_ever_called_slower() {
    for cells in [1, CELLS] {
        for spread in [0.002, 0.01, 0.03] {
            let of = counts(1000, cells, 1.02, 0.02, spread);
            assert!(of.red <= 50, "{cells} cells, spread {spread}: {}", of.red);
            assert!(of.green <= 50, "{cells} cells, spread {spread}: {} passed", of.green);
        }
    }
}

#[test]
fn one_cell_of_twenty_that_is_slower_is_found() {
    // Three times the standard deviation of a process beyond the margin; then half of it.
    assert!(counts(200, 1, 1.05, 0.02, 0.01).red >= 190);
    assert!(counts(200, 1, 1.01, 0.005, 0.002).red >= 190);
    assert!(counts(200, 1, 1.0, 0.005, 0.002).green >= 190, "and what is equal passes");
}

/// The table of docs/method.md: `cargo test --release -p macrometer-stats --test gate -- --ignored
/// --nocapture`.
#[test]
#[ignore = "prints the table of docs/method.md"]
fn error_and_power_of_gates() {
    const GATES: u32 = 1000;
    println!("margin  processes  slower            red  alarm  green  decided after");
    for (margin, spread) in [(0.02, 0.005), (0.02, 0.01), (0.005, 0.005), (0.005, 0.002)] {
        for (slower, ratio) in [(0, 1.0), (1, 1.01), (1, 1.03), (1, 1.05), (CELLS, 1.0 + margin)] {
            let Counts { red, alarm, green, launches } =
                counts(GATES, slower, ratio, margin, spread);
            let cells = format!("{slower} of {CELLS} by {:.1} %", (ratio - 1.0) * 100.0);
            let after = if launches == 0 { "–".into() } else { format!("{launches} launches") };
            println!(
                "{:>5} %  {:>7} %  {cells:<16}  {red:>4}   {alarm:>4}   {green:>4}  {after}",
                margin * 100.0,
                spread * 100.0,
            );
        }
    }
}
