//! What instructions cost on this processor, in core cycles: those that bound the macs. Each is run
//! in a loop of known length, as one chain (latency) or as several (throughput), with a chain of
//! dependent additions timed beside it, so that the unit is the core cycle whatever the counter
//! counts.
#![expect(unsafe_code, reason = "runs loops whose instructions the processor was seen to have")]

#[cfg(target_arch = "x86_64")]
mod x86_64;

use super::{Clock, Least};
use crate::record::{Instruction, Measure, Without};

#[cfg(target_arch = "x86_64")]
use x86_64::PROBES;

/// No loops are written for this processor.
#[cfg(not(target_arch = "x86_64"))]
const PROBES: &[Probe] = &[];

/// Turns of a loop in one pass, and passes of which the least counts. A pass takes some
/// microseconds, far above the counter's step and short enough to be often undisturbed. The rounds
/// lie apart, for what disturbs for longer: another thread on the same core takes a share of its
/// throughput.
const TURNS: u64 = 200;
const PASSES: u32 = 30;
const ROUNDS: u32 = 12;

/// Instructions of a row in one turn.
const UNROLLED: u64 = 48;

/// One figure of one instruction, or of a group that real code has to run together.
struct Probe {
    name: &'static str,
    measure: Measure,
    has: fn(&Without) -> bool,
    /// # Safety
    /// `has` must have said yes, and the number of turns be more than 0.
    turns: unsafe fn(u64),
}

/// Costs of the instructions that this processor has and that are not left out; none where no such
/// loops are written for it. It takes a tenth of a second. Pin the thread first: another core may
/// have another clock.
#[must_use]
pub fn measure(clock: &Clock, without: &Without) -> Vec<Instruction> {
    let probes: Vec<&Probe> = PROBES.iter().filter(|probe| (probe.has)(without)).collect();
    let mut least = vec![Least::NONE; probes.len()];
    for _ in 0..ROUNDS {
        for (least, probe) in least.iter_mut().zip(&probes) {
            // SAFETY: the processor has the instructions, and there is a turn.
            let work = || unsafe { (probe.turns)(TURNS) };
            *least = clock.beside_chain(PASSES, work).map_or(*least, |it| least.and(it));
        }
    }
    let figure = |(probe, least): (&Probe, Least)| Instruction {
        name: probe.name.into(),
        measure: probe.measure,
        cycles: of_one(clock, least),
    };
    probes.into_iter().zip(least).map(figure).collect()
}

/// Core cycles of one instruction, or of one group, from the times of a whole pass.
fn of_one(clock: &Clock, least: Least) -> f64 {
    clock.cycles_of(least) / (TURNS * UNROLLED) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_cycles_of_one_instruction() {
        // Four cycles a nanosecond, and one for each of the pass's 9600 instructions.
        let clock = Clock { bracket_ns: 10.0, ..Clock::calibrate() };
        let cycles = of_one(&clock, Least { work_ns: 2_410.0, chain_ns: 5_010.0 });
        assert!((cycles - 1.0).abs() < 1e-9, "{cycles}");
    }

    #[test]
    fn every_instruction_that_the_processor_has_gets_a_figure() {
        let all = Without::default();
        let figures = measure(&Clock::calibrate(), &all);
        for figure in &figures {
            let Instruction { name, measure, cycles } = figure;
            assert!(*cycles > 0.0, "{name} {measure:?}: {cycles}");
        }
        assert_eq!(figures.len(), PROBES.iter().filter(|probe| (probe.has)(&all)).count());
    }

    #[test]
    fn what_is_left_out_is_not_timed() {
        let without = words::Tier::ALL[2].without();
        let named = |part: &str| {
            let has = |probe: &&Probe| (probe.has)(&without) && probe.name.contains(part);
            PROBES.iter().filter(has).map(|probe| probe.name).collect::<Vec<_>>()
        };
        for part in ["zmm", "sha", "aesenc ymm", "pclmulqdq ymm"] {
            assert_eq!(named(part), [""; 0], "{part}");
        }
        assert!(!cfg!(target_arch = "x86_64") || !named("add r64").is_empty());
    }

    #[test]
    fn names_are_unique_for_each_measure() {
        for (place, probe) in PROBES.iter().enumerate() {
            let twin = |other: &Probe| other.name == probe.name && other.measure == probe.measure;
            assert!(!PROBES[..place].iter().any(twin), "{}", probe.name);
        }
    }
}
