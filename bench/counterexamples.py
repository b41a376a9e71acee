"""How simple the counterexamples are that a run tells, against the fewest preemptions with which icb meets the same bug.

usage: counterexamples.py BUILD [--seeds N] [--program A,B] [--races ignore|report] [--all]

Same bug: same fingerprint, of all that icb meets within LIMIT executions. Counts, not times. Prints the rows that differ
(with --all: all of them), and how many runs told as few preemptions as icb needs.
"""
import argparse
import json
import pathlib
import re
import subprocess
import tempfile

LIMIT = 20_000
parser = argparse.ArgumentParser()
parser.add_argument("build", type=pathlib.Path)
parser.add_argument("--seeds", type=int, default=3)
parser.add_argument("--program", default="")
parser.add_argument("--races", default="ignore")
parser.add_argument("--all", action="store_true")
given = parser.parse_args()
BUILD = given.build.resolve()
LISTED = re.findall(r'^    \{"(\w+)"(?:, "(\w*)")?.*\},$', (pathlib.Path(__file__).parent / "find_bugs.hpp").read_text(), re.M)


def run(program, argument, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "result.json"
        subprocess.run([BUILD / "bin/lockstep", "run", "--quiet", "--progress", "never", "--workers", "1", "--races", given.races,
                        "--steps", "10000", "--json", path, *options, BUILD / "bench/bugs" / program, *argument.split()],
                       cwd=folder, capture_output=True)
        return json.loads(path.read_text())["bugs"]


def fewest(program, argument):
    bugs = run(program, argument, "--strategy", "icb", "--executions", str(LIMIT), "--keep-going", "--no-shrink")
    least = {}
    for bug in bugs:
        known = least.get(bug["fingerprint"], bug["preemptions"])
        least[bug["fingerprint"]] = min(known, bug["preemptions"])
    return least


def main():
    print("| program | bug | icb | told, by seed |\n| --- | --- | ---: | --- |")
    equal = compared = unknown = 0
    for program, argument in LISTED:
        if (given.program and program not in given.program.split(",")) or not (BUILD / "bench/bugs" / program).exists():
            continue
        least, told = fewest(program, argument), {}
        for seed in range(1, given.seeds + 1):
            for bug in run(program, argument, "--seed", str(seed), "--executions", "10000"):
                told.setdefault((bug["kind"], bug["fingerprint"]), []).append(bug["preemptions"])
        for (kind, fingerprint), counts in told.items():
            if fingerprint not in least:
                unknown += len(counts)
            else:
                compared += len(counts)
                equal += sum(count <= least[fingerprint] for count in counts)
            if given.all or any(count > least.get(fingerprint, 0) for count in counts):
                print(f"| {program} {argument} | {kind} | {least.get(fingerprint, '–')} | {', '.join(map(str, counts))} |", flush=True)
    print(f"\nAs few preemptions as icb needs: {equal} of {compared} runs; {unknown} more told a bug icb does not meet in {LIMIT} executions")


main()
