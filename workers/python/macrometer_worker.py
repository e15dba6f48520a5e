"""A macrometer worker: the MACs of this Python, measured in this Python.

Speaks docs/worker-protocol.md on standard input and output. HMAC is the standard library's; CMAC is
that of `cryptography` or of `pycryptodome`, whichever can be imported, in this order. Run by the
`python` provider (crates/providers/src/python.rs), which hands it its name. Needs Python 3.7.
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
import itertools
import json
import os
import platform
import re
import signal
import time
import warnings

MESSAGES = 16
MESSAGE_STEP_BYTES = 64
# A call is a microsecond: these stand for hours, and bound what a bad request can do.
ITERATIONS_MAX = 10**10
SINGLE_MAX = 10**7
LINE_MAX_BYTES = 1 << 28

HMACS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512-224", "sha512-256")
# Canonical name of the cipher: its class or module, key length, tag length.
CMACS = {
    "aes-128": ("AES", 16, 16),
    "aes-192": ("AES", 24, 16),
    "aes-256": ("AES", 32, 16),
    "tdes-2": ("TDES", 16, 8),
    "tdes-3": ("TDES", 24, 8),
}


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
            tags.append(bytes(tag))
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
    return Loops(*scope["make"](**names))


if hasattr(time, "CLOCK_MONOTONIC_RAW"):
    # Nanoseconds that no time service stretches.
    clock = functools.partial(time.clock_gettime_ns, time.CLOCK_MONOTONIC_RAW)
else:
    clock = time.perf_counter_ns


# ---- What this Python can compute ---------------------------------------------------------------


class Hmac:
    """The standard library's `hmac`."""

    def __init__(self, hash_name):
        self.hash_name = hash_name.replace("-", "_")
        self.key_len = None
        self.tag_len = hashlib.new(self.hash_name).digest_size
        keyed = hmac.new(b"key", digestmod=self.hash_name)
        # OpenSSL's own HMAC, or its hash inside Python's HMAC, or a hash written into Python.
        parts = [getattr(keyed, name, None) for name in ("_hmac", "_inner", "inner")]
        openssl = any(type(part).__module__ == "_hashlib" for part in parts)
        self.kernel = "openssl" if openssl else "builtin"

    def wide(self, key):
        return key

    def bodies(self, key):
        prepared = hmac.new(key, digestmod=self.hash_name)
        yield "prepared", ["mac = copy()", "mac.update(message)", "tag = mac.digest()"], {
            "copy": prepared.copy
        }
        yield "new-key", ["tag = new(key, message, digest).digest()"], {
            "new": hmac.new,
            "digest": self.hash_name,
        }
        yield "one-shot", ["tag = digest_of(key, message, digest)"], {
            "digest_of": hmac.digest,
            "digest": self.hash_name,
        }


class CryptographyCmac:
    """`cryptography`: CMAC of the OpenSSL that its wheel bundles or it was built against."""

    kernel = "openssl"

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
        self.key_len = key_len
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


class PycryptodomeCmac:
    """`pycryptodome`: CMAC in Python over its own ciphers in C."""

    kernel = "pycryptodome"

    def __init__(self, cipher, key_len, tag_len):
        from Crypto.Cipher import AES, DES3
        from Crypto.Hash import CMAC

        self.cipher = AES if cipher == "AES" else DES3
        self.new = CMAC.new
        self.key_len = key_len
        self.tag_len = tag_len

    def wide(self, key):
        return key

    def bodies(self, key):
        prepared = self.new(key, ciphermod=self.cipher)
        yield "prepared", ["mac = copy()", "mac.update(message)", "tag = mac.digest()"], {
            "copy": prepared.copy
        }
        yield "new-key", ["tag = new(key, message, cipher).digest()"], {
            "new": self.new,
            "cipher": self.cipher,
        }


def cmac_library():
    """The class that makes CMACs, and its version in words; or None and why."""
    try:
        import cryptography
        from cryptography.hazmat.backends.openssl import backend

        words = "cryptography {} ({})".format(
            cryptography.__version__, backend.openssl_version_text()
        )
        return CryptographyCmac, words
    except Exception:
        pass
    try:
        import Crypto
        import Crypto.Hash.CMAC

        return PycryptodomeCmac, "pycryptodome " + Crypto.__version__
    except Exception:
        return None, "none: neither cryptography nor pycryptodome can be imported"


def key_lives_that_work(mac):
    """Key lives whose tags agree with each other; a mac that raises has none."""
    key = bytes(range(1, 1 + (mac.key_len or 16)))
    pairs = [(mac.wide(key), message) for message in (b"one", b"two" * 30, b"one")]
    right, lives = None, []
    for life, body, names in mac.bodies(pairs[0][0]):
        try:
            tags = loops(body, names, "").prove(pairs)
        except Exception:
            continue
        right = right or tags
        if tags == right and tags[0] == tags[2] and len(tags[0]) == mac.tag_len:
            lives.append(life)
    return lives


def find_macs():
    """Everything that works here: name, mac, key lives; and which library CMAC is of."""
    library, cmac_words = cmac_library()
    makers = [("hmac-" + name, lambda name=name: Hmac(name)) for name in HMACS]
    if library is not None:
        for name, row in CMACS.items():
            makers.append(("cmac-" + name, lambda row=row: library(*row)))
    found = {}
    for name, make in makers:
        try:
            mac = make()
            lives = key_lives_that_work(mac)
        except Exception:
            continue
        if lives:
            found[name] = (mac, lives)
    return found, cmac_words


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
        self.messages = cut(memoryview(pool), len_bytes)
        # `latency` writes into its messages, so it has a pool of its own.
        own = memoryview(bytearray(pool)) if regime == "latency" else memoryview(pool)
        self.timed_messages = cut(own, len_bytes)
        self.head = min(8, len_bytes)
        self.rekey(keys)

    def rekey(self, keys):
        key_len = len(keys) - (MESSAGES - 1)
        if key_len < 0 or self.mac.key_len not in (None, key_len):
            wanted = "15" if self.mac.key_len is None else str(self.mac.key_len + 15)
            raise BadRequest("{} bytes of keys, {} needed".format(len(keys), wanted))
        windows = [self.mac.wide(keys[i : i + key_len]) for i in range(MESSAGES)]
        # A prepared body holds key 0 and does not look at the pair's.
        bodies = {life: (body, names) for life, body, names in self.mac.bodies(windows[0])}
        body, names = bodies[self.key_life]
        mix = ""
        if self.regime == "latency" and self.head > 0:
            mix = MIX
            names = dict(names, head=self.head, from_bytes=int.from_bytes)
        self.loops = loops(body, names, mix)
        self.pairs = list(zip(windows, self.messages))
        self.timed_pairs = list(zip(windows, self.timed_messages))

    def calls(self, count):
        return itertools.islice(itertools.cycle(self.timed_pairs), count)

    def prove(self, count):
        return b"".join(self.loops.prove(self.pairs[:count]))

    def run(self, iterations):
        tag = bytes(self.mac.tag_len)
        self.loops.run(self.calls(iterations // 16), clock, tag)
        return self.loops.run(self.calls(iterations), clock, tag)

    def single(self, count):
        tag = bytes(self.mac.tag_len)
        times, empty = [], []
        self.loops.run(self.calls(count // 16), clock, tag)
        empty_brackets(clock, empty.append)
        self.loops.single(self.calls(count), clock, tag, times.append)
        bracket = sorted(empty)[len(empty) // 2]
        return sorted(collections.Counter(max(0, ns - bracket) for ns in times).items())


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
        self.macs, self.cmac_words = find_macs()
        self.pool_bytes = None
        self.cells = {}

    def info(self):
        detail = "{}; hashlib: {}; CMAC: {}".format(
            platform.python_implementation(), openssl_of_hashlib(), self.cmac_words
        )
        offers = [
            {"mac": name, "kernel": mac.kernel, "key_lives": lives}
            for name, (mac, lives) in sorted(self.macs.items())
        ]
        return {
            "protocol": 1,
            "name": self.name,
            "version": platform.python_version(),
            "path": sys.executable or "",
            "detail": detail,
            "offers": offers,
        }

    def pool(self, data):
        self.pool_bytes = from_hex(data)
        return {}

    def open(self, number, mac, key_life, regime, len_bytes, keys):
        number = whole(number, ITERATIONS_MAX)
        if mac not in self.macs or key_life not in self.macs[mac][1]:
            raise BadRequest("no {} {} here".format(key_life, mac))
        if regime not in ("latency", "single"):
            raise BadRequest("no regime {}: latency or single".format(regime))
        if self.pool_bytes is None:
            raise BadRequest("no pool yet")
        len_bytes = whole(len_bytes, LINE_MAX_BYTES)
        mac = self.macs[mac][0]
        cell = Cell(mac, key_life, regime, len_bytes, from_hex(keys), self.pool_bytes)
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

    def close(self):
        return {}

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
    "single": 2,
}


def from_hex(word):
    if len(word) % 2 or not re.fullmatch("[0-9a-f]*", word):
        raise BadRequest("bytes are lower-case hexadecimal")
    return bytes.fromhex(word)


def whole(word, most):
    if not re.fullmatch("[0-9]{1,12}", word) or int(word) > most:
        raise BadRequest("not a whole number up to {}: {}".format(most, word[:40]))
    return int(word)


def positive(word, most):
    number = whole(word, most)
    if number == 0:
        raise BadRequest("at least one call")
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
