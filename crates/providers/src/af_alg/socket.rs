//! The two sockets of `AF_ALG`: one is bound to an algorithm and holds the key, the other, which
//! the first one accepts, takes messages and gives tags.

use std::io::IoSlice;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::sockopt::AlgSetKey;
use nix::sys::socket::{AddressFamily, AlgAddr, SockFlag, SockType, bind, setsockopt, socket};
use rustix::io::read;
use rustix::net::{SendAncillaryBuffer, SendFlags, SocketFlags, accept_with, send, sendmsg};

/// A socket that is bound to a keyed hash of the Linux kernel.
pub(super) struct Transformation(OwnedFd);

impl Transformation {
    /// Makes the socket; fails where the running Linux kernel has none of this kind.
    pub(super) fn socket() -> Result<OwnedFd, Errno> {
        socket(AddressFamily::Alg, SockType::SeqPacket, SockFlag::SOCK_CLOEXEC, None)
    }

    /// Asks for `algorithm` by the kernel's name for it, `hmac(sha256)`; the kernel loads the
    /// modules that it needs for that.
    pub(super) fn bound(algorithm: &str) -> Result<Self, &'static str> {
        let socket = Self::socket().map_err(|_| "the Linux kernel refused an AF_ALG socket")?;
        bind(socket.as_raw_fd(), &AlgAddr::new("hash", algorithm))
            .map_err(|_| "the Linux kernel does not have this algorithm")?;
        Ok(Self(socket))
    }

    /// Sets the key. The kernel refuses while an operation of an earlier key is open.
    pub(super) fn set_key(&self, key: &[u8]) -> Result<(), &'static str> {
        setsockopt(&self.0, AlgSetKey::default(), &key)
            .map_err(|_| "the Linux kernel refused the key")
    }

    /// A socket for messages, under the key that was set.
    pub(super) fn operation(&self) -> Result<Operation, &'static str> {
        let accepted = accept_with(&self.0, SocketFlags::CLOEXEC);
        accepted.map(Operation).map_err(|_| "the Linux kernel refused the operation")
    }
}

/// A socket that takes messages and gives tags.
pub(super) struct Operation(OwnedFd);

impl Operation {
    /// The tag of one message. `head` is what the algorithm takes in front of it: a nonce, or a
    /// key that is for this message only; mostly nothing.
    pub(super) fn tag(
        &self,
        head: &[u8],
        message: &[u8],
        tag: &mut [u8],
    ) -> Result<(), &'static str> {
        let none = SendFlags::empty();
        let sent = if head.is_empty() {
            send(&self.0, message, none)
        } else {
            let both = [IoSlice::new(head), IoSlice::new(message)];
            sendmsg(&self.0, &both, &mut SendAncillaryBuffer::default(), none)
        };
        // The kernel takes everything in pieces of its own. What is longer than one call may be
        // (2 GiB less a page) it cuts off, and has then ended the message.
        if sent != Ok(head.len() + message.len()) {
            return Err("the Linux kernel did not take the whole message");
        }
        if read(&self.0, &mut *tag) != Ok(tag.len()) {
            return Err("the Linux kernel returned no tag of this length");
        }
        Ok(())
    }
}
