"""What lies around an execution: where threads are preempted (--preempt-in), what they write (--outputs,
--expect-output), what they leave behind (--before-each, --after-each)."""
import json
import pathlib
import subprocess
import sys
import tempfile

LOCKSTEP, PROGRAMS = sys.argv[1:3]
EXECUTION_COMMANDS = PROGRAMS + "/execution_commands-gcc-O1"
failures = 0


def run(folder, *arguments, command="run"):
    path = pathlib.Path(folder) / "result.json"
    path.unlink(missing_ok=True)
    first = ["run", "--stored", "ignore"] if command == "run" else [command]
    result = subprocess.run([LOCKSTEP, *first, "--json", str(path), *arguments], cwd=folder, capture_output=True, text=True,
                            timeout=60)
    return result, json.loads(path.read_text()) if path.exists() else {"bugs": [], "warnings": [], "guarantee": ""}


def expect(name, condition, out, result=None):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED {name}:\n{out.stdout}{out.stderr}{json.dumps(result)}", flush=True)


def interleavings(threads):
    """Orders of these operations, each "o" or "i", in which a thread is left only before an "i" or at its end."""
    def count(at, last):
        rest = [t for t in range(len(threads)) if at[t] < len(threads[t])]
        if not rest:
            return 1
        if last in rest and threads[last][at[last]] == "o":
            rest = [last]
        return sum(count(tuple(n + (i == t) for i, n in enumerate(at)), t) for t in rest)
    return count((0,) * len(threads), None)


INSIDE = ("--preempt-in", "*inside*")
with tempfile.TemporaryDirectory() as folder:
    for a, b, c, d in [(1, 1, 1, 1), (2, 2, 1, 2), (1, 3, 2, 0), (0, 2, 0, 2), (3, 0, 3, 0), (0, 3, 1, 2)]:
        expected = interleavings(["o" * a + "i" * b + "o" * a, "o" * c + "i" * d])
        for strategy in [("dfs",), ("icb", "--preemptions", "none"), ("chess", "--preemptions", "none")]:
            out, result = run(folder, "--strategy", *strategy, *INSIDE, EXECUTION_COMMANDS, "steps", str(a), str(b), str(c), str(d))
            counted = strategy[0] == "chess" or result.get("executions") == expected
            expect(f"{strategy[0]} {a} {b} {c} {d}: {expected}", counted and out.returncode == 0 and result["complete"]
                   and "with preemptions only inside calls of *inside*" in result["guarantee"]
                   and result["claim"]["memory"] == "sc", out, result)
    for strategy in ["dfs", "icb", "chess", "dpor", "source-dpor", "optimal-dpor", "bpor", "auto"]:
        out, result = run(folder, "--strategy", strategy, "--preempt-in", "*unlocked_update*", EXECUTION_COMMANDS, "updates")
        expect(f"preempted inside by {strategy}", out.returncode == 1, out, result)
        out, result = run(folder, "--strategy", strategy, *INSIDE, EXECUTION_COMMANDS, "updates")
        expect(f"not preempted outside by {strategy}", out.returncode == 0 and result["verdict"] == "pass", out, result)
        out, result = run(folder, "--strategy", strategy, *INSIDE, EXECUTION_COMMANDS, "waits_outside")
        expect(f"a yield lets others run: {strategy}", out.returncode == 0 and result["verdict"] == "pass", out, result)
    for strategy in ["icb", "optimal-dpor", "exitblock", "exitblock-dd", "exitblock-rw", "exitblock-rwdd"]:
        out, result = run(folder, "--strategy", strategy, *INSIDE, EXECUTION_COMMANDS, "locks_for_ever")
        expect(f"a deadlock outside: {strategy}", out.returncode == 1 and result["bugs"][0]["kind"] == "deadlock", out, result)
    out, result = run(folder, "--strategy", "icb", "--preempt-in", "*unlocked_update*", EXECUTION_COMMANDS, "updates")
    out, result = run(folder, result["bugs"][0]["schedule"], command="replay")
    expect("replayed", out.returncode == 1, out, result)
    out, result = run(folder, "--preempt-in", "no_such_function", EXECUTION_COMMANDS, "updates")
    expect("nothing matches", out.returncode == 2 and "--preempt-in" in out.stderr, out)

    # Outputs: every order of the writes, each once, whatever the strategy.
    for case, expected in [("prints", {"a\nb\nend\n", "b\na\nend\n"}), ("prints_under_a_lock", {"a\nb\nc\n", "a\nc\nb\n", "c\na\nb\n"}),
                           ("prints_in_every_way", {"a\nb\nc\n", "a\nc\nb\n", "c\na\nb\n"})]:
        for strategy in ["dfs", "icb", "optimal-dpor", "source-dpor", "dpor", "exitblock", "exitblock-rw", "auto"]:
            if case == "prints_in_every_way" and strategy.startswith("exitblock"):
                continue  # writes that no lock orders are inside of blocks
            out, result = run(folder, "--strategy", strategy, "--outputs", "outputs.json", EXECUTION_COMMANDS, case)
            outputs = json.loads((pathlib.Path(folder) / "outputs.json").read_text())
            seen = [o["output"] for o in outputs]
            whole = set(seen) == expected if not strategy.startswith("exitblock") or result["complete"] else set(seen) <= expected
            expect(f"outputs of {case} by {strategy}", out.returncode == 0 and len(seen) == len(set(seen)) and whole, out, outputs)
            for o in outputs[:2] if strategy == "dfs" else []:
                again, _ = run(folder, o["schedule"], command="replay")
                expect("an output is replayed", again.returncode in (0, 1) and "cannot" not in again.stderr, again)
    wanted = pathlib.Path(folder) / "wanted"
    wanted.write_text("a\nb\nend\n")
    out, result = run(folder, "--strategy", "icb", "--expect-output", "wanted", EXECUTION_COMMANDS, "prints")
    expect("another output is a bug", out.returncode == 1 and result["bugs"][0]["kind"] == "assertion"
           and "line 1 is 'b', expected 'a'" in result["bugs"][0]["message"], out, result)
    out, result = run(folder, result["bugs"][0]["schedule"], command="replay")
    expect("and is replayed", out.returncode == 1, out, result)
    out, result = run(folder, "--strategy", "optimal-dpor", "--expect-output", "wanted", "--keep-going", EXECUTION_COMMANDS, "prints")
    expect("by reduction", out.returncode == 1 and len(result["bugs"]) == 1, out, result)
    wanted.write_text("")
    out, result = run(folder, "--strategy", "icb", "--expect-output", "wanted", EXECUTION_COMMANDS, "yields")
    expect("the expected output", out.returncode == 0 and result["complete"], out, result)
    out, result = run(folder, "--expect-output", "not-there", EXECUTION_COMMANDS, "yields")
    expect("no such file", out.returncode == 2 and "not-there" in out.stderr, out)

    # What an execution leaves behind.
    left = pathlib.Path(folder) / "left"
    out, result = run(folder, "--strategy", "dfs", "--no-shrink", EXECUTION_COMMANDS, "leaves_a_file")
    expect("the second execution fails", out.returncode != 0 or not result["complete"], out, result)
    left.unlink(missing_ok=True)
    out, result = run(folder, "--strategy", "dfs", "--after-each", "rm -f left; echo x >> after", EXECUTION_COMMANDS, "leaves_a_file")
    lines = len((pathlib.Path(folder) / "after").read_text().split())
    expect("cleaned up after each", out.returncode == 0 and result["verdict"] == "pass" and lines >= result["executions"] > 1
           and not left.exists(), out, result)
    left.write_text("")
    out, result = run(folder, "--strategy", "dfs", "--before-each", "rm -f left", EXECUTION_COMMANDS, "leaves_a_file")
    expect("cleaned up before each", out.returncode == 0 and result["verdict"] == "pass", out, result)
    out, result = run(folder, "--before-each", "exit 3", EXECUTION_COMMANDS, "yields")
    expect("a command that fails", out.returncode == 4 and "--before-each failed with exit code 3" in out.stdout + out.stderr, out)

sys.exit(failures > 0)
