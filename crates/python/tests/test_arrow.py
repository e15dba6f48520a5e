"""Columns by Arrow's C data interface: those of pyarrow and Polars, where they can be imported, in all
layouts of byte strings; and memory given back."""

import array
import gc
import importlib
import random
import resource
import unittest

import macs

BATCH = macs.Batch("hmac-sha256", [b"key"])


def library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise unittest.SkipTest(f"skipped: no {name} (pip install {name})") from None


def strings(rng, count):
    """Of lengths around the 12 bytes that views have in place, and nulls."""
    lengths = (0, 1, 4, 11, 12, 13, 64, 300)
    made = (bytes(rng.choices(range(97, 123), k=rng.choice(lengths))) for _ in range(count))
    return [None if rng.random() < 0.2 else each for each in made]


def right_tags(values, key=b"key"):
    return [None if value is None else macs.digest(key, value, "sha256") for value in values]


class Pyarrow(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.arrow = library("pyarrow")

    def types(self):
        arrow = self.arrow
        yield from (arrow.binary(), arrow.large_binary(), arrow.string(), arrow.large_string())
        yield from (arrow.binary_view(), arrow.string_view())

    def test_all_layouts_with_nulls_and_slices(self):
        values = strings(random.Random(6), 501)
        for kind in self.types():
            is_text = kind in (self.arrow.string(), self.arrow.large_string(), self.arrow.string_view())
            given = [v.decode() if is_text and v is not None else v for v in values]
            column = self.arrow.array(given, kind)
            for start, length in ((0, 501), (3, 100), (17, 0), (500, 1)):
                tags = BATCH.digests_arrow(column.slice(start, length))
                right = right_tags(values[start : start + length])
                self.assertEqual(tags.to_list(), right, (kind, start, length))
                taken = self.arrow.array(tags)
                self.assertEqual(taken.type, self.arrow.binary(32))
                self.assertEqual(taken.to_pylist(), right)
                taken.validate(full=True)

    def test_strings_of_one_length_and_tags_of_tags(self):
        values = [bytes([n]) * 7 if n % 3 else None for n in range(40)]
        column = self.arrow.array(values, self.arrow.binary(7))
        tags = BATCH.digests_arrow(column.slice(1))
        self.assertEqual(tags.to_list(), right_tags(values[1:]))
        again = BATCH.digests_arrow(tags)
        self.assertEqual(again.to_list(), right_tags(tags.to_list()))
        self.assertEqual(len(again), 39)

    def test_chunks_and_keys(self):
        values = strings(random.Random(7), 90)
        chunks = self.arrow.chunked_array([values[:50], [], values[50:]], self.arrow.binary())
        batch = macs.Batch("hmac-sha256", [b"a", b"b"])
        index = array.array("i", [n % 2 for n in range(90)])
        tags = batch.digests_arrow(chunks, index).to_list()
        self.assertEqual(tags[0::2], right_tags(values[0::2], b"a"))
        self.assertEqual(tags[1::2], right_tags(values[1::2], b"b"))

    def test_a_column_of_anything_else_is_refused(self):
        arrow = self.arrow
        wrong = [
            ("not of type 'i'", arrow.array([1, 2], arrow.int32())),
            ("not of a dictionary over the type", arrow.array(["a", "b"]).dictionary_encode()),
            (r"not of type '\+s'", arrow.table({"a": ["b"]})),
            ("not of type 'n'", arrow.nulls(3)),
        ]
        for words, column in wrong:
            with self.assertRaisesRegex(ValueError, words):
                BATCH.digests_arrow(column)

    def test_a_capsule_is_taken_once(self):
        capsules = self.arrow.array([b"a"]).__arrow_c_array__()

        class Again:
            def __arrow_c_array__(self, requested_schema=None):
                return capsules

        self.assertEqual(BATCH.digests_arrow(Again()).to_list(), right_tags([b"a"]))
        with self.assertRaisesRegex(ValueError, "taken before"):
            BATCH.digests_arrow(Again())

    def test_what_is_handed_out_outlives_where_it_is_from(self):
        tags = BATCH.digests_arrow(self.arrow.array([b"a", None, b"b"]))
        taken = [self.arrow.array(tags) for _ in range(2)]
        del tags
        gc.collect()
        for each in taken:
            self.assertEqual(each.to_pylist(), right_tags([b"a", None, b"b"]))

    def test_nothing_is_left_behind(self):
        column = self.arrow.array([b"x" * 50, None] * 500)

        def work():
            for _ in range(20):
                tags = BATCH.digests_arrow(column)
                self.arrow.array(tags)
                tags.__arrow_c_array__()  # Nobody takes it.
                BATCH.digests_arrow(self.arrow.chunked_array([column, column]))
                self.assertRaises(ValueError, BATCH.digests_arrow, column, [1] * 1000)

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        for _ in range(5):
            work()
        begun = resident()
        for _ in range(40):
            work()
        # The tags of one round have 640 KiB.
        self.assertLess(resident() - begun, 8 << 20)


class Polars(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.polars = library("polars")

    def test_binary_and_text_come_back_as_a_series(self):
        polars, values = self.polars, strings(random.Random(8), 700)
        text = [None if value is None else value.decode() for value in values]
        for series in (polars.Series(values, dtype=polars.Binary), polars.Series(text, dtype=polars.String)):
            parts = (
                (series, values),
                (series.slice(13, 200), values[13:213]),
                (polars.concat([series, series], rechunk=False), values * 2),
            )
            for part, right in parts:
                tags = polars.Series(BATCH.digests_arrow(part))
                self.assertEqual(tags.to_list(), right_tags(right))


if __name__ == "__main__":
    unittest.main()
