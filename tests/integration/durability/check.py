#!/usr/bin/env python3
"""Nothing is lost: check.py killed|interrupted|bugs|damaged|full_disk|two_at_once LOCKSTEP PROGRAM MOMENTS

Every moment at which something happens is a number of looks at a clock that only these looks move (moments.cpp), drawn
from a fixed seed; so no case depends on how fast the machine is.
"""
import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile

case, lockstep, program, moments = sys.argv[1], *(os.path.abspath(a) for a in sys.argv[2:5])
STRATEGIES = ["icb", "dfs", "dpor", "source-dpor", "optimal-dpor", "best-first", "best-first:expand=dpor", "chess", "delay"]
MIXTURES = ["auto", "portfolio"]
ORDERS = {(3, 3): math.factorial(9) // 6**3, (2, 3): math.factorial(6) // 6**2}


def run(words, **variables):
    environment = {**os.environ, "LD_PRELOAD": moments, "LOCKSTEP_TEST_LOG": "log", **variables}
    return subprocess.run([lockstep, *words], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)


def start(strategy, shape, *extra, **variables):
    return run(["run", "--strategy", strategy, "--preemptions", "none", "--workers", "1", "--out", "out", "--json", "result.json",
                *extra, program, *map(str, shape)], **variables)


def executed():
    """Every order some execution has shown, whether anybody was told of it or not."""
    with open("log", encoding="utf-8") as file:
        return {line for line in file if line.endswith("\n")}


def expect(good, what, done=None):
    if not good:
        sys.exit(f"{what}" + (f"\nexit {done.returncode}\n{done.stdout}{done.stderr}" if done else ""))


def in_folder(check):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check()
        os.chdir("/")


def finished(what, shape, done):
    with open("result.json", encoding="utf-8") as file:
        result = json.load(file)
    expect(done.returncode == 0 and result["complete"] and result["verdict"] == "pass", f"{what}: not finished", done)
    expect(result["traces"] == ORDERS[shape] <= result["executions"], f"{what}: {result['traces']} traces", done)
    expect(result["guarantee"].startswith("every "), f"{what}: claims {result['guarantee']}")
    # Executions from the middle of one that was told are logged all the same: each runs to its end.
    expect(len(executed()) == ORDERS[shape], f"{what}: {len(executed())} orders were executed")
    expect(not os.path.exists("out"), f"{what}: a finished exploration is still offered")


def in_pieces(strategy, kinds, seed):
    """Ends it again and again, later each time so that it gets on, and resumes it until it is done."""
    draw, shape, ends = random.Random(seed), (3, 3), 0
    done = start(strategy, shape, LOCKSTEP_TEST_DIE=f"{kinds[0]}:{draw.randint(60, 400)}")
    while done.returncode != 0:
        ends += 1
        expect(done.returncode in (-9, 130), f"{strategy}: ended by something else", done)
        expect(os.path.exists("out/exploration.state"), f"{strategy}: nothing was saved after {ends} ends", done)
        expect(ends < 200, f"{strategy}: makes no progress")
        kind = draw.choice(kinds)
        done = run(["resume", "out"], LOCKSTEP_TEST_DIE=f"{kind}:{draw.randint(1, 3 if kind == 'rename' else 300 * ends)}")
    expect(ends >= 3, f"{strategy}: was ended {ends} times only")
    finished(f"{strategy}, seed {seed}, {ends} ends", shape, done)


def killed():
    for strategy in STRATEGIES + MIXTURES:
        for seed in range(3):
            in_folder(lambda s=strategy, n=seed: in_pieces(s, ["look", "look", "rename"], n))
    in_folder(notices_what_is_missing)


def interrupted():
    for strategy in STRATEGIES + MIXTURES:
        in_folder(lambda s=strategy: in_pieces(s, ["signal"], 1))


def result():
    with open("result.json", encoding="utf-8") as file:
        return json.load(file)


def told(found):
    return found["traces"], found["guarantee"], found["verdict"], [(b["kind"], b["execution"], b["fingerprint"]) for b in found["bugs"]]


def bug_in_pieces(strategy, kind):
    """A bug found before an end is part of what is told in the end, and its schedule is where it was."""
    draw, shape = random.Random(3), (3, 3, "fail")
    expect(start(strategy, shape, "--keep-going").returncode == 1, f"{strategy}: no bug")
    whole = told(result())
    os.remove("result.json")
    ends, with_bug = 0, 0
    done = start(strategy, shape, "--keep-going", "--stored", "ignore", LOCKSTEP_TEST_DIE=f"{kind}:{draw.randint(60, 400)}")
    while done.returncode in (-9, 130) or not result()["complete"]:
        ends += 1
        with_bug += os.path.exists("out/bug-1.lockstep")
        expect(done.returncode in (-9, 130, 1) and ends < 200, f"{strategy}: ended by something else", done)
        expect(os.path.exists("out/exploration.state"), f"{strategy}: nothing was saved after {ends} ends", done)
        done = run(["resume", "out"], LOCKSTEP_TEST_DIE=f"{kind}:{draw.randint(1, 300 * ends)}")
    expect(with_bug >= 2, f"{strategy}: was ended {with_bug} times only after the bug")
    expect(done.returncode == 1 and told(result()) == whole, f"{strategy}, {kind}: {told(result())} instead of {whole}", done)
    expect(os.listdir("out") == ["bug-1.lockstep"], f"{strategy}, {kind}: left behind: {os.listdir('out')}")


def bugs():
    for strategy in ["icb", "optimal-dpor", "dpor", "chess"]:
        for kind in ["look", "signal"]:
            in_folder(lambda s=strategy, k=kind: bug_in_pieces(s, k))


def notices_what_is_missing():
    """The orders a bound leaves out are missing from the log."""
    done = run(["run", "--strategy", "icb", "--preemptions", "1", "--workers", "1", "--out", "out", program, "3", "3"])
    expect(done.returncode == 0 and len(executed()) < ORDERS[3, 3], "a bound leaves out nothing", done)


def damages(whole):
    """Name, bytes, words of the sentence."""
    draw, header = random.Random(1), 40  # magic 16, version 4, reserved 4, size 8, checksum 8
    for size in [0, 1, 15, 16, 20, header - 1, header, header + 1, len(whole) // 2, len(whole) - 1]:
        yield f"cut to {size}", whole[:size], "damaged"
    for at in [0, 24, 25, 31, 32, 39, header, len(whole) - 1] + [draw.randrange(header, len(whole)) for _ in range(12)]:
        yield f"byte {at}", whole[:at] + bytes([whole[at] ^ 1 << draw.randrange(8)]) + whole[at + 1:], "damaged"
    yield "more behind it", whole + b"more", "damaged"
    yield "says it is huge", whole[:24] + (2**35).to_bytes(8, "little") + whole[32:], "damaged"
    yield "another version", whole[:16] + (99).to_bytes(4, "little") + whole[20:], "another version"
    yield "a schedule", b'{"format": "lockstep-schedule"}' + whole[31:], "damaged"


def refused(what, done, words):
    expect(done.returncode == 2 and not done.stdout, f"{what}: not refused", done)
    expect(len(done.stderr.splitlines()) == 1 and words in done.stderr, f"{what}: no clear sentence", done)


def damaged_state(strategy):
    done = start(strategy, (2, 3), "--executions", "7")
    expect(os.path.exists("out/exploration.state"), f"{strategy}: nothing was saved", done)
    with open("out/exploration.state", "rb") as file:
        whole = file.read()
    for name, content, words in damages(whole):
        with open("out/exploration.state", "wb") as file:
            file.write(content)
        refused(f"{strategy}, {name}", run(["resume", "out"]), words)
        with open("out/exploration.state", "rb") as file:
            expect(file.read() == content, f"{strategy}, {name}: changed by who refused it")
    os.remove("out/exploration.state")
    refused(f"{strategy}, no state", run(["resume", "out"]), "no interrupted exploration")
    os.mkdir("out/exploration.state")
    refused(f"{strategy}, a folder", run(["resume", "out"]), "is a directory")


def damaged():
    for strategy in ["icb", "optimal-dpor", "auto", "portfolio"]:
        in_folder(lambda s=strategy: damaged_state(s))


def full_while_searching():
    """It goes on, says so once, and finishes."""
    done = start("icb", (3, 3), LOCKSTEP_TEST_FULL=os.path.abspath("out") + ":3")
    expect(done.stderr.count("\n") == 1 and "No space left on device" in done.stderr, "no clear sentence", done)
    finished("full disk", (3, 3), done)


def full_before_an_interrupt():
    """What was saved before is still there, whole, and can be resumed once there is room."""
    done = start("icb", (3, 3), LOCKSTEP_TEST_FULL=os.path.abspath("out") + ":9", LOCKSTEP_TEST_DIE="signal:1400")
    expect(done.returncode == 130 and "No space left on device" in done.stderr, "no clear sentence", done)
    expect(os.listdir("out") == ["exploration.state"], f"left behind: {os.listdir('out')}")
    finished("resumed after a full disk", (3, 3), run(["resume", "out"]))


def full_at_a_bug():
    """The bug is told all the same, with its exit code; it only cannot be replayed."""
    done = start("icb", (3, 3, "fail"), LOCKSTEP_TEST_FULL=os.path.abspath("out"))
    expect(done.returncode == 1 and "ASSERTION" in done.stdout and "No space left on device" in done.stderr, "bug lost", done)
    with open("result.json", encoding="utf-8") as file:
        expect(json.load(file)["verdict"] == "bug", "bug lost")
    expect(not [f for f in os.listdir("out") if os.path.getsize("out/" + f)] if os.path.exists("out") else True, "half a file", done)


def full_disk():
    for check in [full_while_searching, full_before_an_interrupt, full_at_a_bug]:
        in_folder(check)


def under_way(words):
    """Starts it and returns when it has stopped itself in the middle."""
    environment = {**os.environ, "LD_PRELOAD": moments, "LOCKSTEP_TEST_LOG": "log", "LOCKSTEP_TEST_DIE": "stop:700"}
    process = subprocess.Popen([lockstep, *words], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    expect(os.WIFSTOPPED(status), f"ended before it was stopped: {status}")
    return process


def goes_on(process):
    process.send_signal(signal.SIGCONT)
    out, _ = process.communicate(timeout=120)
    return subprocess.CompletedProcess(process.args, process.returncode, out, "")


def resumed_while_under_way():
    """Nobody goes on with what somebody else is at; afterwards, or once that one is dead, it can be gone on with."""
    new = ["run", "--strategy", "icb", "--preemptions", "none", "--workers", "1", "--out", "out", "--json", "result.json", program, "3", "3"]
    first = under_way(new)
    refused("resume of a run", run(["resume", "out"]), "running exploration")
    first.kill()
    first.wait()
    second = under_way(["resume", "out"])
    refused("resume of a resume", run(["resume", "out"]), "running exploration")
    finished("two at once", (3, 3), goes_on(second))


def run_twice_into_one_folder():
    """Both finish, whatever becomes of what each of them saves."""
    words = ["run", "--strategy", "dfs", "--preemptions", "none", "--workers", "1", "--out", "out", program, "3", "3"]
    first = under_way(words)
    second = run(words)
    expect(second.returncode == 0 and "PASS" in second.stdout, "the second did not finish", second)
    done = goes_on(first)
    expect(done.returncode == 0 and "PASS" in done.stdout, "the first did not finish", done)


def two_at_once():
    for check in [resumed_while_under_way, run_twice_into_one_folder]:
        in_folder(check)


{"killed": killed, "interrupted": interrupted, "bugs": bugs, "damaged": damaged, "full_disk": full_disk, "two_at_once": two_at_once}[case]()
