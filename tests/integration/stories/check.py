#!/usr/bin/env python3
"""Counts the names in stories that are as in the source.

usage: check.py LOCKSTEP LOCKSTEP_CXX WORK [--only COMPILER:LEVEL] [PROGRAM...]

Builds programs.cpp, bugs.cpp and services.cpp with every compiler at every level and reads the story of each case: the names
it must have stand in a comment behind the case. Of the last two, and of each PROGRAM (an example, a bug program), every other
object in the story counts, too; it is wrong if it is told by number or address. Every bug must say why it fails, and
what is in a comment before its case.
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
BUGS = ("bugs.cpp", "services.cpp")
WANTED = {"-O0": 0.95, "-O1": 0.95, "-O2": 0.80}
VERBS = ("load|store|update|cas|lock|try-lock|unlock|relock|notify_all|notify_one|read-lock|write-lock|try-read-lock|"
         "try-write-lock|read-unlock|write-unlock|acquire|try-acquire|release|arrive at|leave|wait on|notify|read|write|"
         "free the memory of|starts waiting on|returns from waiting on|destroy|std::call_once|(?:counting_semaphore|latch|barrier)::\\w+|enter once")
ROW = re.compile(r"^ *\d+ [ !] +(?:.*? )??(?:✗ )?(?:%s) (.+?)(?:   |$)" % VERBS)
NUMBERED = re.compile(r"^(mutex|condvar|atomic|variable|semaphore|lock|barrier|once|futex|object)[a-z ]* \d+$|heap |a local of |0x")


def cases(source):
    text = (HERE / source).read_text()
    found = re.finditer(r"((?:^// Says: .*\n)*)^void (\w+)\(.*// names: (.*)$", text, re.M)
    return {m[2]: (set(m[3].split()), re.findall("// Says: (.*)", m[1])) for m in found}


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


def check_cases(lockstep, cxx, work, source, compiler, level):
    program = work / f"{source}-{compiler}{level}"
    env = dict(os.environ, LOCKSTEP_CXX=compiler)
    subprocess.run([cxx, "-std=c++20", level, "-g", "-w", "-pthread", str(HERE / source), "-o", str(program)], env=env,
                   check=True)
    good = total = 0
    wrong = collections.defaultdict(list)
    for case, (names, says) in cases(source).items():
        text = story(lockstep, [str(program), case], work)
        seen = objects(text)
        if source in BUGS:
            names = names | seen
            seen -= {name for name in seen if NUMBERED.search(name)}
            for wanted in says:
                if not re.search(wanted, text, re.M):
                    wrong[case].append(f"does not say: {wanted}")
            if not 0 < text.count("\n  replay ") == len(re.findall("^Why\n  (?:Fails|Nothing)", text, re.M)):
                wrong[case].append("does not say: why")
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
    silent = any("does not say" in name for names in wrong.values() for name in names)
    return good >= wanted * total and total > 0 and not silent


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
            for source in ("programs.cpp", *BUGS):
                result = check_cases(lockstep, cxx, work, source, compiler, level)
                fine &= report(f"{source} {compiler} {level}", result, wanted)
    if programs:
        fine &= report("programs", check_programs(lockstep, programs, work), 0.95)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
