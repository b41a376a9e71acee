"""Ranks that a user brings as shared objects, from the command line: check_ranks.py LOCKSTEP EXAMPLES INCLUDE PROGRAM"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

LOCKSTEP, EXAMPLES, INCLUDE, PROGRAM = (os.path.abspath(a) for a in sys.argv[1:5])
failures = 0


def expect(name, condition, *seen):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED {name}:", *seen)


def build(folder, name, source):
    path = pathlib.Path(folder, name + ".c")
    path.write_text(source)
    library = str(path.with_suffix(".so"))
    subprocess.run(["cc", "-shared", "-fPIC", "-I", INCLUDE, str(path), "-o", library], check=True)
    return library


def run(folder, rank, *options):
    command = [LOCKSTEP, "run", "--strategy", "best-first:window=1", "--preemptions", "1", "--rank", rank, "--json", "result.json",
               "--stored", "ignore", "--keep-going", "--workers", "1", *options, PROGRAM]
    pathlib.Path(folder, "result.json").unlink(missing_ok=True)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL)
    path = pathlib.Path(folder, "result.json")
    return done, json.loads(path.read_text()) if path.exists() else {}


HEAD = "#include <lockstep/rank.h>\n#include <stdlib.h>\nuint64_t lockstep_rank(const struct lockstep_step* s, uint32_t n, " \
       "const struct lockstep_alternative* a) "

with tempfile.TemporaryDirectory() as folder:
    reference = run(folder, "pb")[1]
    # What the header says about an alternative is so: ranked by it, the search is the built-in one.
    same = run(folder, build(folder, "preemptions", HEAD + "{ (void)s; (void)n; return a->preemptions; }"))[1]
    keys = ("executions", "traces", "complete")
    expect("a rank of preemptions is pb", all(same.get(k) == reference[k] for k in keys)
           and same["bugs"][0]["execution"] == reference["bugs"][0]["execution"], same, reference)
    example = build(folder, "example", pathlib.Path(EXAMPLES, "rank_by_object.c").read_text())
    done, result = run(folder, f"2*{example}+pb,rand")
    expect("the example, weighted", result.get("executions") == reference["executions"], done.stderr, result)

    crash = build(folder, "crash", HEAD + "{ static int calls; (void)s; (void)n; (void)a; if (++calls > 3) abort(); return 0; }")
    done, result = run(folder, crash)
    expect("a crash is told, and nothing is lost", "crashed (Aborted); the search goes on without it" in done.stderr
           and result["executions"] == reference["executions"], done.stderr, result)
    for name, source, message in [("empty", "int nothing;", "it has no function lockstep_rank"),
                                  ("early", "__attribute__((constructor)) void f(void) { __builtin_trap(); }", "it crashed")]:
        done, _ = run(folder, build(folder, name, source))
        expect(name, done.returncode == 2 and message in done.stderr, done.returncode, done.stderr)
    done, _ = run(folder, "./missing.so")
    expect("missing", done.returncode == 2 and "cannot use rank ./missing.so" in done.stderr, done.returncode, done.stderr)

    done, result = run(folder, "rand", "--seed", "random", "--color", "never")
    expect("a drawn seed is printed", " seed " in done.stdout.splitlines()[0], done.stdout)
sys.exit(1 if failures else 0)
