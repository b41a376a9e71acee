#!/usr/bin/env python3
"""`lockstep debug` stops at every kind of bug, moves along its steps, and serves front ends.

usage: check.py LOCKSTEP PROGRAMS WORK
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

LOCKSTEP, PROGRAMS, WORK = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
# Tests whose failed check does not end them, by framework; those that are installed.
FRAMEWORKS = {name: pathlib.Path(PROGRAMS).with_name(name) for name in ("google", "catch2", "doctest", "boost")}
CHECKS = {"google": "EXPECT_EQ(count.load(), 2)", "catch2": "CHECK(count.load() == 2)", "doctest": "CHECK(count.load() == 2)",
          "boost": "BOOST_CHECK_EQUAL(count.load(), 2)"}

# What the line at which it stops contains.
LINES = {
    "assertion": "assert(n == 2)",
    "require": "lockstep::require(n == 2",
    "abort": "std::abort()",
    "exception": "throw std::runtime_error",
    "crash": "volatile int*",
    "exit-code": "std::exit(3)",
    "deadlock": "hold_b(b)",
    "data-race": "plain = 2",
    "use-after-free": "*shared = 2",
    "double-free": "delete mine",
    "lock-misuse": "first.unlock()",
    "livelock": "while (turns.load() == 0)",
    "leak": "std::malloc(100)",
    "lock-order": "hold_b(b)",
}
# Options with which it is a bug at all.
OPTIONS = {"leak": ["--leaks"], "lock-order": ["--error", "lock-order"]}


def run(*words, **more):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LOCKSTEP")}
    environment.update({"LC_ALL": "C.UTF-8", "COLUMNS": "120", "HOME": str(WORK)})
    return subprocess.run([LOCKSTEP, *words], cwd=WORK, env=environment, capture_output=True, text=True, timeout=100,
                          stdin=subprocess.DEVNULL, **more)


def record(kind):
    """Its schedule, found once."""
    schedule = WORK / kind / "bug-1.lockstep"
    if not schedule.exists():
        program = [str(FRAMEWORKS[kind])] if kind in FRAMEWORKS else [PROGRAMS, kind]
        found = run("run", "--quiet", "--tests", "whole", "--out", kind, *OPTIONS.get(kind, []), *program)
        assert found.returncode == 1, found
    return str(schedule)


def debug(kind, *commands, options=()):
    """What gdb prints for each of the commands; the first is what it prints by itself, the last are its errors."""
    words = [f"--command={word}" for command in commands for word in ("echo @@\\n", command)]
    done = run("debug", record(kind), *options, *words)
    return [part.strip() for part in done.stdout.split("@@")] + [done.stderr]


class EveryKind(unittest.TestCase):
    def check_kind(self, kind, line):
        start, trace, threads, back, after, trace_after, threads_after, errors = debug(
            kind, "bt", "info threads", "lockstep back", "lockstep next", "bt", "info threads")
        self.assertIn("lockstep: ", start)
        self.assertIn(line, start.splitlines()[-1], start)
        self.assertRegex(trace, r"(programs|google|catch2|doctest|boost)\.cpp:\d+")
        self.assertNotIn("liblockstep-rt", trace)
        self.assertRegex(threads, r"(?m)^\* *\d+ +\S+")
        self.assertRegex(back, r"lockstep: step \d+, ")
        self.assertIn(line, after.splitlines()[-1], after)
        self.assertEqual(trace, trace_after)
        self.assertEqual(threads, threads_after)
        self.assertNotIn("Python Exception", errors)

    def test_a_failed_check_of_a_test(self):
        for framework, program in FRAMEWORKS.items():
            if framework != "google" and not program.exists():
                continue
            with self.subTest(framework):
                self.check_kind(framework, CHECKS[framework])


for name, text in LINES.items():
    setattr(EveryKind, "test_" + name.replace("-", "_"),
            lambda self, kind=name, line=text: self.check_kind(kind, line))


class Moving(unittest.TestCase):
    def test_the_other_access_of_a_race(self):
        start, first, second, _ = debug("data-race", "lockstep other", "lockstep other")
        self.assertIn("'lockstep other' shows the first", start)
        self.assertIn("plain = 1", first)
        self.assertIn("plain = 2", second)

    def test_what_freed_the_memory(self):
        self.assertIn("delete shared", debug("use-after-free", "lockstep other")[1])

    def test_a_failure_with_one_place_has_no_other(self):
        self.assertIn("this failure has only one place", debug("assertion", "lockstep other")[-1])

    def test_threads_say_what_they_wait_for(self):
        threads = debug("deadlock", "info threads")[1]
        self.assertRegex(threads, r"main .* waits: join thread 1")
        self.assertRegex(threads, r"thread 1 .* waits: lock second … thread 2 holds it")
        self.assertRegex(threads, r"thread 2 .* waits: lock first … thread 1 holds it")

    def test_threads_in_the_middle(self):
        """While thread 2 is about to take the second lock, nobody waits but main."""
        threads = debug("deadlock", "lockstep goto 2", "info threads")[2]
        self.assertRegex(threads, r"thread 1 .* next: lock second")
        self.assertRegex(threads, r"\* .*thread 2 .* step 2: lock second")
        self.assertRegex(threads, r"main .* waits: join thread 1")

    def test_every_step_can_be_reached_both_ways(self):
        story = debug("assertion", "lockstep story")[1]
        last = max(int(number) for number in re.findall(r"(?m)^ *(\d+) [! ] ", story))
        there = debug("assertion", *[f"lockstep goto {i}" for i in range(1, last + 1)])[1:-1]
        back = debug("assertion", *["lockstep back"] * last)[1:-1]
        self.assertEqual([step_of(text) for text in there], list(range(1, last + 1)))
        self.assertEqual([step_of(text) for text in back], list(range(last, 0, -1)))
        self.assertEqual([places(text) for text in there], [places(text) for text in reversed(back)])

    def test_the_next_conflict_is_on_the_same_object_in_another_thread(self):
        story = debug("assertion", "lockstep story")[1]
        load = int(re.search(r"(?m)^ *(\d+) .*load turns", story).group(1))
        at, conflict = debug("assertion", f"lockstep goto {load}", "lockstep next-conflict")[1:3]
        self.assertRegex(conflict, r"step \d+, .*: store turns")
        self.assertNotEqual(thread_of(at), thread_of(conflict))

    def test_the_next_switch(self):
        switched = debug("assertion", "lockstep goto 1", "lockstep switch")[2]
        self.assertNotEqual(thread_of(switched), "main")

    def test_wrong_steps(self):
        for command, message in (("lockstep goto 99", "no step 99"), ("lockstep goto x", "a number is needed"),
                                 ("lockstep back 99", "steps before this one"), ("lockstep next", "the last step")):
            self.assertIn(message, debug("assertion", command)[-1])


class Stepping(unittest.TestCase):
    """gdb's own commands stay in the thread and in the user's code."""

    def load(self):
        story = debug("assertion", "lockstep story")[1]
        return int(re.search(r"(?m)^ *(\d+) .*load turns", story).group(1))

    def test_next_goes_to_the_next_line(self):
        at, line, threads = debug("assertion", f"lockstep goto {self.load()}", "next", "info threads")[1:4]
        self.assertIn("turns.load()", at)
        self.assertIn("turns.store(seen + 1)", line)
        self.assertIn(thread_of(at), re.search(r"(?m)^\*.*", threads).group(0))

    def test_step_does_not_enter_the_library(self):
        line, value = debug("assertion", f"lockstep goto {self.load()}", "step", "print seen")[2:4]
        self.assertIn("turns.store(seen + 1)", line)
        self.assertEqual(value, "$1 = 0")

    def test_finish_and_until(self):
        at, finished, threads = debug("assertion", f"lockstep goto {self.load()}", "finish", "info threads")[1:4]
        self.assertIn("std::thread::_State_impl", finished)  # who called increment()
        self.assertIn(thread_of(at), re.search(r"(?m)^\*.*", threads).group(0))
        line = debug("assertion", f"lockstep goto {self.load()}", "until")[2]
        self.assertIn("turns.store(seen + 1)", line)

    def test_next_from_the_end_of_a_line(self):
        second, end = debug("deadlock", "lockstep goto 2", "next", "next")[2:4]
        self.assertIn("lock_guard hold_b", second)
        self.assertIn("lockstep: deadlock", end)  # the line is never done
        first, second = debug("data-race", "thread 1", "next", "next")[2:4]
        self.assertIn("one.join()", first)
        self.assertIn("two.join()", second)

    def test_next_at_the_end(self):
        self.assertIn("the execution ends here", debug("assertion", "next")[-1])

    def test_breakpoints_of_the_user(self):
        stopped = debug("assertion", "break increment", "run", "continue", "bt 1")[2:]
        self.assertIn("increment", stopped[0])
        self.assertIn("increment", stopped[1])


def step_of(text):
    found = re.search(r"lockstep: step (\d+),", text)
    return int(found.group(1)) if found else None


def thread_of(text):
    return re.search(r"lockstep: step \d+, ([^:]+):", text).group(1)


def places(text):
    return re.findall(r"programs\.cpp:\d+", text)


class FrontEnd(unittest.TestCase):
    """As VS Code and Emacs do: gdb's machine interface, in which the client starts the program."""

    def setUp(self):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LOCKSTEP")}
        self.gdb = subprocess.Popen([LOCKSTEP + "-gdb", "--interpreter=mi", "-nx", record("data-race")], cwd=WORK,
                                    env={**environment, "LC_ALL": "C.UTF-8", "HOME": str(WORK)}, text=True,
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(self.end)
        self.until("(gdb)")

    def end(self):
        self.gdb.stdin.close()
        self.gdb.wait(60)
        self.gdb.stdout.close()

    def until(self, begin):
        lines = []
        for line in self.gdb.stdout:
            lines.append(line.rstrip())
            if lines[-1].startswith(begin):
                return lines
        self.fail("gdb ended: " + "\n".join(lines))

    def send(self, command, answer="1^"):
        self.gdb.stdin.write("1" + command + "\n")
        self.gdb.stdin.flush()
        return self.until(answer)[-1]

    def test_a_client(self):
        self.assertIn("done", self.send("-file-exec-and-symbols " + PROGRAMS))
        self.assertIn("done", self.send("-exec-arguments data-race"))
        self.assertIn("running", self.send("-exec-run"))
        stopped = self.until("*stopped")[-1]
        self.assertIn('line="', stopped)
        self.assertIn("programs.cpp", stopped)
        frames = self.send("-stack-list-frames")
        self.assertIn("programs.cpp", frames)
        self.assertNotIn("liblockstep-rt", frames)
        threads = self.send("-thread-info")
        self.assertRegex(threads, r'name="thread 2 \(step 2: [^"]* write plain\)"')
        self.assertIn('name="main (next: join thread 1)"', threads)
        self.assertIn("running", self.send('-interpreter-exec console "lockstep other"'))
        self.assertIn("plain", "\n".join(self.until("*stopped")))
        self.assertIn("running", self.send("-exec-next"))
        self.assertIn("end-stepping-range", self.until("*stopped")[-1])


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    for old in WORK.glob("*/bug-*.lockstep"):
        old.unlink()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
