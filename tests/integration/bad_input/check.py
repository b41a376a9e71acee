#!/usr/bin/env python3
"""What programs do that a tool does not expect: check.py LOCKSTEP PROGRAM FOLDER

Each row: the program, the exit code, words that have to be on the terminal.
"""
import os
import subprocess
import sys

lockstep, program, folder = (os.path.abspath(a) for a in sys.argv[1:4])
os.makedirs(folder, exist_ok=True)
os.chdir(folder)

ROWS = [
    ("reads_terminal", 0, "PASS"),
    ("reads_input", 0, "PASS"),
    ("overflows_a_thread", 1, "stack overflow"),
    ("overflows_main", 1, "stack overflow"),
    ("handles_its_faults", 0, "PASS"),
    ("handles_faults_on_its_own_stack", 0, "PASS"),
    ("repairs_its_faults", 0, "PASS"),
    ("forks", 0, "PASS"),
    ("forks_alone", 0, "PASS"),
    ("executes", 4, "calls execv()", "at executes"),
    ("spawns", 0, "PASS"),
    ("waits_for_a_slow_child", 0, "PASS"),
    ("vforks", 0, "PASS"),
    ("calls_system", 0, "PASS"),
    ("opens_a_process", 0, "PASS"),
    ("reads_from_a_slow_process", 0, "PASS"),
    ("becomes_a_daemon", 4, "calls daemon()", "at becomes_a_daemon"),
    ("leaves_at_once", 0, "PASS"),
    ("leaves_with_code", 1, "exit code 7"),
    ("jumps_across_frames", 0, "PASS"),
    ("switches_contexts", 0, "PASS"),
    ("loads_a_library", 0, "PASS"),
    ("loads_what_is_not_there", 0, "PASS"),
    ("throws_through_noexcept", 1, "uncaught exception", "std::runtime_error"),
    ("throws_out_of_a_thread", 1, "uncaught exception", "int"),
    ("leaves_a_thread_unjoined", 1, "ABORT"),
    ("closes_everything", 0, "PASS"),
    ("closes_standard_output", 0, "PASS"),
    ("makes_its_own_output", 0, "PASS"),
    ("limits_itself", 0, "PASS"),
    ("waits_for_the_outside", 4, "input from outside"),
    ("changes_folder", 0, "PASS"),
    ("changes_environment", 0, "PASS"),
]

known = subprocess.run([program], capture_output=True, text=True, timeout=30).stdout.split()
wrong = [f"{name} is not in the table" for name in known if name not in [row[0] for row in ROWS]]
for name, code, *words in ROWS:
    try:
        done = subprocess.run([lockstep, "run", "--preemptions", "1", "--executions", "40", program, name],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    except subprocess.TimeoutExpired:
        wrong.append(f"{name}: hangs")
        continue
    missing = [w for w in words if w not in done.stdout]
    if done.returncode != code or missing:
        wrong.append(f"{name}: exit {done.returncode} instead of {code}, missing {missing}\n{done.stdout}{done.stderr}")
print("\n".join(wrong) if wrong else f"{len(ROWS)} programs behave")
sys.exit(bool(wrong))
