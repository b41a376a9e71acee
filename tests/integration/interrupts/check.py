#!/usr/bin/env python3
"""Threads that cancel others or send them signals: reductions show what a depth-first search shows.

usage: check.py LOCKSTEP PROGRAM
"""
import itertools
import json
import os
import subprocess
import sys
import tempfile

lockstep, program = (os.path.abspath(a) for a in sys.argv[1:3])


def explore(strategy, row, *extra):
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([lockstep, "run", "--strategy", strategy, *extra, "--workers", "1", "--keep-going", "--no-shrink", "--races",
                               "ignore", "--quiet", "--json", f"{out}/result.json", "--out", f"{out}/out", program, *row],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        if not os.path.exists(f"{out}/result.json"):
            sys.exit(f"{strategy} {row}: exit {done.returncode}\n{done.stderr}")
        with open(f"{out}/result.json", encoding="utf-8") as file:
            result = json.load(file)
    return result["traces"], sorted(bug["kind"] for bug in result["bugs"]), result["complete"]


wrong, traces = [], 0
for row in itertools.product(["cancel", "kill"], ["sem", "timed-sem", "cond", "timed-cond", "pipe"], ["nobody", "post", "before"]):
    all_of_them = explore("dfs", row)
    traces += all_of_them[0]
    for strategy in ["optimal-dpor", "source-dpor", "dpor", "chess"]:
        found = explore(strategy, row, *(["--preemptions", "none"] if strategy == "chess" else []))
        # A signal handler may also run between plain accesses, which is not explored: nothing is complete then.
        if found != all_of_them or found[2] != (row[0] == "cancel"):
            wrong.append(f"{strategy} {' '.join(row)}: {found} instead of {all_of_them}")
    # A bound leaves something out of most: so what is compared is not all the same.
    found = explore("icb", row, "--preemptions", "0")
    traces -= found[0]
print("\n".join(wrong) if wrong else "all alike")
sys.exit(bool(wrong) or traces <= 20)
