#!/usr/bin/env python3
"""Livelocks only where there are some, and the order of sleeps and timed waits: check.py LOCKSTEP PROGRAM FOLDER"""
import json
import os
import re
import subprocess
import sys

lockstep, program, folder = (os.path.abspath(a) for a in sys.argv[1:])
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
wrong = []

# Case, options, kinds of bugs, whether the search finishes.
EXPECTED = [
    ("counts_for_long", "--strategy icb --executions 5", [], False),
    ("counts_for_long", "--strategy pct:depth=3 --executions 5", [], None),
    ("locks_for_long", "--strategy icb --executions 5", [], False),
    ("works_until_told", "--strategy icb --executions 200", [], False),
    ("works_until_told", "--strategy pct:depth=3 --executions 50", [], None),
    ("locks_until_told", "--strategy icb --executions 200", [], False),
    ("caches_what_it_saw", "--strategy optimal-dpor", [], True),
    ("caches_what_it_saw", "--strategy icb --preemptions 2", [], True),
    ("backs_off", "--strategy icb --preemptions 3 --executions 1000", [], None),
    ("backs_off_in_step", "--strategy icb --executions 5", [], None),
    ("backs_off_in_step", "--strategy icb --executions 5 --error livelock", ["livelock"], None),
    ("main_alone", "--strategy icb", ["livelock"], None),
    ("main_alone_yields", "--strategy optimal-dpor", ["livelock"], None),
    ("toggles_for_ever", "--strategy icb", ["livelock"], None),
    *(("toggles_for_ever", f"--strategy {strategy}", ["livelock"], None) for strategy in ("random", "auto")),
    *(("works_until_told", f"--strategy {strategy} --executions 20", [], None) for strategy in ("random", "pos", "surw")),
    ("toggles_while_main_joins", "--strategy icb", ["livelock"], None),
    ("toggles_without_yields", "--strategy icb", ["livelock"], None),
    ("naps_for_ever", "--strategy icb", ["livelock"], None),
    ("sleeps_in_order", "--strategy optimal-dpor", [], True),
    ("sleeps_in_order", "--strategy dfs", [], True),
    ("sleeps_in_order", "--strategy dfs --max-delay 990ms", ["assertion"], None),
    ("sleeps_in_order", "--strategy optimal-dpor --max-delay none", ["assertion"], None),
    ("waits_a_minute", "--strategy optimal-dpor", [], True),
    ("waits_a_minute", "--strategy optimal-dpor --max-delay none", ["assertion"], None),
    ("waits_a_moment", "--strategy optimal-dpor", ["assertion"], None),
    ("sleeps_in_order", "--strategy auto", [], True),
    ("waits_a_minute", "--strategy auto", [], True),
    ("waits_a_minute", "--strategy auto --max-delay none", ["assertion"], None),
    ("sleeps_in_order", "--strategy auto --error timing", ["timing"], None),
    ("sleeps_unwatched", "--strategy auto", [], True),
    ("waits_a_second", "--strategy auto", [], True),
    ("adds_up_waits", "--strategy dfs --executions 3000 --spin-rounds 30", [], None),
    ("adds_up_waits", "--strategy dfs --executions 3000 --spin-rounds 30 --max-delay 20ms", ["assertion"], None),
    ("stops_after_a_sleep", "--strategy icb --executions 20", [], False),
    ("stops_after_a_sleep", "--strategy random --executions 20", [], None),
    ("polls_until_a_timeout", "--strategy icb --executions 5", [], None),
    ("timer_before_sleep", "--strategy dfs", [], True),
    ("timer_before_sleep", "--strategy optimal-dpor", [], True),
    ("yields_only_if_idle", "--strategy icb", [], True),
    ("yields_only_if_idle", "--strategy icb --error livelock", ["livelock"], None),
    ("yields_only_if_idle", "--strategy random --error livelock --executions 100", ["livelock"], None),
    ("tries_without_yields", "--strategy optimal-dpor", [], True),
    ("tries_without_yields", "--strategy optimal-dpor --error livelock", ["livelock"], None),
    ("yields_while_it_waits", "--strategy icb --error livelock", [], True),
    ("yields_while_it_waits", "--strategy random --error livelock --executions 100", [], None),
    ("spins_before_it_yields", "--strategy icb --preemptions 1 --error livelock", [], None),
    ("spins_before_it_blocks", "--strategy icb --preemptions 2 --error livelock", [], True),
    ("spins_until_a_time", "--strategy icb --preemptions 1 --executions 500 --error livelock", [], None),
]

# Under auto: what a warning of kind timing says of the failure that a longer delay leads to; none: it must not be there.
TIMING = {
    "sleeps_in_order": r"^timing: .*, if .* is held up for 990 ms, until the sleep of .* at programs.cpp:\d+ ends",
    "waits_a_second": r"^timing: .*, if .* is held up for 1 s, until the timed wait of .* at programs.cpp:\d+ ends",
}

for name, options, bugs, complete in EXPECTED:
    command = [lockstep, "run", "--json", "result.json", "--workers", "1", "--stored", "ignore", *options.split(), program, name]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    with open("result.json") as file:
        result = json.load(file)
    kinds = sorted({bug["kind"] for bug in result["bugs"]})  # a cycle may be met at several of its states
    if kinds != bugs or done.returncode != (1 if bugs else 0):
        wrong.append(f"{name} {options}: exit {done.returncode}, {kinds} instead of {bugs}\n{done.stdout}{done.stderr}")
    elif complete is not None and result["complete"] != complete:
        wrong.append(f"{name} {options}: complete is {result['complete']}: {result['guarantee']}")
    if name == "backs_off_in_step" and not bugs and not any("livelock" in w for w in result["warnings"]):
        wrong.append(f"{name}: no warning: {result['warnings']}")
    unyielding = [w for w in result["warnings"] if "does not always yield" in w]
    expected = name == "yields_only_if_idle" and "--error" not in options
    if len(unyielding) != expected:
        wrong.append(f"{name} {options}: warnings {result['warnings']}")
    if "livelock" in kinds and name in ("yields_only_if_idle", "tries_without_yields"):
        replay = subprocess.run([lockstep, "replay", result["bugs"][0]["schedule"]], capture_output=True, text=True, timeout=120)
        if replay.returncode != 1 or "never yields" not in replay.stdout:
            wrong.append(f"{name} {options}: replay says {replay.stdout}{replay.stderr}")
    if "auto" in options and not bugs:
        told = [w for w in result["warnings"] if w.startswith("timing")]
        if len(told) != (name in TIMING) or (told and not re.search(TIMING[name], told[0])):
            wrong.append(f"{name} {options}: warnings {result['warnings']}")
    limit = result["claim"]["bounds"].get("max_delay_ms")
    if complete and "sleep" in name + options and limit != 10:
        wrong.append(f"{name} {options}: the claim names a delay of {limit} ms")
print("\n".join(wrong) if wrong else f"{len(EXPECTED)} explorations as expected")
sys.exit(bool(wrong))
