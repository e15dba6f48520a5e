"""For a type checker: what fits is taken, and what does not is an error in the line that says so."""

import array
import hashlib

import macs

key = macs.Key("hmac-sha256", b"key")
tag: bytes = key.digest(bytearray(3))
key.verify(memoryview(b"m"), tag)
mac: macs.Mac = macs.new(b"k", b"m", hashlib.sha256)
macs.new(bytes(16), b"m", "umac-64", nonce=b"n", nonce_len=1)
mac.update(b"m")
text: str = macs.new(b"k", digestmod="sha256").copy().hexdigest()
batch = macs.Batch("hmac-sha256", (b"k", bytearray(b"l")))
tags: list[bytes] = batch.digests([b"a", memoryview(b"b")], [0, 1])
packed: bytes = batch.digests_packed(b"ab", array.array("i", [0, 1, 2]))
placed: bytearray = batch.digests_packed(b"ab", [0, 1, 2], None, bytearray(64))
names: tuple[str, ...] = macs.algorithms
opened: bytes = macs.Composition("gcm-aes-128", bytes(16)).open(bytes(12), bytes(16))


def again(digests: macs.Digests) -> list[bytes | None]:
    return batch.digests_arrow(digests).to_list()


macs.Key("hmac-sha256", "text")  # type: ignore[arg-type]
macs.new("text", b"m", "sha256")  # type: ignore[arg-type]
key.digest("text")  # type: ignore[arg-type]
batch.digests(b"bytes")  # type: ignore[arg-type]
batch.digests_packed(b"ab", "offsets")  # type: ignore[arg-type]
batch.digests_arrow([b"a"])  # type: ignore[arg-type]
key.name = "another"  # type: ignore[misc]
wrong: str = macs.digest(b"k", b"m", "sha256")  # type: ignore[assignment]


class Own(macs.Key):  # type: ignore[misc]
    pass
