#!/usr/bin/env python3
"""The table of docs/environment.md, row by row: which freedoms of C++ and POSIX are explored, and what is said about the
others: check.py LOCKSTEP PROGRAM FOLDER"""
import json
import os
import shutil
import subprocess
import sys

lockstep, program, folder = (os.path.abspath(a) for a in sys.argv[1:4])
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
failures = 0


def run(case, *options):
    done = subprocess.run(
        [lockstep, "run", "--strategy", "icb", "--preemptions", "1", "--json", "result.json", "--stored", "ignore",
         "--progress", "never", *options, program, case], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    with open("result.json", encoding="utf-8") as file:
        return done, json.load(file)


def check(what, good, done):
    global failures
    if not good:
        failures += 1
        print(f"wrong: {what}\n{done.stdout}{done.stderr}")


def explored(case, *options):
    done, result = run(case, *options)
    check(f"{case} {' '.join(options)} is explored", done.returncode == 1 and result["bugs"][0]["kind"] == "assertion", done)


def not_explored(case, *options, says=None, silent=None):
    done, result = run(case, *options)
    text = done.stdout + done.stderr + result["guarantee"] + "".join(result.get("warnings", []))
    check(f"{case} is not explored", done.returncode == 0 and not result["bugs"], done)
    check(f"{case}: '{says}' is said", says is None or says in text, done)
    check(f"{case}: '{silent}' is not said", silent is None or silent not in text, done)


explored("lock_of_a_file")
for case, kind in (("locks_of_files_in_opposite_orders", "deadlock"), ("tried_locks_of_files_in_opposite_orders", "livelock")):
    done, result = run(case)
    check(f"{case} is a {kind}", [b["kind"] for b in result["bugs"]] == [kind], done)
done, result = run("environment_read_by_itself")
check("the environment is raced for", [b["kind"] for b in result["bugs"]] == ["data-race"], done)
# A child process can end a wait; if it does not, that is a deadlock.
for case in ("posts_shared_semaphore", "posts_named_semaphore", "unlocks_shared_mutex", "signals_shared_condition",
             "sets_shared_flag"):
    done, result = run("child_" + case, "--executions", "20")
    check(f"child_{case} is no deadlock", not result["bugs"] and done.returncode in (0, 3), done)
done, result = run("child_posts_nothing")
check("child_posts_nothing is a deadlock", [b["kind"] for b in result["bugs"]] == ["deadlock"], done)


def refused(limit, says):
    """Limits that are too low for Lockstep itself."""
    done = subprocess.run(["sh", "-c", f'ulimit {limit}; exec "$@"', "sh", lockstep, "run", "--stored", "ignore", program,
                           "waiter_woken"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    check(f"ulimit {limit} is refused", done.returncode == 4 and says in done.stderr, done)


refused("-n 24", "open files")
refused("-s 128", "stack")
refused("-f 1", "ulimit -f")

not_explored("spurious_wakeup", "--spurious", "0")
explored("spurious_wakeup", "--spurious", "1")
not_explored("weak_compare_exchange")
not_explored("orders_of_standard_headers", silent="weaker memory orders")
not_explored("own_order_beside_shared_ptr", says="weaker memory orders at programs.cpp:76, and in shared_ptr")
not_explored("try_lock_of_a_free_mutex")
explored("waiter_woken")
explored("writer_before_reader")
explored("reader_before_writer")
not_explored("interrupted_without_signals")
explored("interrupted_by_a_signal")
not_explored("short_read")
explored("read_before_all_is_written")
not_explored("failing_allocation")
not_explored("failing_thread")
explored("timeout_while_others_run")
explored("signal_between_steps")
not_explored("signal_between_plain_accesses", says="a signal handler may interrupt")
not_explored("other_time")
not_explored("cycle_counter", says="cycle counter")
not_explored("random_device", says="random values")
not_explored("random_instruction", says="rdrand")
# A file that an earlier execution left is read; one that this execution wrote, or only writes, is no reason to worry.
for isolation in ("reset", "fork"):
    not_explored("reads_what_it_wrote_before", "--isolation", isolation, says="changed since the exploration began")
    not_explored("writes_then_reads", "--isolation", isolation, silent="changed since the exploration began")
    not_explored("appends_to_a_log", "--isolation", isolation, silent="changed since the exploration began")

# The same schedule, the same values of the counter: a replayed execution is the recorded one.
first = run("cycle_counter")[1]
check("the cycle counter repeats", run("cycle_counter")[1]["executions"] == first["executions"], run("cycle_counter")[0])
print(f"{failures} wrong")
sys.exit(1 if failures else 0)
