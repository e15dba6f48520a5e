//! The operation under divan: an argument for each number of calls, named by its place.

use std::fmt;

use comparison_work::{calls, work};

fn main() {
    divan::main();
}

struct Candidate {
    place: usize,
    calls: u32,
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "candidate-{}", self.place)
    }
}

fn candidates() -> impl Iterator<Item = Candidate> {
    calls().into_iter().enumerate().map(|(place, calls)| Candidate { place, calls })
}

#[divan::bench(args = candidates())]
fn operation(bencher: divan::Bencher, candidate: &Candidate) {
    bencher.bench(|| work(candidate.calls));
}
