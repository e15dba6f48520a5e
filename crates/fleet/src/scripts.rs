//! Scripts that have a pack measured on many machines: text only, for schedulers that exist.
//! Whoever starts them is the command. Every name in them is quoted, and none is run that the
//! user did not give.

mod kubernetes;
mod local;
mod slurm;
mod ssh;

use std::path::Path;

use thiserror::Error;

pub use kubernetes::Kubernetes;
pub use local::local;
pub use slurm::slurm;
pub use ssh::{check_host, ssh};

/// The program, in the folder of a job.
pub const PROGRAM: &str = "macrometer";

/// The pack, in the folder of a job.
pub const PACK: &str = "pack.json";

/// What GNU parallel writes about tasks, and the script of local ones likewise.
pub const JOB_LOG: &str = "joblog";

/// A path or a name that no script can have.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{0:?}: cannot stand in a script (control characters, with --ssh braces, no word)")]
pub struct Unquotable(pub String);

/// What all tasks of a job have in common.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// Hash of the pack.
    pub study_id: &'a str,
    /// Folder of the job, with program and pack.
    pub folder: &'a Path,
    /// Folder of bundles.
    pub store: &'a Path,
    /// Further options of `fleet task`, one word each.
    pub options: &'a [String],
}

impl Job<'_> {
    /// The first letters of `study_id`: what the job is called.
    #[must_use]
    pub fn name(&self) -> String {
        format!("macrometer-{:.12}", self.study_id)
    }

    fn options(&self) -> Result<String, Unquotable> {
        let words = self.options.iter().map(|word| quoted(word));
        Ok(words.collect::<Result<Vec<_>, _>>()?.join(" "))
    }
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> Result<String, Unquotable> {
    if word.contains(char::is_control) {
        return Err(Unquotable(word.to_owned()));
    }
    let quoted = shlex::try_quote(word).map_err(|_| Unquotable(word.to_owned()))?;
    Ok(quoted.into_owned())
}

fn quoted_path(path: &Path) -> Result<String, Unquotable> {
    quoted(path.to_str().ok_or_else(|| Unquotable(path.to_string_lossy().into_owned()))?)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Names that a shell takes for more than names.
    const NASTY: [&str; 6] =
        ["a b", "a'b", "$(touch x)", "`touch x`", "a\";touch x;\"", "-rf *?[a]\\"];

    #[test]
    fn a_shell_reads_every_name_back_and_runs_none() {
        let folder = tempfile::tempdir().unwrap();
        for name in NASTY {
            let line = format!("printf %s {}", quoted(name).unwrap());
            let mut shell = Command::new("sh");
            let told = shell.args(["-c", &line]).current_dir(folder.path()).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&told.stdout), name);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(quoted("a\nb"), Err(Unquotable("a\nb".into())));
    }

    #[test]
    fn every_script_is_one_to_a_shell_whatever_its_names_are() {
        let folder = tempfile::tempdir().unwrap();
        for name in NASTY {
            let place = folder.path().join(name);
            let options = [format!("--author={name}")];
            let (id, path) = ("0123456789abcdef", place.as_path());
            let job = Job { study_id: id, folder: path, store: path, options: &options };
            let scripts = [
                local(&job, 3).unwrap(),
                ssh(&job, &["n1".into(), "user@n2:2222".into()]).unwrap(),
                slurm(&job, 2, Some("lab")).unwrap(),
            ];
            for script in scripts {
                let checked = Command::new("sh").args(["-n", "-c", &script]).output().unwrap();
                assert!(checked.status.success(), "{script}");
            }
        }
    }

    #[test]
    fn a_name_of_a_host_is_no_command() {
        for host in ["n1", "user@n1", "n1.example.org", "user@10.0.0.1:2222", "a-b_c"] {
            assert!(check_host(host).is_ok(), "{host}");
        }
        for host in
            ["", "-oProxyCommand=x", "ssh -x n1", "n1;x", "4/n1", "a,b", "@n1", "n1:", "n1:x", ":"]
        {
            assert!(check_host(host).is_err(), "{host:?}");
        }
    }

    #[test]
    fn a_partition_is_one_word_of_a_line_that_slurm_reads() {
        let (options, path) = ([], Path::new("/store"));
        let job = Job { study_id: "0123", folder: path, store: path, options: &options };
        assert!(slurm(&job, 2, Some("lab,big")).is_ok());
        for wrong in ["", "a b", "a\n#SBATCH --wrap=x", "$(x)", "-x"] {
            assert!(slurm(&job, 2, Some(wrong)).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_manifest_is_one_job_with_a_pod_a_node_and_the_pack() {
        let options = ["--pairs".to_owned(), "0".into()];
        let path = Path::new("/store");
        let job =
            Job { study_id: "0123456789abcdef", folder: path, store: path, options: &options };
        let text = Kubernetes { image: "reg/macrometer:1", claim: "store", pods: 5 }
            .manifest(&job, "{\n  \"macrometer_pack\": 1\n}\n");
        let list: serde_json::Value = serde_json::from_str(&text).unwrap();
        let [map, job] = &list["items"].as_array().unwrap()[..] else { panic!("{text}") };
        assert_eq!(map["data"][PACK], "{\n  \"macrometer_pack\": 1\n}\n");
        let spec = &job["spec"];
        assert_eq!(spec["completionMode"], "Indexed");
        assert_eq!((&spec["completions"], &spec["parallelism"]), (&5.into(), &5.into()));
        let pod = &spec["template"]["spec"];
        let apart =
            &pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
        assert_eq!(apart[0]["topologyKey"], "kubernetes.io/hostname");
        assert_eq!(pod["containers"][0]["image"], "reg/macrometer:1");
    }
}
