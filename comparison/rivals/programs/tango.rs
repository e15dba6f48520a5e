//! The operation under tango-bench: a benchmark for each number of calls, named by its place.
//!
//! Tango starts two executables with the same environment, so the numbers of calls stand in the
//! name of the executable: `tango-200`, `tango-200,202,204`.

use std::env;

use comparison_work::work;
use tango_bench::{Benchmark, benchmark_fn, tango_benchmarks};

fn benchmarks() -> Vec<Benchmark> {
    let own = env::current_exe().unwrap_or_default();
    let name = own.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let numbers = name.rsplit('-').next().unwrap_or_default();
    let calls: Result<Vec<u32>, _> = numbers.split(',').map(str::parse).collect();
    let calls = calls.unwrap_or_else(|_| panic!("{name}: must end with numbers of calls"));
    let benchmark = |(place, calls)| {
        benchmark_fn(format!("candidate-{place}"), move |b| b.iter(move || work(calls)))
    };
    calls.into_iter().enumerate().map(benchmark).collect()
}

tango_benchmarks!(benchmarks());
