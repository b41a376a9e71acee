"""Memory errors, leaks, lock discipline, lock order, store buffers, trusted code and overlapping racy accesses, from the
command line."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

LOCKSTEP, PROGRAMS = sys.argv[1:3]
MONITORS = PROGRAMS + "/monitors-gcc-O0"
MISUSE = PROGRAMS + "/misuse-gcc-O0"
failures = 0


def run(*arguments, command="run"):
    result = subprocess.run([LOCKSTEP, command, "--json", "result.json", *arguments], cwd=folder, capture_output=True,
                            text=True, timeout=60)
    path = pathlib.Path(folder + "/result.json")
    return result, json.loads(path.read_text()) if result.returncode < 2 else {"bugs": [], "warnings": []}


def expect(name, condition, seen):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED {name}:\n{seen.stdout}{seen.stderr}" if hasattr(seen, "stdout") else f"FAILED {name}:\n{seen}")


def kinds(result):
    return [bug["kind"] for bug in result["bugs"]]


ICB = ("--strategy", "icb", "--preemptions", "1")
with tempfile.TemporaryDirectory() as folder:
    for case, kind, words in [
            ("freed_before_threads", "use-after-free", "freed at monitors.cpp"),
            ("freed_by_another", "use-after-free", "it was allocated by main at monitors.cpp"),
            ("freed_twice", "double-free", "after thread 1 freed it at monitors.cpp"),
            ("freed_inside", "double-free", "not a heap block"),
            ("freed_local", "double-free", "not a heap block"),
            ("freed_global", "double-free", "not a heap block"),
            ("freed_mutex_locked", "use-after-free", "freed at monitors.cpp"),
            ("stack_of_ended_thread", "use-after-free", "on the stack of thread 1"),
            ("two_mutexes_one_condition", "lock-misuse", "different mutexes"),
            ("destroyed_while_locked", "lock-misuse", "locked"),
            ("freed_while_locked", "lock-misuse", "is freed while it is locked"),
            ("freed_while_another_holds", "lock-misuse", "is freed while it is locked")]:
        out, result = run(*ICB, MONITORS, case)
        expect(case, out.returncode == 1 and kind in kinds(result), out)
        expect(case + " is explained", words in out.stdout, out)
        bug = next(bug for bug in result["bugs"] if bug["kind"] == kind)
        out, again = run(bug["schedule"], command="replay")
        expect(case + " replays", kinds(again) == [kind], out)

    for case, kind, words in [
            ("malloc_delete", "double-free", "allocated by malloc is freed by delete"),
            ("new_free", "double-free", "allocated by new is freed by free"),
            ("array_delete", "double-free", "allocated by new[] is freed by delete"),
            ("delete_array", "double-free", "allocated by new is freed by delete[]"),
            ("notified_too_early", "deadlock", "nobody was waiting"),
            ("named_on_heap", "data-race", "data race on the queue's tail"),
            ("named_local", "data-race", "data race on done")]:
        out, result = run(*ICB, MISUSE, case)
        expect(case, out.returncode == 1 and kind in kinds(result) and words in str(result["bugs"]), out)
    out, result = run(*ICB, MISUSE, "all_in_kind")
    expect("blocks given back in kind", out.returncode == 0, out)
    out, result = run("--strategy", "best-first", "--rank", "var", "--focus-variable", "done", MISUSE, "named_local")
    expect("a given name can be focused on", out.returncode == 1, out)
    # Blocks of the heap are spelled alike in reports and by who points at them, and pointing at the right one helps.
    rank_var = ("--workers", "1", "--strategy", "best-first", "--rank", "var,pb")
    out, result = run(*rank_var, MISUSE, "cells_on_heap")
    expect("the story names a block by the array that points at it", out.returncode == 1 and "cells[2]->updated" in out.stdout, out)
    without = result["bugs"][0]["execution"]
    third = "heap object allocated at misuse.cpp:80 #3"
    for spelling in [third + "+4", third]:
        out, result = run(*rank_var, "--focus-variable", spelling, MISUSE, "cells_on_heap")
        expect(spelling + " can be focused on", out.returncode == 1 and result["bugs"][0]["execution"] < without, out)
    out, result = run("--workers", "1", "--strategy", "vb", MISUSE, "cells_on_heap")
    expect("its variables can be bounded", out.returncode == 1 and result["bugs"][0]["variables"] == 1, out)

    for case in ["leaked", "leaked_in_some_schedules"]:
        out, result = run(*ICB, MONITORS, case)
        expect(case + " is not looked for", out.returncode == 0, out)
        out, result = run(*ICB, "--leaks", MONITORS, case)
        expect(case, out.returncode == 1 and kinds(result) == ["leak"] and "monitors.cpp" in result["bugs"][0]["message"], out)
        out, again = run(result["bugs"][0]["schedule"], command="replay")
        expect(case + " replays", kinds(again) == ["leak"], out)
    for case in ["nothing_leaked", "always_locked", "dekker_seq_cst"]:
        out, result = run(*ICB, "--leaks", MONITORS, case)
        expect(case + " leaks nothing", out.returncode == 0 and not result["warnings"], out)

    out, result = run("--strategy", "icb", "--preemptions", "0", MONITORS, "opposite_orders")
    expect("lock order", out.returncode == 0 and any("opposite orders" in w and "monitors.cpp:" in w for w in result["warnings"]), out)
    out, result = run("--strategy", "icb", "--preemptions", "0", "--error", "lock-order", MONITORS, "opposite_orders")
    expect("lock order as an error", out.returncode == 1 and kinds(result) == ["lock-order"], out)
    expect("it has a place and a schedule", result["bugs"] and result["bugs"][0]["location"]["line"] and result["bugs"][0]["schedule"], out)
    out, result = run(*ICB, MONITORS, "freed_after_unlocking")
    expect("locks that nobody holds are freed", out.returncode == 0, out)
    for case in ["orders_of_one_thread", "orders_one_after_the_other", "orders_behind_a_gate"]:
        out, result = run(*ICB, MONITORS, case)
        expect(case + " is fine", out.returncode == 0 and not result["warnings"], out)

    out, result = run(*ICB, MONITORS, "handed_over_by_atomic")
    expect("discipline is not looked at", out.returncode == 0 and not result["warnings"], out)
    out, result = run(*ICB, "--lock-discipline", MONITORS, "handed_over_by_atomic")
    expect("a warning", out.returncode == 0 and any("no common lock protects" in w and "shared: thread 1 writes it at monitors.cpp:208, thread 2 writes it at monitors.cpp:212" in w
                                                         for w in result["warnings"]), out)
    out, result = run(*ICB, "--error", "lock-discipline", MONITORS, "handed_over_by_atomic")
    expect("an error", out.returncode == 1 and kinds(result) == ["lock-discipline"], out)
    out, result = run(*ICB, "--error", "lock-discipline", MONITORS, "always_locked")
    expect("a lock held always", out.returncode == 0, out)

    out, result = run(*ICB, MONITORS, "dekker_release")
    expect("store buffers", out.returncode == 0 and any("store buffers" in w and "monitors.cpp:" in w for w in result["warnings"]), out)
    # A random search uses up its time: the places were found when the warnings were.
    out, result = run("--strategy", "random", "--time", "1s", MONITORS, "dekker_release")
    expect("places before the time is over", result["warnings"] and len(set(result["warnings"])) == len(result["warnings"]) and
           all("monitors.cpp:" in w for w in result["warnings"] if "store buffers" in w), out)
    out, result = run(*ICB, "--error", "sc-violation", MONITORS, "dekker_release")
    expect("as an error", out.returncode == 1 and kinds(result) == ["sc-violation"], out)
    for case in ["dekker_seq_cst", "dekker_fences", "message"]:
        out, result = run(*ICB, "--error", "sc-violation", MONITORS, case)
        expect(case + " needs no store buffers", out.returncode == 0 and not result["warnings"], out)

    out, result = run(*ICB, MONITORS, "trusted_increment")
    expect("an increment in two steps", out.returncode == 1 and kinds(result) == ["assertion"], out)
    for glob in ["*careful_increment*", "monitors-gcc-*"]:
        out, result = run(*ICB, "--trust", glob, MONITORS, "trusted_increment")
        expect("trusting " + glob, out.returncode == 0 and result["complete"], out)
    for strategy in ["dfs", "chess", "dpor", "source-dpor", "optimal-dpor", "exitblock"]:
        out, result = run("--strategy", strategy, "--trust", "*careful_increment*", MONITORS, "trusted_increment")
        expect("either thread may be first in trusted code: " + strategy, out.returncode == 0 and result["verdict"] == "pass" and result["traces"] == 2, out)
    out, result = run(*ICB, "--trust", "no_such_function", MONITORS, "trusted_increment")
    expect("trusting nobody", out.returncode == 2 and "--trust" in out.stderr, out)

    # Both orders of overlapping accesses are explored, whatever each begins at, by reduction as by brute force.
    for case in ["half_before_whole", "whole_before_half", "member_before_copy", "copy_before_member", "atomic_before_memset",
                 "memset_before_atomic"]:
        for strategy in ["dfs", "icb", "dpor", "source-dpor", "optimal-dpor", "bpor"]:
            out, result = run("--races", "ignore", "--strategy", strategy, MONITORS, case)
            expect(f"{case} by {strategy}", kinds(result) == ["assertion"], out)

sys.exit(failures > 0)
