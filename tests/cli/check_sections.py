"""Others run before, between and after atomic sections, trusted functions and calls of the C++ library, and never inside:
every strategy finds just the results that are possible then."""
import json
import pathlib
import subprocess
import sys
import tempfile

LOCKSTEP, PROGRAMS = sys.argv[1:3]
SECTIONS = PROGRAMS + "/sections-gcc-O1"
TRUST = ("--trust", "step_left", "--trust", "step_right")
IGNORE = ("--races", "ignore")
STRATEGIES = [("dfs",), ("icb",), ("chess", "--preemptions", "none"), ("dpor",), ("source-dpor",), ("optimal-dpor",),
              ("bpor", "--preemptions", "4")]

CASES = [  # name, options, a result that is possible, one that is not; mostly 100 * left + right
    ("atomics", (), 910, 707),
    ("trusted", TRUST, 910, 707),
    ("plain", IGNORE, 706, 510),
    ("locks", (), 910, 904),
    ("nested", (), 706, 707),
    ("mixed", (), 508, 704),
    ("after_a_section", IGNORE, 11, 0),
    ("after_a_trusted_call", IGNORE + ("--trust", "set_left", "--trust", "set_right"), 11, 0),
    ("left_by_an_exception", ("--trust", "throw_left"), 1, 3),
    ("trusted_recursion", ("--trust", "count_*"), 3, 1),
    ("undisturbed", (), 0, 1),
    ("waits_inside", (), 21, 12),
    ("spins_inside", (), 1, 0),
    ("library_calls_in_a_row", (), 12, 21),
]
failures = 0


def run(folder, *arguments):
    result = subprocess.run([LOCKSTEP, "run", "--stored", "ignore", "--json", "result.json", *arguments], cwd=folder,
                            capture_output=True, text=True, timeout=60)
    path = pathlib.Path(folder + "/result.json")
    return result, json.loads(path.read_text()) if result.returncode < 2 else {"bugs": []}


with tempfile.TemporaryDirectory() as folder:
    for name, options, possible, impossible in CASES:
        for strategy in STRATEGIES:
            for value in (possible, impossible):
                out, result = run(folder, *options, "--strategy", *strategy, SECTIONS, name, str(value))
                found = any(bug["kind"] == "assertion" for bug in result["bugs"])
                right = found if value == possible else out.returncode == 0 and result.get("complete")
                if not right:
                    failures += 1
                    print(f"FAILED {name} {value} by {strategy[0]}:\n{out.stdout}{out.stderr}", flush=True)
sys.exit(failures > 0)
