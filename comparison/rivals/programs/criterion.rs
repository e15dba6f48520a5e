//! The operation under criterion: a benchmark for each number of calls, named by its place.

use comparison_work::{calls, work};
use criterion::Criterion;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    for (place, calls) in calls().into_iter().enumerate() {
        criterion.bench_function(&format!("candidate-{place}"), |b| b.iter(|| work(calls)));
    }
    criterion.final_summary();
}
