#!/usr/bin/env python3
"""Counts the names in stories that are as in the source.

usage: check.py LOCKSTEP LOCKSTEP_CXX WORK [--only COMPILER:LEVEL] [PROGRAM...]

Builds programs.cpp with every compiler at every level and reads the story of each case: the names it must have stand in a
comment behind the case. Of each PROGRAM (an example, a bug program) every object in the story counts that is not told by
number or address.
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
WANTED = {"-O0": 0.95, "-O1": 0.95, "-O2": 0.80}
VERBS = ("load|store|update|cas|lock|try-lock|unlock|relock|notify_all|notify_one|read-lock|write-lock|try-read-lock|"
         "try-write-lock|read-unlock|write-unlock|acquire|try-acquire|release|arrive at|leave|wait on|notify|read|write|"
         "starts waiting on|returns from waiting on|destroy")
ROW = re.compile(r"^ *\d+ [ !] +(?:.*? )??(?:✗ )?(?:%s) (.+?)(?:   |$)" % VERBS)
NUMBERED = re.compile(r"^(mutex|condvar|atomic|variable|semaphore|lock|barrier|once|futex|object)[a-z ]* \d+$|heap |a local of |0x")


def cases():
    text = (HERE / "programs.cpp").read_text()
    return {m[1]: set(m[2].split()) for m in re.finditer(r"^void (\w+)\(.*// names: (.*)$", text, re.M)}


def story(lockstep, command, work):
    env = dict(os.environ, COLUMNS="240", LC_ALL="C.UTF-8")
    return subprocess.run([lockstep, "run", "--workers", "1", "--time", "20s", "--out", str(work / "out"), "--", *command],
                          env=env, capture_output=True, text=True, timeout=120).stdout


def objects(text):
    """What the rows of a story are about."""
    found = set()
    for line in text.splitlines():
        row = ROW.match(line)
        if not row:
            continue
        name = re.split(r" → | expected |, | …|: held| \(| \S+ → |  ×", row[1])[0].strip()
        name = re.sub(r" (-?\d+|true|false|nullptr|0x\w+|&\S+)$", "", name)  # the value before
        found.add(name)
    return found


def check_cases(lockstep, cxx, work, compiler, level):
    program = work / f"programs-{compiler}{level}"
    env = dict(os.environ, LOCKSTEP_CXX=compiler)
    subprocess.run([cxx, "-std=c++20", level, "-g", "-w", "-pthread", str(HERE / "programs.cpp"), "-o", str(program)], env=env,
                   check=True)
    good = total = 0
    wrong = collections.defaultdict(list)
    for case, names in cases().items():
        text = story(lockstep, [str(program), case], work)
        seen = objects(text)
        total += len(names)
        good += len(names & seen)
        for name in names - seen:
            wrong[case].append(f"{name} (seen: {', '.join(sorted(seen)) or 'nothing'})")
    return good, total, wrong


def check_programs(lockstep, programs, work):
    good = total = 0
    wrong = {}
    for program in programs:
        seen = objects(story(lockstep, [program], work))
        bad = {name for name in seen if NUMBERED.search(name)}
        good += len(seen) - len(bad)
        total += len(seen)
        if bad:
            wrong[program] = sorted(bad)
    return good, total, wrong


def report(title, result, wanted):
    good, total, wrong = result
    print(f"{title}: {good} of {total} names as in the source ({100 * good / max(total, 1):.1f} %)")
    for where, names in wrong.items():
        print(f"  {where}: {'; '.join(names)}")
    return good >= wanted * total and total > 0


def main():
    arguments = sys.argv[1:]
    only = None
    if "--only" in arguments:
        at = arguments.index("--only")
        only = arguments[at + 1]
        del arguments[at:at + 2]
    lockstep, cxx, work, *programs = arguments
    work = pathlib.Path(work)
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    fine = True
    for compiler in ("g++", "clang++"):
        for level, wanted in WANTED.items():
            if not shutil.which(compiler) or (only and only != f"{compiler}:{level}"):
                continue
            fine &= report(f"{compiler} {level}", check_cases(lockstep, cxx, work, compiler, level), wanted)
    if programs:
        fine &= report("programs", check_programs(lockstep, programs, work), 0.95)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
