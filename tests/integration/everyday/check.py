#!/usr/bin/env python3
"""Correct programs must pass, quickly and without a word: check.py LOCKSTEP PROGRAM FOLDER [OPTION...]"""
import json
import os
import subprocess
import sys

lockstep, program, folder = (os.path.abspath(a) for a in sys.argv[1:4])
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
names = subprocess.run([program], capture_output=True, text=True, timeout=30).stdout.split()
if len(names) < 60:
    sys.exit(f"only {len(names)} programs")
wrong = []
for name in names:
    command = [lockstep, "run", "--json", "result.json", "--strategy", "icb", "--preemptions", "2", "--executions", "150", *sys.argv[4:], program, name]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        wrong.append(f"{name}: hangs")
        continue
    with open("result.json") as file:
        result = json.load(file)
    # True of correct programs, too: that weaker orders were used than were explored, and what values may depend on.
    known = ("a processor with store buffers", "reads random values", "had changed since the exploration began")
    unexpected = [w for w in result["warnings"] if not any(k in w for k in known)]
    if done.returncode != 0 or result["verdict"] not in ("pass", "incomplete") or unexpected or result["isolation"] != "reset":
        wrong.append(f"{name}: exit {done.returncode}, {result['verdict']}, isolation {result['isolation']}, warnings {unexpected}\n{done.stdout}")
print("\n".join(wrong) if wrong else f"{len(names)} programs pass")
sys.exit(bool(wrong))
