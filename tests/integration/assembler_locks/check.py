#!/usr/bin/env python3
"""Inline assembler synchronises like the atomics it stands for: check.py LOCKSTEP FOLDER PROGRAM..."""
import json
import os
import subprocess
import sys

lockstep, folder, *built = (os.path.abspath(a) for a in sys.argv[1:])
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
wrong = []

BUGS = {"lost_update": "assertion", "one_forgets": "data-race", "races_beside": "data-race", "lost_count": "assertion", "volatile_flag": "data-race"}
# The claim names code, because an unlock or a loop is not seen; everything else is proved. Without optimisation the
# functions of std::atomic that "unsanitized" calls are instrumented.
NAMED = {"compare_exchange", "kernel", "unsanitized"}


def run(program, name, *options):
    command = [lockstep, "run", "--json", "result.json", "--stored", "ignore", *options, program, name]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    with open("result.json") as file:
        return done, json.load(file)


for program in built:
    names = subprocess.run([program], capture_output=True, text=True, timeout=30).stdout.split()
    for name in names:
        what, bug = f"{os.path.basename(program)} {name}", BUGS.get(name)
        done, result = run(program, name, "--time", "60s")
        kinds = [b["kind"] for b in result["bugs"]]
        if done.returncode != bool(bug) or (bug is not None and bug not in kinds) or (bug is None and kinds):
            wrong.append(f"{what}: exit {done.returncode}, {kinds} instead of {bug}\n{done.stdout}{done.stderr}")
        if bug:
            continue
        if result["verdict"] != "pass" or result["warnings"]:
            wrong.append(f"{what}: {result['verdict']}, warnings {result['warnings']}\n{done.stdout}{done.stderr}")
        named = "programs.cpp" in result["guarantee"]
        if (name in NAMED and (name, program[-2:]) != ("unsanitized", "O0")) != named or result["complete"] == named:
            wrong.append(f"{what}: complete {result['complete']}, {result['guarantee']}")
        # The operations are scheduling points, the same for every search.
        if name == "exchange":
            traces = {run(program, name, "--strategy", s, "--time", "60s")[1]["traces"] for s in ("dfs", "optimal-dpor")}
            if len(traces) != 1 or traces == {1}:
                wrong.append(f"{what}: traces {traces}")

print("\n".join(wrong) if wrong else f"{len(built)} builds of {len(names)} programs")
sys.exit(bool(wrong))
