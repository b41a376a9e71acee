#!/usr/bin/env python3
"""Runs lockstep the way a user does and checks exit codes, output and files.

usage: check_cli.py LOCKSTEP [--fake]

Without --fake only what needs no program under test is checked. With --fake LOCKSTEP is the build whose target
interprets tiny built-in programs (abba, lost, fine), so that whole runs and replays can be checked.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

LOCKSTEP = ""
FAKE = False


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.cwd = pathlib.Path(self.folder.name)

    @staticmethod
    def environment(**more):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("LOCKSTEP", "NO_COLOR", "CLICOLOR"))}
        env.update({"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "COLUMNS": "100"}, **more)
        if FAKE:
            env["LOCKSTEP_RUNTIME"] = LOCKSTEP  # looked for, never loaded
        return env

    def lockstep(self, *words, **environment):
        return subprocess.run([LOCKSTEP, *map(str, words)], cwd=self.cwd, env=self.environment(**environment),
                              capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)

    def program(self, name):
        path = self.cwd / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        return f"./{name}"

    def refuses(self, *words, says, code=2, **environment):
        before = sorted(self.cwd.rglob("*"))
        done = self.lockstep(*words, **environment)
        self.assertEqual(done.returncode, code, done)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(says, done.stderr)
        self.assertEqual(sorted(self.cwd.rglob("*")), before, "nothing may be written")


class BadInput(CommandLine):
    def test_usage(self):
        self.refuses(says="no command")
        self.refuses("fly", says="unknown command 'fly'")
        self.refuses("run", says="no program")
        self.refuses("run", "--no-such-option", "x", says="unknown option --no-such-option")
        self.refuses("run", "--strategy", "magic", "/bin/true", says="unknown strategy 'magic'")
        self.refuses("run", "--strategy", "icb:depth=3", "/bin/true", says="no setting 'depth'")
        self.refuses("run", "--preemptions", "many", "/bin/true", says="'many'")
        self.refuses("run", "--strategy", "random", "--preemptions", "1", "/bin/true", says="--preemptions")
        self.refuses("run", "--rank", "pb,best", "/bin/true", says="unknown rank 'best'")
        self.refuses("shrink", says="no schedule given")
        self.refuses("shrink", "missing.lockstep", says="missing.lockstep")
        self.refuses("run", "--time", "yesterday", "/bin/true", says="duration")
        self.refuses("run", "x", says="unknown key 'colour'", LOCKSTEP_OPTIONS="colour=always")

    def test_programs(self):
        self.refuses("run", "./missing", says="missing")
        (self.cwd / "text").write_text("hello")
        self.refuses("run", "./text", says="text")

    def test_schedules(self):
        self.refuses("replay", says="no schedule")
        self.refuses("replay", "missing.lockstep", says="missing.lockstep cannot be opened")
        self.refuses("replay", ".", says="directory")
        for content in (b"", b"{", b"\0\xff" * 100, b"[" * 100000, b'{"lockstep-schedule": 99}', b'{"lockstep-schedule": 1}'):
            (self.cwd / "bad.lockstep").write_bytes(content)
            self.refuses("replay", "bad.lockstep", says="bad.lockstep")

    def test_toml(self):
        (self.cwd / "lockstep.toml").write_text("sed = 1\n")
        self.refuses("run", "/bin/true", says="did you mean 'seed'")


class Information(CommandLine):
    def test_help_version_list(self):
        for words in (["--help"], ["--version"], ["run", "--help"], ["replay", "--help"], ["list", "--help"],
                      ["list", "strategies"], ["list", "analyses"]):
            done = self.lockstep(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            self.assertNotEqual(done.stdout, "")
        names = [entry["name"] for entry in json.loads(self.lockstep("list", "strategies", "--json").stdout)]
        self.assertIn("auto", names)


class WholeRuns(CommandLine):
    def setUp(self):
        super().setUp()
        if not FAKE:
            self.skipTest("needs the built-in programs")

    def test_deadlock_is_found_saved_and_replayed(self):
        done = self.lockstep("run", "--json", "-", self.program("a/abba"))
        self.assertEqual(done.returncode, 1, done)
        result = json.loads(done.stdout)
        self.assertEqual(result["verdict"], "bug")
        self.assertEqual(result["bugs"][0]["kind"], "deadlock")
        self.assertEqual(result["bugs"][0]["schedule"], "lockstep-out/abba/bug-1.lockstep")
        self.assertIn("DEADLOCK", done.stderr)
        self.assertIn("preempted", done.stderr)
        self.assertIn("hello from abba", done.stderr)
        self.assertIn("lockstep replay lockstep-out/abba/bug-1.lockstep", done.stderr)
        for times in (1, 3):
            again = self.lockstep("replay", "lockstep-out/abba/bug-1.lockstep", "--times", times, "--json", "r.json")
            self.assertEqual(again.returncode, 1, again)
            self.assertRegex(again.stdout, r"(?s)DEADLOCK  .*reproduced")
            replayed = json.loads((self.cwd / "r.json").read_text())
            self.assertEqual((replayed["verdict"], replayed["executions"]), ("bug", times))
            self.assertEqual(replayed["bugs"][0]["fingerprint"], result["bugs"][0]["fingerprint"])
        self.assertIn("Failed in 3 of 3 replays", again.stdout)

    def test_mended_program_does_not_reproduce(self):
        self.lockstep("run", "--quiet", self.program("abba"))
        self.program("fine-after-edit")
        (self.cwd / "fine-after-edit").write_text("#!/bin/sh\n# mended\n")
        done = self.lockstep("replay", "lockstep-out/abba/bug-1.lockstep", "--json", "-", "--", "./fine-after-edit")
        self.assertEqual(done.returncode, 0, done)
        result = json.loads(done.stdout)
        self.assertEqual(result["verdict"], "pass")
        self.assertTrue(any("did not reproduce: operation" in w and "has changed" in w for w in result["warnings"]), result)

    def test_damaged_schedule(self):
        self.lockstep("run", "--quiet", self.program("abba"))
        path = self.cwd / "lockstep-out/abba/bug-1.lockstep"
        text = path.read_text()
        path.write_text(text.replace('"deadlock"', '"livelock"', 1))
        self.refuses("replay", path, says="checksum")
        path.write_text(text[: len(text) // 2])
        self.refuses("replay", path, says="truncated")

    def test_assertion(self):
        done = self.lockstep("run", "--strategy", "icb", "--out", "o", self.program("lost"))
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("ASSERTION", done.stdout)
        self.assertIn("Bug found; needs 1 preemption (no bug with at most 0).", done.stdout)
        self.assertTrue((self.cwd / "o/bug-1.lockstep").exists())

    def test_pass(self):
        done = self.lockstep("run", "--strategy", "dfs", self.program("fine"))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertIn("PASS", done.stdout)
        self.assertIn("every execution", done.stdout)
        self.assertEqual([p.name for p in self.cwd.iterdir()], ["fine"], "nothing may be left behind")
        self.assertEqual(self.lockstep("run", "--quiet", "--strategy", "dfs", "./fine").stdout, "")

    def test_incomplete(self):
        done = self.lockstep("run", "--strategy", "dfs", "--executions", "1", "--require-complete", self.program("fine"))
        self.assertEqual(done.returncode, 3, done)
        self.assertIn("INCOMPLETE", done.stdout)
        self.assertEqual(self.lockstep("run", "--strategy", "dfs", "--executions", "1", "./fine").returncode, 0)

    def test_uncontrollable(self):
        self.refuses("run", self.program("alien"), says="cannot be controlled", code=4)

    def test_unwritable_places(self):
        self.program("abba")
        self.refuses("run", "--out", "/proc/lockstep", "./abba", says="cannot write to /proc/lockstep")
        self.refuses("run", "--out", "abba/below-a-file", "./abba", says="cannot write")
        self.refuses("run", "--json", "missing/r.json", "./abba", says="cannot write to missing/r.json")

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        done = self.lockstep("run", "--json", "/dev/full", self.program("abba"))
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("DEADLOCK", done.stdout)
        self.assertIn("No space left", done.stderr)

    def test_output_that_cannot_be_written_is_told(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        commands = [(["list", "strategies"], 2), (["run", self.program("fine")], 2), (["run", self.program("abba")], 1)]
        for words, code in commands:
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([LOCKSTEP, *words], stdout=full, stderr=subprocess.PIPE, text=True,
                                      cwd=self.cwd, env=self.environment())
            self.assertEqual(done.returncode, code, done)
            self.assertIn("lockstep: cannot write to standard output\n", done.stderr)
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([LOCKSTEP, "run", self.program("fine")], stdout=writer, stderr=subprocess.PIPE, text=True,
                              cwd=self.cwd, env=self.environment())
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (0, ""), "a reader that has gone is no error")

    def test_shrinking_keeps_the_bug_and_its_number(self):
        found = {}
        for words in ([], ["--no-shrink"]):
            done = self.lockstep("run", "--strategy", "random", "--seed", "3", "--json", "-", *words, self.program("abba"))
            self.assertEqual(done.returncode, 1, done)
            found[bool(words)] = json.loads(done.stdout)["bugs"][0]
        for key in ("kind", "fingerprint", "execution"):
            self.assertEqual(found[False][key], found[True][key])
        self.assertLessEqual(found[False]["preemptions"], found[True]["preemptions"])
        self.assertEqual(found[False]["preemptions"], 1)

    def test_shrink_writes_another_schedule(self):
        self.lockstep("run", "--strategy", "random", "--seed", "1", "--no-shrink", self.program("lost"))
        recorded = "lockstep-out/lost/bug-1.lockstep"
        before = (self.cwd / recorded).read_text()
        done = self.lockstep("shrink", recorded)
        self.assertEqual(done.returncode, 0, done)
        self.assertIn("Shrunk from 2 preemptions", done.stdout)
        self.assertIn("to 1 preemption,", done.stdout)
        self.assertEqual((self.cwd / recorded).read_text(), before)
        shrunk = "lockstep-out/lost/bug-1-shrunk.lockstep"
        self.assertEqual(self.lockstep("replay", shrunk).returncode, 1)
        again = self.lockstep("shrink", shrunk, "-o", "simple.lockstep")
        self.assertEqual(again.returncode, 0)
        self.assertIn("No simpler schedule found: 1 preemption,", again.stdout)
        self.assertEqual(self.lockstep("replay", "simple.lockstep").returncode, 1)

    def test_a_stored_failure_is_tried_first(self):
        words = ("run", "--json", "-", "--strategy", "random", "--seed", "3", self.program("abba"))
        first, like_the_first = (json.loads(self.lockstep(*words).stdout) for _ in range(2))
        self.assertEqual(first["executions"], like_the_first["executions"])
        second = json.loads(self.lockstep(*words[:1], "--stored", "replay", *words[1:]).stdout)
        self.assertGreater(first["executions"], 0)
        self.assertNotIn("stored", first["bugs"][0])
        self.assertEqual((second["executions"], second["bugs"][0]["stored"]), (0, True))
        for key in ("kind", "fingerprint", "execution", "schedule", "preemptions"):
            self.assertEqual(first["bugs"][0][key], second["bugs"][0][key])
        ignoring = json.loads(self.lockstep(*words[:1], "--stored", "ignore", *words[1:]).stdout)
        self.assertEqual(ignoring["executions"], first["executions"])

    def test_ranks_and_what_they_look_at(self):
        """An option that matches nothing, or that the strategy does not use, gives a warning."""
        for words, says in (
            (("--strategy", "best-first", "--rank", "method", "--focus-function", "no_such*"),
             "no function seen by the search matches 'no_such*'"),
            (("--strategy", "best-first", "--rank", "pb,var", "--focus-variable", "nothing"),
             "no variable seen by the search matches 'nothing'"),
            (("--strategy", "best-first", "--rank", "method"), "rank 'method' has no effect without --focus-function"),
            (("--strategy", "best-first", "--focus-variable", "x"), "--focus-variable has no effect"),
            (("--strategy", "icb", "--focus-function", "main"), "--focus-function has no effect"),
            (("--strategy", "icb", "--rank", "rand"), "--rank has no effect"),
        ):
            done = self.lockstep("run", *words, "--json", "result.json", self.program("fine"))
            self.assertEqual(done.returncode, 0, done)
            warnings = json.loads((self.cwd / "result.json").read_text())["warnings"]
            self.assertEqual(len(warnings), 1, warnings)
            self.assertIn(says, warnings[0])
        done = self.lockstep("run", "--strategy", "best-first", "--quiet", self.program("fine"))
        self.assertEqual(done.stderr, "")

    def test_ranks(self):
        for rank in ("mdpor,pb", "ss,mdpor", "rand", "var,method,fresh"):
            done = self.lockstep("run", "--strategy", "best-first", "--rank", rank, "--keep-going", "--json", "-",
                                 "--focus-variable", "*", "--focus-function", "f*", self.program("abba"))
            self.assertEqual(json.loads(done.stdout)["executions"], 6, done)

    def test_keep_going(self):
        done = self.lockstep("run", "--keep-going", "--json", "-", self.program("abba"))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(json.loads(done.stdout)["bugs"]), 1)

    def test_interrupt(self):
        for program, code in (("fine", 130), ("abba", 1)):
            words = ["run", "--keep-going", "--strategy", "random", "--executions", "1000000000", "--json", "r.json"]
            run = subprocess.Popen([LOCKSTEP, *words, self.program(program)], cwd=self.cwd, env=self.environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            sign = self.cwd / "lockstep-out" / program / ("bug-1.lockstep" if code == 1 else "exploration.state")
            while run.poll() is None and not sign.exists():  # it is exploring, or has found its bug
                time.sleep(0.01)
            run.send_signal(signal.SIGINT)
            output, _ = run.communicate(timeout=30)
            self.assertEqual(run.returncode, code, output)
            self.assertFalse(json.loads((self.cwd / "r.json").read_text())["complete"])

    def test_colour_only_on_request(self):
        self.program("abba")
        self.assertNotIn("\033", self.lockstep("run", "./abba").stdout)
        self.assertIn("\033", self.lockstep("run", "--color", "always", "./abba").stdout)
        self.assertIn("\033", self.lockstep("run", "./abba", CLICOLOR_FORCE="1").stdout)
        self.assertNotIn("\033", self.lockstep("run", "./abba", CLICOLOR_FORCE="1", NO_COLOR="1").stdout)


if __name__ == "__main__":
    LOCKSTEP = os.path.abspath(sys.argv[1])
    FAKE = "--fake" in sys.argv[2:]
    unittest.main(argv=sys.argv[:1])
