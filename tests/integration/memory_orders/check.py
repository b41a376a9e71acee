#!/usr/bin/env python3
"""Which operations the claim names as weaker than seq_cst, by compiler and optimisation: check.py LOCKSTEP PROGRAM FOLDER"""
import json
import os
import shutil
import subprocess
import sys

lockstep, program, folder = (os.path.abspath(a) for a in sys.argv[1:4])
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs.cpp")
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)


def claim_of(binary, case):
    command = [lockstep, "run", "--json", "result.json", "--quiet", "--stored", "ignore", "--strategy", "optimal-dpor",
               "--executions", "200", binary, case]
    subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    with open("result.json", encoding="utf-8") as file:
        return json.load(file)["claim"]


def compiled(compiler, level):
    binary = f"{compiler}{level}"
    subprocess.run([lockstep + "-cxx", f"--lockstep-compiler={compiler}", "-std=c++20", level, "-w", "-pthread", source, "-o",
                    binary], check=True)
    return os.path.abspath(binary)


wrong = []
cases = subprocess.run([program], capture_output=True, text=True).stdout.split()
for binary in (program, compiled("g++", "-O0"), compiled("clang++", "-O2")):
    for case in cases:
        claim = claim_of(binary, case)
        named = [where for proviso in claim["provisos"] if proviso["kind"] == "memory-order" for where in proviso["where"]]
        # Not inlined, what the library does itself cannot be told from what the program asks it for.
        if case.startswith("strong") and binary.endswith("-O0"):
            continue
        if case.startswith("weak") != bool(named) or (named and claim["memory"] != "sc"):
            wrong.append(f"{os.path.basename(binary)} {case}: {claim}")
        if binary == program and named and case != "weak_wait" and not any("programs.cpp:" in where for where in named):
            wrong.append(f"{case}: no line in {named}")
print("\n".join(wrong) if wrong else f"{len(cases)} operations as expected")
sys.exit(bool(wrong))
