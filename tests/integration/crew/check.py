"""Explores with one worker and with several: whatever they do side by side, the results are the same. Some of them are
killed on the way.

usage: check.py CASE LOCKSTEP PROGRAM
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

case, lockstep, program = sys.argv[1:]
KEYS = ("executions", "traces", "redundant", "verdict", "complete", "guarantee")


def start(folder, strategy, workers, *more, before=()):
    command = [*before, lockstep, "run", "--strategy", strategy, "--workers", str(workers), "--quiet", "--out", f"{folder}/out",
               "--json", f"{folder}/result.json", *more]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def result(folder):
    found = json.loads(pathlib.Path(folder, "result.json").read_text())
    bugs = [(bug.get("kind"), bug.get("execution"), bug.get("fingerprint")) for bug in found.get("bugs", [])]
    return {key: found.get(key) for key in KEYS} | {"bugs": bugs}


def explore(strategy, workers, *more):
    with tempfile.TemporaryDirectory() as folder:
        start(folder, strategy, workers, *more).wait(timeout=200)
        return result(folder)


def children(process):
    try:
        return [int(pid) for pid in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def is_crew(process):  # a copy of lockstep, and no program
    try:
        return os.path.samefile(f"/proc/{process}/exe", lockstep)
    except OSError:
        return False


def same(strategy, *more):
    one = explore(strategy, 1, *more)
    for workers in (2, 3, 5):
        several = explore(strategy, workers, *more)
        assert several == one, f"{strategy} {more}, {workers} workers: {several} instead of {one}"
    return one


def counts():
    assert same("dfs", program, "orders")["executions"] == 34650
    assert same("icb", program, "orders")["traces"] == 34650
    assert same("icb", "--preemptions", "4", program, "orders")["complete"]
    assert same("random", "--executions", "40001", program, "orders")["executions"] == 40001
    assert same("pos", "--executions", "30000", program, "orders")["executions"] == 30000


def bugs():
    for strategy in ("dfs", "icb"):
        found = same(strategy, program, "bug")
        assert found["bugs"] and found["executions"] > 4096, found


def threads():
    for strategy in ("dfs", "icb"):
        assert same(strategy, program, "late_thread")["complete"]


def races():
    for more in (["dfs"], ["icb"], ["random", "--executions", "20000"]):
        same(more[0], "--keep-going", *more[1:], program, "race")


def killed():
    for strategy in ("dfs", "icb"):
        one = explore(strategy, 1, program, "orders")
        kills = 0
        for _ in range(3):
            with tempfile.TemporaryDirectory() as folder:
                process = start(folder, strategy, 2, program, "orders")
                while process.poll() is None:
                    crew = [pid for pid in children(process.pid) if is_crew(pid)]
                    if len(crew) > 1 and kills < 100:
                        time.sleep(0.02)
                        try:
                            os.kill(crew[kills % len(crew)], signal.SIGKILL)
                            kills += 1
                        except ProcessLookupError:
                            pass
                        time.sleep(0.1)
                several = result(folder)
                assert several == one, f"{strategy}: {several} instead of {one}, {kills} killed"
        assert kills > 0, f"{strategy}: nobody worked on units"


def deadly():
    """A unit that ends its workers is explored by the coordinator, whom it does not harm."""
    for strategy in ("dfs", "icb"):
        with tempfile.TemporaryDirectory() as folder:
            process = start(folder, strategy, 3, program, "deadly", before=["sh", "-c", 'DEADLY=$$ exec "$@"', "sh"])
            assert process.wait(timeout=200) == 0
            found = result(folder)
            assert found["executions"] == 34650 and found["complete"], found


{"counts": counts, "bugs": bugs, "threads": threads, "races": races, "killed": killed, "deadly": deadly}[case]()
