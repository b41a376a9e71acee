#!/usr/bin/env python3
"""The tables of racy and race-free programs under ThreadSanitizer and under Lockstep, side by side.

usage: bench/compare_tsan.py [BUILD_DIR [ROUNDS]]

Builds every table of tests/programs/races/*.cpp with g++ -fsanitize=thread (libtsan) and with lockstep-cxx, runs each
program ROUNDS times natively under the one, and once with `lockstep run --strategy icb --preemptions 1` under the other.
Prints where they differ from the table, and the totals.
"""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release").resolve()
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3


def run(command, **options):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)
    except subprocess.TimeoutExpired:
        return None


def tsan_reports(program, name):
    for _ in range(ROUNDS):
        result = run([program, name], env={"TSAN_OPTIONS": "exitcode=66:report_signal_unsafe=0"})
        if result and ("ThreadSanitizer: data race" in result.stderr or "ThreadSanitizer: heap-use-after-free" in result.stderr):
            return True
    return False


def lockstep_reports(program, name, folder):
    result = run([BUILD / "bin/lockstep", "run", "--quiet", "--workers", "1", "--strategy", "icb", "--preemptions", "1",
                  "--executions", "1500", "--out", folder + "/out", "--", program, name])
    return result is not None and ("DATA RACE" in result.stdout or "USE AFTER FREE" in result.stdout)


totals = {"ThreadSanitizer": [0, 0], "Lockstep": [0, 0]}  # missed, false alarms
programs = racy_programs = 0
with tempfile.TemporaryDirectory() as folder:
    for source in sorted((ROOT / "tests/programs/races").glob("races_*.cpp")):
        common = ["-std=c++20", "-g", "-O1", "-w", "-pthread", str(source), "-latomic", "-o"]
        tsan, ours = folder + "/tsan", folder + "/ours"
        subprocess.run(["g++", "-fsanitize=thread", *common, tsan], check=True)
        subprocess.run([BUILD / "bin/lockstep-cxx", *common, ours], check=True)
        for line in run([ours, "list"]).stdout.splitlines():
            name, verdict = line.split()[:2]
            racy = verdict == "racy"
            programs += 1
            racy_programs += racy
            for tool, said in (("ThreadSanitizer", tsan_reports(tsan, name)), ("Lockstep", lockstep_reports(ours, name, folder))):
                if said == racy:
                    continue
                totals[tool][0 if racy else 1] += 1
                print(f"{source.stem} {name}: {tool} {'missed the race' if racy else 'gave a false alarm'}", flush=True)
print(f"{programs} programs, {racy_programs} of them racy")
for tool, (missed, alarms) in totals.items():
    print(f"{tool}: {missed} races missed, {alarms} false alarms")
