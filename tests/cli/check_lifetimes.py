"""Locks and the like that are used after they are gone are found whatever the order, with every kind of search; allowed uses
pass, with proofs; misuse does not hide what follows it."""
import json
import pathlib
import subprocess
import sys
import tempfile

LOCKSTEP, PROGRAM = sys.argv[1:3]
failures = 0


def run(*arguments):
    result = subprocess.run([LOCKSTEP, "run", "--stored", "ignore", "--color", "never", "--json", "result.json", *arguments],
                            cwd=folder, capture_output=True, text=True, timeout=120)
    path = pathlib.Path(folder + "/result.json")
    return result, json.loads(path.read_text()) if result.returncode < 2 else {"bugs": [], "warnings": []}


def expect(name, condition, seen):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED {name}:\n{seen.stdout}{seen.stderr}")


def kinds(result):
    return {bug["kind"] for bug in result["bugs"]}


SEARCHES = [("--strategy", "icb"), ("--strategy", "optimal-dpor"), ("--strategy", "source-dpor")]
DESTROYED = ["condition_notified_later", "semaphore_posted_later", "barrier_reached_later", "writer_comes_later",
             "spin_lock_released_later", "mutex_locked_later"]
RETURNED = ["atomic_of_caller", "plain_of_caller", "lock_of_caller", "atomic_of_a_thread", "plain_of_a_thread"]
ALLOWED = {"condition_after_broadcast": 2, "last_user_frees": 2, "waiter_frees_semaphore": 1, "serial_thread_frees_barrier": 2,
           "used_again_after_init": 1, "frame_left_in_time": 1, "frame_after_frame": 1, "initialised_before_main": None}

with tempfile.TemporaryDirectory() as folder:
    for search in SEARCHES:
        for case in DESTROYED:
            out, result = run(*search, PROGRAM, case)
            expect(f"{case} {search}", kinds(result) == {"lock-misuse"} and "destroyed" in out.stdout, out)
        for case in ("unlocked_in_freed_block", "freed_under_waiter"):
            out, result = run(*search, PROGRAM, case)
            expect(f"{case} {search}", kinds(result) & {"use-after-free", "lock-misuse"}, out)
        for case in RETURNED:
            out, result = run(*search, PROGRAM, case)
            expect(f"{case} {search}", kinds(result) == {"use-after-free"} and "use after return" in out.stdout, out)
        for case, traces in ALLOWED.items():
            out, result = run(*search, PROGRAM, case)
            expect(f"{case} {search}", out.returncode == 0 and result["complete"], out)
            if traces and "dpor" in search[1]:
                expect(f"{case} {search} traces", result["traces"] == traces, out)
        # Both the misuse and what it leads to.
        out, result = run(*search, "--keep-going", PROGRAM, "opened_by_another")
        expect(f"opened_by_another {search}", kinds(result) == {"lock-misuse", "assertion"}, out)

    # Where races are no bugs, the order in which it happens has to be run.
    for case in RETURNED + ["unlocked_in_freed_block"]:
        for search in SEARCHES:
            out, result = run(*search, "--races", "ignore", PROGRAM, case)
            expect(f"{case} {search} without races", kinds(result) & {"use-after-free", "lock-misuse"}, out)

    out, result = run("--keep-going", "--strategy", "dfs", PROGRAM, "destroyed_while_held")
    expect("goes on like the C library", kinds(result) == {"lock-misuse", "exit-code"}, out)
    out, result = run("--strategy", "dfs", PROGRAM, "opened_by_another")
    expect("what a misuse leads to is reported first", kinds(result) == {"assertion", "lock-misuse"} and result["bugs"][0]["kind"] == "assertion", out)
    misuse = next(bug for bug in result["bugs"] if bug["kind"] == "lock-misuse")
    replayed = subprocess.run([LOCKSTEP, "replay", misuse["schedule"]], cwd=folder, capture_output=True, text=True)
    expect("misuse replays", replayed.returncode == 1 and "does not hold" in replayed.stdout or "is not locked" in replayed.stdout, replayed)
    for isolation in ("reset", "fork"):
        out, result = run("--isolation", isolation, "--strategy", "optimal-dpor", PROGRAM, "initialised_before_main")
        expect(f"initialised before main, {isolation}", out.returncode == 0 and result["complete"], out)

    out, result = run("--strategy", "icb", PROGRAM, "notified_before_it_looked")
    expect("what it saw it did not miss", kinds(result) == {"deadlock"} and "nobody was waiting" not in out.stdout, out)
    out, result = run("--strategy", "icb", PROGRAM, "notified_after_it_looked")
    expect("what it missed", kinds(result) == {"deadlock"} and "nobody was waiting" in out.stdout, out)

sys.exit(failures != 0)
