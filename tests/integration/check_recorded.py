#!/usr/bin/env python3
"""What can be done with a recorded failure: explain, the HTML page, shrink. The debugger has a folder of its own.

usage: check_recorded.py LOCKSTEP DEADLOCKING_EXAMPLE FAILING_EXAMPLE
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LOCKSTEP = DEADLOCK = ASSERTION = ""


def story_in(page):
    mark = '<script type="application/json" id="data">'
    return json.JSONDecoder().raw_decode(page[page.index(mark) + len(mark):])[0]


class Recorded(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cwd = pathlib.Path(folder.name)

    def lockstep(self, *words):
        env = {k: v for k, v in os.environ.items() if not k.startswith("LOCKSTEP")}
        env.update({"LC_ALL": "C.UTF-8", "COLUMNS": "120"})
        return subprocess.run([LOCKSTEP, *words], cwd=self.cwd, env=env, capture_output=True, text=True, timeout=100,
                              stdin=subprocess.DEVNULL)

    def record(self, program):
        found = self.lockstep("run", "--out", "out", program)
        self.assertEqual(found.returncode, 1, found)
        for hint in ("lockstep replay out/bug-1.lockstep", "lockstep debug out/bug-1.lockstep",
                     "lockstep explain out/bug-1.lockstep --html"):
            self.assertIn(hint, found.stdout)
        return "out/bug-1.lockstep"

    def test_explain_tells_the_story(self):
        told = self.lockstep("explain", self.record(DEADLOCK))
        self.assertEqual(told.returncode, 0, told)
        self.assertRegex(told.stdout, r"(?s)DEADLOCK  .*reproduced")
        self.assertIn("lock accounts[1].mutex … thread 2 holds it", told.stdout)

    def test_the_page_has_threads_steps_and_source(self):
        done = self.lockstep("explain", self.record(DEADLOCK), "--html", "bug.html")
        self.assertEqual(done.returncode, 0, done)
        story = story_in((self.cwd / "bug.html").read_text())
        self.assertEqual(story["page"], "story")
        self.assertEqual(story["kind"], "deadlock")
        self.assertEqual(story["program"], [DEADLOCK])
        self.assertEqual([thread["name"] for thread in story["threads"]], ["main", "thread 1", "thread 2"])
        self.assertIn("accounts[1].mutex", story["waits_for"]["text"])
        self.assertEqual(len(story["waits_for"]["cycle"]), 2)
        self.assertEqual(len(story["holds"]), 2)
        rows = story["rows"]
        blocked = [i for i, kind in enumerate(rows["kind"]) if rows["kinds"][kind] == "blocked"]
        self.assertGreaterEqual(len(blocked), 2)
        _, file, line = story["frames"][story["stacks"][rows["stack"][blocked[-1]]][0]]
        self.assertIn("hold_to", story["files"][file]["text"].splitlines()[line - 1])

    def test_a_page_that_cannot_be_written(self):
        done = self.lockstep("explain", self.record(DEADLOCK), "--html", "no/such/folder/bug.html")
        self.assertEqual(done.returncode, 2, done)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_shrink_exits_with_0(self):
        done = self.lockstep("shrink", self.record(ASSERTION))
        self.assertEqual(done.returncode, 0, done)
        self.assertRegex(done.stdout, "Shrunk from|No simpler schedule found")
        self.assertTrue((self.cwd / "out/bug-1-shrunk.lockstep").exists())

    def test_a_debugger_that_is_not_there(self):
        done = self.lockstep("debug", self.record(DEADLOCK), "--debugger", "no-such-gdb")
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("no-such-gdb", done.stderr)

    def test_files_that_are_none(self):
        (self.cwd / "text").write_text("hello")
        for command in ("explain", "debug"):
            for file in ("text", "missing"):
                done = self.lockstep(command, file)
                self.assertEqual(done.returncode, 2, done)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    LOCKSTEP, DEADLOCK, ASSERTION = map(os.path.abspath, sys.argv[1:4])
    unittest.main(argv=sys.argv[:1])
