"""Tags of records of one length in a NumPy array, into another one: no copies, no Python loop."""

import hmac

import numpy

import macs

records = numpy.random.default_rng(1).integers(0, 256, size=(1000, 64), dtype=numpy.uint8)
offsets = numpy.arange(0, records.size + 1, 64, dtype=numpy.int64)

batch = macs.Batch("hmac-sha256", [b"secret"])
tags = numpy.empty((1000, batch.digest_size), dtype=numpy.uint8)
batch.digests_packed(records, offsets, out=tags)

assert tags[7].tobytes() == hmac.digest(b"secret", records[7].tobytes(), "sha256")

tags[7, 0] ^= 1
is_right = numpy.frombuffer(batch.verify_packed(records, offsets, tags), dtype=numpy.bool)
assert is_right.sum() == 999 and not is_right[7]
print(f"{len(tags)} tags of {batch.digest_size} bytes; one that was changed is found")
