"""A macrometer worker: the MACs of this Python, measured in this Python.

Speaks docs/worker-protocol.md on standard input and output. HMAC and keyed BLAKE2 are the standard
library's; the rest is of `cryptography` and of `pycryptodome`, where they can be imported. Files
are sealed and sent in segments by what these libraries have, or what is composed of it. Run by the
`python` provider (crates/providers/src/programs/python.rs), which hands it its name; by the name
`macs-python` (macs_python.rs) it measures our own library for Python instead. Needs Python 3.7.
"""

import sys

# Run by `-c`, the current folder stands first in the path: a file hmac.py there must not be ours.
if sys.path and sys.path[0] == "":
    del sys.path[0]

if sys.version_info < (3, 7):
    # The reply to the lab's first request.
    sys.stdout.write("err Python 3.7 or later is needed, not {}.{}\n".format(*sys.version_info))
    sys.exit(1)

import array
import collections
import errno
import functools
import gc
import hashlib
import hmac
import importlib
import itertools
import json
import os
import platform
import random
import re
import signal
import stat
import time
import warnings
from binascii import hexlify, unhexlify

MESSAGES = 16
MESSAGE_STEP_BYTES = 64
# A call is a microsecond: these stand for hours, and bound what a bad request can do.
ITERATIONS_MAX = 10**10
SINGLE_MAX = 10**7
LINE_MAX_BYTES = 1 << 26

TAG_MAX_BYTES = 1 << 16

HMACS = (
    "md5 sha1 sha224 sha256 sha384 sha512 sha512-224 sha512-256"
    " sha3-224 sha3-256 sha3-384 sha3-512 blake2b blake2s"
).split()
# Canonical name of the cipher: its class or module, key length, tag length.
CMACS = {
    "aes-128": ("AES", 16, 16),
    "aes-192": ("AES", 24, 16),
    "aes-256": ("AES", 32, 16),
    "tdes-2": ("TDES", 16, 8),
    "tdes-3": ("TDES", 24, 8),
}
# Canonical name of the mode: the class of `cryptography`.
AEADS = {"ccm": "AESCCM", "gcm": "AESGCM"}
BLOCK_LEN_BYTES = 16


class BadRequest(Exception):
    """What is wrong, in one line."""


# ---- The loops ----------------------------------------------------------------------------------
#
# A call through one more Python function would cost as much as a short tag. So the statements that
# make a tag (`body`) are put into the loops as text; everything they name is a closure variable.
# `mix` is empty, or makes the message depend on the last tag (regime `latency`).

LOOPS = """
def make({names}):
    def prove(pairs):
        tags = []
        for key, message in pairs:
            {body}
            tags.append(as_bytes(tag))
        return tags

    def run(pairs, clock, tag):
        begin = clock()
        for key, message in pairs:
            {mix}
            {body}
        return clock() - begin

    def single(pairs, clock, tag, record):
        for key, message in pairs:
            {mix}
            begin = clock()
            {body}
            record(clock() - begin)

    return prove, run, single
"""

# The first min(8, n) bytes of the message, as one number.
MIX = (
    "message[:head] = (from_bytes(message[:head], 'little')"
    " ^ from_bytes(tag[:head], 'little')).to_bytes(head, 'little')"
)

Loops = collections.namedtuple("Loops", "prove run single")


def loops(body, names, mix):
    source = LOOPS.format(names=", ".join(names), body="; ".join(body), mix=mix or "pass")
    scope = {}
    exec(compile(source, "<loops>", "exec"), scope)  # Text from this file only.
    # Taken out, for a function in its own globals is a circle, which needs the collector.
    return Loops(*scope.pop("make")(**names))


if hasattr(time, "CLOCK_MONOTONIC_RAW"):
    # Nanoseconds that no time service stretches.
    clock = functools.partial(time.clock_gettime_ns, time.CLOCK_MONOTONIC_RAW)
else:
    clock = time.perf_counter_ns


# ---- What this Python can compute ---------------------------------------------------------------


def exactly(length):
    return range(length, length + 1)


class Keyed:
    """What all macs and compositions have: a kernel and key lengths."""

    kernel = "openssl"
    key_lens = range(LINE_MAX_BYTES)

    def check_key(self, key_len):
        if key_len not in self.key_lens:
            least, most = self.key_lens[0], self.key_lens[-1]
            taken = str(least) if least == most else "{} to {}".format(least, most)
            raise BadRequest("a key of {} bytes; {} are taken".format(key_len, taken))

    def trial_key(self):
        return bytes(range(1, 1 + min(64, self.key_lens[-1])))


# How `hashlib`, `hmac` and `pycryptodome` use a key again.
COPY_AND_DIGEST = ["mac = copy()", "mac.update(message)", "tag = mac.digest()"]


class Mac(Keyed):
    """Makes tags of `tag_len` bytes.

    `bodies` yields a key life, the statements that make a tag, and the names in them. What goes
    into a tag beside key and message is in `takes`, and an argument of `bodies`.
    """

    takes = ()
    regimes = ("latency", "single")
    # What a message is handed over as: `cryptography` 38 takes nothing but bytes.
    as_message = memoryview
    # What makes bytes of a tag, outside the time.
    as_bytes = bytes

    def wide(self, key):
        return key

    def loops(self, key_life, key, mix="", more_names=None, **inputs):
        for life, body, names in self.bodies(key, **inputs):
            if life == key_life:
                more_names = dict(more_names or {}, as_bytes=self.as_bytes)
                return loops(body, dict(names, **more_names), mix)
        raise BadRequest("no {} here".format(key_life))

    def trial(self):
        """Its key lives, with messages as views if they can be. A mac without any does not work."""
        for self.as_message in (memoryview, bytes):
            lives = self.lives_that_agree()
            if lives:
                return lives
        raise ValueError("no key life works")

    def lives_that_agree(self):
        key = self.wide(self.trial_key())
        messages = (bytearray(b"one"), bytearray(b"two" * 30), bytearray(b"one"))
        pairs = [(key, self.as_message(message)) for message in messages]
        right, lives = None, []
        for life, body, names in self.bodies(key):
            try:
                tags = loops(body, dict(names, as_bytes=self.as_bytes), "").prove(pairs)
            except Exception:
                continue
            right = right or tags
            if tags == right and tags[0] == tags[2] and len(tags[0]) == self.tag_len:
                lives.append(life)
        return lives


class Empty(Mac):
    """What a call takes here at least: a function that computes nothing."""

    kernel = "none"
    tag_len = 8

    def bodies(self, key):
        constant = b"null tag"
        yield "prepared", ["tag = empty(message)"], {"empty": lambda message: constant}


# A composition under one key, as transactions call it: `seal(nonce, message, data)` gives
# ciphertext and tag, `open(nonce, sealed, data)` the message, or None for what is not genuine.
Sealing = collections.namedtuple("Sealing", "seal open nonce_len takes_data")

TAG_LEN_BYTES = 16


class Composition(Keyed):
    """Encrypts and authenticates. It is proved, and not timed as if it were a mac."""

    nonce_len = 12
    tag_len = TAG_LEN_BYTES
    takes_data = True

    def trial(self):
        """No key lives; it raises unless it opens what it seals, and nothing else."""
        key, nonce, message = self.trial_key(), bytes(self.nonce_len), b"message"
        data = b"data" if self.takes_data else b""
        ciphertext, tag = self.seal(key, nonce, data, self.tag_len, message)
        cases = [(data, tag, message), (data, tag[:-1] + bytes([tag[-1] ^ 1]), None)]
        cases += [(b"date", tag, None)] if self.takes_data else []
        for data, tag, right in cases:
            if self.unseal(key, nonce, data, ciphertext, tag) != right:
                raise ValueError("opened wrongly")
        return []

    def sealing_of(self, seal, open_sealed):
        return Sealing(seal, open_sealed, self.nonce_len, self.takes_data)


class Hmac(Mac):
    """The standard library's `hmac`."""

    def __init__(self, hash_name):
        self.hash_name = hash_name.replace("-", "_")
        self.tag_len = hashlib.new(self.hash_name).digest_size
        keyed = hmac.new(b"key", digestmod=self.hash_name)
        # OpenSSL's own HMAC, or its hash inside Python's HMAC, or a hash written into Python.
        parts = [getattr(keyed, name, None) for name in ("_hmac", "_inner", "inner")]
        openssl = any(type(part).__module__ == "_hashlib" for part in parts)
        self.kernel = "openssl" if openssl else "builtin"

    def bodies(self, key):
        prepared = hmac.new(key, digestmod=self.hash_name)
        yield "prepared", COPY_AND_DIGEST, {"copy": prepared.copy}
        yield "new-key", ["tag = new(key, message, digest).digest()"], {
            "new": hmac.new,
            "digest": self.hash_name,
        }
        yield "one-shot", ["tag = digest_of(key, message, digest)"], {
            "digest_of": hmac.digest,
            "digest": self.hash_name,
        }


class Blake2Keyed(Mac):
    """The standard library's BLAKE2 with a key; timed, with its longest tag."""

    kernel = "builtin"
    takes = ("tag_len",)

    def __init__(self, name):
        self.new = getattr(hashlib, name)
        self.key_lens = range(1, 1 + self.new.MAX_KEY_SIZE)
        self.tag_len = self.new.MAX_DIGEST_SIZE

    def bodies(self, key, tag_len=None):
        tag_len = tag_len or self.tag_len
        if tag_len > self.tag_len:
            raise BadRequest("a tag of {} bytes; {} is the most".format(tag_len, self.tag_len))
        prepared = self.new(key=key, digest_size=tag_len)
        yield "prepared", COPY_AND_DIGEST, {"copy": prepared.copy}
        new = self.new
        if tag_len != self.tag_len:
            new = functools.partial(self.new, digest_size=tag_len)
        yield "new-key", ["tag = new(message, key=key).digest()"], {"new": new}


class CryptographyCmac(Mac):
    """`cryptography`: CMAC of the OpenSSL that its wheel bundles or it was built against."""

    def __init__(self, cipher, key_len, tag_len):
        from cryptography.hazmat.primitives import cmac
        from cryptography.hazmat.primitives.ciphers import algorithms

        if cipher == "AES":
            self.cipher = algorithms.AES
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
                except ImportError:
                    TripleDES = algorithms.TripleDES
            self.cipher = TripleDES
        self.new = cmac.CMAC
        self.key_lens = exactly(key_len)
        self.tag_len = tag_len

    def wide(self, key):
        # Two-key TDES as K1, K2, K1; the 16-byte form is deprecated there.
        return key + key[:8] if self.tag_len == 8 and len(key) == 16 else key

    def bodies(self, key):
        prepared = self.new(self.cipher(key))
        finish = ["mac.update(message)", "tag = mac.finalize()"]
        yield "prepared", ["mac = copy()"] + finish, {"copy": prepared.copy}
        yield "new-key", ["mac = new(cipher(key))"] + finish, {
            "new": self.new,
            "cipher": self.cipher,
        }


class InHexadecimal:
    """As the paper *Comparing the Speeds of HMAC and CMAC* times it: the key is new, and the call ends
    in a tag of hexadecimal digits."""

    regimes = ("single",)
    as_bytes = bytes.fromhex


class HexHmac(InHexadecimal, Hmac):
    """The standard library's `hmac`, by `hexdigest`."""

    def bodies(self, key):
        yield "new-key", ["tag = new(key, message, digest).hexdigest()"], {
            "new": hmac.new,
            "digest": self.hash_name,
        }


class ChainedCmac(InHexadecimal, CryptographyCmac):
    """CMAC chained here, in Python, each block one call of a cipher in C; blocks are added as numbers
    that are read from hexadecimal text. So does CryptoPlus, the library of that paper."""

    kernel = "chained"
    as_message = bytes

    def bodies(self, key):
        yield "new-key", ["tag = cmac(key, message).hex()"], {"cmac": self.chain()}

    def chain(self):
        """The function of key and message; all that it needs is found beforehand."""
        from cryptography.hazmat.primitives.ciphers import Cipher, modes

        block_len, algorithm, ecb = self.tag_len, self.cipher, modes.ECB()
        top, constant = 1 << (8 * block_len - 1), 0x87 if block_len == 16 else 0x1B
        zeros, form = bytes(block_len), "%0{}x".format(2 * block_len)

        def doubled(number):
            return (number ^ top) << 1 ^ constant if number & top else number << 1

        def xored(one, other):
            return unhexlify(form % (int(hexlify(one), 16) ^ int(hexlify(other), 16)))

        def cmac(key, message):
            encrypt = Cipher(algorithm(key), ecb).encryptor().update
            of_full = doubled(int(hexlify(encrypt(zeros)), 16))
            of_padded = unhexlify(form % doubled(of_full))
            of_full = unhexlify(form % of_full)
            before = max(0, len(message) - 1) // block_len * block_len
            state = zeros
            for start in range(0, before, block_len):
                state = encrypt(xored(message[start : start + block_len], state))
            last = message[before:]
            if len(last) == block_len:
                return encrypt(xored(xored(last, state), of_full))
            last += b"\x80" + bytes(block_len - 1 - len(last))
            return encrypt(xored(xored(last, state), of_padded))

        return cmac


class CryptographyGmac(Mac):
    """`cryptography`: AES-GCM of no message, with the message as associated data."""

    takes = ("nonce",)
    tag_len = 16

    def __init__(self, key_len):
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self.new = AESGCM
        self.key_lens = exactly(key_len)

    def bodies(self, key, nonce=bytes(12)):
        yield "prepared", ["tag = encrypt(nonce, b'', message)"], {
            "encrypt": self.new(key).encrypt,
            "nonce": nonce,
        }
        yield "new-key", ["tag = new(key).encrypt(nonce, b'', message)"], {
            "new": self.new,
            "nonce": nonce,
        }


class CryptographyPoly1305(Mac):
    """`cryptography`: Poly1305, whose contexts cannot be copied: a key is for one message."""

    key_lens = exactly(32)
    tag_len = 16

    def __init__(self):
        from cryptography.hazmat.primitives.poly1305 import Poly1305

        self.new = Poly1305

    def bodies(self, key):
        yield "new-key", ["mac = new(key)", "mac.update(message)", "tag = mac.finalize()"], {
            "new": self.new
        }
        yield "one-shot", ["tag = generate(key, message)"], {"generate": self.new.generate_tag}


class CryptographyAead(Composition):
    """`cryptography`: a class of its `aead`; CCM takes the length of its tag with the key."""

    def __init__(self, class_name, key_len):
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers import aead

        self.new = getattr(aead, class_name)
        self.takes_tag_len = class_name == "AESCCM"
        self.not_genuine = InvalidTag
        self.key_lens = exactly(key_len)

    def keyed(self, key, tag_len):
        if self.takes_tag_len:
            return self.new(key, tag_len)
        only_whole(tag_len)
        return self.new(key)

    def sealing(self, key):
        keyed = self.keyed(key, TAG_LEN_BYTES)
        decrypt, not_genuine = keyed.decrypt, self.not_genuine

        def open_sealed(nonce, sealed, data):
            try:
                return decrypt(nonce, sealed, data)
            except not_genuine:
                return None

        return self.sealing_of(keyed.encrypt, open_sealed)

    def seal(self, key, nonce, data, tag_len, message):
        sealed = self.keyed(key, tag_len).encrypt(nonce, message, data)
        return sealed[: len(message)], sealed[len(message) :]

    def unseal(self, key, nonce, data, ciphertext, tag):
        try:
            return self.keyed(key, len(tag)).decrypt(nonce, ciphertext + tag, data)
        except self.not_genuine:
            return None


def only_whole(tag_len):
    if tag_len != TAG_LEN_BYTES:
        raise BadRequest("a tag of {} bytes; {} it has".format(tag_len, TAG_LEN_BYTES))


def pycryptodome(module=""):
    """A module of it. Beside the old PyCrypto, and in Debian, its name is Cryptodome."""
    for package in ("Crypto", "Cryptodome"):
        try:
            importlib.import_module(package + ".Hash.CMAC")  # PyCrypto has none.
        except ImportError:
            continue
        return importlib.import_module("{}.{}".format(package, module).rstrip("."))
    raise ImportError("no pycryptodome")


class PycryptodomeCmac(Mac):
    """`pycryptodome`: CMAC in Python over its own ciphers in C."""

    kernel = "pycryptodome"

    def __init__(self, cipher, key_len, tag_len):
        self.cipher = pycryptodome("Cipher.AES" if cipher == "AES" else "Cipher.DES3")
        self.new = pycryptodome("Hash.CMAC").new
        self.key_lens = exactly(key_len)
        self.tag_len = tag_len

    def bodies(self, key):
        prepared = self.new(key, ciphermod=self.cipher)
        yield "prepared", COPY_AND_DIGEST, {"copy": prepared.copy}
        yield "new-key", ["tag = new(key, message, cipher).digest()"], {
            "new": self.new,
            "cipher": self.cipher,
        }


class PycryptodomeKmac(Mac):
    """`pycryptodome`: KMAC, whose contexts cannot be copied."""

    kernel = "pycryptodome"
    takes = ("customization", "tag_len")

    def __init__(self, name, tag_len):
        self.new = pycryptodome("Hash." + name.upper()).new
        self.tag_len = tag_len

    def bodies(self, key, customization=b"", tag_len=None):
        body = ["tag = new(key=key, data=message, mac_len=tag_len, custom=custom).digest()"]
        yield "new-key", body, {
            "new": self.new,
            "tag_len": tag_len or self.tag_len,
            "custom": customization,
        }


class PycryptodomeEax(Composition):
    """`pycryptodome`: EAX in Python over its own AES in C."""

    kernel = "pycryptodome"

    def __init__(self, key_len):
        self.aes = pycryptodome("Cipher.AES")
        self.key_lens = exactly(key_len)

    def keyed(self, key, nonce, data, tag_len):
        cipher = self.aes.new(key, self.aes.MODE_EAX, nonce=nonce, mac_len=tag_len)
        return cipher.update(data)

    def seal(self, key, nonce, data, tag_len, message):
        return self.keyed(key, nonce, data, tag_len).encrypt_and_digest(message)

    def unseal(self, key, nonce, data, ciphertext, tag):
        cipher = self.keyed(key, nonce, data, len(tag))
        message = cipher.decrypt(ciphertext)
        try:
            cipher.verify(tag)
        except ValueError:
            return None
        return message


class OfCryptography:
    """The counter mode and the CMAC of `cryptography`, over AES."""

    kernel = "openssl"

    def __init__(self):
        from cryptography.hazmat.primitives import cmac
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        self.aes, self.cmac, self.cipher, self.ctr = (
            algorithms.AES,
            cmac.CMAC,
            Cipher,
            modes.CTR,
        )

    def keystream(self, key):
        """Encrypts and decrypts: the first block of the counter, and what to encrypt."""
        aes, cipher, ctr = self.aes(key), self.cipher, self.ctr
        begun = cipher(aes, ctr(bytes(BLOCK_LEN_BYTES))).encryptor()
        if not hasattr(begun, "reset_nonce"):  # It has come with newer ones.
            return lambda first, data: cipher(aes, ctr(first)).encryptor().update(data)
        reset, update = begun.reset_nonce, begun.update

        def again(first, data):
            reset(first)
            return update(data)

        return again

    def mac(self, key, before=b""):
        """The CMAC of what comes behind these bytes."""
        prepared = self.cmac(self.aes(key))
        prepared.update(before)
        copy = prepared.copy

        def tag(data):
            mac = copy()
            mac.update(data)
            return mac.finalize()

        return tag


class OfPycryptodome:
    """The same of `pycryptodome`."""

    kernel = "pycryptodome"

    def __init__(self):
        self.aes, self.cmac = pycryptodome("Cipher.AES"), pycryptodome("Hash.CMAC")

    def keystream(self, key):
        new, mode = self.aes.new, self.aes.MODE_CTR
        return lambda first, data: new(key, mode, nonce=b"", initial_value=first).encrypt(data)

    def mac(self, key, before=b""):
        copy = self.cmac.new(key, before, self.aes).copy

        def tag(data):
            mac = copy()
            mac.update(data)
            return mac.digest()

        return tag


class Composed(Composition):
    """Made of a library's counter mode and CMAC by its definition, as a program would."""

    nonce_len = BLOCK_LEN_BYTES
    nonce_lens = exactly(BLOCK_LEN_BYTES)
    keys = 2

    def __init__(self, library, key_len):
        self.library = library()
        self.kernel = self.library.kernel
        self.key_lens = exactly(self.keys * key_len)

    def halves(self, key):
        """What encrypts under the first half of the key, and what tags under the other."""
        middle = len(key) // 2
        return self.library.keystream(key[:middle]), self.library.mac(key[middle:])

    def fit(self, nonce, data, tag_len):
        if len(nonce) not in self.nonce_lens:
            raise BadRequest("a nonce of {} bytes is not taken".format(len(nonce)))
        if data and not self.takes_data:
            raise BadRequest("associated data; this composition takes none")
        only_whole(tag_len)

    def seal(self, key, nonce, data, tag_len, message):
        self.fit(nonce, data, tag_len)
        sealed = self.sealing(key).seal(nonce, message, data)
        return sealed[: len(message)], sealed[len(message) :]

    def unseal(self, key, nonce, data, ciphertext, tag):
        self.fit(nonce, data, len(tag))
        return self.sealing(key).open(nonce, ciphertext + tag, data)


class CtrAndCmac(Composed):
    """Encrypt-and-MAC: the CMAC of the message."""

    takes_data = False

    def sealing(self, key):
        crypt, mac = self.halves(key)

        def seal(nonce, message, data):
            return crypt(nonce, message) + mac(message)

        def open_sealed(nonce, sealed, data):
            message = crypt(nonce, sealed[:-TAG_LEN_BYTES])
            is_genuine = hmac.compare_digest(mac(message), sealed[-TAG_LEN_BYTES:])
            return message if is_genuine else None

        return self.sealing_of(seal, open_sealed)


class CtrThenCmac(Composed):
    """Encrypt-then-MAC: the CMAC of A, N, C and the length of A in bits."""

    def sealing(self, key):
        crypt, mac = self.halves(key)

        def tag(nonce, ciphertext, data):
            return mac(data + nonce + ciphertext + (8 * len(data)).to_bytes(8, "big"))

        def seal(nonce, message, data):
            ciphertext = crypt(nonce, message)
            return ciphertext + tag(nonce, ciphertext, data)

        def open_sealed(nonce, sealed, data):
            ciphertext = sealed[:-TAG_LEN_BYTES]
            right = tag(nonce, ciphertext, data)
            is_genuine = hmac.compare_digest(right, sealed[-TAG_LEN_BYTES:])
            return crypt(nonce, ciphertext) if is_genuine else None

        return self.sealing_of(seal, open_sealed)


class Eax(Composed):
    """EAX (Bellare, Rogaway, Wagner): three CMACs, of nonce, associated data and ciphertext."""

    nonce_lens = range(1, LINE_MAX_BYTES)
    keys = 1

    def sealing(self, key):
        crypt = self.library.keystream(key)
        tweaks = [bytes(BLOCK_LEN_BYTES - 1) + bytes([tweak]) for tweak in range(3)]
        of_nonce, of_data, of_ciphertext = (self.library.mac(key, tweak) for tweak in tweaks)
        number = int.from_bytes

        def tag(first, ciphertext, data):
            sum_of_all = (
                number(first, "big")
                ^ number(of_data(data), "big")
                ^ number(of_ciphertext(ciphertext), "big")
            )
            return sum_of_all.to_bytes(TAG_LEN_BYTES, "big")

        def seal(nonce, message, data):
            first = of_nonce(nonce)
            ciphertext = crypt(first, message)
            return ciphertext + tag(first, ciphertext, data)

        def open_sealed(nonce, sealed, data):
            first, ciphertext = of_nonce(nonce), sealed[:-TAG_LEN_BYTES]
            right = tag(first, ciphertext, data)
            is_genuine = hmac.compare_digest(right, sealed[-TAG_LEN_BYTES:])
            return crypt(first, ciphertext) if is_genuine else None

        return self.sealing_of(seal, open_sealed)


class OfMacs:
    """What the module `macs` knows of one of its names."""

    def __init__(self, name):
        self.module, self.name = macs_module(), name
        known = self.module.info(name)
        self.kernel, self.tag_len = known["kernel"], known["digest_size"]
        self.key_len, self.nonce_len = known["key_size"], known["nonce_size"]
        self.takes = ("nonce",) if self.nonce_len is not None else ()
        self.takes += ("customization",) if known["takes_customization"] else ()
        self.takes += ("tag_len",) if known["takes_tag_len"] else ()

    def check_key(self, key_len):
        """By its own words, which say what it takes."""
        key = bytes(i % 256 for i in range(key_len))
        try:
            self.keyed(key)
        except ValueError as error:
            raise BadRequest(str(error))

    def trial_key(self):
        return bytes(range(1, 1 + self.key_len))


class MacsMac(OfMacs, Mac):
    """Our own library, by the calls of its README."""

    def keyed(self, key, **options):
        return self.module.Key(self.name, key, **options)

    def bodies(self, key, nonce=None, customization=b"", tag_len=None):
        options, more, by_name = {}, "", ""
        if customization:
            options["customization"] = customization
        if tag_len is not None:
            options["tag_len"] = tag_len
        if "nonce" in self.takes:
            nonce = bytes(self.nonce_len) if nonce is None else nonce
            options["nonce_len"] = len(nonce)
            more, by_name = ", nonce", ", nonce=nonce"
        names = {"name": self.name, "nonce": nonce}
        digest = self.keyed(key, **options).digest
        yield "prepared", ["tag = digest(message{})".format(more)], dict(names, digest=digest)
        if customization or tag_len is not None:
            return  # Of a tag that is asked for, not of one that is timed.
        new_key = "tag = new(key, message, name{}).digest()".format(by_name)
        yield "new-key", [new_key], dict(names, new=self.module.new)
        one_shot = "tag = digest(key, message, name{})".format(by_name)
        yield "one-shot", [one_shot], dict(names, digest=self.module.digest)

    def batch_body(self, key_life, keys, names):
        """The statements that make the tags of packed messages."""
        packed = "digests_packed(data, offsets, None, out, nonces=nonces)"
        if key_life == "prepared":
            batch = self.module.Batch(self.name, keys)
            return ["tag = " + packed], dict(names, digests_packed=batch.digests_packed)
        more = {"batch": self.module.Batch, "name": self.name, "keys": keys}
        return ["tag = batch(name, keys)." + packed], dict(names, **more)


class MacsComposition(OfMacs, Composition):
    """Our own library's compositions."""

    def __init__(self, name):
        super().__init__(name)
        self.takes_data = "ctr+cmac" not in name

    def keyed(self, key, tag_len=None):
        return self.module.Composition(self.name, key, tag_len=tag_len, allow_short=True)

    def seal(self, key, nonce, data, tag_len, message):
        sealed = self.keyed(key, tag_len).seal(nonce, message, data)
        return sealed[:-tag_len], sealed[-tag_len:]

    def unseal(self, key, nonce, data, ciphertext, tag):
        try:
            return self.keyed(key, len(tag)).open(nonce, ciphertext + tag, data)
        except self.module.TagMismatch:
            return None


def macs_module():
    """Our own library; other packages have that name, too."""
    module = importlib.import_module("macs")
    if not hasattr(module, "Batch"):
        raise ImportError("another module of the name macs")
    return module


def macs_rows():
    """The rows of `macs-python`."""
    module = macs_module()
    left_out = os.environ.get("MACROMETER_LEAVE_OUT", "")
    if left_out:
        module._macs._leave_out(left_out.split(","))
    for name in module.algorithms + module.compositions:
        # Of another crate, which takes them all the same.
        if "avx512" not in left_out or "avx512" not in module.info(name)["kernel"]:
            yield name, MacsComposition if name in module.compositions else MacsMac, name
    yield "null", Empty


COMPOSED = {"ctr+cmac": CtrAndCmac, "ctr-then-cmac": CtrThenCmac, "eax": Eax}


def chained_rows():
    """The rows of `python[chained]`."""
    yield from (("hmac-" + name, HexHmac, name) for name in HMACS)
    yield from (("cmac-" + name, ChainedCmac) + row for name, row in CMACS.items())


def sealing_rows():
    """What seals the files of transactions. EAX is composed even where `pycryptodome` has one: that
    takes several times as long."""
    for bits in (128, 192, 256):
        for library in (OfCryptography, OfPycryptodome):
            for mode, composed in COMPOSED.items():
                yield "{}-aes-{}".format(mode, bits), composed, library, bits // 8
        for mode, class_name in AEADS.items():
            yield "{}-aes-{}".format(mode, bits), CryptographyAead, class_name, bits // 8
    yield "chacha20-poly1305", CryptographyAead, "ChaCha20Poly1305", 32


def rows():
    """Canonical names with the class and its arguments. The first that works has the name."""
    yield from (("hmac-" + name, Hmac, name) for name in HMACS)
    yield from ((name + "-keyed", Blake2Keyed, name) for name in ("blake2b", "blake2s"))
    for library in (CryptographyCmac, PycryptodomeCmac):
        for name, row in CMACS.items():
            yield ("cmac-" + name, library) + row
    for bits in (128, 192, 256):
        aes = "-aes-{}".format(bits)
        yield "gmac" + aes, CryptographyGmac, bits // 8
        yield "eax" + aes, PycryptodomeEax, bits // 8
    yield "poly1305", CryptographyPoly1305
    yield "kmac128", PycryptodomeKmac, "kmac128", 32
    yield "kmac256", PycryptodomeKmac, "kmac256", 64
    yield "null", Empty
    yield from sealing_rows()


def find_macs(rows):
    """Everything of these rows that works here: name to mac or composition, and key lives."""
    found = {}
    for name, make, *arguments in rows:
        if name in found:
            continue
        try:
            mac = make(*arguments)
            found[name] = mac, mac.trial()
        except Exception:
            continue
    return found


def libraries(is_of_macs):
    """The versions that decide the figures, in words."""
    yield platform.python_implementation()
    if is_of_macs:
        yield "Python " + platform.python_version()
        return
    yield "hashlib: " + openssl_of_hashlib()
    try:
        import cryptography
        from cryptography.hazmat.backends.openssl import backend

        words = "cryptography {} ({})"
        yield words.format(cryptography.__version__, backend.openssl_version_text())
    except Exception:
        yield "no cryptography"
    try:
        yield "pycryptodome " + ".".join(map(str, pycryptodome().version_info))
    except Exception:
        yield "no pycryptodome"


def openssl_of_hashlib():
    try:
        import ssl

        return ssl.OPENSSL_VERSION
    except ImportError:
        return "no OpenSSL"


# ---- Cells --------------------------------------------------------------------------------------


class Cell:
    """One mac, key life, regime and length, with its keys and messages."""

    def __init__(self, mac, key_life, regime, len_bytes, keys, pool):
        self.mac, self.key_life, self.regime = mac, key_life, regime
        # Views: the messages overlap in memory, as in the workers of other languages.
        self.messages = [mac.as_message(view) for view in cut(memoryview(pool), len_bytes)]
        self.timed_messages = self.messages
        if regime == "latency":
            # It writes into its messages, so it has a pool of its own.
            self.timed_messages = cut(memoryview(bytearray(pool)), len_bytes)
        self.head = min(8, len_bytes)
        self.loops = None
        self.rekey(keys)

    def rekey(self, keys):
        key_len = len(keys) - (MESSAGES - 1)
        self.mac.check_key(key_len)
        windows = [self.mac.wide(keys[i : i + key_len]) for i in range(MESSAGES)]
        # A prepared body holds key 0 and does not look at the pair's. Others hold no key: compiled
        # anew they would run cold.
        if self.key_life == "prepared" or self.loops is None:
            self.loops = self.compiled(windows[0])
        self.pairs = list(zip(windows, self.messages))
        self.timed_pairs = list(zip(windows, self.timed_messages))

    def compiled(self, key):
        mix, names = [], {}
        if self.regime == "latency":
            mix = [MIX] if self.head > 0 else []
            mix += ["message = bytes(message)"] if self.mac.as_message is bytes else []
            names = {"head": self.head, "from_bytes": int.from_bytes}
        return self.mac.loops(self.key_life, key, "; ".join(mix), names)

    def calls(self, count):
        return itertools.islice(itertools.cycle(self.timed_pairs), count)

    def prove(self, count):
        return b"".join(self.loops.prove(self.pairs[:count]))

    def run(self, iterations):
        tag = bytes(self.mac.tag_len)
        self.loops.run(self.calls(lead_in(iterations)), clock, tag)
        return self.loops.run(self.calls(iterations), clock, tag)

    def single(self, count):
        tag = bytes(self.mac.tag_len)
        times, empty = [], []
        self.loops.run(self.calls(lead_in(count)), clock, tag)
        empty_brackets(clock, empty.append)
        self.loops.single(self.calls(count), clock, tag, times.append)
        bracket = sorted(empty)[len(empty) // 2]
        return sorted(collections.Counter(max(0, ns - bracket) for ns in times).items())


# Messages of one call.
BATCHES = {"batch-4": 4, "batch-16": 16, "batch-64": 64, "batch-256": 256, "batch-64-mixed": 64}


class BatchCell(Cell):
    """Many messages in one call, packed beforehand as a program has them that takes them from a column
    or from a buffer: messages and keys 0 to 15, again and again."""

    def __init__(self, mac, key_life, regime, len_bytes, keys, pool):
        if key_life == "one-shot":
            raise BadRequest("no one-shot calls in {}".format(regime))
        self.mac, self.key_life, self.count = mac, key_life, BATCHES[regime]
        windows, offsets = cut(memoryview(pool), len_bytes), [0]
        messages = []
        for i in range(self.count):
            is_mixed = regime == "batch-64-mixed"
            taken = len_bytes * (7 * i % 16 + 1) // 16 if is_mixed else len_bytes
            messages.append(windows[i % MESSAGES][:taken])
            offsets.append(offsets[-1] + taken)
        nonces = bytes(self.count * mac.nonce_len) if "nonce" in mac.takes else None
        self.names = {
            "out": bytearray(self.count * mac.tag_len),
            "data": b"".join(messages),
            "offsets": array.array("q", offsets),
            "nonces": nonces,
            "as_bytes": bytes,
        }
        self.rekey(keys)

    def rekey(self, keys):
        key_len = len(keys) - (MESSAGES - 1)
        self.mac.check_key(key_len)
        own = [keys[i % MESSAGES :][:key_len] for i in range(self.count)]
        self.loops = loops(*self.mac.batch_body(self.key_life, own, self.names), "")

    def calls(self, count):
        return itertools.repeat((None, None), count)

    def prove(self, count):
        return self.loops.prove(self.calls(1))[0][: min(count, self.count) * self.mac.tag_len]

    def run(self, iterations):
        """A batch is computed whole: what was not asked for is not counted."""
        calls = -(-iterations // self.count)
        self.loops.run(self.calls(lead_in(calls)), clock, b"")
        elapsed_ns = self.loops.run(self.calls(calls), clock, b"")
        return elapsed_ns * iterations / (calls * self.count)


def lead_in(calls):
    """How many calls come untimed before those that are timed: after the other workers had the
    processor, the first call finds cold caches."""
    return max(calls // 16, 1)


def cut(pool, len_bytes):
    starts = [MESSAGE_STEP_BYTES * i for i in range(MESSAGES)]
    if starts[-1] + len_bytes > len(pool):
        raise BadRequest(
            "the pool has {} bytes, {} needed".format(len(pool), starts[-1] + len_bytes)
        )
    return [pool[start : start + len_bytes] for start in starts]


def empty_brackets(clock, record):
    for _ in range(1001):
        begin = clock()
        record(clock() - begin)


# ---- Transactions -------------------------------------------------------------------------------
#
# A file is sealed and cut into segments (`es`), or cut and sealed part by part (`se`; `se-bound`
# with the part's number and their count); the receiver does the reverse, and has what the sender
# had.

MEDIA = ("memory", "disk", "fsync")
ACTIONS = SPLITTING, COMBINING, ENCRYPTION, DECRYPTION = (
    "splitting",
    "combining",
    "encryption",
    "decryption",
)
SEGMENT_REGIMES = tuple(
    "segments-{}-{}".format(medium, action)
    for medium in MEDIA
    for action in ACTIONS + ("transaction",)
)
# What is sent, by the flow. Each has files of its own, since one that had to cut what another left
# behind would pay for that.
SEGMENT_NAMES = {"es": "segment-", "se": "sealed-", "se-bound": "bound-"}
BLOCK_LEN_MAX_BYTES = 65535
# Longer files are proved in memory, beside the disk.
PROVED_IN_PLACE_BYTES = 1024
FAULTS = ("flip", "drop", "double", "swap", "truncate")


class Watch:
    """Nanoseconds of each action, over all transactions that were made with it."""

    def __init__(self):
        self.spent = dict.fromkeys(ACTIONS, 0)

    def time(self, action, work, *arguments):
        begin = clock()
        result = work(*arguments)
        self.spent[action] += clock() - begin
        return result

    def actions(self, iterations):
        """The reply: an empty bracket's cost, a call in it, counts where an action is short."""
        begun, empty = Watch(), []
        for _ in range(1001):
            begun.spent[SPLITTING] = 0
            begun.time(SPLITTING, nothing)
            empty.append(begun.spent[SPLITTING])
        brackets = sorted(empty)[len(empty) // 2] * iterations
        times = {action: max(0, ns - brackets) for action, ns in self.spent.items()}
        times["transaction"] = sum(times.values())
        return {action: {"elapsed_ns": ns} for action, ns in times.items()}


def nothing():
    pass


def random_nonces():
    """Of 16 bytes: as counter blocks they begin far from each other."""
    return functools.partial(os.urandom, BLOCK_LEN_BYTES)


def counted_nonces(nonce_len):
    """Shorter ones would repeat if they were drawn: they count, in at most their last 8 bytes, from
    a random start."""
    counting = min(8, nonce_len)
    before, start = os.urandom(nonce_len - counting), int.from_bytes(os.urandom(counting), "big")
    numbers, most = itertools.count(start), (1 << 8 * counting) - 1
    return lambda: before + (next(numbers) & most).to_bytes(counting, "big")


class Pair:
    """A sender and a receiver with one key."""

    def __init__(self, sealing, flow, block_len):
        self.sealing, self.flow, self.block_len = sealing, flow, block_len
        is_long = sealing.nonce_len >= BLOCK_LEN_BYTES
        self.next_nonce = random_nonces() if is_long else counted_nonces(sealing.nonce_len)
        self.sealed_min = sealing.nonce_len + TAG_LEN_BYTES

    def bound(self, number, count):
        """What binds a part: its number and how many there are."""
        if self.flow != "se-bound":
            return b""
        return number.to_bytes(8, "big") + count.to_bytes(8, "big")

    def added(self):
        is_sent = self.flow == "se-bound" and not self.sealing.takes_data
        return {
            "nonce_len_bytes": self.sealing.nonce_len,
            "tag_len_bytes": TAG_LEN_BYTES,
            "bound_len_bytes": len(self.bound(0, 0)) if is_sent else 0,
            "ciphertext_block_len_bytes": 1,
        }

    def seal(self, message, bound=b""):
        """Nonce, ciphertext, tag. Without associated data, what binds goes before the message."""
        if bound and not self.sealing.takes_data:
            message, bound = bound + message, b""
        nonce = self.next_nonce()
        return nonce + self.sealing.seal(nonce, message, bound)

    def open(self, sealed, bound=b""):
        if len(sealed) < self.sealed_min:
            return None
        nonce, sealed = sealed[: self.sealing.nonce_len], sealed[self.sealing.nonce_len :]
        if self.sealing.takes_data or not bound:
            return self.sealing.open(nonce, sealed, bound)
        message = self.sealing.open(nonce, sealed, b"")
        is_here = message is not None and message.startswith(bound)
        return message[len(bound) :] if is_here else None

    def chunks(self, data):
        return [data[at : at + self.block_len] for at in range(0, len(data), self.block_len)]

    def parts(self, file):
        """An empty file is one empty part: with none there would be nothing to authenticate."""
        return self.chunks(file) or [file]

    def seal_all(self, parts):
        count = len(parts)
        return [self.seal(part, self.bound(i, count)) for i, part in enumerate(parts)]

    def open_all(self, segments):
        """The parts; None where one is refused."""
        count, parts = len(segments), []
        for i, segment in enumerate(segments):
            part = self.open(segment, self.bound(i, count))
            if part is None:
                return None
            parts.append(part)
        return parts

    def send(self, file, watch):
        if self.flow == "es":
            sealed = watch.time(ENCRYPTION, self.seal, file)
            return watch.time(SPLITTING, self.chunks, sealed)
        parts = watch.time(SPLITTING, self.parts, file)
        return watch.time(ENCRYPTION, self.seal_all, parts)

    def receive(self, segments, watch):
        """The file of these segments as they arrived; None where one is refused, or none came."""
        if self.flow == "es":
            sealed = watch.time(COMBINING, b"".join, segments)
            return watch.time(DECRYPTION, self.open, sealed)
        parts = watch.time(DECRYPTION, self.open_all, segments)
        return watch.time(COMBINING, b"".join, parts) if parts else None

    def transact(self, file, watch):
        verdict(self.receive(self.send(file, watch), watch), file)

    def known_tag(self, message):
        """What providers are held against each other by."""
        return self.sealing.seal(bytes(self.sealing.nonce_len), message, b"")[-TAG_LEN_BYTES:]


def verdict(received, file):
    if received is None:
        raise BadRequest("the receiver refused what the sender had sealed")
    if received != file:
        raise BadRequest("the file that came out is not the one that went in")


class Disk:
    """A folder with the files of the last transaction. They are written over in place and then
    cut: to make a file anew, or to empty it first, takes some file systems far longer."""

    def __init__(self, folder, synchronised, flow, block_len):
        self.folder, self.synchronised = folder, synchronised
        self.flow, self.block_len = flow, block_len
        self.segment = SEGMENT_NAMES[flow]

    def make(self, sealed_min, len_bytes):
        """The files that transactions of files of this length will write over."""
        parts = max(1, -(-len_bytes // self.block_len))
        kinds = [("part-", parts), (self.segment, parts), ("opened-", parts)]
        if self.flow == "es":
            kinds = [(self.segment, -(-(sealed_min + len_bytes) // self.block_len))]
        for kind, count in kinds:
            # In this order, so that where the last is, all are.
            if not os.path.exists(self.path(kind + str(count - 1))):
                for i in range(count):
                    self.write(kind + str(i), b"")

    def path(self, name):
        return self.folder + "/" + name

    def read(self, name):
        path = self.path(name)
        try:
            file = os.open(path, os.O_RDONLY)
            try:
                left = os.fstat(file).st_size
                data = os.read(file, left)
                while len(data) < left:
                    more = os.read(file, left - len(data))
                    if not more:
                        break
                    data += more
                return data
            finally:
                os.close(file)
        except OSError as error:
            raise BadRequest(told(path, error))

    def write(self, name, data):
        path, length = self.path(name), len(data)
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
            try:
                written = os.write(file, data) if data else 0
                while written < length:
                    written += os.write(file, data[written:])
                if os.fstat(file).st_size > length:
                    os.ftruncate(file, length)
                if self.synchronised:
                    os.fsync(file)
            finally:
                os.close(file)
        except OSError as error:
            raise BadRequest(told(path, error))

    def settle(self):
        """The folder's own entries, at the end of an action."""
        if not self.synchronised:
            return
        try:
            folder = os.open(self.folder, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise BadRequest(told(self.folder, error))

    def write_all(self, kind, pieces):
        for i, piece in enumerate(pieces):
            self.write(kind + str(i), piece)
        self.settle()
        return len(pieces)

    def joined(self, kind, count, name):
        self.write(name, b"".join([self.read(kind + str(i)) for i in range(count)]))
        self.settle()

    def transact(self, pair, file, watch):
        """Something else of its length stands where the file will be received: what was received
        last cannot pass for it, and the file does not grow while it is timed."""
        self.write("received", file.translate(bytes(range(255, -1, -1))) or b"\xff")
        self.write("file", file)
        is_open = self.whole(pair, watch) if self.flow == "es" else self.in_parts(pair, watch)
        verdict(self.read("received") if is_open else None, file)

    def whole(self, pair, watch):
        def encrypt():
            self.write("sealed", pair.seal(self.read("file")))
            self.settle()

        def decrypt():
            message = pair.open(self.read("combined"))
            if message is None:
                return False
            self.write("received", message)
            self.settle()
            return True

        watch.time(ENCRYPTION, encrypt)
        count = watch.time(
            SPLITTING, lambda: self.write_all(self.segment, pair.chunks(self.read("sealed")))
        )
        watch.time(COMBINING, self.joined, self.segment, count, "combined")
        return watch.time(DECRYPTION, decrypt)

    def in_parts(self, pair, watch):
        def encrypt(count):
            for i in range(count):
                sealed = pair.seal(self.read("part-" + str(i)), pair.bound(i, count))
                self.write(self.segment + str(i), sealed)
            self.settle()

        def decrypt(count):
            for i in range(count):
                part = pair.open(self.read(self.segment + str(i)), pair.bound(i, count))
                if part is None:
                    return False
                self.write("opened-" + str(i), part)
            self.settle()
            return True

        count = watch.time(
            SPLITTING, lambda: self.write_all("part-", pair.parts(self.read("file")))
        )
        watch.time(ENCRYPTION, encrypt, count)
        is_open = watch.time(DECRYPTION, decrypt, count)
        if is_open:
            watch.time(COMBINING, self.joined, "opened-", count, "received")
        return is_open


def told(path, error):
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        # One reason for whatever file it was, so that it is told once.
        return (
            "the disk is full: no room for the segments (--segments-dir names another folder)"
        )
    return "{}: {}".format(path, error.strerror)


class SchemeCell:
    """One scheme, medium and length, with its key and files."""

    def __init__(self, sealer, flow, disk, block_len, files, keys):
        self.sealer, self.flow, self.disk, self.block_len = sealer, flow, disk, block_len
        self.files, self.keys_len = files, len(keys)
        self.rekey(keys)
        if disk is not None:
            disk.make(self.pair.sealed_min, len(files[0]))

    def rekey(self, keys):
        key_len = len(keys) - (MESSAGES - 1)
        self.sealer.check_key(key_len)
        if len(keys) != self.keys_len:
            said = "{} key bytes where {} were"
            raise BadRequest(said.format(len(keys), self.keys_len))
        self.pair = Pair(self.sealer.sealing(keys[:key_len]), self.flow, self.block_len)

    def file(self, i):
        return bytes(self.files[i % MESSAGES])

    def transact(self, i, watch):
        if self.disk is None:
            self.pair.transact(self.file(i), watch)
        else:
            self.disk.transact(self.pair, self.file(i), watch)

    def prove(self, count):
        """Each file there and back; the tags of the whole files under the nonce of zeros."""
        tags = []
        for i in range(count):
            file = self.file(i)
            if len(file) <= PROVED_IN_PLACE_BYTES:
                self.transact(i, Watch())
            else:
                self.pair.transact(file, Watch())
            tags.append(self.pair.known_tag(file))
        return b"".join(tags)

    def segments(self, iterations):
        untimed, watch = Watch(), Watch()
        for i in range(iterations // 16):
            self.transact(i, untimed)
        for i in range(iterations):
            self.transact(i, watch)
        return watch.actions(iterations)

    def faults(self, each, seed):
        """Plants so many faults of each kind into random files, and counts what is refused."""
        draw, counts = random.Random(seed), []
        # Often several segments, or none could be lost; and never an empty file, of which there is
        # nothing to change.
        most = min(8 * self.block_len, max(3 * self.block_len, 1120))
        for fault in FAULTS:
            planted = refused = 0
            while planted < each:
                file = os.urandom(draw.randint(1, most))
                segments = self.pair.send(file, Watch())
                if plant(fault, segments, draw):
                    planted += 1
                    refused += self.pair.receive(segments, Watch()) is None
            promised = self.flow != "se" or fault in ("flip", "truncate")
            counts.append(
                {"fault": fault, "planted": planted, "refused": refused, "promised": promised}
            )
        return dict(self.pair.added(), faults=counts)


def plant(fault, segments, draw):
    """Does it to these segments; whether there was a place for it."""
    count = len(segments)
    if count < 2 and fault in ("drop", "swap"):
        return False
    at = draw.randrange(count)
    if fault == "flip":
        changed = bytearray(segments[at])
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
        segments[at] = bytes(changed)
    elif fault == "drop":
        del segments[at]
    elif fault == "double":
        segments.insert(at, segments[at])
    elif fault == "swap":
        other = draw.randrange(count)
        if segments[at] == segments[other]:
            return False
        segments[at], segments[other] = segments[other], segments[at]
    else:
        last = segments[-1]
        segments[-1] = last[: draw.randrange(len(last))]
    return True


# ---- The folder of the segments -----------------------------------------------------------------
#
# The lab makes it, marks it as its own and removes it. Only if the lab has ended without a word is
# it removed here: files by the names that transactions write, and the folder with its mark if that
# was all.

FOLDER_NAME = re.compile("macrometer-segments-[0-9A-Fa-f]{16}")
FILE_NAME = re.compile("file|sealed|combined|received|(part|segment|sealed|bound|opened)-[0-9]+")
MARK = "owner.json"
MARK_CHARACTERS_MAX = 1 << 16
MARK_FIELDS = ("started", "boot", "namespace", "machine", "host")
# The first namespace of processes of any Linux.
FIRST_NAMESPACE = "pid:[4026531836]"
# The longest that a lab takes to end whose pipe is closed already.
ENDS_WITHIN_S = 2


def segments_folder(path):
    """The path, if the lab made that folder for segments."""
    if not os.path.isabs(path):
        raise BadRequest("{}: not an absolute path".format(path))
    if owner_of(path) is None:
        said = "{}: not a folder that a measuring macrometer made for segments"
        raise BadRequest(said.format(path))
    return path


def owner_of(folder):
    """Whose folder it is; None where it was not made for segments."""
    if not FOLDER_NAME.fullmatch(os.path.basename(folder)):
        return None
    try:
        known = os.lstat(folder)
        if not stat.S_ISDIR(known.st_mode) or known.st_uid != os.geteuid():
            return None
        owner = json.loads(text_of_mark(folder))
    except (OSError, ValueError):
        return None
    if not isinstance(owner, dict) or not isinstance(owner.get("pid"), int):
        return None
    return owner if all(isinstance(owner.get(key), str) for key in MARK_FIELDS) else None


def text_of_mark(folder):
    """What the folder's mark says; nothing if that is no file of this user."""
    # What is there may be a FIFO or a device.
    mark = os.open(os.path.join(folder, MARK), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(mark, encoding="utf-8") as file:
        known = os.fstat(mark)
        is_own = stat.S_ISREG(known.st_mode) and known.st_uid == os.geteuid()
        return file.read(MARK_CHARACTERS_MAX) if is_own else ""


def remove_abandoned(folder):
    owner = owner_of(folder)
    if owner is None:
        return
    deadline = time.monotonic() + ENDS_WITHIN_S
    while has_ended(owner) is False and time.monotonic() < deadline:
        time.sleep(0.01)
    if has_ended(owner):
        clear(folder)


def clear(folder):
    """Until all is taken out another worker may go on writing, or be killed: the mark says to
    whoever comes next whose the folder is."""
    try:
        is_all = True
        for name in os.listdir(folder):
            if name != MARK:
                is_ours = FILE_NAME.fullmatch(name) is not None
                is_all &= is_ours and is_removed(os.path.join(folder, name))
        if is_all:
            remove_marked(folder)
    except (OSError, ValueError):
        pass  # Another worker was first.


def is_removed(path):
    """Whether a file is gone now."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass  # Another worker was first.
    except OSError:
        return False  # A folder by that name, which is not ours.
    return True


def remove_marked(folder):
    """Removes a folder in which there was nothing but its mark. Where something was written
    meanwhile both stay."""
    text = text_of_mark(folder)
    os.unlink(os.path.join(folder, MARK))
    try:
        os.rmdir(folder)
    except OSError:
        with open(os.path.join(folder, MARK), "x", encoding="utf-8") as file:
            file.write(text)


def has_ended(owner):
    """None where that cannot be known: a number alone is given away again, and means something else
    in another container or on another machine."""
    boot = text_of("/proc/sys/kernel/random/boot_id").strip()
    if not owner["boot"] or not boot:
        return None
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        namespace = ""
    if owner["boot"] != boot:
        here = {"machine": text_of("/etc/machine-id").strip(), "host": os.uname().nodename}
        is_here = all(owner[key] and owner[key] == here[key] for key in here)
        # A container has both of its image, wherever it is started.
        is_in_none = owner["namespace"] == namespace == FIRST_NAMESPACE
        return True if is_here and is_in_none else None  # The same machine, started again.
    if not namespace or owner["namespace"] != namespace:
        return None
    about = text_of("/proc/{}/stat".format(owner["pid"]))
    if not about:
        # That there is none to be seen proves nothing where /proc is mounted with hidepid.
        return True if is_free(owner["pid"]) else None
    return running_since(about) != owner["started"]


def is_free(pid):
    """Whether no process has this number, be it one that is hidden from us: a signal would not find
    any."""
    if not 0 < pid < 1 << 31:
        return True  # To the system it is a group of processes, or all, or nothing.
    try:
        os.kill(pid, 0)
    except OSError as error:
        return error.errno == errno.ESRCH
    return False


def running_since(about):
    """When the process was started of which the system tells this; None where it is dead and only
    not yet buried."""
    # The name in brackets may have brackets and spaces of its own.
    fields = about.rpartition(") ")[2].split(" ")
    return fields[19] if len(fields) > 19 and fields[0] not in ("Z", "X") else None


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


# ---- The protocol -------------------------------------------------------------------------------


class Worker:
    """State of one session; one method a request, whose arguments are the request's words."""

    def __init__(self, name):
        self.name = name
        is_chained, self.is_of_macs = name.endswith("[chained]"), name.startswith("macs-python")
        if is_chained:
            self.macs, self.sealers, self.regimes = find_macs(chained_rows()), {}, InHexadecimal.regimes
        elif self.is_of_macs:
            self.macs, self.sealers = find_macs(macs_rows()), {}
            self.regimes = Mac.regimes + tuple(BATCHES)
        else:
            self.macs, self.sealers = find_macs(rows()), find_macs(sealing_rows())
            self.regimes = Mac.regimes
        self.pool_bytes = None
        self.cells = {}
        self.files = {}
        self.folder_path = None

    def info(self):
        offers = [
            {"mac": name, "kernel": mac.kernel, "key_lives": lives}
            for name, (mac, lives) in sorted(self.macs.items())
        ]
        offers += [
            {"mac": name + "-" + flow, "kernel": sealer.kernel, "key_lives": ["prepared"]}
            for name, (sealer, _) in sorted(self.sealers.items())
            for flow in SEGMENT_NAMES
        ]
        return {
            "protocol": 2,
            "name": self.name,
            "version": macs_module().__version__ if self.is_of_macs else platform.python_version(),
            "path": macs_module()._macs.__file__ if self.is_of_macs else sys.executable or "",
            "detail": "; ".join(libraries(self.is_of_macs)),
            "offers": offers,
            "regimes": self.regimes + (SEGMENT_REGIMES if self.sealers else ()),
        }

    def pool(self, data):
        self.pool_bytes = from_hex(data)
        return {}

    def open(self, number, mac, key_life, regime, len_bytes, keys, *block_len):
        if regime in SEGMENT_REGIMES:
            return self.open_scheme(number, mac, key_life, regime, len_bytes, keys, *block_len)
        if block_len:
            raise BadRequest("{} has no segments".format(regime[:40]))
        number = whole(number, ITERATIONS_MAX)
        found, key_lives = self.offered(mac, Mac)
        if key_life not in key_lives:
            raise BadRequest("no {} {} here".format(key_life, mac))
        if regime not in self.regimes:
            raise BadRequest("no regime {}: {}".format(regime, " or ".join(self.regimes)))
        if self.pool_bytes is None:
            raise BadRequest("no pool yet")
        len_bytes = whole(len_bytes, LINE_MAX_BYTES)
        make = BatchCell if regime in BATCHES else Cell
        cell = make(found, key_life, regime, len_bytes, from_hex(keys), self.pool_bytes)
        self.cells[number] = cell
        return {}

    def open_scheme(self, number, scheme, key_life, regime, len_bytes, keys, block_len="140"):
        number = whole(number, ITERATIONS_MAX)
        sealer, flow = self.scheme(scheme)
        if key_life != "prepared":
            raise BadRequest("no {} {} here".format(key_life, scheme[:40]))
        if self.pool_bytes is None:
            raise BadRequest("no pool yet")
        len_bytes = whole(len_bytes, LINE_MAX_BYTES)
        files = cut(memoryview(self.pool_bytes), len_bytes)
        if len_bytes in self.files:
            files = [self.files[len_bytes]] * MESSAGES
        medium = regime.split("-")[1]
        disk, block_len = None, positive(block_len, BLOCK_LEN_MAX_BYTES)
        if medium != "memory":
            if self.folder_path is None:
                raise BadRequest("no folder was named for the segments")
            disk = Disk(self.folder_path, medium == "fsync", flow, block_len)
        self.cells[number] = SchemeCell(sealer, flow, disk, block_len, files, from_hex(keys))
        return {}

    def scheme(self, name):
        """What seals, and the flow."""
        for flow in SEGMENT_NAMES:
            composition = name[: -len(flow) - 1]
            if name == composition + "-" + flow and composition in self.sealers:
                return self.sealers[composition][0], flow
        raise BadRequest("no scheme {} here".format(name[:40]))

    def folder(self, path):
        self.folder_path = segments_folder(path)
        return {}

    def file(self, len_bytes, content):
        len_bytes, content = whole(len_bytes, LINE_MAX_BYTES), maybe_hex(content)
        if len(content) != len_bytes:
            said = "a file of {} bytes where {} were said"
            raise BadRequest(said.format(len(content), len_bytes))
        self.files[len_bytes] = content
        return {}

    def segments(self, number, iterations):
        cell = self.cell(number, SchemeCell)
        return {"actions": cell.segments(positive(iterations, ITERATIONS_MAX))}

    def faults(self, number, each, seed):
        cell = self.cell(number, SchemeCell)
        return cell.faults(positive(each, SINGLE_MAX), whole(seed, 2**64 - 1))

    def rekey(self, number, keys):
        self.cell(number).rekey(from_hex(keys))
        return {}

    def prove(self, number, count):
        return {"tags": self.cell(number).prove(positive(count, MESSAGES)).hex()}

    def run(self, number, iterations):
        cell = self.cell(number, Cell)
        return {"elapsed_ns": cell.run(positive(iterations, ITERATIONS_MAX))}

    def single(self, number, count):
        return {"ns": self.cell(number, Cell).single(positive(count, SINGLE_MAX))}

    def tag(self, mac, key, nonce, customization, tag_len, message):
        mac, key_lives = self.offered(mac, Mac)
        inputs = {
            "nonce": maybe_hex(nonce),
            "customization": maybe_hex(customization),
            "tag_len": positive(tag_len, TAG_MAX_BYTES),
        }
        for name in ("nonce", "customization"):
            if inputs[name] and name not in mac.takes:
                raise BadRequest("a {}; this mac takes none".format(name))
        tag_len, key = inputs["tag_len"], maybe_hex(key)
        if tag_len > mac.tag_len and "tag_len" not in mac.takes:
            raise BadRequest("a tag of {} bytes; {} it has".format(tag_len, mac.tag_len))
        mac.check_key(len(key))
        key, inputs = mac.wide(key), {name: inputs[name] for name in mac.takes}
        tags = mac.loops(key_lives[0], key, **inputs).prove([(key, maybe_hex(message))])
        return {"tag": tags[0][:tag_len].hex()}

    def seal(self, mac, key, nonce, data, tag_len, message):
        mac, _ = self.offered(mac, Composition)
        key, nonce, data, message = map(maybe_hex, (key, nonce, data, message))
        mac.check_key(len(key))
        sealed = mac.seal(key, nonce, data, positive(tag_len, TAG_MAX_BYTES), message)
        return {"ciphertext": sealed[0].hex(), "tag": sealed[1].hex()}

    def unseal(self, mac, key, nonce, data, ciphertext, tag):
        mac, _ = self.offered(mac, Composition)
        key, nonce, data, ciphertext, tag = map(maybe_hex, (key, nonce, data, ciphertext, tag))
        mac.check_key(len(key))
        message = mac.unseal(key, nonce, data, ciphertext, tag)
        return {"message": None if message is None else message.hex()}

    def close(self):
        self.folder_path = None  # The lab removes it: other workers write there, too.
        return {}

    def abandon(self):
        """The lab may have vanished without a word: then nobody else removes the files."""
        if self.folder_path is not None:
            remove_abandoned(self.folder_path)

    def offered(self, name, kind):
        mac, key_lives = self.macs.get(name, (None, []))
        if not isinstance(mac, kind):
            raise BadRequest("no {} {} here".format(kind.__name__.lower(), name[:40]))
        return mac, key_lives

    def cell(self, number, kind=object):
        cell = self.cells.get(whole(number, ITERATIONS_MAX))
        if cell is None:
            raise BadRequest("no cell {}".format(number))
        if not isinstance(cell, kind):
            raise BadRequest("no such request for cell {}".format(number))
        return cell


# Words after the verb. A table, so that no other method can be named by a request. `open` has one
# more for segments. The path of `folder` goes to the end of its line.
REQUESTS = {
    "close": 0,
    "faults": 3,
    "file": 2,
    "folder": 1,
    "info": 0,
    "open": 6,
    "pool": 1,
    "prove": 2,
    "rekey": 2,
    "run": 2,
    "seal": 6,
    "segments": 2,
    "single": 2,
    "tag": 6,
    "unseal": 6,
}


def from_hex(word):
    if len(word) % 2 or not re.fullmatch("[0-9a-f]*", word):
        raise BadRequest("bytes are lower-case hexadecimal")
    return bytes.fromhex(word)


def maybe_hex(word):
    """Words cannot be empty: `-` stands for no bytes."""
    return b"" if word == "-" else from_hex(word)


def whole(word, most):
    if not re.fullmatch("[0-9]{1,20}", word) or int(word) > most:
        raise BadRequest("not a whole number up to {}: {}".format(most, word[:40]))
    return int(word)


def positive(word, most):
    number = whole(word, most)
    if number == 0:
        raise BadRequest("at least 1, not 0")
    return number


TOO_LONG = "err the request has more than {} bytes".format(LINE_MAX_BYTES)


def words_of(line):
    verb, _, path = line.partition(b" ")
    if verb == b"folder":
        path.decode("utf-8")
        return ["folder", os.fsdecode(path)]
    return line.decode("ascii").split(" ")


def answer(worker, line):
    """The reply to one request, without its end of line."""
    try:
        words = words_of(line)
        if words[0] not in REQUESTS:
            raise BadRequest("no request {}".format(words[0][:40]))
        more = len(words) - 1 - REQUESTS[words[0]]
        if more != 0 and (words[0], more) != ("open", 1):
            raise BadRequest("{} takes {} words".format(words[0], REQUESTS[words[0]]))
        return "ok " + json.dumps(getattr(worker, words[0])(*words[1:]), separators=(",", ":"))
    except BadRequest as error:
        reason = str(error)
    except UnicodeDecodeError:
        reason = "a request is ASCII, and a path UTF-8"
    except Exception as error:
        reason = "{}: {}".format(type(error).__name__, error)
    printable = "".join(c if " " <= c <= "~" else "?" for c in reason)
    return "err " + printable[:400]


def main():
    # The lab decides when a run ends; Ctrl-C reaches the whole group of processes.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The collector must not strike inside a sample, and there is nothing here for it to collect.
    gc.disable()
    # Replies have a stream of their own: whatever else prints goes to standard error.
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    worker = Worker(sys.argv[1] if len(sys.argv) > 1 else "python")
    try:
        serve(worker, replies)
    finally:
        worker.abandon()


def serve(worker, replies):
    while True:
        line = sys.stdin.buffer.readline(LINE_MAX_BYTES)
        is_too_long = len(line) == LINE_MAX_BYTES and not line.endswith(b"\n")
        while len(line) == LINE_MAX_BYTES and not line.endswith(b"\n"):
            line = sys.stdin.buffer.readline(LINE_MAX_BYTES)
        if not line.endswith(b"\n"):
            return  # The end of the stream. What came without an end of line is not a request.
        line = line[:-1]
        reply = TOO_LONG if is_too_long else answer(worker, line)
        replies.write(reply.encode("ascii") + b"\n")
        replies.flush()
        if line == b"close" and not is_too_long:
            return


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        # The lab is gone; there is nobody to tell.
        os._exit(1)
