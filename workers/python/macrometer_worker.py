"""A macrometer worker: the MACs of this Python, measured in this Python.

Speaks docs/worker-protocol.md on standard input and output. HMAC and keyed BLAKE2 are the standard
library's; the rest is of `cryptography` and of `pycryptodome`, where they can be imported. Run by
the `python` provider (crates/providers/src/python.rs), which hands it its name. Needs Python 3.7.
"""

import sys

# Run by `-c`, the current folder stands first in the path: a file hmac.py there must not be ours.
if sys.path and sys.path[0] == "":
    del sys.path[0]

if sys.version_info < (3, 7):
    # The reply to the lab's first request.
    sys.stdout.write("err Python 3.7 or later is needed, not {}.{}\n".format(*sys.version_info))
    sys.exit(1)

import collections
import functools
import gc
import hashlib
import hmac
import importlib
import itertools
import json
import os
import platform
import re
import signal
import time
import warnings
from binascii import hexlify, unhexlify

MESSAGES = 16
MESSAGE_STEP_BYTES = 64
# A call is a microsecond: these stand for hours, and bound what a bad request can do.
ITERATIONS_MAX = 10**10
SINGLE_MAX = 10**7
LINE_MAX_BYTES = 1 << 28

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
        return bytes(range(1, 1 + min(32, self.key_lens[-1])))


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


class Composition(Keyed):
    """Encrypts and authenticates. It is proved, and not timed as if it were a mac."""

    def trial(self):
        """No key lives; it raises unless it opens what it seals, and nothing else."""
        key, message = self.trial_key(), b"message"
        ciphertext, tag = self.seal(key, bytes(12), b"data", 16, message)
        for data, right in ((b"data", message), (b"date", None)):
            if self.unseal(key, bytes(12), data, ciphertext, tag) != right:
                raise ValueError("opened wrongly")
        return []


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
    """The standard library's BLAKE2 with a key, and its longest tag."""

    kernel = "builtin"

    def __init__(self, name):
        self.new = getattr(hashlib, name)
        self.key_lens = range(1, 1 + self.new.MAX_KEY_SIZE)
        self.tag_len = self.new.MAX_DIGEST_SIZE

    def bodies(self, key):
        prepared = self.new(key=key)
        yield "prepared", COPY_AND_DIGEST, {"copy": prepared.copy}
        yield "new-key", ["tag = new(message, key=key).digest()"], {"new": self.new}


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
        if tag_len != 16:
            raise BadRequest("a tag of {} bytes; 16 it has".format(tag_len))
        return self.new(key)

    def seal(self, key, nonce, data, tag_len, message):
        sealed = self.keyed(key, tag_len).encrypt(nonce, message, data)
        return sealed[: len(message)], sealed[len(message) :]

    def unseal(self, key, nonce, data, ciphertext, tag):
        try:
            return self.keyed(key, len(tag)).decrypt(nonce, ciphertext + tag, data)
        except self.not_genuine:
            return None


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


def chained_rows():
    """The rows of `python[chained]`."""
    yield from (("hmac-" + name, HexHmac, name) for name in HMACS)
    yield from (("cmac-" + name, ChainedCmac) + row for name, row in CMACS.items())


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
        for mode, class_name in AEADS.items():
            yield mode + aes, CryptographyAead, class_name, bits // 8
        yield "eax" + aes, PycryptodomeEax, bits // 8
    yield "poly1305", CryptographyPoly1305
    yield "chacha20-poly1305", CryptographyAead, "ChaCha20Poly1305", 32
    yield "kmac128", PycryptodomeKmac, "kmac128", 32
    yield "kmac256", PycryptodomeKmac, "kmac256", 64


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


def libraries():
    """The versions that decide the figures, in words."""
    yield platform.python_implementation()
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


# ---- The protocol -------------------------------------------------------------------------------


class Worker:
    """State of one session; one method a request, whose arguments are the request's words."""

    def __init__(self, name):
        self.name = name
        is_chained = name.endswith("[chained]")
        self.macs = find_macs(chained_rows() if is_chained else rows())
        self.regimes = (InHexadecimal if is_chained else Mac).regimes
        self.pool_bytes = None
        self.cells = {}

    def info(self):
        offers = [
            {"mac": name, "kernel": mac.kernel, "key_lives": lives}
            for name, (mac, lives) in sorted(self.macs.items())
        ]
        return {
            "protocol": 2,
            "name": self.name,
            "version": platform.python_version(),
            "path": sys.executable or "",
            "detail": "; ".join(libraries()),
            "offers": offers,
            "regimes": self.regimes,
        }

    def pool(self, data):
        self.pool_bytes = from_hex(data)
        return {}

    def open(self, number, mac, key_life, regime, len_bytes, keys):
        number = whole(number, ITERATIONS_MAX)
        found, key_lives = self.offered(mac, Mac)
        if key_life not in key_lives:
            raise BadRequest("no {} {} here".format(key_life, mac))
        if regime not in self.regimes:
            raise BadRequest("no regime {}: {}".format(regime, " or ".join(self.regimes)))
        if self.pool_bytes is None:
            raise BadRequest("no pool yet")
        len_bytes = whole(len_bytes, LINE_MAX_BYTES)
        cell = Cell(found, key_life, regime, len_bytes, from_hex(keys), self.pool_bytes)
        self.cells[number] = cell
        return {}

    def rekey(self, number, keys):
        self.cell(number).rekey(from_hex(keys))
        return {}

    def prove(self, number, count):
        return {"tags": self.cell(number).prove(positive(count, MESSAGES)).hex()}

    def run(self, number, iterations):
        return {"elapsed_ns": self.cell(number).run(positive(iterations, ITERATIONS_MAX))}

    def single(self, number, count):
        return {"ns": self.cell(number).single(positive(count, SINGLE_MAX))}

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
        return {}

    def offered(self, name, kind):
        mac, key_lives = self.macs.get(name, (None, []))
        if not isinstance(mac, kind):
            raise BadRequest("no {} {} here".format(kind.__name__.lower(), name[:40]))
        return mac, key_lives

    def cell(self, number):
        try:
            return self.cells[whole(number, ITERATIONS_MAX)]
        except KeyError:
            raise BadRequest("no cell {}".format(number))


# Words after the verb. A table, so that no other method can be named by a request.
REQUESTS = {
    "close": 0,
    "info": 0,
    "open": 6,
    "pool": 1,
    "prove": 2,
    "rekey": 2,
    "run": 2,
    "seal": 6,
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
    if not re.fullmatch("[0-9]{1,12}", word) or int(word) > most:
        raise BadRequest("not a whole number up to {}: {}".format(most, word[:40]))
    return int(word)


def positive(word, most):
    number = whole(word, most)
    if number == 0:
        raise BadRequest("at least 1, not 0")
    return number


def answer(worker, line):
    """The reply to one request, without its end of line."""
    try:
        words = line.decode("ascii").split(" ")
        if words[0] not in REQUESTS:
            raise BadRequest("no request {}".format(words[0][:40]))
        if len(words) != 1 + REQUESTS[words[0]]:
            raise BadRequest("{} takes {} words".format(words[0], REQUESTS[words[0]]))
        return "ok " + json.dumps(getattr(worker, words[0])(*words[1:]), separators=(",", ":"))
    except BadRequest as error:
        reason = str(error)
    except UnicodeDecodeError:
        reason = "a request is ASCII"
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
    while True:
        line = sys.stdin.buffer.readline(LINE_MAX_BYTES)
        if not line.endswith(b"\n"):
            # The end of the stream; or a line without end, after which nothing can be understood.
            return
        line = line[:-1]
        replies.write(answer(worker, line).encode("ascii") + b"\n")
        replies.flush()
        if line == b"close":
            return


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        # The lab is gone; there is nobody to tell.
        os._exit(1)
