"""Iterative context bounding (Musuvathi & Qadeer, PLDI 2007): bugs by bound, coverage by bound and by execution."""
from common import BUGS, TRACES, bug_of, coverage, curves, run, table, thinned, within

# The deck's programs: (lines, threads, K, B, c), then ours of the same kind.
CHARACTERISTICS = [("Bluetooth", (400, 3, 15, 2, 8), (BUGS / "bluetooth",)),
                   ("File system model", (84, 4, 20, 8, 13), (TRACES / "filesystem", 14)),
                   ("Work-stealing queue", (1266, 3, 99, 2, 35), (BUGS / "wsq", 3)),
                   ("APE", (18947, 4, 247, 2, 75), (BUGS / "thread_pool",)),
                   ("Dryad channels", (16036, 5, 273, 4, 167), (BUGS / "pipeline_shutdown",))]
# Its bugs with exactly 0 to 3 preemptions, and our programs of that kind.
BY_BOUND = [("Bluetooth", (0, 1, 0, 0), [("bluetooth",)]),
            ("Work-stealing queue", (0, 1, 2, 0), [("wsq", 1), ("wsq", 2), ("stealing_queue",)]),
            ("Transaction manager", (0, 0, 2, 1), [("two_phase",), ("deep_transfer",), ("zigzag", 3)]),
            ("APE", (2, 1, 1, 0), [("pool_shutdown",), ("cancel_task",), ("connection_pool",), ("barrier_reuse",)]),
            ("Dryad channels", (1, 2, 0, 0), [("pipeline_shutdown",), ("handoff",), ("semaphore_order",)])]


def characteristics():
    rows = []
    for name, theirs, program in CHARACTERISTICS:
        report = run(program, "--strategy", "random", "--keep-going", executions=2_000)
        ours = [report[key] for key in ("threads_max", "steps_max", "blocking_operations", "preemptions_max")]
        rows.append([name, *theirs, program[0].name, *ours])
    return table("icb_characteristics", "Characteristics of the programs (table 1)",
                 ["program", "lines", "threads", "K", "B", "c", "ours", "threads", "K", "B", "c"], rows,
                 "Ours are programs of a page each, the deck's are mostly systems. Threads count `main`; K and c are the most in "
                 f"{within(2_000)} of `random`, B is of the first execution.")


def bugs_by_bound():
    rows = []
    for name, theirs, programs in BY_BOUND:
        found = [0] * 5
        for program, *arguments in programs:
            bug = bug_of(run((BUGS / program, *arguments), "--strategy", "icb", "--preemptions", "4"))
            found[min(bug["preemptions"], 3) if bug else 4] += 1
        rows.append([name, *theirs, *found])
    return table("icb_bugs_by_bound", "Bugs with exactly c preemptions (table 2)",
                 ["program", *(f"paper c={c}" for c in range(4)), *(f"ours c={c}" for c in range(3)), "ours c≥3", "not found"], rows,
                 "`icb` gives each bug the fewest preemptions it needs. The bugs are others, of the same kinds, so only the sums by bound compare. Not "
                 f"found: within {within(20_000)}.")


def coverage_by_bound():
    series = {}
    for label, program in (("bluetooth", (TRACES / "bluetooth", 2)), ("work-stealing queue", (TRACES / "the_queue", 2)),
                           ("file system", (TRACES / "filesystem", 16)), ("counter", (TRACES / "counter", 2, 4))):
        rows = [r for r in coverage(program, "--strategy", "icb", executions=200_000) if r["series"] == "preemptions"]
        if rows:
            series[label] = [(r["at"], 100 * r["traces"] / rows[-1]["traces"]) for r in rows]
    return curves("icb_coverage_by_bound", "Coverage by bound", series, "preemptions", "% of all behaviours met",
                  "The deck's figure has states, ours has distinct happens-before orders, in percent of what the run met in all "
                  f"(at most {within(200_000)}). The file system model has one order per outcome of its locks and shows all of them without a preemption.")


def coverage_by_execution():
    series = {}
    for strategy in ("icb", "dfs", "dfs:depth=20", "dfs:depth=40", "random", "chess"):
        rows = [r for r in coverage((TRACES / "bluetooth", 3), "--strategy", strategy, executions=8_000) if r["series"] == "execution"]
        series[strategy] = thinned([(r["executions"], r["traces"]) for r in rows])
    return curves("icb_coverage_by_execution", "Coverage by execution, Bluetooth with three requests", series, "executions",
                  "distinct behaviours",
                  "The deck plots states of Dryad over time: `icb` ahead of depth-first search and of depth bounds. Executions stand for time here, "
                  "because they are counted and repeat. `dfs:depth=N` is depth bounding, `chess` is `icb` with a state cache. Our program is small, so `random` is "
                  "compared too, which the deck does not do.")


def experiments():
    return [characteristics, bugs_by_bound, coverage_by_bound, coverage_by_execution]
