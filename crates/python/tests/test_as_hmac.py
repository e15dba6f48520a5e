"""`new`, `digest` and `compare_digest` are what `hmac` has under these names."""

import array
import copy
import ctypes
import hashlib
import hmac
import mmap
import multiprocessing
import random
import unittest

import macs

try:
    import numpy
except ImportError:
    numpy = None

HASHES = (
    "md5 sha1 sha224 sha256 sha384 sha512 sha512_224 sha512_256"
    " sha3_224 sha3_256 sha3_384 sha3_512 blake2b blake2s"
).split()

# As OpenSSL and hashlib spell them, beside the names of hashlib.
SPELLINGS = (
    "MD5 SHA1 SHA-1 SHA256 SHA-224 SHA-256 SHA-384 SHA-512 SHA2-224 SHA2-256 SHA2-384 SHA2-512"
    " SHA512-224 SHA512-256 SHA-512/224 SHA-512/256 SHA2-512/224 SHA2-512/256 SSL3-MD5 SSL3-SHA1"
    " SHA3-224 SHA3-256 SHA3-384 SHA3-512 BLAKE2b512 BLAKE2B-512 BLAKE2s256 BLAKE2S-256"
    " RIPEMD RIPEMD160 RIPEMD-160 RMD160 SM3"
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

    def test_digestmod_is_spelt_as_openssl_does(self):
        known = 0
        for spelling in SPELLINGS:
            for name in (spelling, spelling.lower(), spelling.upper()):
                ours = macs.digest(b"k", b"m", name)
                try:
                    right = hmac.digest(b"k", b"m", name)
                except ValueError:
                    continue  # An OpenSSL without this hash, or a Python without OpenSSL.
                known += 1
                self.assertEqual(ours, right, name)
        self.assertGreater(known, 0)

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

    def test_what_hmac_takes_for_bytes_is_taken(self):
        text = ctypes.create_string_buffer(b"seven b", 7)
        numbers = (ctypes.c_int * 3)(1, 2, 3)
        kinds = [text, numbers, ctypes.c_int(5), multiprocessing.Array("i", 3).get_obj()]
        kinds += [mmap.mmap(-1, 9), array.array("d", [1.5]), memoryview(numbers)]
        kinds.append(memoryview(bytes(12)).cast("B", (3, 4)))
        if numpy is not None:
            kinds += [numpy.array(7), numpy.zeros(()), numpy.arange(6), numpy.float32(1)]
        for kind in kinds:
            plain = bytes(memoryview(kind))
            for key, msg in ((kind, b"m"), (b"k", kind), (kind, kind)):
                right = hmac.digest(bytes(memoryview(key)), bytes(memoryview(msg)), "sha256")
                self.assertEqual(macs.digest(key, msg, "sha256"), right, repr(kind))
                self.assertEqual(macs.new(key, msg, "sha256").digest(), right)
                batch = macs.Batch("hmac-sha256", [key])
                self.assertEqual(batch.digests([msg]), [right])
                self.assertEqual(batch.digests_packed(msg, [0, len(bytes(memoryview(msg)))]), right)
            self.assertEqual(macs.digest(b"k", kind, "sha256"), macs.digest(b"k", plain, "sha256"))

    def test_what_holds_tags_takes_them(self):
        batch = macs.Batch("hmac-sha256", [b"k"])
        right = batch.digests_packed(b"abc", [0, 3])
        outs = [bytearray(32), (ctypes.c_char * 32)(), (ctypes.c_int * 8)(), array.array("q", [0] * 4)]
        if numpy is not None:
            outs += [numpy.zeros(32, numpy.uint8), numpy.zeros((2, 2), numpy.uint64)]
            outs.append(numpy.zeros((), "V32"))
        for out in outs:
            self.assertIs(batch.digests_packed(b"abc", [0, 3], out=out), out)
            self.assertEqual(bytes(memoryview(out)), right)
            self.assertEqual(batch.verify_packed(b"abc", [0, 3], out), b"\1")
            macs.Key("hmac-sha256", b"k").verify(b"abc", out)

    def test_compare_digest_is_that_of_hmac(self):
        self.assertIs(macs.compare_digest, hmac.compare_digest)


if __name__ == "__main__":
    unittest.main()
