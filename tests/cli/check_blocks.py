"""Atomic blocks from the command line: counts of orders, what is found, what is claimed."""
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

LOCKSTEP, PROGRAMS = sys.argv[1:3]
failures = 0


def run(folder, strategy, name, *options, build="blocks-gcc-O2", keep_going=True):
    path = pathlib.Path(folder) / "result.json"
    path.unlink(missing_ok=True)
    arguments = [LOCKSTEP, "run", "--verbose", "--json", str(path), "--strategy", strategy, *options]
    if keep_going:
        arguments.append("--keep-going")
    result = subprocess.run([*arguments, PROGRAMS + "/" + build, *name.split()], cwd=folder, capture_output=True, text=True, timeout=100)
    return result, json.loads(path.read_text()) if path.exists() else {}


def expect(name, condition, *seen):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED {name}:", *[s if isinstance(s, str) else json.dumps(s, indent=1) for s in seen])


def multinomial(n, k):
    return math.factorial(n * k) // math.factorial(k) ** n


with tempfile.TemporaryDirectory() as folder:
    builds = ["blocks-gcc-O2"] + (["blocks-clang-O0"] if os.path.exists(PROGRAMS + "/blocks-clang-O0") else [])
    for build in builds:
        for n, k in [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1)]:
            for strategy, name, count in [("exitblock", "shared", multinomial(n, k)), ("exitblock-rw", "shared", multinomial(n, k)),
                                          ("exitblock-rw", "private", (k + 1) ** (n - 1)), ("exitblock-rw", "read", (k + 1) ** (n - 1)),
                                          ("exitblock-dd", "shared", multinomial(n, k))]:
                out, result = run(folder, strategy, f"{name} {n} {k}", build=build)
                expect(f"{build} {strategy} {name} {n} {k}: {count}", result.get("executions") == count and result["verdict"] == "pass"
                       and out.returncode == 0 and result["guarantee"].startswith("every order of atomic blocks"), out.stderr, result)
    # Without instrumentation nobody sees what is touched: everything conflicts.
    out, result = run(folder, "exitblock-rw", "private 2 2", build="blocks-plain")
    expect("uninstrumented", not result.get("complete") and "preemptions between synchronisation calls" in result["guarantee"], out.stderr, result)

    for strategy in ["exitblock", "exitblock-rw", "exitblock-dd", "exitblock-rwdd"]:
        out, result = run(folder, strategy, "split", keep_going=False)
        expect(strategy + " split", out.returncode == 1 and result["bugs"][0]["execution"] == 2
               and result["bugs"][0]["kind"] == "assertion" and result["bugs"][0]["preemptions"] == 1, out.stdout, result)
    out, result = run(folder, "exitblock", "split")
    expect("six orders", result["executions"] == 6, result)
    out, result = run(folder, "exitblock-rw", "split")
    expect("four orders", result["executions"] == 4, result)

    for strategy, name, orders, given_up in [("exitblock", "figure2", 4, 0), ("exitblock-rw:as-published", "figure2", 3, 0),
                                             ("exitblock", "figure8", 2, 2), ("exitblock-rw:as-published", "figure8", 2, 1),
                                             ("exitblock", "figure10", 3, 2), ("exitblock-rw:as-published", "figure10", 2, 0),
                                             ("exitblock-rw:as-published,locks-write", "figure10", 3, 2)]:
        out, result = run(folder, strategy, name)
        seen = f"{orders} orders of blocks" + (f", {given_up} block" if given_up else "")
        expect(f"{strategy} {name}", seen in out.stdout and result["executions"] == orders + given_up, out.stdout, result)

    for strategy in ["exitblock-dd", "exitblock-rwdd"]:
        for name in ["figure8", "figure10", "lost"]:
            out, result = run(folder, strategy, name, keep_going=False)
            expect(f"{strategy} {name}", out.returncode == 1 and result["bugs"][0]["kind"] == "deadlock", out.stdout, out.stderr, result)
            replay = subprocess.run([LOCKSTEP, "replay", result["bugs"][0]["schedule"]], cwd=folder, capture_output=True, text=True)
            expect(f"{strategy} {name} replays", replay.returncode == 1, replay.stdout, replay.stderr)
    for strategy in ["exitblock", "exitblock-rw"]:
        out, result = run(folder, strategy, "if", keep_going=False)
        expect(strategy + ": if instead of while", out.returncode == 1 and result["bugs"][0]["kind"] == "assertion", out.stdout, result)

    out, result = run(folder, "exitblock", "shared 3 2", "--preemptions", "1")
    expect("a bound", result["preemptions_completed"] == 1 and result["executions"] == 24 and "at most 1 preemption" in result["guarantee"], result)
    out, result = run(folder, "exitblock", "unprotected", "--races", "ignore")
    expect("broken discipline is said", "without a common lock" in result["guarantee"] and not result["complete"], out.stdout, result)
    for strategy in ["exitblock", "exitblock-rwdd"]:
        out, result = run(folder, strategy, "unprotected", keep_going=False)
        expect(f"{strategy}: a data race ends the search", out.returncode == 1 and not result["complete"], out.stdout, result)

    out, result = run(folder, "exitblock-rw", "regions 4 20", "--time", "50s", keep_going=False)
    expect("four threads with twenty regions", out.returncode == 1 and result["seconds"] < 50, out.stdout, result)

    # The number of workers and being stopped on the way change nothing of what is run and claimed.
    for strategy in ["exitblock", "exitblock-rw", "exitblock-dd"]:
        for workers in ["1", "3"]:
            out, result = run(folder, strategy, "shared 3 3", "--workers", workers)
            expect(f"{strategy}, {workers} workers", result["executions"] == 1680 and result["complete"], out.stdout, result)
    path = pathlib.Path(folder) / "result.json"
    command = [LOCKSTEP, "run", "--verbose", "--json", str(path), "--strategy", "exitblock-rw", "--progress", "always", "--workers", "2", "--out", "stopped",
               PROGRAMS + "/blocks-gcc-O2", "shared", "3", "4"]
    for _ in range(4):
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        seen = process.stdout.read(60)  # it has begun
        process.send_signal(signal.SIGINT)
        seen += process.stdout.read()
        process.wait(100)
        if process.returncode != 130:
            break
        command = [LOCKSTEP, "resume", "stopped"]
    if process.returncode == 130:
        seen = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100).stdout
    result = json.loads(path.read_text())
    expect("interrupted and resumed", result["complete"] and result["executions"] == 34650 and result["traces"] == 34650, seen, result)

    # What the method does not cover is named, and the claim is not complete.
    criteria = "block_criteria-gcc-O2"
    for name, what in [("atomic", "atomics shared"), ("spin-flag", "atomics shared"), ("try-lock", "try-lock"), ("try-read", "try-read-lock"),
                       ("timed-lock", "time out"), ("timed-wait", "time out"), ("semaphore", "sem-wait"), ("atomic-wait", "futex-wait"),
                       ("other-lock", "notifications"), ("crossed-readers", "lock deadlocks"), ("released-first", "lock deadlocks")]:
        for strategy in ["exitblock", "exitblock-rw"]:
            out, result = run(folder, strategy, name, build=criteria, keep_going=False)
            expect(f"{strategy} {name} is not covered", not result["complete"] and not result["bugs"] and result["verdict"] == "pass"
                   and "orders inside atomic blocks" in result["guarantee"] and what in result["guarantee"], out.stdout, result)
    for name, count in [("plain", 1), ("locked-atomic", 2), ("readers", 2), ("once", 2), ("condition", 3)]:
        for strategy in ["exitblock", "exitblock-dd"]:
            out, result = run(folder, strategy, name, build=criteria)
            expect(f"{strategy} {name} is covered", out.returncode == 0 and result["complete"] and result["executions"] == count, out.stdout, result)
    for strategy in ["exitblock-dd", "exitblock-rwdd"]:
        for name in ["reader-mutex", "writer-mutex", "crossed-readers", "spin-mutex", "recursive", "released-first", "once-mutex", "join", "three"]:
            out, result = run(folder, strategy, name, build=criteria, keep_going=False)
            expect(f"{strategy} {name} deadlocks", out.returncode == 1 and result["bugs"][0]["kind"] == "deadlock", out.stdout, result)
        for name in ["only-readers", "gate"]:
            out, result = run(folder, strategy, name, build=criteria)
            expect(f"{strategy} {name} does not deadlock", out.returncode == 0 and result["complete"], out.stdout, result)
    for strategy in ["exitblock", "exitblock-rw"]:
        for name in ["create", "section"]:
            out, result = run(folder, strategy, name, build=criteria, keep_going=False)
            expect(f"{strategy} {name}", out.returncode == 1 and result["bugs"][0]["kind"] == "assertion" and not result["complete"], out.stdout, result)
    # More executions than the generations of the lock checker: its memory is cleared on the way.
    out, result = run(folder, "exitblock", "shared 5 2", "--workers", "1", "--time", "90s")
    expect("113400 orders", result["complete"] and result["executions"] == multinomial(5, 2), out.stdout, result)

    for bad in ["exitblock:depth=2", "exitblock-rw:locks-write=2", "exitblock-dd:locks-write"]:
        out, _ = run(folder, bad, "split")
        expect(bad, out.returncode == 2 and "setting" in out.stderr, out.stderr)

sys.exit(1 if failures else 0)
