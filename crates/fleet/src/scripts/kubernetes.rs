//! An Indexed Job of Kubernetes, one pod a node, as JSON: `kubectl apply -f` reads it.

use serde_json::{Value, json};

use super::{Job, PACK};

/// What a manifest must be told beside the job.
#[derive(Debug, Clone, Copy)]
pub struct Kubernetes<'a> {
    /// An image with `macrometer` on its PATH.
    pub image: &'a str,
    /// The PersistentVolumeClaim of the store, which many pods may write.
    pub claim: &'a str,
    /// Pods, and so nodes.
    pub pods: u32,
}

impl Kubernetes<'_> {
    /// The pack as a ConfigMap, and the job.
    #[must_use]
    pub fn manifest(&self, job: &Job<'_>, pack: &str) -> String {
        let name = job.name();
        let labels = json!({ "app.kubernetes.io/name": "macrometer", "macrometer/study": name });
        let metadata = json!({ "name": name, "labels": labels });
        let map = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": metadata,
            "data": { PACK: pack },
        });
        let job = json!({
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": metadata,
            "spec": {
                "completionMode": "Indexed",
                "completions": self.pods,
                "parallelism": self.pods,
                "backoffLimit": 5 * self.pods,
                "template": { "metadata": { "labels": labels }, "spec": self.pod(job, &name) },
            },
        });
        let list = json!({ "apiVersion": "v1", "kind": "List", "items": [map, job] });
        report::json(&list).unwrap_or_default() + "\n"
    }

    /// What is run on each node.
    fn pod(&self, job: &Job<'_>, name: &str) -> Value {
        let mount = |name: &str, path: &str| json!({ "name": name, "mountPath": path });
        let mounts = [mount("pack", "/pack"), mount("store", "/store"), mount("data", "/data")];
        let data = json!({ "path": "/var/lib/macrometer", "type": "DirectoryOrCreate" });
        json!({
            "restartPolicy": "OnFailure",
            "affinity": { "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": apart(name),
            } },
            "containers": [{
                "name": "macrometer",
                "image": self.image,
                "command": command(job),
                "volumeMounts": mounts,
            }],
            "volumes": [
                { "name": "pack", "configMap": { "name": name } },
                { "name": "store", "persistentVolumeClaim": { "claimName": self.claim } },
                // Of the node, so that a pod that is started again goes on with its run.
                { "name": "data", "hostPath": data },
            ],
        })
    }
}

fn command(job: &Job<'_>) -> Vec<String> {
    let task = ["macrometer", "fleet", "task", "/pack/pack.json"];
    let folders = ["--store", "/store", "--data", "/data"];
    let own = task.into_iter().chain(folders).map(String::from);
    own.chain(job.options.iter().cloned()).collect()
}

/// A node that has one of these pods gets no second one.
fn apart(name: &str) -> Value {
    json!([{
        "labelSelector": { "matchLabels": { "macrometer/study": name } },
        "topologyKey": "kubernetes.io/hostname",
    }])
}
