"""Threads that share objects, and memory that is given back."""

import resource
import sys
import threading
import time
import unittest

import macs

THREADS = 8


def together(work):
    """Runs `work(number)` in all threads at once; what one of them raises is raised here."""
    raised, gate = [], threading.Barrier(THREADS)

    def one(number):
        try:
            gate.wait()
            work(number)
        except BaseException as error:
            raised.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=one, args=(number,)) for number in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    if raised:
        raise raised[0]


class Threads(unittest.TestCase):
    def test_one_key_and_one_batch_by_all(self):
        lengths = (0, 64, 2047, 2048, 20000)
        names = {"hmac-sha256": b"k", "cmac-aes-128": bytes(16), "kmac256": bytes(32)}
        keys = [macs.Key(*name_and_key) for name_and_key in names.items()]
        right = {
            (name, n): macs.digest(key, bytes(n), name) for name, key in names.items() for n in lengths
        }
        batch = macs.Batch("hmac-sha256", [b"k", b"l"])
        msgs = [bytes(n) for n in lengths] * 4
        index = [number % 2 for number in range(len(msgs))]
        tags = batch.digests(msgs, index)

        def work(number):
            for turn in range(60):
                for key in keys:
                    for n in lengths:
                        assert key.digest(bytes(n)) == right[key.name, n]
                        key.verify(bytearray(n), right[key.name, n])
                assert batch.digests(msgs, index) == tags

        together(work)

    def test_one_message_by_all(self):
        for length in (1, 64, 5000):
            mac, turns = macs.new(b"k", None, "sha256"), 300

            def work(number):
                for _ in range(turns):
                    mac.update(b"x" * length)
                    mac.digest()
                    mac.copy().update(b"y")
                    repr(mac)

            together(work)
            whole = b"x" * length * turns * THREADS
            self.assertEqual(mac.digest(), macs.digest(b"k", whole, "sha256"))

    def test_a_list_that_changes_meanwhile(self):
        batch, msgs = macs.Batch("hmac-sha256", [b"k"]), [bytes(3000) for _ in range(50)]

        def work(number):
            for turn in range(200):
                if number % 2:
                    msgs[turn % 50] = bytes(3000)
                else:
                    assert len(set(batch.digests(msgs))) == 1

        together(work)

    def test_a_buffer_that_is_written_meanwhile(self):
        key, place = macs.Key("hmac-sha256", b"k"), bytearray(1 << 16)

        def work(number):
            for turn in range(100):
                if number % 2:
                    place[turn] = turn
                else:
                    assert len(key.digest(place)) == 32

        together(work)
        self.assertEqual(key.digest(place), macs.digest(b"k", bytes(place), "sha256"))

    def test_others_run_while_a_long_message_is_computed(self):
        key, long = macs.Key("hmac-sha512", b"k"), bytes(1 << 28)
        counted, ended = 0, threading.Event()

        def compute():
            key.digest(long)
            ended.set()

        interval = sys.getswitchinterval()
        sys.setswitchinterval(1000)  # Nobody is made to let go of the interpreter.
        try:
            thread = threading.Thread(target=compute)
            thread.start()
            while not ended.is_set():
                counted += 1
                time.sleep(0)
        finally:
            sys.setswitchinterval(interval)
        thread.join()
        self.assertGreater(counted, 1000)


class Memory(unittest.TestCase):
    def test_nothing_is_left_behind(self):
        batch, key = macs.Batch("hmac-sha256", [b"k"]), macs.Key("hmac-sha256", b"k")
        msgs, place = [bytes(64)] * 100, bytearray(6400)

        def refused(call, *arguments):
            try:
                call(*arguments)
            except (ValueError, TypeError):
                return
            raise AssertionError("not refused")

        def work():
            for _ in range(100):
                macs.new(b"k", b"m" * 100, "sha256").copy().hexdigest()
                macs.Key("cmac-aes-128", bytes(16)).new_message(place).digest()
                batch.digests(msgs)
                batch.digests_packed(place, range(0, 6401, 64), out=bytearray(3200))
                macs.Batch("hmac-sha512", msgs[:10])
                macs.Composition("gcm-aes-256", bytes(32)).seal(bytes(12), place)
                refused(key.verify, place, bytes(32))
                refused(key.digest, "m")
                refused(batch.digests, [b"m", None])
                refused(macs.Key, "no such mac", b"k")

        work()
        begun = resident()
        for _ in range(30):
            work()
        grown = resident() - begun
        # What each round would leave behind is 3 KiB at least: 9 MiB in all.
        self.assertLess(grown, 3 << 20, "bytes more than before")


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


if __name__ == "__main__":
    unittest.main()
