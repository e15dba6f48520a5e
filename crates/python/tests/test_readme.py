"""What the README shows does what it says, and the package tells types and version."""

import importlib.metadata
import importlib.resources
import pathlib
import re
import unittest

import macs

README = pathlib.Path(__file__).parents[1] / "README.md"


class Readme(unittest.TestCase):
    def test_its_programs_run(self):
        programs = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
        self.assertEqual(len(programs), 3)
        for number, program in enumerate(programs, 1):
            exec(compile(program, f"{README}, program {number}", "exec"), {})

    def test_the_package_is_whole(self):
        files = {file.name for file in importlib.resources.files("macs").iterdir()}
        self.assertLessEqual({"py.typed", "_macs.pyi", "__init__.py"}, files)
        self.assertEqual(importlib.metadata.version("macs-python"), macs.__version__)
        licences = [file for file in importlib.metadata.files("macs-python") if "LICENSE" in file.name]
        self.assertEqual(sorted(file.name for file in licences), ["LICENSE-APACHE", "LICENSE-MIT"])
        for file in licences:
            self.assertEqual(file.read_text(), (README.parents[2] / file.name).read_text(), file)
        for name in macs.__all__:
            self.assertTrue(hasattr(macs, name), name)

    def test_what_is_known_of_each(self):
        for name in (*macs.algorithms, *macs.compositions):
            known = macs.info(name)
            self.assertEqual(known["name"], name)
            self.assertTrue(known["title"] and known["standing"] and known["kernel"])
        self.assertEqual(macs.info("sha256")["key_sizes"], "any length")
        self.assertEqual(macs.info("poly1305")["kind"], "one-time MAC")


if __name__ == "__main__":
    unittest.main()
