"""Data races from the command line: reported, suppressed, ignored, promoted to scheduling points, replayed."""
import json
import pathlib
import subprocess
import sys
import tempfile

LOCKSTEP, PROGRAMS = sys.argv[1:3]
PROMOTION = PROGRAMS + "/promotion-gcc-O2"
MEMORY = PROGRAMS + "/memory-gcc-O1"
PLAIN = PROGRAMS + "/races_plain-gcc-O0"
failures = 0


def run(folder, *arguments, command="run"):
    if "--races" not in arguments:
        arguments = ("--races", "report", *arguments)
    result = subprocess.run([LOCKSTEP, command, "--json", folder + "/result.json", *arguments], cwd=folder,
                            capture_output=True, text=True, timeout=60)
    path = pathlib.Path(folder + "/result.json")
    return result, json.loads(path.read_text()) if result.returncode < 2 else {}


def expect(name, condition, seen):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED {name}:\n{seen}")


def kinds(result):
    return [bug["kind"] for bug in result["bugs"]]


with tempfile.TemporaryDirectory() as folder:
    out, result = run(folder, PLAIN, "heap_shared")
    expect("a race is a bug", out.returncode == 1 and kinds(result) == ["data-race"], out.stdout)
    expect("both places are told", out.stdout.count("races_plain.cpp:") >= 4, out.stdout)
    out, _ = run(folder, result["bugs"][0]["schedule"], command="replay")
    expect("a race replays", out.returncode == 1 and out.stdout.startswith("DATA RACE  ") and "reproduced" in out.stdout, out.stdout + out.stderr)

    out, result = run(folder, "--races", "ignore", PLAIN, "heap_shared")
    expect("ignored races are no bug", out.returncode == 0 and result["verdict"] == "pass", out.stdout)

    for pattern in ["race:heap_shared*", "race:*races_plain.cpp"]:
        pathlib.Path(folder + "/known").write_text("# known\n\n" + pattern + "\n")
        out, result = run(folder, "--suppressions", "known", PLAIN, "heap_shared")
        expect("suppressed by " + pattern, out.returncode == 0, out.stdout + out.stderr)
    pathlib.Path(folder + "/known").write_text("race:nothing_like_it\n")
    out, result = run(folder, "--suppressions", "known", PLAIN, "heap_shared")
    expect("other races are told", out.returncode == 1, out.stdout)
    pathlib.Path(folder + "/known").write_text("deadlock:main\n")
    out, _ = run(folder, "--suppressions", "known", PLAIN, "heap_shared")
    expect("a bad suppression", out.returncode == 2 and "known:1" in out.stderr, out.stderr)
    out, _ = run(folder, "--suppressions", "missing", PLAIN, "heap_shared")
    expect("a missing file", out.returncode == 2 and "missing" in out.stderr, out.stderr)

    for name in ["lost_update", "torn_read", "two_rounds"]:
        out, result = run(folder, "--races", "ignore", "--points", "atomics", "--strategy", "icb", PROMOTION, name)
        expect(name + " without promotion", out.returncode == 0, out.stdout)
        expect(name + " claims less", "no race detection" in result.get("guarantee", ""), out.stdout)
        out, result = run(folder, "--races", "ignore", "--strategy", "icb", PROMOTION, name)
        expect(name + " with promotion", out.returncode == 1 and kinds(result) == ["assertion"], out.stdout + out.stderr)
        expect(name + " says so", "restarting: " in out.stdout, out.stdout)
        out, again = run(folder, result["bugs"][0]["schedule"], command="replay")
        expect(name + " replays", out.returncode == 1 and kinds(again) == ["assertion"], out.stdout + out.stderr)
        seen = [run(folder, "--races", "ignore", "--strategy", "icb", "--workers", workers, PROMOTION, name)[1] for workers in "123"]
        expect(name + " is deterministic", len({r["executions"] for r in seen}) == 1, [r["executions"] for r in seen])

    out, result = run(folder, "--races", "ignore", "--strategy", "dfs", PROMOTION, "benign")
    expect("a benign race", out.returncode == 0 and result["complete"], out.stdout)
    expect("covers all", result["guarantee"] == "every sequentially consistent execution", result.get("guarantee"))
    out, result = run(folder, "--strategy", "dfs", PROMOTION, "locked")
    expect("no race, no proviso", result["guarantee"] == "every execution" and result["executions"] == 2, out.stdout)
    out, result = run(folder, "--strategy", "dfs", "--points", "all", PROMOTION, "locked")
    expect("all shared accesses", out.returncode == 0 and result["executions"] > 2, out.stdout)
    out, result = run(folder, "--keep-going", "--strategy", "icb", PROMOTION, "lost_update")
    expect("the race and what it leads to", sorted(set(kinds(result))) == ["assertion", "data-race"], out.stdout)

    for name in ["locked_read_after_delete", "read_after_join", "atomic_after_free"]:
        out, result = run(folder, "--strategy", "icb", MEMORY, name)
        expect(name, "use-after-free" in kinds(result), out.stdout + out.stderr)
        expect(name + " names both places", "freed at memory.cpp:" in out.stdout, out.stdout)
        out, again = run(folder, result["bugs"][0]["schedule"], command="replay")
        expect(name + " replays", kinds(again) == ["use-after-free"], out.stdout + out.stderr)
    for name in ["counted", "shared_pointer", "reused", "order_in_turn", "order_gated"]:
        out, result = run(folder, "--strategy", "icb", "--preemptions", "2", MEMORY, name)
        expect(name + " is correct", out.returncode == 0 and not result["warnings"], out.stdout + out.stderr)
    out, result = run(folder, "--strategy", "icb", "--preemptions", "0", MEMORY, "order_opposite")
    expect("opposite lock orders", out.returncode == 0 and any("opposite orders" in w for w in result["warnings"]),
           out.stdout + out.stderr)
    out, result = run(folder, "--strategy", "icb", "--preemptions", "0", "--error", "lock-order", MEMORY, "order_opposite")
    expect("as an error", out.returncode == 1 and kinds(result) == ["lock-order"], out.stdout + out.stderr)

# A program of which one part is instrumented and the other, in a static library, is not.
SOURCES = pathlib.Path(__file__).resolve().parent.parent / "programs/partly"
with tempfile.TemporaryDirectory() as folder:
    for atomics in [(), ("-DATOMICS",)]:
        common = ["-std=c++20", "-g", "-O1", "-pthread", *atomics]
        program = folder + "/" + ("with" if atomics else "without")
        subprocess.run(["g++", *common, "-c", SOURCES / "library.cpp", "-o", folder + "/library.o"], check=True)
        subprocess.run(["ar", "rcs", program + ".a", folder + "/library.o"], check=True)
        subprocess.run([LOCKSTEP + "-cxx", *common, SOURCES / "program.cpp", program + ".a", "-o", program], check=True)
        out, result = run(folder, program, "locked")
        expect("locks of the other part are seen", out.returncode == 0 and not result["warnings"], out.stdout + out.stderr)
        out, result = run(folder, program, "racy")
        if atomics:
            expect("not certain any more", out.returncode == 0 and any("not certain" in w for w in result["warnings"]), out.stdout)
            out, result = run(folder, program, "published")
            expect("order by unseen atomics is no bug", out.returncode == 0 and not result["bugs"], out.stdout + out.stderr)
        else:
            expect("a race beside a part that only locks", out.returncode == 1 and kinds(result) == ["data-race"], out.stdout)

sys.exit(failures > 0)
