//! How tasks of a job stand, as the schedulers tell it: Slurm's `squeue` and `sacct`, and the log
//! of GNU parallel. Nothing here asks them.

use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

/// One task of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Task {
    /// Its name: a number, or its number and host.
    pub task: String,
    /// Where it is or was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// In the scheduler's words: `PENDING`, `RUNNING`, `COMPLETED`, `FAILED`.
    pub state: String,
    /// Why it waits, or how often it was queued again, or its exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Why a text is not what `squeue --json` writes.
#[derive(Debug, Error)]
pub enum SqueueError {
    /// It is no JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It has no jobs.
    #[error("no list of jobs")]
    NoJobs,
}

/// Tasks of an array that Slurm still knows, from `squeue --json`.
///
/// # Errors
/// When it is something else.
pub fn of_squeue(text: &str, job: u64) -> Result<Vec<Task>, SqueueError> {
    let told: Value = serde_json::from_str(text)?;
    let jobs = told["jobs"].as_array().ok_or(SqueueError::NoJobs)?;
    let is_ours = |it: &&Value| {
        number(&it["array_job_id"]) == Some(job) || number(&it["job_id"]) == Some(job)
    };
    Ok(jobs.iter().filter(is_ours).map(task_of_slurm).collect())
}

fn task_of_slurm(job: &Value) -> Task {
    let text = |value: &Value| value.as_str().filter(|it| !it.is_empty()).map(str::to_owned);
    // Tasks that wait are one entry, with a list of their numbers.
    let waiting = text(&job["array_task_string"]);
    let task = waiting.or_else(|| number(&job["array_task_id"]).map(|it| it.to_string()));
    let state = match &job["job_state"] {
        Value::Array(several) => several.first().and_then(text),
        one => text(one),
    };
    let restarts = number(&job["restart_cnt"]).filter(|count| *count > 0);
    let reason = text(&job["state_reason"]).filter(|reason| reason != "None");
    Task {
        task: task.unwrap_or_default(),
        host: text(&job["nodes"]),
        state: state.unwrap_or_else(|| "UNKNOWN".into()),
        detail: restarts.map(|count| format!("queued again: {count}")).or(reason),
    }
}

/// A number as releases of Slurm write it: plain, or with what says whether it is set.
fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Object(it) => {
            let is_set = it.get("set").and_then(Value::as_bool).unwrap_or(true);
            it.get("number").and_then(Value::as_u64).filter(|_| is_set)
        }
        plain => plain.as_u64(),
    }
}

/// Tasks that ended, from `sacct --parsable2 --noheader --format=JobID,State,NodeList`.
#[must_use]
pub fn of_sacct(text: &str, job: u64) -> Vec<Task> {
    let row = |line: &str| {
        let mut columns = line.split('|');
        let (id, state) = (columns.next()?, columns.next()?);
        let (own, task) = id.split_once('_')?;
        // Steps of a task, `1_0.batch`, are no tasks.
        let is_ours = own.parse() == Ok(job) && task.bytes().all(|it| it.is_ascii_digit());
        let host = columns.next().filter(|host| !host.is_empty()).map(str::to_owned);
        let task = Task { task: task.into(), host, state: state.into(), detail: None };
        is_ours.then_some(task)
    };
    text.lines().filter_map(row).collect()
}

/// Tasks that ended, from a log of GNU parallel.
#[must_use]
pub fn of_job_log(text: &str) -> Vec<Task> {
    let row = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [number, host, _, run_time_s, _, _, code, signal, ..] = columns[..] else {
            return None;
        };
        let code: i32 = code.trim().parse().ok()?;
        let signal: i32 = signal.trim().parse().ok()?;
        let is_done = code == 0 && signal == 0;
        let detail = match signal {
            0 => format!("exit code {code} after {} s", run_time_s.trim()),
            _ => format!("signal {signal} after {} s", run_time_s.trim()),
        };
        Some(Task {
            task: number.trim().into(),
            host: Some(host.trim().into()),
            state: if is_done { "COMPLETED" } else { "FAILED" }.into(),
            detail: Some(detail),
        })
    };
    text.lines().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(task: &str, host: Option<&str>, state: &str, detail: Option<&str>) -> Task {
        let own = |text: &str| text.to_owned();
        Task { task: own(task), host: host.map(own), state: own(state), detail: detail.map(own) }
    }

    #[test]
    fn tasks_of_an_array_are_found_among_others_in_old_and_new_releases() {
        let old = r#"{"jobs": [
            {"job_id": 8, "array_job_id": 7, "array_task_id": 0, "array_task_string": "",
             "job_state": "RUNNING", "nodes": "n1", "restart_cnt": 1, "state_reason": "None"},
            {"job_id": 7, "array_job_id": 7, "array_task_id": null, "array_task_string": "1-3",
             "job_state": "PENDING", "nodes": "", "restart_cnt": 0, "state_reason": "Resources"},
            {"job_id": 9, "array_job_id": 0, "array_task_id": null, "job_state": "RUNNING"}]}"#;
        let tasks = of_squeue(old, 7).unwrap();
        let first = task("0", Some("n1"), "RUNNING", Some("queued again: 1"));
        assert_eq!(tasks, [first, task("1-3", None, "PENDING", Some("Resources"))]);
        let new = r#"{"jobs": [{"job_id": 8, "array_job_id": {"set": true, "number": 7},
            "array_task_id": {"set": true, "number": 0}, "job_state": ["COMPLETING"], "nodes": "n2",
            "restart_cnt": 0, "state_reason": "None"}]}"#;
        assert_eq!(of_squeue(new, 7).unwrap(), [task("0", Some("n2"), "COMPLETING", None)]);
        assert!(of_squeue("{}", 7).is_err() && of_squeue("slurm is down", 7).is_err());
    }

    #[test]
    fn ended_tasks_are_those_of_the_array_without_their_steps() {
        let text = "7_0|COMPLETED|n1\n7_0.batch|COMPLETED|n1\n7_1|FAILED|n2\n8_0|FAILED|n1\nx\n";
        let of = |it, state, host| task(it, Some(host), state, None);
        assert_eq!(of_sacct(text, 7), [of("0", "COMPLETED", "n1"), of("1", "FAILED", "n2")]);
    }

    #[test]
    fn a_job_log_tells_how_each_host_ended() {
        let text = "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n\
                    1\tn1\t1795257000.123\t     3.500\t0\t0\t0\t0\tx\n\
                    1\tn2\t1795257000.123\t     1.000\t0\t0\t2\t0\tx\n\
                    2\tn2\t1795257000.123\t     1.000\t0\t0\t-1\t9\tx\n";
        let tasks = of_job_log(text);
        assert_eq!(tasks.len(), 3);
        assert_eq!(tasks[0], task("1", Some("n1"), "COMPLETED", Some("exit code 0 after 3.500 s")));
        assert_eq!(tasks[2].detail.as_deref(), Some("signal 9 after 1.000 s"));
    }
}
