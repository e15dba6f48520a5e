//! Windows of sessions, a row each, in the order they were measured.

use std::collections::BTreeMap;
use std::io::Write;

use csv::{Error, Writer};
use lab::record::{Run, SessionsRecord};

use super::{no_formula, part, text};
use crate::findings::about;
use crate::findings::single_calls::quantiles;

const COLUMNS: [&str; 58] = [
    "cell",
    "part",
    "launch",
    "block",
    "serving",
    "sessions",
    "cpus",
    "pinned",
    "rate_per_s",
    "t1_ms",
    "t2_ms",
    "window_ns",
    "messages",
    "bytes",
    "cpu_ns",
    "window_cpu_ns",
    "process_cpu_ns",
    "apparent_ns",
    "absolute_ns",
    "wall_ns",
    "core_hz_estimated",
    "apparent_cycles_per_byte_estimated",
    "absolute_cycles_per_byte_estimated",
    "wall_cycles_per_byte_estimated",
    "second_half_faster",
    "slice_error",
    "threads",
    "served",
    "switches_voluntary",
    "switches_involuntary",
    "migrations",
    "steal_ns",
    "available_ns",
    "received_share",
    "others_ns",
    "idle_ns",
    "wait_ns",
    "nice",
    "disturbed",
    "windows_discarded",
    "fairness",
    "messages_of_session_median",
    "messages_of_session_min",
    "messages_of_session_lower_quartile",
    "messages_of_session_upper_quartile",
    "messages_of_session_max",
    "cpu_ns_of_message_median",
    "cpu_ns_of_message_min",
    "cpu_ns_of_message_lower_quartile",
    "cpu_ns_of_message_upper_quartile",
    "cpu_ns_of_message_max",
    "p50_ns",
    "p99_ns",
    "p99_9_ns",
    "backlog_messages",
    "memory_bytes",
    "trials",
    "sustained_sessions",
];

/// Whether there is anything to write.
#[must_use]
pub fn has_rows(run: &Run) -> bool {
    !run.sessions.is_empty()
}

/// One row a window. The cell is that of its apparent processing, or of the capacity.
///
/// # Errors
/// What writing says.
pub fn write(run: &Run, out: impl Write) -> Result<(), Error> {
    let mut writer = Writer::from_writer(out);
    writer.write_record(about::COLUMNS.iter().chain(&COLUMNS))?;
    let cells: BTreeMap<u32, usize> =
        run.cells.iter().enumerate().map(|(place, it)| (it.id, place)).collect();
    for it in &run.sessions {
        let Some(cell) = cells.get(&it.cell).map(|&at| &run.cells[at]) else { continue };
        let mut row = about::columns(run).to_vec();
        row.extend([
            cell.cell.to_string(),
            part(run, cell.part as usize),
            it.launch.to_string(),
            it.block.to_string(),
        ]);
        row.extend(load(it));
        let provider = &cell.cell.candidate.provider;
        let offloads = run.providers.iter().any(|own| own.name == *provider && own.offloads);
        row.extend(measured(it, offloads));
        row.extend(tail(it));
        writer.write_record(row.into_iter().map(no_formula))?;
    }
    writer.flush()?;
    Ok(())
}

fn load(it: &SessionsRecord) -> Vec<String> {
    let load = &it.load;
    let cpus: Vec<String> = load.cpus.iter().map(ToString::to_string).collect();
    vec![
        load.serving.to_string(),
        load.count.to_string(),
        cpus.join(" "),
        load.pinned.to_string(),
        text(load.rate_per_s),
        load.from_ms.to_string(),
        load.to_ms.to_string(),
    ]
}

fn measured(it: &SessionsRecord, offloads: bool) -> Vec<String> {
    let own = &it.measured;
    // A window without a message has no time of one.
    let whole = |ns: f64| text(Some(ns).filter(|ns| ns.is_finite()));
    let (each, of_message) = (&own.messages_of_session, &own.cpu_ns_of_session);
    let of_bytes = |ns: f64| Some(ns * own.core_hz? / 1e9 / own.bytes as f64);
    let cycles = |ns: f64| text(of_bytes(ns).filter(|it| it.is_finite()));
    vec![
        own.window_ns.to_string(),
        own.messages.to_string(),
        own.bytes.to_string(),
        own.cpu_ns.to_string(),
        text(own.window_cpu_ns),
        own.process_cpu_ns.map_or(String::new(), |ns| ns.to_string()),
        whole(own.apparent_ns()),
        whole(own.absolute_ns()),
        whole(own.wall_ns(it.load.count)),
        text(own.core_hz),
        cycles(own.whole_window_ns()),
        cycles(own.cpu_ns),
        cycles(own.whole_window_ns() * f64::from(it.load.count)),
        text(own.change().filter(|it| it.is_finite())),
        text(own.slice_error()),
        own.threads.to_string(),
        own.served.to_string(),
        own.switches_voluntary.to_string(),
        own.switches_involuntary.to_string(),
        own.migrations.to_string(),
        text(own.steal_ns),
        text(own.available_ns()),
        text(own.share()),
        text(own.received.and_then(|it| it.others_ns)),
        text(own.received.and_then(|it| it.idle_ns)),
        text(own.received.and_then(|it| it.wait_ns)),
        text(own.received.and_then(|it| it.nice)),
        // Whether a window without such an account was disturbed is not known.
        text(own.share().map(|_| own.shortfall(&it.load).is_some() && !offloads)),
        it.thrown_away.to_string(),
        whole(own.fairness),
        each.median.to_string(),
        each.least.to_string(),
        each.lower_quartile.to_string(),
        each.upper_quartile.to_string(),
        each.most.to_string(),
        of_message.median.to_string(),
        of_message.least.to_string(),
        of_message.lower_quartile.to_string(),
        of_message.upper_quartile.to_string(),
        of_message.most.to_string(),
    ]
}

fn tail(it: &SessionsRecord) -> Vec<String> {
    let tail = quantiles(&it.measured.times);
    let carried = it.trials.iter().filter(|trial| trial.carried).map(|trial| trial.count).max();
    let sought = !it.trials.is_empty();
    vec![
        text(tail.map(|it| it.p50_ns)),
        text(tail.map(|it| it.p99_ns)),
        text(tail.and_then(|it| it.p99_9_ns)),
        it.measured.behind.to_string(),
        text(it.measured.memory_bytes),
        text(sought.then_some(it.trials.len())),
        text(carried),
    ]
}
