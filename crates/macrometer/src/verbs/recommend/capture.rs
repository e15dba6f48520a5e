//! Lengths of messages from a capture of packets: what TCP segments and UDP datagrams carry.

use std::io::{Cursor, ErrorKind};
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use etherparse::{LaxSlicedPacket, TransportSlice, ether_type};
use pcap_file::pcap::PcapReader;
use pcap_file::pcapng::{Block, PcapNgReader};
use pcap_file::{DataLink, PcapError};

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
}

/// The lengths of what a capture's TCP segments and UDP datagrams carry, each counted once; those
/// that carry nothing are left out. On standard error it is said what was counted.
pub fn read(path: &Path) -> Result<Lengths> {
    let name = path.display();
    let read = reading::whole(path, reading::TABLE_BYTES_MAX);
    let bytes = read.map_err(|error| anyhow!("cannot read --pcap {name}: {error}"))?;
    let seen = if bytes.starts_with(&PCAPNG) { of_pcapng(&bytes) } else { of_pcap(&bytes) };
    let seen = seen.map_err(|error| anyhow!("--pcap {name}: {error}"))?;
    let Seen { lengths, messages, without, others } = seen;
    say(&format!(
        "--pcap {name}: {messages} TCP segments and UDP datagrams with a payload; left out: \
         {without} without, {others} other packets"
    ));
    if messages == 0 {
        bail!("--pcap {name}: no TCP segment or UDP datagram with a payload");
    }
    Ok(lengths)
}

fn of_pcap(bytes: &[u8]) -> Result<Seen> {
    let reader = PcapReader::new(Cursor::new(bytes));
    let mut reader = reader.map_err(|_| anyhow!("neither a pcap nor a pcapng file"))?;
    let link = reader.header().datalink;
    let mut seen = Seen::default();
    // As they are: a packet that is longer than what was kept of it is none that is damaged.
    while let Some(packet) = reader.next_raw_packet() {
        match packet {
            Ok(packet) => seen.count(link, &packet.data, packet.orig_len)?,
            Err(error) => {
                cut_off(&error)?;
                break;
            }
        }
    }
    Ok(seen)
}

fn of_pcapng(bytes: &[u8]) -> Result<Seen> {
    let reader = PcapNgReader::new(Cursor::new(bytes));
    let mut reader = reader.map_err(|_| anyhow!("a damaged pcapng file"))?;
    let mut seen = Seen::default();
    let mut links: Vec<DataLink> = Vec::new();
    loop {
        let (interface, data, whole) = match reader.next_block() {
            None => return Ok(seen),
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
                cut_off(&error)?;
                return Ok(seen);
            }
        };
        let link = links.get(interface as usize);
        let link = *link
            .ok_or_else(|| anyhow!("a packet of interface {interface}, which does not exist"))?;
        seen.count(link, &data, whole)?;
    }
}

/// A capture that was killed ends within a packet: the others count.
fn cut_off(error: &PcapError) -> Result<()> {
    match error {
        PcapError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            say("--pcap: ends within a packet, or is damaged there; the packets before it count");
            Ok(())
        }
        error => bail!("damaged: {error}"),
    }
}

impl Seen {
    fn count(&mut self, link: DataLink, data: &[u8], whole_len: u32) -> Result<()> {
        // What the capture cut off belongs to the payload.
        let missing = u64::from(whole_len).saturating_sub(data.len() as u64);
        match payload_len(link, data)? {
            None => self.others += 1,
            Some(0) if missing == 0 => self.without += 1,
            Some(len) => {
                self.messages += 1;
                self.lengths.add(len + missing, 1.0)?;
            }
        }
        Ok(())
    }
}

/// Bytes that a segment or datagram carries in what was captured; `None` of other packets.
fn payload_len(link: DataLink, data: &[u8]) -> Result<Option<u64>> {
    let behind = |at: usize| data.get(at..).unwrap_or_default();
    let packet = match link {
        DataLink::ETHERNET => LaxSlicedPacket::from_ethernet(data).ok(),
        DataLink::LINUX_SLL => return Ok(behind_sll(data, 14, 16)),
        DataLink::LINUX_SLL2 => return Ok(behind_sll(data, 0, SLL2_BYTES)),
        DataLink::RAW | DataLink::IPV4 | DataLink::IPV6 => LaxSlicedPacket::from_ip(data).ok(),
        DataLink::NULL | DataLink::LOOP => LaxSlicedPacket::from_ip(behind(LOOPBACK_BYTES)).ok(),
        other => bail!(
            "packets of link type {other:?}: Ethernet, Linux SLL, loopback and raw IP are read"
        ),
    };
    Ok(packet.and_then(|packet| carried(&packet)))
}

/// Behind a header of `tcpdump -i any`, whose protocol stands at a place of its own.
fn behind_sll(data: &[u8], protocol_at: usize, header_len: usize) -> Option<u64> {
    let protocol = data.get(protocol_at..protocol_at + 2)?;
    let protocol = u16::from_be_bytes([protocol[0], protocol[1]]);
    let is_ip = [ether_type::IPV4.0, ether_type::IPV6.0, ether_type::VLAN_TAGGED_FRAME.0];
    let packet = LaxSlicedPacket::from_ether_type(protocol.into(), data.get(header_len..)?);
    is_ip.contains(&protocol).then(|| carried(&packet)).flatten()
}

fn carried(packet: &LaxSlicedPacket<'_>) -> Option<u64> {
    match packet.transport.as_ref()? {
        TransportSlice::Tcp(segment) => Some(segment.payload().len() as u64),
        TransportSlice::Udp(datagram) => Some(datagram.payload().len() as u64),
        _ => None,
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
