#!/usr/bin/env python3
"""Budgets, signals and hostile files, from the command line: check.py LOCKSTEP PROGRAM FOLDER"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

lockstep, program, folder = (os.path.abspath(a) for a in sys.argv[1:4])
shutil.rmtree(folder, ignore_errors=True)
os.makedirs(folder)
os.chdir(folder)
SLOW = 10  # how much longer a loaded machine may take


def check(what, good, *shown):
    if not good:
        sys.exit(f"check failed: {what} {shown}")


def run(*words, command="run"):
    start = time.monotonic()
    done = subprocess.run([lockstep, command, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
    return done, time.monotonic() - start


def result():
    with open("result.json", encoding="utf-8") as file:
        return json.load(file)


# --- budgets and signals
done, seconds = run("--time", "2s", "--json", "result.json", program, "computes")
check("a long computation ends with its time", done.returncode == 0 and seconds < 3 + SLOW, done.returncode, seconds)
check("and is no pass", result()["verdict"] == "incomplete")
check("seconds are the clock's", 1.9 <= result()["seconds"] <= seconds, result()["seconds"], seconds)
for number, how in [(signal.SIGINT, "large"), (signal.SIGTERM, "large"), (signal.SIGHUP, "large"), (signal.SIGINT, "computes")]:
    shutil.rmtree("signalled", ignore_errors=True)
    process = subprocess.Popen([lockstep, "run", "--out", "signalled", program, how], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    children = f"/proc/{process.pid}/task/{process.pid}/children"
    while not open(children).read():  # the program has been started
        time.sleep(0.01)
    process.send_signal(number)
    check(f"{number.name} while it is {how}", process.wait(20) == 130, process.returncode)
done, seconds = run("--strategy", "random", "--time", "20s", "--json", "result.json", program, "fails_late")
check("a long failure is found", done.returncode == 1 and result()["bugs"][0]["kind"] == "assertion", done.stdout)
check("and needs few preemptions", result()["bugs"][0]["preemptions"] <= 3, result()["bugs"][0])
check("its story is short", len(done.stdout.splitlines()) < 120)

# --- exit codes and other runners
for code, expected in [("3", 0), ("0", 1)]:
    done, _ = run("--expect-exit", "3", program, "ends_with", code)
    check(f"exit code {code} where 3 is expected", done.returncode == expected)
done, _ = run("--expect-exit", "3", "--out", "exits", program, "ends_with", "0")
replayed, _ = run("exits/bug-1.lockstep", command="replay")
check("a replay expects the same", replayed.returncode == 1, replayed.stdout)
done, _ = run("--tests-list", f"{program} --list", "--test-run", f"'{program}' {{}}", "--json", "result.json", "--executions", "50")
names = [(test["name"], test["verdict"]) for test in result()["tests"]]
check("another runner", names[0] == ("loses", "bug") and names[1][0] == "large", names)
done, _ = run("--tests-list", f"{program} --list", "--test-run", f"{program} {{}}", "--test", "los*", "--json", "result.json")
check("one of its tests", [test["name"] for test in result()["tests"]] == ["loses"])
check("a runner without a list", run("--test-run", f"{program} {{}}")[0].returncode == 2)

# --- files that are something else
done, _ = run("--out", "found", program, "loses")
check("a bug", done.returncode == 1 and "\x1b" not in done.stdout and "\x07" not in done.stdout, done.stdout)
os.mkfifo("fifo")
os.makedirs("saved")
os.mkfifo("saved/exploration.state")
for command, words in [("replay", ["fifo"]), ("resume", ["saved"]), ("run", ["--suppressions", "fifo", program, "loses"])]:
    done, _ = run(*words, command=command)
    check(f"{command} of a FIFO", done.returncode == 2 and done.stderr.count("\n") == 1, done.returncode, done.stderr)
os.makedirs("links")
with open("precious", "w") as file:
    file.write("keep this")
for name in ("bug-1.lockstep", "exploration.state", "exploration.state.part"):
    os.symlink("../precious", f"links/{name}")
run("--out", "links", program, "loses")
check("links are not followed", open("precious").read() == "keep this")

# --- other programs
shutil.copy("/bin/true", "plain")
with open("found/bug-1.lockstep") as file:
    schedule = json.load(file)
check("a recording of a program that is built for Lockstep starts it", run("found/bug-1.lockstep", command="replay")[0].returncode == 1)
done, _ = run("--executions", "1", "--out", "plain-out", "/bin/false")
check("a program that was not", done.returncode == 1 and "-- /bin/false" in done.stdout, done.stdout)
done, _ = run("plain-out/bug-1.lockstep", command="replay")
check("is not started by a recording alone", done.returncode == 2 and "-- /bin/false" in done.stderr, done.stderr)
check("but if it is named", run("plain-out/bug-1.lockstep", "--", "/bin/false", command="replay")[0].returncode == 1)
shutil.copy(program, "work")
process = subprocess.Popen([lockstep, "run", "--time", "60s", "--out", "work-out", "./work", "large"], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
while not os.path.exists("work-out/exploration.state"):
    time.sleep(0.01)
shutil.copy(program, "other")
with open("other", "ab") as file:
    file.write(b"x")
os.rename("other", "work")
said = process.communicate(timeout=50)[0]
check("a program that is replaced", process.returncode == 4 and "was replaced" in said, process.returncode, said)
print("all checks passed")
