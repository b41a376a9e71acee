#!/usr/bin/env python3
"""What matters in a long failure has its place, wherever it lies: check.py LOCKSTEP PROGRAM FOLDER"""
import os
import re
import subprocess
import sys

lockstep, program, folder = (os.path.abspath(a) for a in sys.argv[1:4])
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs.cpp")) as file:
    lines = file.read().split("\n")


def line(words):
    return next(i for i, text in enumerate(lines, 1) if words in text)


cases = {
    "deadlock": [
        rf"holds first, taken at programs\.cpp:{line('first is taken here')}\b",
        rf"holds second, taken at programs\.cpp:{line('second is taken here')}\b",
        rf"lock second at programs\.cpp:{line('waits here')}\b",
        r"… [\d,]+ more steps",
    ],
    "old_value": [rf"load counter → \d+ +programs\.cpp:{line('read here')}\b", r"… [\d,]+ more steps"],
}
wrong = []
for name, expected in cases.items():
    command = [lockstep, "run", "--stored", "ignore", "--color", "never", "--workers", "1", "--executions", "1", "--strategy", "icb", program, name]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    missing = [pattern for pattern in expected if not re.search(pattern, done.stdout)]
    if done.returncode != 1 or missing:
        wrong.append(f"{name}: exit {done.returncode}, not found: {missing}\n{done.stdout}{done.stderr}")
print("\n".join(wrong) if wrong else f"{len(cases)} failures are told")
sys.exit(bool(wrong))
