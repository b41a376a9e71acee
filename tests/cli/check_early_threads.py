"""Threads that a static object starts before main: under control if the object is the program's, refused with a sentence
if it is a library's."""
import json
import pathlib
import subprocess
import sys
import tempfile

LOCKSTEP, COMPILER, SOURCE = sys.argv[1:4]
failures = 0
folder = tempfile.TemporaryDirectory()


def build(name, *options):
    subprocess.run([COMPILER, "-O1", "-g", SOURCE, *options, "-o", name], cwd=folder.name, check=True, timeout=120)


def run(*arguments, command="run"):
    path = pathlib.Path(folder.name) / "result.json"
    path.unlink(missing_ok=True)
    first = ["run", "--stored", "ignore"] if command == "run" else [command]
    out = subprocess.run([LOCKSTEP, *first, "--json", str(path), *arguments], cwd=folder.name, capture_output=True,
                         text=True, timeout=120)
    return out, json.loads(path.read_text()) if path.exists() else {}


def expect(name, condition, out):
    global failures
    if not condition:
        failures += 1
        print(f"FAILED {name}: exit code {out.returncode}\n{out.stdout}{out.stderr}", flush=True)


build("right")
build("lost", "-DLOST")
build("joined", "-DJOINED")
build("library.so", "-DLIBRARY", "-shared", "-fPIC")
build("uses_library", "-DMAIN", "-Wl,--no-as-needed", "./library.so")

for options in (["--isolation", "reset"], ["--isolation", "fork"], ["--backend", "os-thread"], ["--workers", "2"]):
    out, result = run(*options, "./right")
    expect(f"proved with {options}", out.returncode == 0 and result["verdict"] == "pass" and result["complete"], out)
    # More than the one order in which main comes first: the thread takes part.
    expect(f"several orders with {options}", result.get("executions", 0) > 3, out)
out, result = run("--out", "lost-out", "./lost")
expect("a lost wakeup is found", out.returncode == 1 and result["bugs"][0]["kind"] == "deadlock", out)
schedules = sorted(pathlib.Path(folder.name, "lost-out").rglob("*.lockstep"))
expect("its schedule is kept", bool(schedules), out)
if schedules:
    out, result = run(str(schedules[0]), command="replay")
    expect("it is replayed", out.returncode == 1, out)
out, result = run("--require-complete", "./joined")
expect("a thread that is over needs no control", out.returncode == 0, out)
out, result = run("./uses_library")
expect("a thread of a library is refused", out.returncode == 4 and "when a library was initialised" in out.stderr, out)
out, result = run("--isolation", "loop", "./right")
expect("constructors need a fresh start", out.returncode == 4 and "--isolation reset" in out.stderr, out)
sys.exit(failures > 0)
