#!/usr/bin/env python3
"""Executions that do not repeat are tried again, counted as not covered, and blamed on something: check.py LOCKSTEP PROGRAM FOLDER"""
import json
import os
import re
import subprocess
import sys

lockstep, program, folder = (os.path.abspath(a) for a in sys.argv[1:4])
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
wrong = []


def run(name, *options):
    command = [lockstep, "run", "--json", "result.json", "--workers", "1", "--executions", "2000", *options, program, name]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    with open("result.json") as file:
        return done, json.load(file)


def check(name, options, blamed):
    """blamed: what the warning has to say; None: nothing is lost."""
    done, result = run(name, *options)
    said = [w for w in result["warnings"] if "the program depends on" in w]
    if done.returncode != 0:
        wrong.append(f"{name} {options}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    elif blamed is None and (said or not result["complete"]):
        wrong.append(f"{name} {options}: {said}, complete {result['complete']}")
    elif blamed is not None and (result["complete"] or result["guarantee"].startswith("every") or not any(blamed in w for w in said)):
        wrong.append(f"{name} {options}: complete {result['complete']}, '{result['guarantee']}', {result['warnings']}")


for strategy in ("dfs", "optimal-dpor"):
    if os.path.exists("runs"):
        os.remove("runs")
    check("counts_its_runs", ["--strategy", strategy], "files that change")
    done, result = run("reads_the_cycle_counter", "--strategy", strategy)  # chance: whatever comes of it, it ends
    if done.returncode != 0 or result["bugs"]:
        wrong.append(f"reads_the_cycle_counter {strategy}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    check("reads_processor_time", ["--strategy", strategy], None)
    check("initialises_late", ["--strategy", strategy, "--isolation", "reset"], None)
    check("initialises_late", ["--strategy", strategy, "--isolation", "loop", "--prime", "1"], None)
check("initialises_late", ["--strategy", "optimal-dpor", "--isolation", "loop"], "left in memory")

# A replay names the call that returns something else than when it was recorded.
for path in ("settings", "out/bug-1.lockstep"):
    if os.path.exists(path):
        os.remove(path)
done, result = run("needs_a_file", "--strategy", "icb", "--stored", "ignore", "--out", "out")
if [bug["kind"] for bug in result["bugs"]] != ["assertion"] or "fails: ENOENT" not in done.stdout:
    wrong.append(f"needs_a_file: {result['bugs']}\n{done.stdout}{done.stderr}")
replay = [lockstep, "replay", "out/bug-1.lockstep"]
again = subprocess.run(replay, capture_output=True, text=True, timeout=100)
if again.returncode != 1 or "differs" in again.stderr:
    wrong.append(f"needs_a_file again: exit {again.returncode}\n{again.stdout}{again.stderr}")
open("settings", "w").close()
other = subprocess.run(replay, capture_output=True, text=True, timeout=100)
if other.returncode != 0 or not re.search(r'differs: recorded "thread 1 .*, fails: ENOENT", now "thread 1 .*, succeeds"', other.stderr):
    wrong.append(f"needs_a_file with the file: exit {other.returncode}\n{other.stdout}{other.stderr}")
print("\n".join(wrong) if wrong else "all of it is said")
sys.exit(bool(wrong))
