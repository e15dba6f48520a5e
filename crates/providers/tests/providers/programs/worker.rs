//! A program that speaks the worker protocol, run as the lab runs it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use providers::{Forced, Kind, Place, ROWS, Row};
use serde_json::{Value, json};

use crate::installed::skipped;

/// A running worker, and the name it goes by.
pub struct Worker {
    pub name: String,
    child: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

/// Names of what a worker offers, each with its key lives.
pub type Offers = BTreeMap<String, Vec<String>>;

/// Every row that is a program.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(|row| matches!(row.kind, Kind::Program(_)))
}

/// A worker of every program that is here.
pub fn all() -> impl Iterator<Item = Worker> {
    rows().filter_map(|row| Worker::found(row, row.name))
}

/// Likewise, held to each code path that can be forced.
pub fn forced() -> impl Iterator<Item = Worker> {
    let names = |row: &'static Row| {
        (row.forced)().into_iter().filter(Forced::is_runnable).map(move |it| (row, it.name))
    };
    rows().flat_map(names).filter_map(|(row, path)| {
        let alias = format!("{}[{path}]", row.name);
        Worker::found(row, &alias)
    })
}

impl Worker {
    /// Runs the program of a row, with the variables that its name asks for.
    pub fn spawn(row: &Row, place: &Place) -> Result<Self, String> {
        let Kind::Program(command) = row.kind else { panic!("{} is no program", row.name) };
        let name = place.name.clone().unwrap_or_else(|| row.name.into());
        let forced = row.forced_by(&name).map_err(|refused| refused.to_string())?;
        let argv = command(place).map_err(|unavailable| unavailable.reason)?;
        let mut command = Command::new(&argv[0]);
        command.args(&argv[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.envs(forced.map_or(&[][..], |forced| forced.variables).iter().copied());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let requests = child.stdin.take().expect("piped");
        let replies = BufReader::new(child.stdout.take().expect("piped"));
        Ok(Self { name, child, requests, replies })
    }

    pub fn found(row: &Row, name: &str) -> Option<Self> {
        let place = Place { name: Some(name.into()), path: None };
        let spawned = Self::spawn(row, &place);
        spawned.map_err(|reason| skipped(&format!("{name}: {reason}"))).ok()
    }

    pub fn send(&mut self, request: &[u8]) -> String {
        let sent = self.requests.write_all(request).and_then(|()| self.requests.flush());
        let mut reply = String::new();
        let replied = sent.and_then(|()| self.replies.read_line(&mut reply));
        replied.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        reply.trim_end_matches('\n').to_owned()
    }

    /// The object of an `ok` reply.
    pub fn ok(&mut self, request: &str) -> Value {
        let reply = self.send(format!("{request}\n").as_bytes());
        let shown = &request[..request.len().min(60)];
        let json = reply.strip_prefix("ok ");
        let json = json.unwrap_or_else(|| panic!("{}: {shown}: {reply}", self.name));
        serde_json::from_str(json).expect("JSON")
    }

    /// The text of an `err` reply: one line, and nothing of a trace of calls.
    pub fn err(&mut self, request: &[u8]) -> String {
        let reply = self.send(&[request, b"\n"].concat());
        let shown = String::from_utf8_lossy(&request[..request.len().min(60)]).into_owned();
        let text = reply.strip_prefix("err ");
        let text = text.unwrap_or_else(|| panic!("{}: {shown}: {reply}", self.name));
        let printable = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        assert!(!text.is_empty() && printable, "{}: {shown}: {text}", self.name);
        for trace in ["Traceback", "goroutine ", "    at ", "\tat "] {
            assert!(!text.contains(trace), "{}: {shown}: {text}", self.name);
        }
        text.to_owned()
    }

    /// The macs and compositions that it offers; the rest of `info` is checked on the way.
    pub fn offers(&mut self) -> Offers {
        let info = self.ok("info");
        assert_eq!(info["protocol"], 2, "{info}");
        assert_eq!(info["name"], self.name, "{info}");
        for field in ["version", "path", "detail"] {
            assert!(info[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {info}");
        }
        println!("{}: {} {} ({})", self.name, info["path"], info["version"], info["detail"]);
        let word = |value: &Value| value.as_str().expect("a word").to_owned();
        let mut offers = Offers::new();
        for offer in info["offers"].as_array().expect("a list") {
            let kernel = offer["kernel"].as_str().expect("a word");
            assert!(!kernel.is_empty() && !kernel.contains(' '), "{offer}");
            let mac = word(&offer["mac"]);
            // Schemes are compositions in a flow: crates/macrometer/tests/macrometer/programs.rs.
            if ["-es", "-se", "-se-bound"].iter().any(|flow| mac.ends_with(flow)) {
                continue;
            }
            if mac == "null" {
                assert_eq!((kernel, &offer["key_lives"]), ("none", &json!(["prepared"])));
                continue;
            }
            assert!(macs::find(&mac).is_some(), "not in the catalog: {offer}");
            let lives = offer["key_lives"].as_array().expect("a list").iter().map(word).collect();
            assert!(offers.insert(mac, lives).is_none(), "offered twice: {offer}");
        }
        offers
    }

    /// The floor, where it has one: its tags are one constant. It leaves a pool of its own.
    pub fn check_floor(&mut self) {
        let offers = self.ok("info")["offers"].clone();
        let offers = offers.as_array().expect("a list");
        if !offers.iter().any(|offer| offer["mac"] == "null") {
            println!("{}: no floor of its own", self.name);
            return;
        }
        self.ok(&format!("pool {}", "5a".repeat(2000)));
        self.ok(&format!("open 900 null prepared single 64 {}", "01".repeat(31)));
        let tags = hex::encode("null tag").repeat(2);
        assert_eq!(self.ok("prove 900 2")["tags"], tags, "{}", self.name);
        assert!(self.ok("run 900 1000")["elapsed_ns"].as_f64() > Some(0.0), "{}", self.name);
    }

    /// The program's number among all that run.
    #[cfg(unix)]
    pub fn id(&self) -> String {
        self.child.id().to_string()
    }

    /// `close` ends it, and nothing comes after the reply.
    pub fn close(mut self) {
        assert_eq!(self.ok("close"), json!({}));
        let mut rest = String::new();
        assert_eq!(self.replies.read_line(&mut rest).expect("the end of the stream"), 0, "{rest}");
        assert!(self.child.wait().expect("it ends").success(), "{}", self.name);
    }
}
