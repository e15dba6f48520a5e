//! `recommend` for real traffic: TLS between OpenSSL's client and server on the loopback device, as
//! tcpdump captures it, or as a proxy between them records it where nobody may capture. What is
//! told of the lengths is what was sent. Skipped, with a line that says so, where there is no
//! `openssl`.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use etherparse::PacketBuilder;
use pcap_file::pcap::{PcapPacket, PcapWriter};
use serde_json::Value;

use crate::bench::Bench;

/// Both sides know a key, so that no certificate is needed, and the server sends no tickets: its
/// last flight is as long every time.
const SHARED: [&str; 3] = ["-tls1_3", "-psk", "00112233445566778899aabbccddeeff"];

/// Lines that the client sends, by length and how often; the server sends each back, reversed. In
/// a capture each is a record, 22 bytes longer: a header of 5, a type of 1 and a tag of 16.
const LINES: [(usize, usize); 3] = [(500, 12), (1400, 6), (4000, 2)];
const RECORD_BYTES: usize = 22;

/// The first line's record is as long as the alert that ends each side, and as the last message,
/// which the capture waits for: it does not matter whether it is sent along with the handshake.
const SHORT: usize = 2;
const LAST: [u8; SHORT + RECORD_BYTES] = *b"the end of this capture!";

/// A program that ends with the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a program whose output is read; `None` where it is not there.
fn started(command: &mut Command) -> Option<Ended> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    match command.spawn() {
        Ok(child) => Some(Ended(child)),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => panic!("{command:?}: {error}"),
    }
}

/// A server that sends lines back, and its port.
fn server() -> Option<(Ended, u16)> {
    let mut command = Command::new("openssl");
    command.args(["s_server", "-accept", "127.0.0.1:0", "-nocert", "-num_tickets", "0", "-rev"]);
    let Some(mut server) = started(command.args(SHARED).stderr(Stdio::null())) else {
        println!("skipped: no openssl");
        return None;
    };
    let lines = BufReader::new(server.0.stdout.take().unwrap()).lines();
    let port = lines
        .map_while(Result::ok)
        .find_map(|line| line.strip_prefix("ACCEPT ")?.rsplit_once(':')?.1.parse().ok());
    if port.is_none() {
        println!("skipped: this openssl has no TLS 1.3 by a shared key, or no free port");
    }
    Some((server, port?))
}

/// What one side sent at a time, and whether that was the client.
type Sent = (bool, Vec<u8>);

/// Hands on what one side sends, and keeps it.
fn handed_on(is_client: bool, mut from: TcpStream, mut to: TcpStream) -> JoinHandle<Vec<Sent>> {
    std::thread::spawn(move || {
        let (mut all, mut bytes) = (Vec::new(), vec![0; 1 << 16]);
        while let Ok(len @ 1..) = from.read(&mut bytes) {
            if to.write_all(&bytes[..len]).is_err() {
                break;
            }
            all.push((is_client, bytes[..len].to_vec()));
        }
        let _ = to.shutdown(Shutdown::Write);
        all
    })
}

/// A proxy in front of the server: its port, and what it hands on of one connection.
fn proxy(server: u16) -> (u16, JoinHandle<Vec<Sent>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let recorded = std::thread::spawn(move || {
        let (client, _) = listener.accept().unwrap();
        let server = TcpStream::connect(("127.0.0.1", server)).unwrap();
        for stream in [&client, &server] {
            stream.set_nodelay(true).unwrap();
        }
        let there = handed_on(true, client.try_clone().unwrap(), server.try_clone().unwrap());
        let back = handed_on(false, server, client);
        let mut sent = there.join().unwrap();
        sent.extend(back.join().unwrap());
        // Who captures knows by it that nothing is to come.
        let (mut last, _) = listener.accept().unwrap();
        let mut bytes = Vec::new();
        last.read_to_end(&mut bytes).unwrap();
        sent.push((true, bytes));
        sent
    });
    (port, recorded)
}

/// Sends the lines, each once the one before has come back.
fn talked(port: u16) {
    let mut command = Command::new("openssl");
    command.args(["s_client", "-quiet", "-no_ign_eof", "-connect", &format!("127.0.0.1:{port}")]);
    let mut client = started(command.args(SHARED).stderr(Stdio::null())).unwrap();
    let mut stdin = client.0.stdin.take().unwrap();
    let mut back = BufReader::new(client.0.stdout.take().unwrap());
    let lines = LINES.iter().flat_map(|&(len, count)| std::iter::repeat_n(len, count));
    for len in std::iter::once(SHORT).chain(lines) {
        let line = "a".repeat(len - 1) + "\n";
        // One write is one record.
        stdin.write_all(line.as_bytes()).unwrap();
        let mut reversed = String::new();
        back.read_line(&mut reversed).unwrap();
        assert_eq!(reversed, line);
    }
    drop(stdin);
    client.0.wait().unwrap();
    TcpStream::connect(("127.0.0.1", port)).unwrap().write_all(&LAST).unwrap();
}

/// tcpdump, once it captures what goes to and from a port; `None`, and a line, where it may not. It
/// would not end if nobody read its errors.
fn tcpdump(port: u16, file: &Path) -> Option<(Ended, BufReader<ChildStderr>)> {
    let mut command = Command::new("tcpdump");
    command.args(["-i", "lo", "-U", "--immediate-mode", "-w"]).arg(file);
    command.arg(format!("tcp port {port}"));
    let Some(mut tcpdump) = started(command.stderr(Stdio::piped())) else {
        println!("not captured: no tcpdump; the proxy's record is read");
        return None;
    };
    let mut said = BufReader::new(tcpdump.0.stderr.take().unwrap());
    let mut line = String::new();
    while said.read_line(&mut line).unwrap() > 0 {
        if line.contains("listening on") {
            return Some((tcpdump, said));
        }
    }
    println!("not captured: tcpdump says {}; the proxy's record is read", line.trim());
    None
}

/// Waits until a capture has the last message.
fn wait_for_the_last(file: &Path) {
    for _ in 0..1000 {
        let bytes = std::fs::read(file).unwrap();
        if bytes.windows(LAST.len()).any(|it| it == LAST) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the capture lacks what was sent last");
}

/// What the proxy handed on, as a capture would have it.
fn write_pcap(sent: &[Sent], file: &Path) {
    let mut pcap = PcapWriter::new(File::create(file).unwrap()).unwrap();
    for (is_client, payload) in sent {
        let ports = if *is_client { (50_000, 443) } else { (443, 50_000) };
        let builder = PacketBuilder::ethernet2([0; 6], [0; 6]);
        let builder = builder.ipv4([127, 0, 0, 1], [127, 0, 0, 1], 64);
        let mut packet = Vec::new();
        builder.tcp(ports.0, ports.1, 1, 1000).write(&mut packet, payload).unwrap();
        let (orig_len, data) = (packet.len() as u32, Cow::Owned(packet));
        pcap.write_packet(&PcapPacket { timestamp: Duration::ZERO, orig_len, data }).unwrap();
    }
}

/// Real traffic in a file: how many bytes of payload it has.
fn captured(file: &Path) -> Option<usize> {
    let _ = std::fs::remove_file(file);
    let (_server, port) = server()?;
    let (port, recorded) = proxy(port);
    let tcpdump = tcpdump(port, file);
    talked(port);
    let sent = recorded.join().unwrap();
    match tcpdump {
        Some(_) => wait_for_the_last(file),
        None => write_pcap(&sent, file),
    }
    Some(sent.iter().map(|(_, bytes)| bytes.len()).sum())
}

/// Messages, and how many there are of each length, as the answer has them.
fn told(file: &Path) -> (usize, Vec<(usize, f64)>) {
    let bench = Bench::new();
    let narrow = ["--provider", "macs", "--mac", "hmac-sha256,cmac-aes-128", "--budget", "4"];
    let asked = ["recommend", "--pcap", file.to_str().unwrap(), "--format", "json"];
    let output = bench.output(&[&asked[..], &narrow].concat());
    let said = String::from_utf8(output.stderr).unwrap();
    let (_, rest) = said.split_once("tls.pcap: ").unwrap_or_else(|| panic!("{said}"));
    let messages: usize = rest.split(' ').next().unwrap().parse().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let lengths = answer["workload"]["lengths"].as_array().unwrap().iter().map(|it| {
        let share = it["share"].as_f64().unwrap();
        (it["len_bytes"].as_u64().unwrap() as usize, share * messages as f64)
    });
    (messages, lengths.collect())
}

#[test]
fn the_lengths_of_a_capture_of_tls_are_those_that_were_sent() {
    // It stays, for `.ci/recommend-check`.
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tls.pcap");
    let Some(bytes) = captured(&file) else { return };
    let (messages, lengths) = told(&file);
    // Few enough that each is measured, and none is the mean of several.
    assert!(lengths.len() <= 8, "{lengths:?}");
    let total: f64 = lengths.iter().map(|(len, count)| *len as f64 * count).sum();
    assert!((total - bytes as f64).abs() < 0.5, "{total} of {bytes} bytes: {lengths:?}");
    for (len, count) in LINES {
        let own = lengths.iter().find(|(own, _)| *own == len + RECORD_BYTES);
        // There and back.
        let is_told = own.is_some_and(|(_, own)| (own - 2.0 * count as f64).abs() < 1e-6);
        assert!(is_told, "{count} of {len} bytes among {messages}: {lengths:?}");
    }
}
