#!/usr/bin/env python3
"""Programs made of test cases, and programs that read, from the command line: check.py LOCKSTEP PROGRAMS FOLDER"""
import json
import os
import subprocess
import sys

lockstep, programs, folder = (os.path.abspath(a) for a in sys.argv[1:4])
os.makedirs(folder, exist_ok=True)
os.chdir(folder)


def check(what, good):
    if not good:
        sys.exit(f"check failed: {what}")


def lockstep_run(*words, stdin=subprocess.DEVNULL, **more):
    done = subprocess.run([lockstep, "run", "--json", "result.json", *words], stdin=stdin, capture_output=True, text=True, timeout=120, **more)
    with open("result.json") as file:
        return done, json.load(file)


# GoogleTest: one exploration per test, all of them run, the worst decides.
google = f"{programs}/tests-google"
done, result = lockstep_run(google)
check("exit code of a program with failing tests", done.returncode == 1)
tests = {t["name"]: t for t in result["tests"]}
check("every enabled test is run", list(tests) == ["Locks.Ordered", "Locks.Inverted", "Counter.LosesOne", "Some/Sums.AddUp/0"])
check("a line per test", all(name in done.stdout for name in tests))
check("verdicts", [t["verdict"] for t in tests.values()] == ["pass", "bug", "bug", "pass"])
bugs = {b["test"]: b for b in result["bugs"]}
check("kinds", bugs["Locks.Inverted"]["kind"] == "deadlock" and bugs["Counter.LosesOne"]["kind"] == "assertion")
check("a failed check is told by its words", "Expected equality" in bugs["Counter.LosesOne"]["message"])
check("and its place", bugs["Counter.LosesOne"]["location"]["file"].endswith("google.cpp"))
check("executions add up", result["executions"] == sum(t["executions"] for t in tests.values()))
for test, bug in bugs.items():
    replay = subprocess.run([lockstep, "replay", bug["schedule"]], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    check(f"{test} is replayed", replay.returncode == 1 and "reproduced" in replay.stdout and not replay.stderr)
alone = tests["Locks.Ordered"]["executions"]
done, result = lockstep_run(google, "--gtest_filter=Locks.Ord*")
check("the user's filter is honoured", done.returncode == 0 and [t["name"] for t in result["tests"]] == ["Locks.Ordered"])
check("a test costs the same alone", result["executions"] == alone)
done, result = lockstep_run("--tests", "whole", google, "--gtest_filter=Locks.Ordered:Some*")
check("all in one on request", done.returncode == 0 and "tests" not in result)

def nothing_to_test(*words):
    done = subprocess.run([lockstep, "run", *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    return done.returncode == 2 and "matches the filter" in done.stderr and done.stderr.count("\n") == 1


check("a filter that matches nothing", nothing_to_test(google, "--gtest_filter=Locks.Missing"))
check("nor in one", nothing_to_test("--tests", "whole", google, "--gtest_filter=Locks.Missing"))
check("disabled tests do not count", nothing_to_test(google, "--gtest_filter=Counter.DISABLED_Never"))

# Death tests: the child is real, whichever way GoogleTest makes it.
done, result = lockstep_run(f"{programs}/tests-death")
check("death tests", [t["verdict"] for t in result["tests"]] == ["pass", "pass", "pass", "bug"])
check("one that does not die", result["bugs"][0]["kind"] == "assertion")

# Catch2: names that have to be quoted; hidden tests stay hidden unless they are named.
catch2 = f"{programs}/tests-catch2"
if os.path.exists(catch2):
    done, result = lockstep_run(catch2)
    check("Catch2 tests", [(t["name"], t["verdict"]) for t in result["tests"]] == [("adds up, always", "pass"), ("loses [one]", "bug")])
    check("Catch2's words", result["bugs"][0]["kind"] == "assertion" and "REQUIRE" in result["bugs"][0]["message"])
    done, result = lockstep_run(catch2, "[good]")
    check("Catch2 tags", done.returncode == 0 and [t["name"] for t in result["tests"]] == ["adds up, always"])
    done, result = lockstep_run(catch2, "hidden")
    check("a hidden test by its name", done.returncode == 1)
    check("a name that no test has", nothing_to_test(catch2, "missing"))
    check("nor in one", nothing_to_test("--tests", "whole", catch2, "missing"))
    check("a tag that no test has", nothing_to_test(catch2, "[missing]"))
    # Assertions in explored bodies: whether they throw or not.
    for case, words in {"fails a check": "CHECK( added(true) == 2 ) failed: 1 == 2", "fails a requirement": "REQUIRE( added",
                        "fails on purpose": "FAIL_CHECK", "throws nothing": "no exception was thrown"}.items():
        done = subprocess.run([f"{programs}/tests-catch2_bodies", case], capture_output=True, text=True, timeout=120)
        check(f"a body that {case}", done.returncode != 0 and words in done.stdout)
    done = subprocess.run([f"{programs}/tests-catch2_bodies", "passes"], capture_output=True, text=True, timeout=120)
    check("a body that passes", done.returncode == 0)

# Standard input: every execution reads it from the beginning; it is part of a recording.
reader = f"{programs}/tests-input"
with open("good.txt", "w") as file:
    file.write("abc\ndef\n")
for isolation in ("reset", "fork"):
    with open("good.txt") as file:
        done, result = lockstep_run("--isolation", isolation, reader, stdin=file)
    check(f"a file, {isolation}", done.returncode == 0 and result["executions"] > 1)
done, result = lockstep_run(reader, stdin=None, input="abc\ndef\n")
check("a pipe", done.returncode == 0 and result["executions"] > 1)
done, result = lockstep_run(reader, stdin=None, input="ab\nc\n")
check("other input fails", done.returncode == 1 and result["bugs"][0]["kind"] == "exit-code")
replay = subprocess.run([lockstep, "replay", result["bugs"][0]["schedule"]], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
check("and is replayed without it", replay.returncode == 1 and not replay.stderr)
terminal, ours = os.openpty()
done, result = lockstep_run(reader, stdin=ours)
check("a terminal is end of file, and said", done.returncode == 1 and "terminal" in done.stderr)
silent, never_written = os.pipe()
done, result = lockstep_run(reader, stdin=silent)
check("a silent pipe does not hang us", done.returncode == 1 and "open pipe" in done.stderr)
print("all checks passed")
