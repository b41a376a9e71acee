#!/usr/bin/env python3
"""Executions that do not repeat are tried again, counted as not covered, and blamed on something: check.py LOCKSTEP PROGRAM FOLDER"""
import json
import os
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
print("\n".join(wrong) if wrong else "all of it is said")
sys.exit(bool(wrong))
