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
# left, right, left, right and so on, from 3 and 6: 100 * left + right
ORDERS = {708, 910, 908, 506, 706, 504}
ORDERS_AND_OTHERS = {707, 510, 904}

CASES = [  # name, options, results that are possible, results that are not
    ("atomics", (), ORDERS, ORDERS_AND_OTHERS),
    ("trusted", TRUST, ORDERS, ORDERS_AND_OTHERS),
    ("plain", IGNORE, ORDERS, ORDERS_AND_OTHERS),
    ("locks", (), ORDERS, ORDERS_AND_OTHERS),
    ("nested", (), {910, 706}, ORDERS_AND_OTHERS),
    ("mixed", (), {910, 706, 704}, {510}),
    ("after_a_section", IGNORE, {1, 10, 11}, {0}),
    ("undisturbed", (), {0}, {1}),
    ("waits_inside", (), {21}, {1, 2, 12}),
    ("spins_inside", (), {1}, {0}),
    ("library_calls_in_a_row", (), {0, 1, 2, 11, 12, 22}, {10, 20, 21}),
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
            for value in sorted(possible | impossible):
                out, result = run(folder, *options, "--strategy", *strategy, SECTIONS, name, str(value))
                found = any(bug["kind"] == "assertion" for bug in result["bugs"])
                right = found if value in possible else out.returncode == 0 and result.get("complete")
                if not right:
                    failures += 1
                    print(f"FAILED {name} {value} by {strategy[0]}:\n{out.stdout}{out.stderr}")
sys.exit(failures > 0)
