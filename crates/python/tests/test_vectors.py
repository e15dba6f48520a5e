"""Every vector by every way to a tag that Python has: the compact set, and with MACROMETER_VECTORS all
files of that folder."""

import json
import os
import pathlib
import unittest

import macs

# GCM with a tag of one byte, which Intel's vectors call valid: SP 800-38D has no such tags.
REFUSED = ["ipsecmb-gcm_test-20"]
COMPACT = pathlib.Path(__file__).parents[2] / "vectors" / "cases"


def files():
    folders = [COMPACT]
    if os.environ.get("MACROMETER_VECTORS"):
        folders.append(pathlib.Path(os.environ["MACROMETER_VECTORS"]))
    else:
        print("not asked: set MACROMETER_VECTORS to a folder of vectors to run them all")
    return sorted(file for folder in folders for file in folder.glob("*.json"))


def message_of(case):
    if "msg" in case:
        return bytes.fromhex(case["msg"])
    unit, length = bytes.fromhex(case["msg_repeat"]["unit"]), case["msg_repeat"]["len"]
    return (unit * (length // max(1, len(unit)) + 1))[:length]


def fits(text, length):
    """Whether a length is among those that `info` tells in words: `32 bytes`, `4 to 16 bytes`."""
    if text == "any length":
        return True
    words = text.replace(",", "").split()
    numbers = [int(word) for word in words if word.isdigit()]
    if text.startswith("at least"):
        return length >= numbers[0]
    if text.startswith("at most"):
        return length <= numbers[0]
    if "to" in words:
        return numbers[0] <= length <= numbers[1]
    return length in numbers


class Case:
    """What a case asks, and whether this library accepts its tag."""

    def __init__(self, written):
        self.id, self.mac = written["id"], written["mac"]
        self.is_valid = written.get("result", "valid") == "valid"
        self.key, self.tag = bytes.fromhex(written["key"]), bytes.fromhex(written["tag"])
        self.nonce = bytes.fromhex(written.get("nonce") or "")
        self.customization = bytes.fromhex(written.get("custom") or "")
        self.data = bytes.fromhex(written.get("ad") or "")
        self.message = message_of(written)
        self.ciphertext = written.get("ct")
        self.tag_bits = written.get("tag_bits")
        self.known = macs.info(self.mac)

    def is_accepted(self):
        if self.tag_bits is not None and self.tag_bits != 8 * len(self.tag):
            return False
        try:
            return self.opens() if self.known["is_composition"] else self.has_tag()
        except ValueError:
            return False

    def opens(self):
        ciphertext = bytes.fromhex(self.ciphertext)
        tag_len = len(self.tag)
        keyed = macs.Composition(self.mac, self.key, tag_len=tag_len, allow_short=True)
        if self.is_valid:
            sealed = keyed.seal(self.nonce, self.message, self.data)
            assert sealed == ciphertext + self.tag, self.id + ": sealed differently"
        try:
            return keyed.open(self.nonce, ciphertext + self.tag, self.data) == self.message
        except macs.TagMismatch:
            return False

    def has_tag(self):
        whole = len(self.tag)
        if not fits(self.known["digest_sizes"], whole):
            whole = self.known["digest_size"]
        nonce, nonce_len, custom = None, None, None
        if self.known["nonce"] != "none":
            nonce, nonce_len = self.nonce, len(self.nonce)
        elif self.nonce:
            return False
        if self.customization:
            custom = self.customization
        elif not 0 < len(self.tag):
            return False
        key = macs.Key(
            self.mac, self.key, customization=custom, tag_len=whole, nonce_len=nonce_len
        )
        right = key.digest(self.message, nonce)
        tag = self.tag[:whole]
        if not self.is_valid and len(self.tag) > whole:
            return False
        is_right = macs.compare_digest(right[: len(tag)], tag)
        self.agree(key, nonce, nonce_len, custom, whole, right)
        return is_right

    def agree(self, key, nonce, nonce_len, custom, whole, right):
        """All other ways give the same tag."""
        mac = macs.new(
            self.key,
            None,
            self.mac,
            nonce=nonce,
            customization=custom,
            tag_len=whole,
            nonce_len=nonce_len,
        )
        for at in range(0, len(self.message), 97):
            mac.update(memoryview(self.message)[at : at + 97])
        assert mac.digest() == right, self.id + ": streaming"
        mac.verify(right)
        key.verify(self.message, right, nonce)
        assert key.new_message(self.message, nonce=nonce).digest() == right, self.id
        if custom is None and whole == self.known["digest_size"]:
            batch = macs.Batch(self.mac, [self.key], nonce_len=nonce_len)
            assert batch.digests([self.message], nonces=nonce) == [right], self.id + ": batch"
            packed = bytes(self.message), [0, len(self.message)]
            assert batch.digests_packed(*packed, nonces=nonce) == right, self.id + ": packed"
            assert batch.verify_packed(*packed, right, nonces=nonce) == b"\1", self.id
            if nonce_len is None or nonce_len == self.known["nonce_size"]:
                once = macs.digest(self.key, self.message, self.mac, nonce=nonce)
                assert once == right, self.id + ": one call"


class Vectors(unittest.TestCase):
    def test_every_case(self):
        covered, count, ciphers = set(), 0, 0
        for file in files():
            failed = []
            for written in json.loads(file.read_text()):
                if written["mac"].startswith("block-"):
                    ciphers += 1  # A bare block cipher, which Python is not given.
                    continue
                case = Case(written)
                if case.is_accepted() != (case.is_valid and case.id not in REFUSED):
                    failed.append(case.id)
                covered.add(case.mac)
                count += 1
            self.assertEqual(failed, [], file.name)
        self.assertEqual(covered, set(macs.algorithms) | set(macs.compositions))
        self.assertGreater(count, 400)
        print(f"{count} vectors passed; {ciphers} of bare block ciphers left out")


if __name__ == "__main__":
    unittest.main()
