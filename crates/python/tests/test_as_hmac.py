"""`new`, `digest` and `compare_digest` are what `hmac` has under these names."""

import copy
import hashlib
import hmac
import random
import unittest

import macs

HASHES = (
    "md5 sha1 sha224 sha256 sha384 sha512 sha512_224 sha512_256"
    " sha3_224 sha3_256 sha3_384 sha3_512 blake2b blake2s"
).split()


class AsHmac(unittest.TestCase):
    def test_all_hashes_of_the_standard_library_at_all_lengths(self):
        rng = random.Random(1)
        for name in HASHES:
            block = hashlib.new(name).block_size
            for length in (0, 1, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 1000, 2047, 2048, 9000):
                for key_len in (0, 1, 32, block - 1, block, block + 1, 300):
                    key, msg = rng.randbytes(key_len), rng.randbytes(length)
                    right = hmac.digest(key, msg, name)
                    self.assertEqual(macs.digest(key, msg, name), right, (name, length, key_len))
                    self.assertEqual(macs.new(key, msg, name).digest(), right)

    def test_digestmod_is_a_name_a_hash_or_a_module(self):
        right = hmac.digest(b"k", b"m", "sha3_256")
        module = type(hmac)("a_hash")
        module.new = hashlib.sha3_256
        for digestmod in ("sha3_256", "sha3-256", "SHA3_256", "hmac-sha3-256", hashlib.sha3_256, module):
            self.assertEqual(macs.new(b"k", b"m", digestmod).digest(), right)
            self.assertEqual(macs.digest(b"k", b"m", digestmod), right)
        for name in HASHES:
            made = macs.new(b"k", b"m", getattr(hashlib, name, None) or name)
            self.assertEqual(made.digest(), hmac.new(b"k", b"m", name).digest())

    def test_attributes_and_pieces(self):
        ours, theirs = (module.new(b"key", b"one", "sha256") for module in (macs, hmac))
        for each in (ours, theirs):
            each.update(b"two")
        for name in ("digest_size", "block_size", "name"):
            self.assertEqual(getattr(ours, name), getattr(theirs, name))
        self.assertEqual(ours.hexdigest(), theirs.hexdigest())
        # A tag is no end, and a copy goes its own way.
        branched, also = ours.copy(), copy.copy(ours)
        branched.update(b"three")
        theirs.update(b"three")
        self.assertEqual(branched.digest(), theirs.digest())
        self.assertNotEqual(ours.digest(), branched.digest())
        self.assertEqual(ours.digest(), also.digest())
        self.assertEqual(ours.digest(), hmac.digest(b"key", b"onetwo", "sha256"))

    def test_what_hmac_refuses_is_refused_with_the_same_exception(self):
        calls = (
            lambda module: module.new(b"key", b"msg"),
            lambda module: module.new("key", b"msg", "sha256"),
            lambda module: module.new(b"key", "msg", "sha256"),
            lambda module: module.new(b"key", b"msg", "no such hash"),
            lambda module: module.digest(b"key", "msg", "sha256"),
            lambda module: module.new(b"key", b"msg", "sha256").update("msg"),
        )
        for number, call in enumerate(calls):
            raised = []
            for module in (macs, hmac):
                with self.assertRaises((TypeError, ValueError)) as caught:
                    call(module)
                raised.append(type(caught.exception))
            self.assertTrue(issubclass(raised[0], raised[1]), (number, raised))

    def test_compare_digest_is_that_of_hmac(self):
        self.assertIs(macs.compare_digest, hmac.compare_digest)


if __name__ == "__main__":
    unittest.main()
