//! Lengths of messages from a capture of packets: what TCP segments and UDP datagrams carry.

use std::io::{Cursor, ErrorKind};
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use etherparse::{
    LaxIpPayloadSlice, LaxNetSlice, LaxSlicedPacket, LenSource, TransportSlice, UdpHeader,
    ether_type,
};
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::{Block, PcapNgReader};
use pcap_file::{DataLink, PcapError};
use thiserror::Error;

use super::lengths::Lengths;
use crate::output::say;
use crate::reading;

/// The first four bytes of a pcapng file.
const PCAPNG: [u8; 4] = [0x0a, 0x0d, 0x0d, 0x0a];

/// Bytes of the header of `tcpdump -i any`, the second kind, and of that of loopback devices.
const SLL2_BYTES: usize = 20;
const LOOPBACK_BYTES: usize = 4;

/// What was found.
#[derive(Debug, Default)]
struct Seen {
    lengths: Lengths,
    messages: u64,
    without: u64,
    others: u64,
    /// Records up to now.
    records: u64,
    /// Those that contradict themselves, and what is wrong with the first.
    damaged: u64,
    first_damage: Option<String>,
}

/// Why a record says nothing about messages, though it should.
#[derive(Debug, Error)]
enum Damage {
    #[error("of an interface that is not described")]
    NoInterface,
    #[error("of link type {0:?}: Ethernet, Linux SLL, loopback and raw IP are read")]
    Link(DataLink),
    #[error("a UDP length of {len}, less than its header")]
    UdpTooShort { len: u64 },
    #[error("a UDP length of {len}, but {room} bytes in the packet")]
    UdpTooLong { len: u64, room: u64 },
    #[error("its IP length exceeds the frame by {excess} B")]
    IpTooLong { excess: u64 },
    /// A length that cannot be measured.
    #[error("{0}")]
    Length(anyhow::Error),
    /// What the reader of the file says.
    #[error("damaged, with everything after it: {0}")]
    Record(String),
}

/// The lengths of what a capture's TCP segments and UDP datagrams carry, each counted once; those
/// that carry nothing are left out. On standard error it is said what was counted.
pub fn read(path: &Path) -> Result<Lengths> {
    let name = path.display();
    let read = reading::whole(path, reading::TABLE_BYTES_MAX);
    let bytes = read.map_err(|error| anyhow!("cannot read --pcap {name}: {error}"))?;
    let seen = if bytes.starts_with(&PCAPNG) { of_pcapng(&bytes) } else { of_pcap(&bytes) };
    let seen = seen.map_err(|error| anyhow!("--pcap {name}: {error}"))?;
    say(&format!("--pcap {name}: {}", seen.told()));
    if seen.messages == 0 {
        bail!("--pcap {name}: no TCP segment or UDP datagram with a payload");
    }
    Ok(seen.lengths)
}

fn of_pcap(bytes: &[u8]) -> Result<Seen> {
    let reader = PcapReader::new(Cursor::new(bytes));
    let mut reader = reader.map_err(|_| anyhow!("neither a pcap nor a pcapng file"))?;
    let link = reader.header().datalink;
    let mut seen = Seen::default();
    // As they are: a packet that is longer than what was kept of it is none that is damaged.
    while let Some(packet) = reader.next_raw_packet() {
        match packet {
            Ok(packet) => seen.count(Some(link), &packet.data, packet.orig_len),
            Err(error) => {
                seen.end(&error);
                break;
            }
        }
    }
    seen.if_any()
}

fn of_pcapng(bytes: &[u8]) -> Result<Seen> {
    let reader = PcapNgReader::new(Cursor::new(bytes));
    let mut reader = reader.map_err(|_| anyhow!("a damaged pcapng file"))?;
    let mut seen = Seen::default();
    let mut links: Vec<DataLink> = Vec::new();
    loop {
        let (interface, data, whole) = match reader.next_block() {
            None => return seen.if_any(),
            Some(Ok(Block::SectionHeader(_))) => {
                links.clear();
                continue;
            }
            Some(Ok(Block::InterfaceDescription(interface))) => {
                links.push(interface.linktype);
                continue;
            }
            Some(Ok(Block::EnhancedPacket(it))) => (it.interface_id, it.data, it.original_len),
            Some(Ok(Block::SimplePacket(it))) => (0, it.data, it.original_len),
            Some(Ok(_)) => continue,
            Some(Err(error)) => {
                seen.end(&error);
                return seen.if_any();
            }
        };
        seen.count(links.get(interface as usize).copied(), &data, whole);
    }
}

impl Seen {
    /// Counts a record; `link` is absent where its interface is not described.
    fn count(&mut self, link: Option<DataLink>, data: &[u8], whole_len: u32) {
        self.records += 1;
        // What the capture left out of the frame.
        let missing = u64::from(whole_len).saturating_sub(data.len() as u64);
        let len = match link {
            None => Err(Damage::NoInterface),
            Some(link) => payload_len(link, data, missing).and_then(|len| {
                let carried = len.filter(|len| *len > 0);
                let added = carried.map(|len| self.lengths.add(len, 1.0)).transpose();
                added.map(|_| len).map_err(Damage::Length)
            }),
        };
        match len {
            Ok(None) => self.others += 1,
            Ok(Some(0)) => self.without += 1,
            Ok(Some(_)) => self.messages += 1,
            Err(damage) => self.pass_over(&damage),
        }
    }

    fn pass_over(&mut self, damage: &Damage) {
        self.damaged += 1;
        let number = self.records;
        self.first_damage.get_or_insert_with(|| format!("packet {number}: {damage}"));
    }

    /// Nothing behind this can be read; the packets before it count. A capture that was killed ends
    /// within a packet, which is no damage.
    fn end(&mut self, error: &PcapError) {
        self.records += 1;
        match error {
            PcapError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => say(&format!(
                "--pcap: ends within packet {}, or is damaged there; the packets before it count",
                self.records
            )),
            error => self.pass_over(&Damage::Record(error.to_string())),
        }
    }

    /// Itself, unless there is nothing but damage.
    fn if_any(self) -> Result<Self> {
        match self.first_damage {
            Some(damage) if self.messages == 0 => bail!("{damage}"),
            _ => Ok(self),
        }
    }

    fn told(&self) -> String {
        let Self { messages, without, others, damaged, .. } = self;
        let what = match messages {
            1 => "TCP segment or UDP datagram",
            _ => "TCP segments and UDP datagrams",
        };
        let mut told = format!(
            "{messages} {what} with a payload; left out: {without} without, {others} other packets"
        );
        if let Some(damage) = &self.first_damage {
            told += &format!(", {damaged} damaged ({damage})");
        }
        told
    }
}

/// Bytes that a segment or datagram carries, `missing` bytes of the frame not being there; `None`
/// of other packets.
///
/// # Errors
/// What the record contradicts itself in.
fn payload_len(link: DataLink, data: &[u8], missing: u64) -> Result<Option<u64>, Damage> {
    let behind = |at: usize| data.get(at..).unwrap_or_default();
    let packet = match link {
        DataLink::ETHERNET => LaxSlicedPacket::from_ethernet(data).ok(),
        DataLink::LINUX_SLL => behind_sll(data, 14, 16),
        DataLink::LINUX_SLL2 => behind_sll(data, 0, SLL2_BYTES),
        DataLink::RAW | DataLink::IPV4 | DataLink::IPV6 => LaxSlicedPacket::from_ip(data).ok(),
        DataLink::NULL | DataLink::LOOP => LaxSlicedPacket::from_ip(behind(LOOPBACK_BYTES)).ok(),
        other => return Err(Damage::Link(other)),
    };
    packet.map_or(Ok(None), |packet| carried(&packet, missing))
}

/// Behind a header of `tcpdump -i any`, whose protocol stands at a place of its own.
fn behind_sll(data: &[u8], protocol_at: usize, header_len: usize) -> Option<LaxSlicedPacket<'_>> {
    let protocol = data.get(protocol_at..protocol_at + 2)?;
    let protocol = u16::from_be_bytes([protocol[0], protocol[1]]);
    let is_ip = [ether_type::IPV4.0, ether_type::IPV6.0, ether_type::VLAN_TAGGED_FRAME.0];
    let packet = LaxSlicedPacket::from_ether_type(protocol.into(), data.get(header_len..)?);
    is_ip.contains(&protocol).then_some(packet)
}

fn carried(packet: &LaxSlicedPacket<'_>, missing: u64) -> Result<Option<u64>, Damage> {
    let Some((net, transport)) = packet.net.as_ref().zip(packet.transport.as_ref()) else {
        return Ok(None);
    };
    let Some(ip) = net.ip_payload_ref() else { return Ok(None) };
    let cut_off = cut_off(net, ip, missing)?;
    match transport {
        TransportSlice::Tcp(segment) => Ok(Some(segment.payload().len() as u64 + cut_off)),
        TransportSlice::Udp(datagram) => {
            let (len, room) = (u64::from(datagram.length()), ip.payload.len() as u64 + cut_off);
            match len.checked_sub(UdpHeader::LEN as u64) {
                Some(payload) if len <= room => Ok(Some(payload)),
                None => Err(Damage::UdpTooShort { len }),
                _ => Err(Damage::UdpTooLong { len, room }),
            }
        }
        _ => Ok(None),
    }
}

/// Bytes of the IP packet that were not captured, by its own length: a frame's is believed only
/// where the packet has none, as before a network card cuts it into segments.
fn cut_off(net: &LaxNetSlice<'_>, ip: &LaxIpPayloadSlice<'_>, missing: u64) -> Result<u64, Damage> {
    if !ip.incomplete {
        return Ok(if ip.len_source == LenSource::Slice { missing } else { 0 });
    }
    // Behind the first header, and in front of what it carries.
    let (len, extensions) = match net {
        LaxNetSlice::Ipv4(it) => {
            let header = it.header();
            let own = usize::from(header.total_len()).saturating_sub(header.slice().len());
            (own, it.extensions().auth.map_or(0, |auth| auth.slice().len()))
        }
        LaxNetSlice::Ipv6(it) => {
            (usize::from(it.header().payload_length()), it.extensions().slice().len())
        }
        LaxNetSlice::Arp(_) => return Ok(0),
    };
    let lacking = len.saturating_sub(extensions + ip.payload.len()) as u64;
    match lacking <= missing {
        true => Ok(lacking),
        false => Err(Damage::IpTooLong { excess: lacking - missing }),
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::time::Duration;

    use etherparse::PacketBuilder;
    use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
    use pcap_file::pcapng::PcapNgWriter;
    use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
    use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionBlock;

    use super::*;

    fn ethernet(payload: usize, udp: bool) -> Vec<u8> {
        let builder =
            PacketBuilder::ethernet2([1; 6], [2; 6]).ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64);
        let mut packet = Vec::new();
        let payload = vec![7; payload];
        if udp {
            builder.udp(53, 5353).write(&mut packet, &payload).unwrap();
        } else {
            builder.tcp(443, 50_000, 1, 1000).write(&mut packet, &payload).unwrap();
        }
        // As short frames are padded on the wire.
        packet.resize(packet.len().max(60), 0);
        packet
    }

    fn pcap(link: DataLink, packets: &[(Vec<u8>, u32)]) -> Vec<u8> {
        let header = PcapHeader { datalink: link, ..PcapHeader::default() };
        let mut writer = PcapWriter::with_header(Vec::new(), header).unwrap();
        for (data, whole) in packets {
            let data = Cow::Borrowed(&data[..]);
            let packet = PcapPacket { timestamp: Duration::ZERO, orig_len: *whole, data };
            writer.write_packet(&packet).unwrap();
        }
        writer.into_writer()
    }

    fn whole(packet: Vec<u8>) -> (Vec<u8>, u32) {
        let len = packet.len() as u32;
        (packet, len)
    }

    fn counted(lengths: &[(u64, f64)]) -> Lengths {
        let mut all = Lengths::default();
        lengths.iter().for_each(|&(len, weight)| all.add(len, weight).unwrap());
        all
    }

    #[test]
    fn payloads_are_counted_without_padding_and_with_what_was_cut_off() {
        let mut cut = ethernet(1400, false);
        let len = cut.len() as u32;
        cut.truncate(96);
        let arp = [&[1; 12][..], &[8, 6], &[0; 46]].concat();
        let packets = [
            whole(ethernet(3, false)),
            whole(ethernet(300, true)),
            whole(ethernet(300, false)),
            whole(ethernet(0, false)),
            whole(arp),
            (cut, len),
        ];
        let file = pcap(DataLink::ETHERNET, &packets);
        let seen = of_pcap(&file).unwrap();
        assert_eq!((seen.messages, seen.without, seen.others), (4, 1, 1));
        assert_eq!(seen.lengths, counted(&[(3, 1.0), (300, 2.0), (1400, 1.0)]));
        // By `tcpdump -s 96`, which the header tells.
        let mut short = file.clone();
        let is_little = short[0] != 0xa1;
        short[16..20].copy_from_slice(&if is_little {
            96_u32.to_le_bytes()
        } else {
            96_u32.to_be_bytes()
        });
        assert_eq!(of_pcap(&short).unwrap().lengths, seen.lengths);
        // A capture that was killed while it wrote.
        let seen = of_pcap(&file[..file.len() - 5]).unwrap();
        assert_eq!(seen.messages, 3);
    }

    #[test]
    fn every_kind_of_link_leads_to_the_same_payload() {
        let ip = ethernet(300, true)[14..].to_vec();
        let behind = |header: &[u8]| whole([header, &ip].concat());
        let sll = [&[0; 14][..], &[8, 0]].concat();
        let sll2 = [&[8, 0][..], &[0; 18]].concat();
        let links = [
            (DataLink::RAW, behind(&[])),
            (DataLink::LINUX_SLL, behind(&sll)),
            (DataLink::LINUX_SLL2, behind(&sll2)),
            (DataLink::NULL, behind(&[2, 0, 0, 0])),
        ];
        for (link, packet) in links {
            let seen = of_pcap(&pcap(link, &[packet])).unwrap();
            assert_eq!(seen.lengths, counted(&[(300, 1.0)]), "{link:?}");
        }
        let error = of_pcap(&pcap(DataLink::USB_LINUX, &[behind(&[])])).unwrap_err().to_string();
        assert!(error.contains("Ethernet, Linux SLL, loopback and raw IP are read"), "{error}");
    }

    #[test]
    fn headers_of_a_complete_frame_are_believed() {
        let (mut frame, len) = whole(ethernet(100, true));
        let seen = of_pcap(&pcap(DataLink::ETHERNET, &[(frame.clone(), 2000)])).unwrap();
        assert_eq!(seen.lengths, counted(&[(100, 1.0)]));
        // Bytes behind the datagram are none of its own.
        frame.extend([0; 30]);
        let seen = of_pcap(&pcap(DataLink::ETHERNET, &[(frame, len + 30)])).unwrap();
        assert_eq!(seen.lengths, counted(&[(100, 1.0)]));
        assert_eq!(
            seen.told(),
            "1 TCP segment or UDP datagram with a payload; left out: 0 without, 0 other packets"
        );
        // As it is before the network card cuts it: without a length of its own.
        let (mut frame, len) = whole(ethernet(1400, false));
        frame[16..18].fill(0);
        frame.truncate(96);
        let seen = of_pcap(&pcap(DataLink::ETHERNET, &[(frame, len)])).unwrap();
        assert_eq!(seen.lengths, counted(&[(1400, 1.0)]));
    }

    #[test]
    fn a_damaged_record_is_passed_over_and_named() {
        let good = || whole(ethernet(100, true));
        // Behind 14 bytes of Ethernet and 20 of IP, at 4 of UDP; and at 2 of IP.
        let with = |at: usize, len: u16| {
            let (mut frame, whole_len) = good();
            frame[at..at + 2].copy_from_slice(&len.to_be_bytes());
            (frame, whole_len)
        };
        for (bad, why) in [
            (with(38, 7), "packet 2: a UDP length of 7, less than its header"),
            (with(38, 109), "packet 2: a UDP length of 109, but 108 bytes in the packet"),
            (with(16, 129), "packet 2: its IP length exceeds the frame by 1 B"),
        ] {
            let seen = of_pcap(&pcap(DataLink::ETHERNET, &[good(), bad.clone(), good()])).unwrap();
            assert_eq!(seen.lengths, counted(&[(100, 2.0)]), "{why}");
            assert!(seen.told().ends_with(&format!(", 1 damaged ({why})")), "{}", seen.told());
            let error = of_pcap(&pcap(DataLink::ETHERNET, &[bad])).unwrap_err().to_string();
            assert_eq!(error, why.replace("packet 2", "packet 1"));
        }
    }

    fn pcapng(data: &[u8]) -> Vec<u8> {
        let mut writer = PcapNgWriter::new(Vec::new()).unwrap();
        let interface = InterfaceDescriptionBlock {
            linktype: DataLink::ETHERNET,
            snaplen: 0xffff,
            options: vec![],
        };
        writer.write_pcapng_block(interface).unwrap();
        let packet = EnhancedPacketBlock {
            interface_id: 0,
            timestamp: Duration::ZERO,
            original_len: data.len() as u32,
            data: Cow::Borrowed(data),
            options: vec![],
        };
        writer.write_pcapng_block(packet).unwrap();
        writer.into_inner()
    }

    #[test]
    fn the_newer_format_is_read_too() {
        let seen = of_pcapng(&pcapng(&ethernet(1000, false))).unwrap();
        assert_eq!(seen.lengths, counted(&[(1000, 1.0)]));
    }

    /// Whatever is in a file, there are lengths or there is an error.
    #[test]
    fn damage_is_read_or_refused() {
        let packet = ethernet(40, true);
        let whole = [pcap(DataLink::ETHERNET, &[whole(packet.clone())]), pcapng(&packet)];
        let mut refused = 0;
        for (file, read) in whole.iter().zip([of_pcap, of_pcapng]) {
            for at in 0..file.len() {
                for value in [0, 1, 4, 12, 0x7f, 0x80, 0xff] {
                    let mut damaged = file.clone();
                    damaged[at] = value;
                    refused += usize::from(read(&damaged).is_err());
                }
                refused += usize::from(read(&file[..at]).is_err());
            }
        }
        assert!(refused > 100, "{refused}");
    }

    #[test]
    fn what_is_no_capture_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let error = |content: &[u8]| {
            let path = folder.path().join("a.pcap");
            std::fs::write(&path, content).unwrap();
            read(&path).unwrap_err().to_string()
        };
        assert!(error(b"64 7\n").ends_with("neither a pcap nor a pcapng file"));
        assert!(error(&PCAPNG).ends_with("a damaged pcapng file"));
        let empty = pcap(DataLink::ETHERNET, &[whole(ethernet(0, false))]);
        assert!(error(&empty).ends_with("no TCP segment or UDP datagram with a payload"));
        assert!(read(Path::new("/nonsuch")).unwrap_err().to_string().starts_with("cannot read"));
    }
}
