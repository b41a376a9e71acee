"""Bounds on variables and threads from the command line: what is found, what it needed, what is claimed."""
import json
import pathlib
import subprocess
import sys
import tempfile

LOCKSTEP, PROGRAMS = sys.argv[1:3]
PROGRAM = PROGRAMS + "/variables-gcc-O1"
EVERYDAY = PROGRAMS + "/known_bounds-gcc-O1"
failures = 0


def run(folder, *arguments, options=(), program=PROGRAM, races="ignore"):
    path = pathlib.Path(folder) / "result.json"
    path.unlink(missing_ok=True)
    command = [LOCKSTEP, "run", "--json", str(path), "--races", races, *options, program, *arguments]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100)
    return result, json.loads(path.read_text()) if path.exists() else {}


def expect(name, condition, *seen):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED {name}:", *[s if isinstance(s, str) else json.dumps(s, indent=1) for s in seen])


def cvt(result):
    return [(bug["preemptions"], bug["variables"], bug["threads"]) for bug in result.get("bugs", [])]


with tempfile.TemporaryDirectory() as folder:
    figures = {"figure1": (0, 0, 2), "figure2": (1, 1, 2), "figure3": (2, 1, 2), "figure4": (2, 2, 2), "figure8": (0, 0, 3),
               "figure10": (2, 2, 3)}
    for name, needed in figures.items():
        for options in [["--strategy", "vb"], ["--strategy", "icb", "--points", "all", "--variables", str(needed[1])]]:
            out, result = run(folder, name, options=options)
            expect(f"{name} {options}", out.returncode == 1 and cvt(result) == [needed], out.stdout, out.stderr, result)
        if "schedule" in (result.get("bugs") or [{}])[0]:
            out, result = run(folder, name, options=["--strategy", "vb"])
            again = subprocess.run([LOCKSTEP, "replay", result["bugs"][0]["schedule"]], cwd=folder, capture_output=True, text=True)
            expect(name + " replays", again.returncode == 1, again.stdout, again.stderr)
    # Which accesses race is known only after the execution in which they did; the find is counted with all of them.
    for strategy in ["icb", "chess", "dfs", "optimal-dpor", "best-first", "auto"]:
        for name in ["figure1", "figure2", "figure8"]:
            out, result = run(folder, name, options=["--strategy", strategy])
            expect(f"{name} {strategy}", out.returncode == 1 and cvt(result) == [figures[name]], out.stdout, out.stderr, result)
    for strategy in ["vb", "vb:order=c", "pctvb:depth=2,variables=1"]:
        out, result = run(folder, "shared_late", options=["--strategy", strategy, "--executions", "20000"])
        expect(f"shared late, {strategy}", out.returncode == 1, out.stdout, out.stderr, result)
    out, result = run(folder, "figure4", options=["--strategy", "vb", "--variables", "1"])
    expect("one variable is not enough", result["verdict"] == "pass"
           and result["claim"]["bounds"] == {"preemptions": 2, "variables": 1}
           and "at most 1 of " in result["guarantee"], out.stdout, result)
    out, result = run(folder, "figure10", options=["--strategy", "vb", "--thread-bound", "3"])
    expect("orders of three threads", out.returncode == 1, out.stdout, out.stderr, result)
    out, result = run(folder, "figure3", options=["--strategy", "vb:preemptions=1", "--thread-bound", "2"])
    expect("orders of two threads", out.returncode == 0 and result["claim"]["bounds"]["threads"] == 2
           and "order of at most 2 threads" in result["guarantee"], out.stdout, out.stderr, result)
    out, result = run(folder, "figure2", options=["--strategy", "pctvb:depth=2,variables=1", "--executions", "2000"])
    expect("pctvb", out.returncode == 1, out.stdout, out.stderr, result)
    out, result = run(folder, "figure3", options=["--strategy", "pctvb:depth=2,variables=1", "--executions", "500"])
    expect("pctvb says how likely it missed", out.returncode == 0 and "missed with probability at most" in result["guarantee"], out.stdout, result)
    found = {run(folder, "long", "10", options=["--strategy", "pctvb", "--seed", str(seed), "--no-shrink"])[1]["bugs"][0]["execution"]
             for seed in range(8)}
    expect("the seed matters", len(found) > 1, str(found))
    out, result = run(folder, "figure4", options=["--strategy", "icb", "--points", "all", "--steps", "3"])
    expect("the step limit matters", result["steps_max"] <= 3 and not result["complete"], out.stdout, result)
    # Everyday code: what a bug needs is what is told.
    needs = {"first_of_loop": (1, 1, 2), "third_of_loop": (1, 1, 2), "member": (1, 1, 2), "element": (1, 1, 2), "atomic": (1, 1, 2),
             "sections": (1, 1, 2), "abba": (1, 1, 2), "lost_wakeup": (1, 1, 2), "two_variables": (2, 2, 2), "there_and_back": (2, 1, 2),
             "between": (1, 1, 3), "chain": (0, 0, 3), "late_start": (0, 0, 2), "eight_threads": (1, 1, 2)}
    for name, needed in needs.items():
        out, result = run(folder, name, options=["--strategy", "vb"], program=EVERYDAY)
        expect(name, out.returncode == 1 and cvt(result) == [needed], out.stdout, out.stderr, result)
    out, result = run(folder, "correct", options=["--strategy", "vb"], program=EVERYDAY, races="report")
    expect("correct", result["verdict"] == "pass" and result["complete"] and not result["warnings"]
           and result["claim"]["bounds"]["variables"] == 2, out.stdout, out.stderr, result)
    out, result = run(folder, "correct", options=["--strategy", "vb:survey=0"], program=EVERYDAY, races="report")
    expect("correct, some surveyed", result["verdict"] == "pass" and not result["complete"]
           and "first shared after the 6 executions of the survey" in result["guarantee"], out.stdout, out.stderr, result)
    out, result = run(folder, "correct", options=["--strategy", "vb"], program=EVERYDAY)
    expect("nobody asked for races", out.returncode == 0 and "data races" not in result["guarantee"], out.stdout, out.stderr, result)
    # Memory from loops: what is left out is said, and found when it is not.
    out, result = run(folder, "third_of_loop", options=["--strategy", "vb", "--loop-iterations", "1"], program=EVERYDAY)
    expect("the third is not of the first two", result["verdict"] == "pass" and result["claim"]["bounds"]["loop_iterations"] == 1
           and "of memory allocated in loops, the first 2 iterations" in result["guarantee"], out.stdout, out.stderr, result)
    out, result = run(folder, "third_of_loop", options=["--strategy", "vb:iterations=2"], program=EVERYDAY)
    expect("but of the first three", out.returncode == 1 and cvt(result) == [(1, 1, 2)], out.stdout, out.stderr, result)
    # Tracking everything is hopeless, one variable is enough.
    out, result = run(folder, "long", "20000", options=["--strategy", "vb", "--preemptions", "1", "--time", "60s"])
    expect("a long execution", out.returncode == 1 and cvt(result) == [(1, 1, 2)] and result["steps_max"] < 1000, out.stdout, out.stderr, result)

    for options in [["--strategy", "dpor:sleep=1"], ["--strategy", "vb:arrays=whole"], ["--strategy", "vb:epsilon=0.1", "--thread-bound", "3"]]:
        out, result = run(folder, "correct", options=options, program=EVERYDAY)
        expect(" ".join(options), result["verdict"] == "pass" and result["complete"], out.stdout, out.stderr, result)
    out, result = run(folder, "figure10", options=["--strategy", "chess", "--thread-bound", "3", "--points", "all"])
    expect("chess within a thread bound", out.returncode == 1, out.stdout, out.stderr, result)

    for bad in [["--strategy", "pos", "--variables", "1"], ["--strategy", "dfs", "--thread-bound", "2"], ["--strategy", "icb", "--loop-iterations", "2"],
                ["--strategy", "vb", "--loop-iterations", "x"], ["--variables", "x"],
                ["--strategy", "vb", "--thread-bound", "1"], ["--strategy", "vb:depth=2"]]:
        out, _ = run(folder, "figure1", options=bad)
        expect(" ".join(bad), out.returncode == 2 and out.stderr, out.stderr)

sys.exit(1 if failures else 0)
