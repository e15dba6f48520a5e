//! Tasks one after another on this machine, for trying a pack out.

use std::fmt::Write;

use super::{JOB_LOG, Job, PACK, PROGRAM, Unquotable, quoted_path};

/// A script of so many tasks, each with a data folder of its own: as if they were hosts.
///
/// # Errors
/// When a name cannot stand in a script.
pub fn local(job: &Job<'_>, tasks: u32) -> Result<String, Unquotable> {
    let (folder, store) = (quoted_path(job.folder)?, quoted_path(job.store)?);
    let options = job.options()?;
    let mut text = format!(
        "#!/bin/sh\n\
         # {tasks} tasks of the study {} on this machine, one after another.\n\
         set -u\n\
         job={folder}\n\
         store={store}\n\
         data=\"${{XDG_DATA_HOME:-$HOME/.local/share}}/macrometer/fleet\"\n\
         worst=0\n\
         log() {{ (IFS='\t'; printf '%s\\n' \"$*\"); }}\n\
         log Seq Host Starttime JobRuntime Send Receive Exitval Signal Command \
         >\"$job/{JOB_LOG}\"\n\
         for task in",
        job.study_id
    );
    for task in 1..=tasks {
        // A `String` takes whatever is written.
        let _ = write!(text, " {task}");
    }
    text += &format!(
        "; do\n    \
             began=\"$(date +%s)\"\n    \
             \"$job/{PROGRAM}\" fleet task \"$job/{PACK}\" --store \"$store\" \\\n        \
                 --data \"$data/local-$task\" {options} >\"$job/task-$task.log\"\n    \
             code=$?\n    \
             [ \"$code\" = 0 ] || worst=$code\n    \
             took=$(($(date +%s) - began))\n    \
             log \"$task\" \"local-$task\" \"$began\" \"$took\" 0 0 \"$code\" 0 \\\n        \
                 'fleet task' >>\"$job/{JOB_LOG}\"\n\
         done\n\
         exit \"$worst\"\n"
    );
    Ok(text)
}
