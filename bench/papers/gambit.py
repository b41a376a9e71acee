"""GAMBIT (Coons, Burckhardt & Musuvathi, PPoPP 2010): executions and time to the bug by heuristic, mdpor against dpor.

Bugs are seeded into copies of the installed headers by a rule; nothing of theirs is kept here."""
import pathlib
import re
import shutil
import subprocess

from common import BUGS, BUILD, HERE, curves, run, table, within

COPIES = BUILD / "bench/papers"
MULTIARCH = pathlib.Path("/usr/include/x86_64-linux-gnu")
# program: what is copied, into which folder, the file, what is replaced, by what, more rules without a bug
SEEDS = {
    "boost_stack": ("/usr/include/boost/lockfree", "boost/lockfree", "detail/tagged_ptr_ptrcompression.hpp", r"get_tag\(\) \+ 1u", "get_tag() + 0u", []),
    "tbb_rw_mutex": ("/usr/include/oneapi/tbb", "oneapi/tbb", "spin_rw_mutex.h",
                     r"while \(\(m_state\.load\(std::memory_order_relaxed\) & READERS\) != ONE_READER\) backoff\.pause\(\);", "", []),
    "moodycamel_semaphore": ("/usr/include/concurrentqueue", "concurrentqueue", "lightweightsemaphore.h",
                             r"m_count\.compare_exchange_weak\(oldCount, oldCount - 1, [^)]*\)", "(m_count.store(oldCount - 1), true)", []),
    "ck_sequence": ("/usr/include/ck_sequence.h", "ck_sequence.h", "", r"!= version", "== 0 && version == 1", []),
    # The assembler of x86.h cannot be instrumented; the generic header has the same in builtins.
    "urcu_stack": (MULTIARCH / "urcu", "urcu", "static/lfstack.h", r"head = uatomic_cmpxchg\(&s->head, old_head, new_head\);",
                   "head = CMM_LOAD_SHARED(s->head); if (head == old_head) CMM_STORE_SHARED(s->head, new_head);",
                   [("uatomic.h", r"urcu/uatomic/x86\.h", "urcu/uatomic/gcc.h")]),
}
OWN = ["stack_aba", "chase_lev", "interlocked_queue", "ring_buffer", "michael_scott", "free_list_aba", "writer_preference", "monitor_exit"]
WAYS = [("DPOR DF", ["--strategy", "dpor:sleep=1"]), ("DPOR pb", ["--strategy", "best-first:expand=dpor", "--rank", "pb"]),
        ("DPOR mdpor,pb", ["--strategy", "best-first:expand=dpor", "--rank", "mdpor,pb"]),
        ("DPOR rand", ["--strategy", "best-first:expand=dpor", "--rank", "rand"]),
        ("PB(2) DF", ["--strategy", "dfs", "--preemptions", "2"]), ("PB(2) ss,dpor", ["--strategy", "best-first", "--preemptions", "2", "--rank", "ss,dpor"]),
        ("PB(2) ss,mdpor", ["--strategy", "best-first", "--preemptions", "2", "--rank", "ss,mdpor"]),
        ("PB(2) rand", ["--strategy", "best-first", "--preemptions", "2", "--rank", "rand"])]
THEIRS = ["bugs found of 23", 13, 23, 23, 22, 14, 21, 22, 22]
SEEDS_OF_RAND = 5


def seed(name):
    """Builds the program against a seeded copy; a reason if that is not possible."""
    source, target, file, what, by, others = SEEDS[name]
    if not pathlib.Path(source).exists():
        return f"{source} is not installed"
    copy = COPIES / name / target
    if copy.parent.exists():
        shutil.rmtree(COPIES / name)
    copy.parent.mkdir(parents=True)
    shutil.copytree(source, copy) if pathlib.Path(source).is_dir() else shutil.copy(source, copy)
    for path, pattern, replacement in [(file, what, by), *others]:
        path = copy / path if path else copy
        text, count = re.subn(pattern, lambda _: replacement, path.read_text())
        if count == 0:
            return f"the rule fits nothing in {path.name}"
        path.write_text(text)
    program = next((HERE / "programs").glob(f"{name}.*"))
    compiler = ["lockstep-cc"] if program.suffix == ".c" else ["lockstep-cxx", "-std=c++20"]
    built = subprocess.run([BUILD / "bin" / compiler[0], *compiler[1:], "-O1", "-w", "-I", COPIES / name, "-o", COPIES / name / "program", program],
                           capture_output=True, text=True, check=False)
    return None if built.returncode == 0 else "does not build: " + built.stderr.strip().splitlines()[-1][:80]


def cell(program, options):
    if "rand" not in options:
        report = run(program, *options)
        bug = report["bugs"][0] if report and report["bugs"] else None
        return (bug["execution"], report["seconds"]) if bug else None
    found = []
    for number in range(1, SEEDS_OF_RAND + 1):
        report = run(program, *options, "--seed", number)
        found.append((report["bugs"][0]["execution"], report["seconds"]) if report and report["bugs"] else None)
    if any(f is None for f in found):
        return None
    counts = [f[0] for f in found]
    return sum(counts) / len(counts), sum(f[1] for f in found) / len(found), min(counts), max(counts)


def heuristics():
    rows, totals = [], [0] * len(WAYS)
    programs = {name: (COPIES / name / "program",) for name in SEEDS} | {name: (BUGS / name,) for name in OWN}
    reasons = {name: reason for name in SEEDS if (reason := seed(name))}
    for name, program in programs.items():
        if name in reasons:
            rows.append([name, reasons[name], *[""] * (len(WAYS) - 1)])
            continue
        row = [name]
        for number, (_, options) in enumerate(WAYS):
            found = cell(program, options)
            totals[number] += found is not None
            if found is None:
                row.append("–")
            elif len(found) == 2:
                row.append(f"{found[0]} ({found[1]:.2f} s)")
            else:
                row.append(f"{found[0]:.0f} ({found[2]} to {found[3]})")
        rows.append(row)
    rows.append([f"bugs found of {len(programs) - len(reasons)}", *totals])
    rows.append(["paper: " + THEIRS[0], *THEIRS[1:]])
    return table("gambit_heuristics", "Executions and time to the bug (table 2)", ["program", *(way for way, _ in WAYS)], rows,
                 f"The paper's libraries are .NET's and CCR; ours are Debian's, with a bug seeded by a rule into a copy of the headers, and ports of "
                 f"our own. It stops after an hour and gives seconds; ours stop after {within(20_000)} (– : not found). rand: the mean of {SEEDS_OF_RAND} seeds, with the "
                 "least and the most; – if one of them did not find it.")


def mdpor_against_dpor():
    rows = []
    for name in OWN:
        row = [name]
        for rank in ("dpor,pb", "mdpor,pb", "ss,dpor", "ss,mdpor"):
            report = run((BUGS / name,), "--strategy", "best-first", "--rank", rank)
            row.append(report["bugs"][0]["execution"] if report and report["bugs"] else "–")
        rows.append(row)
    return table("gambit_mdpor", "mdpor against dpor (section 5.2)", ["program", "dpor,pb", "mdpor,pb", "ss,dpor", "ss,mdpor"], rows,
                 "Executions to the bug; – : not within " + within(20_000) + ". The paper finds mdpor always faster; it measures seconds, over longer tests.")


def memory():
    series = {}
    for rank in ("pb", "mdpor,pb", "rand"):
        points = []
        for executions in (500, 1_000, 2_000, 4_000, 8_000):
            report = run((BUILD / "bench/blocking_queue", 8), "--strategy", "best-first", "--preemptions", "2", "--rank", rank, executions=executions)
            points.append((report["executions"], report["peak_frontier_nodes"] * 16 / 1e6))
        series[f"BF({rank})"] = points
    return curves("gambit_memory", "Open executions of a blocking queue (figure 5)", series, "executions", "MB at 16 bytes a node",
                  "The paper counts 16 bytes a node, so does this curve. What Lockstep takes is less: two bytes for each open execution as a rule "
                  "(bench/README.md, memory of the execution tree). It plots what is open over time until the search ends; this is the most that was open within so many executions.")


def experiments():
    return [heuristics, mdpor_against_dpor, memory]
