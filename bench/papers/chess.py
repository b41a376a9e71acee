"""CHESS (Musuvathi, Qadeer, Ball, Basler, Nainar & Neamtiu, OSDI 2008)."""
import re
import resource
import subprocess

from common import BUGS, BUILD, HERE, TRACES, bug_of, explored, run, table, within

# Bugs of the paper's systems, and as many of ours of that kind.
SYSTEMS = [("PLINQ", 1, ["lazy_init"]), ("CDS", 1, ["list_set"]), ("STM", 2, ["versioned_pair", "two_phase"]),
           ("TPL", 9, ["qsort_pool", "pool_shutdown", "thread_pool", "cancel_task", "chase_lev", "deque_grow", "interlocked_queue",
                       "steal_interlocked", "stages"]),
           ("ConcRT", 4, ["barrier_reuse", "own_barrier", "mcs", "writer_preference"]),
           ("CCR", 2, ["handoff", "exchanger"]),
           ("Dryad", 7, ["pipeline_shutdown", "double_buffer", "ring_buffer", "semaphore_order", "bounded_buffer", "double_free", "resurrect"]),
           ("Singularity", 1, ["timer_rearmed"])]


def bugs():
    rows, total, found = [], 0, 0
    for system, count, programs in SYSTEMS:
        for number, program in enumerate(programs):
            report = run((BUGS / program,), "--strategy", "chess", "--preemptions", "3")
            bug = bug_of(report)
            total, found = total + 1, found + bool(bug)
            rows.append([system if number == 0 else "", count if number == 0 else "", program,
                         bug["kind"] if bug else "not found", bug["preemptions"] if bug else "", bug["execution"] if bug else ""])
    return table("chess_bugs", "Bugs by system (table 3)", ["system", "paper", "ours", "kind", "preemptions", "executions"], rows,
                 f"The paper counts 27 bugs, 25 of them unknown before. Ours are {total} programs of the same kinds, written with the bug in "
                 f"them, so none is unknown; `chess` with at most 3 preemptions finds {found} within {within(20_000)} each.")


def wrappers():
    folder = HERE.parents[1] / "src/runtime/intercept"
    families = re.findall(r'^LOCKSTEP_INTERCEPT\("([^"]+)", (\w+)', (folder / "list.def").read_text(), re.M)
    lines = sum(len(path.read_text().splitlines()) for path in folder.glob("*.cpp"))
    counts = {}
    for family, _ in families:
        counts[family] = counts.get(family, 0) + 1
    return table("chess_wrappers", "Wrappers by API (table 1)", ["family", "wrappers"], [*counts.items(), ("all", len(families))],
                 f"The paper: Win32 134 wrappers in 2,512 lines, .NET 64 in 1,270, Singularity 37 in 876. Ours: {len(families)} in {lines:,} lines "
                 "(`src/runtime/intercept`), comments and blank lines included; the paper leaves out generated code. POSIX and the C library have "
                 "more calls that wait than the APIs of the paper, so there is nothing to compare row by row.")


def cpu_seconds(action):
    """Processor time of all processes that the action starts and waits for: other load does not count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = action()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, result


def cost_of_control():
    rows = []
    for label, program in (("small body", (BUILD / "bench/small_body",)), ("work-stealing queue", (TRACES / "the_queue", 2)),
                           ("philosophers", (BUGS / "din_phil_sat", 5))):
        count = 20
        alone, _ = cpu_seconds(lambda: [subprocess.run([str(p) for p in program], capture_output=True, timeout=60, check=False)
                                        for _ in range(count)])
        controlled, report = cpu_seconds(lambda: run(program, "--strategy", "random", "--keep-going", executions=20_000))
        rows.append([label, f"{1e6 * alone / count:.0f}", f"{1e6 * controlled / report['executions']:.0f}", report["executions"]])
    return table("chess_cost", "Cost of control", ["program", "a run by itself, µs", "an execution, µs", "executions"], rows,
                 "Processor time of all processes. The paper has no such table. A run by itself starts a process; the executions share one, whose memory "
                 "is put back, and the start of Lockstep is spread over them.")


def state_caching():
    rows = []
    for program, arguments in (("bluetooth", [3]), ("the_queue", [2]), ("lastzero", [5]), ("counter", [3, 2]), ("mutex", [3, 2])):
        reports = [run((TRACES / program, *arguments), "--strategy", strategy, "--preemptions", "2", executions=100_000)
                   for strategy in ("icb", "chess")]
        saved = f"{reports[0]['executions'] / reports[1]['executions']:.1f}" if all(r["complete"] for r in reports) else "–"
        rows.append([" ".join(map(str, [program, *arguments])), *map(explored, reports), saved])
    return table("chess_caching", "State caching", ["program", "icb", "chess", "times fewer"], rows,
                 "Executions with at most 2 preemptions, without and with caching of happens-before states (section 4.4.2). The paper gives no "
                 f"figures; it says that the reduction is that of sleep sets. `>`: stopped after {within(100_000)} or the time given.")


def experiments():
    return [wrappers, bugs, cost_of_control, state_caching]
