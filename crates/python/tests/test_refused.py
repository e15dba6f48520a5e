"""Wrong input of each kind: one line that says what would be right, and the object goes on."""

import array
import copy
import ctypes
import pickle
import unittest

import macs

KEY = macs.Key("hmac-sha256", b"key")
BATCH = macs.Batch("hmac-sha256", [b"one", b"two"])
ONE = macs.Batch("hmac-sha256", [b"one"])
GCM = macs.Composition("gcm-aes-128", bytes(16))
GMAC, POLY1305 = ("gmac-aes-128", bytes(16), bytes(12)), ("poly1305", bytes(32), None)
SPACED = memoryview(b"abcdef")[::2]


def begun(name, key, nonce):
    return macs.new(key, b"begun", name, nonce=nonce)


def told(name, key, nonce, tag=macs.Mac.digest):
    """A message whose tag was told."""
    mac = begun(name, key, nonce)
    tag(mac)
    return mac


def checked(name, key, nonce):
    mac = begun(name, key, nonce)
    try:
        mac.verify(bytes(mac.digest_size))
    except macs.TagMismatch:
        return mac


REFUSED = [
    # The library's own words.
    (ValueError, "no MAC `hmac-sha-256` in the catalog; did you mean hmac-sha256", lambda: macs.Key("hmac-sha-256", b"k")),
    (ValueError, "did you mean hmac-sha256", lambda: macs.new(b"k", b"m", "sha257")),
    (ValueError, "cmac-aes-128 takes a key of 16 bytes, not of 3 bytes", lambda: macs.Key("cmac-aes-128", b"key")),
    (ValueError, "cmac-aes-128 takes a key of 16 bytes", lambda: macs.Batch("cmac-aes-128", [bytes(16), b"k"])),
    (ValueError, "gmac-aes-128 takes a nonce of .* with every message", lambda: macs.Key("gmac-aes-128", bytes(16)).digest(b"m")),
    (ValueError, "gmac-aes-128 takes a nonce", lambda: macs.new(bytes(16), b"m", "gmac-aes-128").digest()),
    (ValueError, "gmac-aes-128 takes a nonce", lambda: macs.digest(bytes(16), b"m", "gmac-aes-128")),
    (ValueError, "gmac-aes-128 takes a nonce", lambda: macs.Batch("gmac-aes-128", [bytes(16)]).digests([b"m"])),
    (ValueError, "hmac-sha256 takes no nonce", lambda: KEY.digest(b"m", b"nonce")),
    (ValueError, "hmac-sha256 takes no nonce", lambda: macs.new(b"k", b"m", "sha256", nonce=b"nonce")),
    # Nonces of two lengths can be one: no length is taken from the nonce.
    (ValueError, "umac-64 takes a nonce of 8 bytes, not of 1 byte", lambda: macs.new(bytes(16), b"m", "umac-64", nonce=b"\4")),
    (ValueError, "umac-64 takes a nonce of 8 bytes, not of 2 bytes", lambda: macs.new(bytes(16), b"m", "umac-64", nonce=b"\4\0")),
    (ValueError, "vmac64-aes-128 takes a nonce of 8 bytes, not of 16", lambda: macs.new(bytes(16), b"m", "vmac64-aes-128", nonce=bytes(16))),
    (ValueError, "umac-64 takes a nonce of 8 bytes, not of 1 byte", lambda: macs.new(bytes(16), b"m", "umac-64", nonce=b"\4", nonce_len=8)),
    (ValueError, "hmac-sha256 takes no customization string", lambda: macs.Key("hmac-sha256", b"k", customization=b"c")),
    (ValueError, "hmac-sha256 takes a tag of 32 bytes, not of 16", lambda: macs.Key("hmac-sha256", b"k", tag_len=16)),
    (ValueError, "hmac-sha256 takes a tag of 32 bytes, not of 31", lambda: KEY.verify(b"m", bytes(31))),
    (ValueError, "gcm-aes-128 is a composition", lambda: macs.Key("gcm-aes-128", bytes(16))),
    (ValueError, "hmac-sha256 is a mac", lambda: macs.Composition("hmac-sha256", b"k")),
    (ValueError, "tag_len is -1; numbers from 0 to 9223372036854775807 are taken", lambda: macs.Key("kmac128", b"k", tag_len=-1)),
    (ValueError, "tag_len is 1180591620717411303424; numbers from 0", lambda: macs.new(b"k", b"m", "kmac128", tag_len=2**70)),
    (ValueError, "tag_len is -1; numbers from 0", lambda: macs.Composition("gcm-aes-128", bytes(16), tag_len=-1)),
    (ValueError, "tag_len is too long a number; numbers from 0", lambda: macs.Key("kmac128", b"k", tag_len=10**5000)),
    (ValueError, "kmac128 takes a tag of .*, not of 9223372036854775807", lambda: macs.Key("kmac128", b"k", tag_len=2**63 - 1)),
    (ValueError, "nonce_len is -1; numbers from 0", lambda: macs.Key("gmac-aes-128", bytes(16), nonce_len=-1)),
    (ValueError, "nonce_len is -1; numbers from 0", lambda: macs.new(bytes(16), b"m", "gmac-aes-128", nonce_len=-1)),
    (ValueError, "nonce_len is -1; numbers from 0", lambda: macs.Batch("gmac-aes-128", [bytes(16)], nonce_len=-1)),
    (TypeError, "tag_len: a whole number is required, not 'str'", lambda: macs.Key("kmac128", b"k", tag_len="5")),
    (TypeError, "tag_len: a whole number is required, not 'float'", lambda: macs.Key("kmac128", b"k", tag_len=5.0)),
    (macs.TagMismatch, "the tag does not belong to this message and key", lambda: KEY.verify(b"m", bytes(32))),
    # What has no bytes.
    (TypeError, "msg: a bytes-like object is required, not 'str'", lambda: KEY.digest("m")),
    (TypeError, "key: a bytes-like object is required, not 'str'", lambda: macs.Key("hmac-sha256", "k")),
    (TypeError, "a key: a bytes-like object is required, not 'str'", lambda: macs.Batch("hmac-sha256", ["k"])),
    (TypeError, "a message: a bytes-like object is required, not 'NoneType'", lambda: BATCH.digests([b"m", None])),
    (TypeError, "a list of bytes-like objects is required", lambda: BATCH.digests(b"message")),
    (TypeError, "a list of bytes-like objects is required", lambda: macs.Batch("hmac-sha256", b"key")),
    (TypeError, "digestmod must be a name or a hash of hashlib", lambda: macs.new(b"k", b"m", 256)),
    (BufferError, "msg: its bytes must lie one behind the other", lambda: KEY.digest(SPACED)),
    (BufferError, "data: its bytes must lie", lambda: BATCH.digests_packed(SPACED, [0, 3], [0])),
    (TypeError, "sealed: a bytes-like object is required, not 'str'", lambda: GCM.open(bytes(12), "x")),
    (TypeError, "msg: a bytes-like object is required, not 'str'", lambda: GCM.seal(bytes(12), "x")),
    (TypeError, "out: a bytes-like object is required, not 'list'", lambda: ONE.digests_packed(b"abc", [0, 3], out=[0] * 32)),
    (TypeError, "out holds objects or addresses, .*: a bytearray can be written", lambda: ONE.digests_packed(b"abc", [0, 3], out=(ctypes.py_object * 4)())),
    (TypeError, "out holds objects or addresses", lambda: ONE.digests_packed(b"abc", [0, 3], out=memoryview((ctypes.c_char_p * 4)()))),
    (BufferError, "out: its bytes must lie one behind the other", lambda: ONE.digests_packed(b"abc", [0, 3], out=memoryview(bytearray(64))[::2])),
    # What is where, and under which key.
    (ValueError, "keys is empty", lambda: macs.Batch("hmac-sha256", [])),
    (ValueError, "3 messages under 2 keys: key_index must say", lambda: BATCH.digests([b"a", b"b", b"c"])),
    (ValueError, "key_index has 1 numbers for 2 messages", lambda: BATCH.digests([b"a", b"b"], [0])),
    (ValueError, r"key_index\[1\] is 2, and there are 2 keys", lambda: BATCH.digests([b"a", b"b"], [0, 2])),
    (ValueError, r"key_index\[0\] is -1", lambda: BATCH.digests([b"a"], [-1])),
    (ValueError, "offsets is empty", lambda: ONE.digests_packed(b"abc", [])),
    (ValueError, r"offsets\[0\] and the next are 0 and 4, which is no part of 3 bytes", lambda: ONE.digests_packed(b"abc", [0, 4])),
    (ValueError, r"offsets\[1\] and the next are 2 and 1", lambda: ONE.digests_packed(b"abc", [0, 2, 1])),
    (ValueError, r"offsets\[0\] and the next are -1 and 3", lambda: ONE.digests_packed(b"abc", [-1, 3])),
    (ValueError, r"offsets\[1\] is 18446744073709551615; .* from 0 to", lambda: ONE.digests_packed(b"abc", array.array("Q", [0, 2**64 - 1]))),
    (ValueError, r"offsets\[1\] is 18446744073709551616; .* from 0 to", lambda: ONE.digests_packed(b"abc", [0, 2**64])),
    (ValueError, r"offsets\[0\] is -1180591620717411303424", lambda: ONE.digests_packed(b"abc", [-(2**70), 3])),
    (ValueError, r"offsets\[0\] is too long a number", lambda: ONE.digests_packed(b"abc", [10**5000, 3])),
    (ValueError, r"key_index\[0\] is 9223372036854775808", lambda: BATCH.digests([b"a"], [2**63])),
    (ValueError, r"key_index\[0\] is 9223372036854775808", lambda: BATCH.digests([b"a"], array.array("Q", [2**63]))),
    (TypeError, r"offsets\[1\]: a whole number is required, not 'float'", lambda: ONE.digests_packed(b"abc", [0, 1.5])),
    (ValueError, "offsets: integers of 4 or 8 bytes .* not format 'd'", lambda: ONE.digests_packed(b"abc", array.array("d", [0, 3]))),
    (ValueError, "not format 'h'", lambda: ONE.digests_packed(b"abc", array.array("h", [0, 3]))),
    (TypeError, "offsets: bytes are no numbers", lambda: ONE.digests_packed(b"abc", b"\0\3")),
    (ValueError, "out has 31 bytes, and the tags have 32", lambda: ONE.digests_packed(b"abc", [0, 3], out=bytearray(31))),
    (ValueError, "out cannot be written", lambda: ONE.digests_packed(b"abc", [0, 3], out=bytes(32))),
    (ValueError, "nonces has 3 bytes, which is no equal number for each of 2", lambda: BATCH.digests([b"a", b"b"], nonces=b"123")),
    (ValueError, "1 tags of hmac-sha256 have 32 bytes, not 31", lambda: ONE.verify_packed(b"abc", [0, 3], bytes(31))),
    (ValueError, "2 tags of hmac-sha256 have 64 bytes, not 63", lambda: ONE.verify_packed(b"abc", [0, 1, 3], bytes(63))),
    # A second tag under what is for one.
    (ValueError, "gmac-aes-128: a second tag under one nonce .* with a new nonce", lambda: told(*GMAC).update(b"m")),
    (ValueError, "gmac-aes-128: a second tag under one nonce", lambda: told(*GMAC).update(bytes(5000))),
    (ValueError, "gmac-aes-128: a second tag under one nonce", lambda: told(*GMAC, macs.Mac.hexdigest).update(b"m")),
    (ValueError, "gmac-aes-128: a second tag under one nonce", lambda: checked(*GMAC).update(b"m")),
    (ValueError, "gmac-aes-128: a second tag under one nonce", lambda: begun(*GMAC).copy()),
    (ValueError, "gmac-aes-128: a second tag under one nonce", lambda: copy.copy(begun(*GMAC))),
    (ValueError, "poly1305: a second tag under one key .* with a new key", lambda: told(*POLY1305).update(b"m")),
    (ValueError, "poly1305: a second tag under one key", lambda: begun(*POLY1305).copy()),
    (ValueError, "poly1305: a second tag under one key", lambda: macs.Key("poly1305", bytes(32)).new_message().copy()),
    # Columns.
    (TypeError, "an Arrow column is required .* not 'list'", lambda: ONE.digests_arrow([b"a"])),
]  # fmt: skip


class Refused(unittest.TestCase):
    def test_each(self):
        for number, (kind, words, call) in enumerate(REFUSED):
            with self.subTest(number=number, words=words):
                with self.assertRaisesRegex(kind, words) as caught:
                    call()
                self.assertNotIn("\n", str(caught.exception))
                self.assertNotIn("panic", str(caught.exception).lower())
        self.assertEqual(KEY.digest(b"m"), macs.digest(b"key", b"m", "sha256"))

    def test_what_is_for_one_tag_gives_that_one(self):
        for name, key, nonce in (GMAC, POLY1305):
            mac = begun(name, key, nonce)
            for tag in (bytes(3), "text"):
                # No tag was computed: the message goes on.
                self.assertRaises((TypeError, ValueError), mac.verify, tag)
            mac.update(b" and ended")
            right = macs.digest(key, b"begun and ended", name, nonce=nonce)
            self.assertEqual([mac.digest(), mac.digest(), mac.hexdigest()], [right, right, right.hex()])
            mac.verify(right)
            self.assertRaises(ValueError, mac.update, b"!")
            self.assertEqual(mac.digest(), right)

    def test_a_length_that_cannot_be_is_no_mismatch(self):
        sealed = GCM.seal(bytes(12), b"m")
        calls = (
            lambda: KEY.verify(b"m", bytes(31)),
            lambda: macs.new(b"k", b"m", "sha256").verify(bytes(33)),
            lambda: GCM.open(bytes(12), sealed[:15]),
        )
        for call in calls:
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertNotIsInstance(caught.exception, macs.TagMismatch)

    def test_a_nonce_of_another_length_is_for_who_says_so(self):
        for name, nonce in (("umac-64", b"\4"), ("vmac64-aes-128", bytes(16))):
            mac = macs.new(bytes(16), b"m", name, nonce=nonce, nonce_len=len(nonce))
            key = macs.Key(name, bytes(16), nonce_len=len(nonce))
            self.assertEqual(mac.digest(), key.digest(b"m", nonce), name)
            self.assertEqual(macs.new(bytes(16), b"m", name, nonce=bytes(8)).digest_size, 8)

    def test_a_nonce_that_is_not_there_is_no_end(self):
        mac = macs.new(bytes(16), b"m", "gmac-aes-128")
        self.assertRaisesRegex(ValueError, "takes a nonce", mac.digest)
        mac.update(b"m")
        self.assertRaisesRegex(ValueError, "takes a nonce", mac.copy().digest)

    def test_a_buffer_is_held_while_it_is_read_and_let_go_after(self):
        place = bytearray(5000)
        KEY.digest(place)
        ONE.digests_packed(place, [0, 5000])
        ONE.digests([place])
        self.assertRaises(ValueError, KEY.verify, place, bytes(3))
        place.extend(b"!")  # A BufferError if it were still held.

    def test_keys_are_not_shown_and_not_written_out(self):
        secret = b"a secret nobody should see"
        mac = macs.new(secret, b"m", "sha256")
        composition = macs.Composition("gcm-aes-128", secret[:16])
        for each in (macs.Key("hmac-sha256", secret), mac, macs.Batch("hmac-sha256", [secret]), composition):
            for text in (repr(each), str(each), repr(vars(type(each)))):
                self.assertNotIn("secret nobody", text)
                self.assertNotIn(secret.hex(), text)
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                with self.assertRaisesRegex(TypeError, "cannot be pickled"):
                    pickle.dumps(each, protocol)
            with self.assertRaises(AttributeError):
                each.anything = 1
        for each in (macs.Key("hmac-sha256", secret), composition, BATCH):
            # What never changes is its own copy.
            self.assertIs(copy.copy(each), each)
            self.assertIs(copy.deepcopy(each), each)

    def test_none_of_the_classes_is_a_base(self):
        for kind in (macs.Key, macs.Mac, macs.Batch, macs.Composition, macs.Digests):
            with self.assertRaises(TypeError):
                type("Sub", (kind,), {})
        for kind in (macs.Mac, macs.Digests):
            self.assertRaises(TypeError, kind)


if __name__ == "__main__":
    unittest.main()
