#!/usr/bin/env python3
"""Spin loops, in instrumented code and in plain binaries: check.py LOCKSTEP FOLDER PLAIN INSTRUMENTED...

Instrumented: all exhaustive strategies agree on the traces, finish, and say nothing else. Plain: the loops are found and
taken to yield, at once and with a word of it.
"""
import json
import os
import resource
import subprocess
import sys

lockstep, folder, plain, *instrumented = (os.path.abspath(a) for a in sys.argv[1:])
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
wrong = []

BUGS = {"dekker_broken": "assertion", "tried_abba_stuck": "livelock", "lost_stuck": "livelock"}
# Without instrumentation the atomics are no scheduling points: what needs a switch between them is not found.
PLAIN_BUGS = {"tried_abba_stuck": "livelock"}
NATIVE_LOOPS = ("flag", "chain", "ping_pong")


def run(program, name, *options):
    command = [lockstep, "run", "--json", "result.json", "--workers", "1", "--time", "90s", *options, program, name]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    with open("result.json") as file:
        return done, json.load(file)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def expect(name, what, done, result, bug, exit_code):
    kinds = [b["kind"] for b in result["bugs"]]
    if done.returncode != exit_code or kinds != ([bug] if bug else []):
        wrong.append(f"{name} {what}: exit {done.returncode}, {kinds} instead of {bug}\n{done.stdout}{done.stderr}")


names = subprocess.run([plain], capture_output=True, text=True, timeout=30).stdout.split()
for program in instrumented:
    for name in names:
        bug, seen = BUGS.get(name), {}
        for strategy in ("dfs", "source-dpor", "optimal-dpor"):
            what = f"{os.path.basename(program)} {strategy}"
            done, result = run(program, name, "--strategy", strategy, "--races", "ignore", "--keep-going", "--executions", "20000")
            expect(name, what, done, result, bug, 1 if bug else 0)
            if name == "tried_abba_stuck":
                continue  # how long threads go on before they are seen to be stuck is no trace of its own
            if not result["complete"]:
                wrong.append(f"{name} {what}: not complete\n{done.stdout}{done.stderr}")
            if result["warnings"]:
                wrong.append(f"{name} {what}: {result['warnings']}")
            seen[strategy] = result["traces"]
        if len(set(seen.values())) > 1:
            wrong.append(f"{name} {program}: traces {seen}")

for name in names:
    bug = PLAIN_BUGS.get(name)
    before = processor_seconds()
    done, result = run(plain, name, "--preemptions", "1", "--executions", "200")
    seconds = processor_seconds() - before
    if name == "lost_stuck":
        continue  # depends on where switches can be, which differs between C libraries
    expect(name, "plain", done, result, bug, 1 if bug else 0)
    if seconds > 10:  # a loop that is only given up takes longer, whatever else the machine does
        wrong.append(f"{name} plain: took {seconds:.0f} s of processor time")
    if name in NATIVE_LOOPS and not ("loops in code that is not instrumented" in result["guarantee"] and "programs.cpp" in result["guarantee"]):
        wrong.append(f"{name} plain: the loop is not named: {result['guarantee']}")
print("\n".join(wrong) if wrong else f"{len(names)} programs behave")
sys.exit(bool(wrong))
