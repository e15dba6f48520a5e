//! Hosts by ssh, with GNU parallel: it carries program and pack there and the bundle back.

use super::{JOB_LOG, Job, PACK, PROGRAM, Unquotable, quoted, quoted_path};

/// A script for hosts, all at once.
///
/// # Errors
/// When a name cannot stand in a script, or a host's name is none.
pub fn ssh(job: &Job<'_>, hosts: &[String]) -> Result<String, Unquotable> {
    hosts.iter().try_for_each(|host| check_host(host))?;
    let (folder, store) = (quoted_path(job.folder)?, quoted_path(job.store)?);
    // GNU parallel would put something in place of them, by code of its own.
    let options = job.options()?;
    if options.contains(['{', '}']) {
        return Err(Unquotable(options));
    }
    // A shell there reads it again.
    let there = format!(
        "data=\"${{XDG_DATA_HOME:-$HOME/.local/share}}/macrometer/fleet/$PARALLEL_SSHHOST\" && \
         ./{PROGRAM} fleet task {PACK} --store returned --data \"$data\" {options}"
    );
    let (there, hosts) = (quoted(&there)?, quoted(&hosts.join(","))?);
    Ok(format!(
        r#"#!/bin/sh
# The study {study} on each of these hosts.
set -u
job={folder}
store={store}
cd "$job" || exit 2
# Program and pack go into a folder of their own there, which is removed; the data folder stays, so
# that a host that was cut off goes on with its run when this is started again.
parallel --will-cite --nonall --jobs 0 --sshlogin {hosts} --joblog {JOB_LOG} --workdir ... \
    --transferfile {PROGRAM} --transferfile {PACK} --return returned --cleanup \
    {there}
code=$?
# What came back takes its place whole, or not at all; links would lead elsewhere.
if [ -n "$(find returned -type l 2>/dev/null)" ]; then
    echo "links came back in $job/returned: nothing of it is taken" >&2
    exit 2
fi
for bundle in returned/*/*/*; do
    [ -f "$bundle/SHA256SUMS" ] || continue
    place="$store/${{bundle#returned/}}"
    [ -e "$place" ] && continue
    mkdir -p "${{place%/*}}" && mv "$bundle" "$place" || code=2
done
rm -rf returned
exit "$code"
"#,
        study = job.study_id,
    ))
}

/// Whether it is a host as `[user@]host[:port]`: GNU parallel takes more for a command.
///
/// # Errors
/// When it is not.
pub fn check_host(login: &str) -> Result<(), Unquotable> {
    let wrong = || Unquotable(login.to_owned());
    let (user, rest) =
        login.split_once('@').map_or((None, login), |(user, rest)| (Some(user), rest));
    let (host, port) = rest.split_once(':').map_or((rest, None), |(host, port)| (host, Some(port)));
    let is_word = |word: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        word.starts_with(|c: char| c.is_ascii_alphanumeric()) && word.chars().all(is_plain)
    };
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    let is_right = user.is_none_or(is_word) && is_word(host) && port.is_none_or(is_port);
    if is_right { Ok(()) } else { Err(wrong()) }
}
