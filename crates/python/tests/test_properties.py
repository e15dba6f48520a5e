"""What holds for every MAC: all ways give one tag, and no other passes."""

import array
import random
import unittest

import macs

LENGTHS = (0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 257, 2047, 2048, 5000)


def inputs(rng, name):
    """A key and, where one is taken, a nonce."""
    known = macs.info(name)
    nonce = None if known["nonce_size"] is None else rng.randbytes(known["nonce_size"])
    if nonce and name.startswith("vmac"):
        nonce = bytes([nonce[0] & 0x7F]) + nonce[1:]
    return rng.randbytes(known["key_size"]), nonce


class Properties(unittest.TestCase):
    def test_streaming_is_one_shot(self):
        rng = random.Random(2)
        for name in macs.algorithms:
            for length in LENGTHS:
                (key, nonce), msg = inputs(rng, name), rng.randbytes(length)
                prepared = macs.Key(name, key)
                right = prepared.digest(msg, nonce)
                self.assertEqual(len(right), prepared.digest_size)
                mac, at = macs.new(key, digestmod=name, nonce=nonce), 0
                while at < length:
                    step = rng.randint(0, length)
                    mac.update(bytearray(msg[at : at + step]))
                    at += step
                self.assertEqual(mac.digest(), right, (name, length))
                self.assertEqual(macs.digest(key, msg, name, nonce=nonce), right)
                self.assertEqual(mac.hexdigest(), right.hex())

    def test_a_batch_is_one_after_another(self):
        rng = random.Random(3)
        for name in macs.algorithms:
            keys = [inputs(rng, name)[0] for _ in range(5)]
            msgs = [rng.randbytes(rng.choice(LENGTHS)) for _ in range(37)]
            index = [rng.randrange(5) for _ in msgs]
            nonces = [inputs(rng, name)[1] for _ in msgs]
            joined = b"".join(nonces) if nonces[0] is not None else None
            each = [macs.Key(name, key) for key in keys]
            right = [each[k].digest(msg, n) for k, msg, n in zip(index, msgs, nonces)]
            batch = macs.Batch(name, keys)
            self.assertEqual(batch.digests(msgs, index, nonces=joined), right, name)
            offsets = [0]
            for msg in msgs:
                offsets.append(offsets[-1] + len(msg))
            for kind in "iIqQlL":
                packed = batch.digests_packed(
                    b"".join(msgs), array.array(kind, offsets), array.array(kind, index), nonces=joined
                )
                self.assertEqual(packed, b"".join(right), (name, kind))
            out = bytearray(len(packed))
            given = batch.digests_packed(b"".join(msgs), offsets, index, out, nonces=joined)
            self.assertIs(given, out)
            self.assertEqual(out, packed)
            wrong = bytearray(packed)
            wrong[3 * batch.digest_size] ^= 1
            said = batch.verify_packed(b"".join(msgs), offsets, wrong, index, nonces=joined)
            self.assertEqual(said, b"\1\1\1\0" + b"\1" * 33)

    def test_without_an_index_one_key_is_for_all_or_each_for_one(self):
        msgs = [b"a", b"b", b"c"]
        keys = [b"1", b"2", b"3"]
        one, three = macs.Batch("hmac-sha256", keys[:1]), macs.Batch("hmac-sha256", keys)
        self.assertEqual(one.digests(msgs), [macs.digest(b"1", m, "sha256") for m in msgs])
        right = [macs.digest(k, m, "sha256") for k, m in zip(keys, msgs)]
        self.assertEqual(three.digests(msgs), right)
        self.assertEqual(three.digests(iter(msgs), iter([0, 1, 2])), right)
        self.assertEqual((len(three), one.digests([]), one.digests_packed(b"", [0])), (3, [], b""))

    def test_out_may_be_where_the_data_are(self):
        place = bytearray(range(64))
        right = macs.Batch("hmac-sha256", [b"k"]).digests([bytes(place[:32]), bytes(place[32:])])
        macs.Batch("hmac-sha256", [b"k"]).digests_packed(place, [0, 32, 64], out=place)
        self.assertEqual(place, b"".join(right))

    def test_one_bit_of_a_tag_is_enough(self):
        rng = random.Random(4)
        for name in macs.algorithms:
            key, nonce = inputs(rng, name)
            prepared, mac = macs.Key(name, key), macs.new(key, b"msg", name, nonce=nonce)
            tag = prepared.digest(b"msg", nonce)
            prepared.verify(b"msg", tag, nonce)
            mac.verify(tag)
            for bit in (0, 8 * len(tag) - 1):
                wrong = bytearray(tag)
                wrong[bit // 8] ^= 1 << bit % 8
                for verify in (lambda: prepared.verify(b"msg", wrong, nonce), lambda: mac.verify(wrong)):
                    with self.assertRaisesRegex(macs.TagMismatch, "the tag does not belong"):
                        verify()

    def test_compositions_open_what_they_sealed_and_nothing_else(self):
        rng = random.Random(5)
        for name in macs.compositions:
            key, nonce = inputs(rng, name)
            data = b"" if "ctr+cmac" in name else b"data"
            keyed = macs.Composition(name, key)
            for length in (0, 1, 16, 33, 3000):
                msg = rng.randbytes(length)
                sealed = keyed.seal(nonce, msg, data)
                self.assertEqual(keyed.open(nonce, sealed, data), msg, name)
                with self.assertRaises(macs.TagMismatch):
                    keyed.open(nonce, sealed[:-1] + bytes([sealed[-1] ^ 1]), data)

    def test_kmac_takes_a_customization_and_tags_of_other_lengths(self):
        short = macs.Key("kmac128", bytes(32), customization=b"mine", tag_len=17)
        self.assertEqual((short.digest_size, len(short.digest(b"m"))), (17, 17))
        streamed = macs.new(bytes(32), b"m", "kmac128", customization=b"mine", tag_len=17)
        self.assertEqual(streamed.digest(), short.digest(b"m"))
        self.assertNotEqual(short.digest(b"m"), macs.digest(bytes(32), b"m", "kmac128")[:17])


if __name__ == "__main__":
    unittest.main()
