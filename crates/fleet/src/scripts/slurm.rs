//! An array of Slurm: one task a node, alone there, that can be requeued.

use super::{Job, PACK, PROGRAM, Unquotable, quoted_path};

/// How often a task that was killed is queued again.
const RESTARTS_MAX: u32 = 5;

/// A script for `sbatch`. Paths stand below Slurm's own lines, where a shell reads them.
///
/// # Errors
/// When a name cannot stand in a script.
pub fn slurm(job: &Job<'_>, nodes: u32, partition: Option<&str>) -> Result<String, Unquotable> {
    let partition = match partition {
        Some(name) => format!("#SBATCH --partition={}\n", plain(name)?),
        None => String::new(),
    };
    let (folder, store) = (quoted_path(job.folder)?, quoted_path(job.store)?);
    let (name, last, options) = (job.name(), nodes.saturating_sub(1), job.options()?);
    Ok(format!(
        r#"#!/bin/sh
#SBATCH --job-name={name}
#SBATCH --array=0-{last}
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --exclusive
#SBATCH --requeue
#SBATCH --output=/dev/null
{partition}# One task a node of the study {study}.
set -u
job={folder}
store={store}
exec >>"$job/task-$SLURM_ARRAY_TASK_ID.log" 2>&1
# By node, since a home folder may be shared by all.
data="${{XDG_DATA_HOME:-$HOME/.local/share}}/macrometer/fleet/$SLURMD_NODENAME"
"$job/{PROGRAM}" fleet task "$job/{PACK}" --store "$store" --data "$data" {options}
code=$?
echo "task $SLURM_ARRAY_TASK_ID on $SLURMD_NODENAME: exit code $code"
# Killed by another signal than those that ask for an end: it is queued again and goes on.
case "$code" in 129|130|143) exit "$code" ;; esac
if [ "$code" -gt 128 ] && [ "${{SLURM_RESTART_COUNT:-0}}" -lt {RESTARTS_MAX} ]; then
    scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID" && sleep 60
fi
exit "$code"
"#,
        study = job.study_id,
    ))
}

/// A word that needs no quotation: Slurm has rules of its own for its lines.
fn plain(name: &str) -> Result<&str, Unquotable> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ',');
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    match begins_well && name.chars().all(is_plain) {
        true => Ok(name),
        false => Err(Unquotable(name.to_owned())),
    }
}
