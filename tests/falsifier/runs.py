"""Runs of `lockstep run` on generated programs: which options, and whether the oracle refutes what is said."""
import json
import os
import re
import subprocess

EXHAUSTIVE = ("dfs", "icb", "chess", "dpor", "source-dpor", "optimal-dpor", "bpor", "best-first", "exitblock", "exitblock-rw",
              "exitblock-dd", "exitblock-rwdd", "vb", "delay", "auto", "portfolio")
SAMPLING = ("random", "pct:depth=2", "pos", "surw", "pctvb:depth=2,variables=1", "seek", "revisit")
VARIANTS = ("dpor:sleep=0", "dpor:sleep=1", "best-first:expand=dpor", "best-first:expand=dpor,sleep=0", "best-first:window=1",
            "vb:order=c", "vb:survey=0", "vb:arrays=whole", "icb:threads=3", "chess:threads=4", "vb:threads=4", "exitblock:operations=3", "exitblock-rwdd:operations=1",
            "portfolio:rank=mdpor,rank=rand,seed=1,seed=2", "delay:bound=1", "dfs:depth=4")
BOUNDED = ("dfs", "icb", "chess", "bpor", "best-first", "exitblock", "exitblock-rw", "exitblock-dd", "exitblock-rwdd", "vb",
           "delay", "auto", "optimal-dpor", "source-dpor")
RANKS = ("pb", "dpor", "mdpor", "ss", "rand", "mdpor,pb", "2*mdpor+pb")
GROUPS = {"assertion": "assertion", "deadlock": "stuck", "livelock": "stuck", "data-race": "race", "crash": "undefined",
          "abort": "abort", "exception": "undefined", "use-after-free": "undefined", "double-free": "undefined",
          "lock-misuse": "undefined", "exit-code": "exit-code"}


class Oracle:
    """The interpreter, kept running; answers are remembered."""

    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.known = {}

    def ask(self, code, spurious=0, timeouts=True, may=False, delay=0):
        key = f"{spurious} {int(timeouts)} {int(may)} {delay} {code}"
        if key not in self.known:
            if len(self.known) > 5000:
                self.known.clear()
            self.process.stdin.write(key + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"the oracle failed on {key}")
            self.known[key] = json.loads(line)
        return self.known[key]


def options_for(strategy, features, rng, suppressions):
    """Options of one run: a list of words for the command line."""
    name = strategy.split(":")[0]
    words = ["--strategy", strategy, "--workers", rng.choice(["1", "1", "2"])]
    races = rng.choice(["report", "report", "ignore", "ignore", "suppress"])
    if races == "ignore":
        words += ["--races", "ignore"]
    elif races == "suppress":
        words += ["--suppressions", suppressions]
    if rng.random() < 0.3:
        words += ["--keep-going"]
    if name in BOUNDED and rng.random() < 0.35:
        words += ["--preemptions", rng.choice(["0", "1", "1", "2"])]
    if name == "best-first" and rng.random() < 0.5:
        words += ["--rank", rng.choice(RANKS)]
    words += rng.choice([[]] * 6 + [["--isolation", "fork"], ["--backend", "os-thread"]])  # not both: a fork has one thread
    if rng.random() < 0.2:
        words += ["--checkpoints", rng.choice(["always", "off"])]
    if rng.random() < 0.15:
        words += ["--points", rng.choice(["all", "all", "sync", "atomics"])]
    if "timed" in features and rng.random() < 0.4:
        words += ["--timeouts", rng.choice(["always", "stuck"])]
    if "timed" in features and rng.random() < 0.5:
        words += ["--max-delay", rng.choice(["none", "none", "4ms", "20ms"])]
    if "condition" in features and rng.random() < 0.4:
        words += ["--spurious", "1"]
    if "trusted" in features and rng.random() < 0.8:
        words += [rng.choice(["--trust", "--trust", "--preempt-in"]), "*trusted_increment*"]
    if rng.random() < 0.05:
        words += ["--memory-budget", "1MiB"]
    if rng.random() < 0.05:
        words += ["--no-shrink"]
    words += ["--seed", str(rng.randrange(100))]
    return words


def explore_options(strategy, rng):
    """The same for explore(), which knows fewer options."""
    words = ["explore", "--strategy", strategy, "--races", rng.choice(["report", "ignore"])]
    if strategy.split(":")[0] in BOUNDED and rng.random() < 0.35:
        words += ["--preemptions", rng.choice(["0", "1", "2"])]
    return words + rng.choice([[], [], ["--keep-going"]])


def fits_explore(features):
    """The body of explore() joins its threads and does not end the process."""
    return not features & {"exit", "handler", "alive-at-exit", "uninstrumented"}


class Runner:
    def __init__(self, lockstep, folder, programs, tamper=None):
        self.lockstep, self.folder, self.programs, self.tamper = lockstep, folder, programs, tamper

    def command(self, code, words, out):
        if words[0] == "explore":
            return [self.programs["explore"], given(words, "--strategy"), given(words, "--preemptions", "none"),
                    given(words, "--races", "report"), "keep" if "--keep-going" in words else "stop", code]
        program = self.programs["partly" if "uinc" in code else "whole"]
        return [self.lockstep, "run", "--json", "-", "--quiet", "--stored", "ignore", "--color", "never", "--progress", "never",
                "--out", out, "--time", "10s", "--executions", "4000"] + words + [program, code]

    def run(self, code, words, slot=0):
        out = os.path.join(self.folder, f"out{slot}")
        command = self.command(code, words, out)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=self.folder)
        except subprocess.TimeoutExpired:
            return {"error": "does not end within 60 s"}
        if done.returncode == 2 or done.returncode == 4 and words[0] == "explore":
            return {"refused": done.stderr.strip()}
        if done.returncode not in (0, 1):
            return {"error": f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"}
        try:
            result = json.loads(done.stdout[done.stdout.index("{\n"):])
        except ValueError:
            return {"error": f"no JSON: {done.stdout[-200:]} {done.stderr[-200:]}"}
        return self.tamper(result) if self.tamper else result


def given(words, option, default=None):
    return words[words.index(option) + 1] if option in words else default


def delay_of(words):
    """How many milliseconds a thread may be held up; 0: any."""
    limit = given(words, "--max-delay", "10ms")
    return 0 if limit == "none" else int(limit[:-2])


def bounds_of(result):
    """The bounds of a claim by name; read from its sentence where there is no `claim`."""
    if result.get("claim"):
        return result["claim"].get("bounds", {})
    bounds = {}
    for number, name in re.findall(r"at most (\d+) (preemption|variable|delay|thread)", result["guarantee"]):
        bounds[name + "s"] = int(number)
    return bounds


def bound_of(result):
    """The bound on preemptions of a claim, or None if it has none."""
    return bounds_of(result).get("preemptions")


def promised(result, words, code, oracle):
    """The failures that a finished search must have found, with the preemptions each needs; None if that is not known."""
    timeouts = given(words, "--timeouts", "cost")
    if given(words, "--points") in ("sync", "atomics"):
        return None
    if timeouts == "stuck" and sum(code.count(t) for t in ("tryfor", "acqfor", "waitfor", "sleep")) > 1:
        return None  # which of several goes first is a matter of the virtual clock
    answer = oracle.ask(code, int(given(words, "--spurious", "0")), timeouts != "stuck", False, delay_of(words))
    if answer["too_large"]:
        return None
    failures = dict(answer["failures"])
    if given(words, "--races") == "ignore" or "--suppressions" in words:
        failures.pop("race", None)
    strategy = given(words, "--strategy")
    bound = bound_of(result)
    if strategy.startswith("exitblock") and not strategy.endswith("dd"):
        failures.pop("stuck", None)  # orders of blocks; deadlocks are for -dd
    if "variables" in bounds_of(result) or strategy.startswith("vb"):
        if "survey=0" in strategy:
            failures.pop("race", None)  # looked for in the first executions only, and says so
        most = bounds_of(result).get("variables", 1)
        bound = min(1, most, 9 if bound is None else bound)  # one preemption is at one variable
    if bounds_of(result).keys() & {"delays", "depth", "loop_iterations"}:
        return None
    if "threads" in bounds_of(result):  # orders of all threads, unless only some of the orders were drawn
        if bounds_of(result)["threads"] <= code.count("spawn") or "with probability" in result["guarantee"]:
            return None
    if "--preempt-in" in words or "operations" in bounds_of(result):
        bound = 0  # what runs without preemptions is always part of it
    if bound is not None:
        failures = {kind: cost for kind, cost in failures.items() if cost <= bound}
    return failures


def space(result, words):
    """The space that a finished search has explored; equal ones have equally many traces. None if it cannot be said."""
    name = given(words, "--strategy").split(":")[0]
    if words[0] == "explore" or not result.get("complete") or bound_of(result) is not None or name.startswith(("exitblock", "vb", "delay")):
        return None
    if bounds_of(result).keys() - {"max_delay_ms"}:
        return None
    silent = given(words, "--races") == "ignore" or "--suppressions" in words
    return (silent, "--keep-going" in words) + tuple(given(words, o) for o in ("--points", "--timeouts", "--max-delay", "--spurious", "--trust", "--preempt-in"))


# What comes after these is always executed.
NEVER_BLOCK = set("spawn join load store add loadx storex addx read write cas is isp isr never".split())


def judge(result, words, code, oracle):
    """What the oracle refutes of a result: a list of sentences."""
    if "error" in result:
        # Spin loops between scheduling points are found on fibers only: without them such a program is refused.
        unseen_spin = "os-thread" in words and given(words, "--points") in ("sync", "atomics")
        if unseen_spin and result["error"].startswith("exit code 4") and "spin" in code:
            return []
        return [f"error: {result['error']}"]
    if "refused" in result:
        return []
    wrong = []
    may = oracle.ask(code, 2, True, True, delay_of(words))
    kinds = {GROUPS.get(bug["kind"], bug["kind"]) for bug in result["bugs"]}
    if not may["too_large"] and "undefined" not in may["failures"]:
        possible = set(may["failures"])
        # A race between an access and the end of its object is told as a use after free.
        if "race" in possible and "hfree" in code:
            possible.add(GROUPS.get("use-after-free", "use-after-free"))
        for kind in sorted(kinds - possible):
            names = sorted({b["kind"] for b in result["bugs"] if GROUPS.get(b["kind"], b["kind"]) == kind})
            wrong.append(f"false alarm: {', '.join(names)}, but only {sorted(may['failures'])} is possible")
    limit = given(words, "--preemptions")
    for bug in result["bugs"]:
        if limit is not None and bug["preemptions"] is not None and bug["preemptions"] > int(limit):
            wrong.append(f"bound: a bug with {bug['preemptions']} preemptions, {limit} allowed")
    if not result["complete"]:
        return wrong
    if kinds and "--keep-going" not in words:
        wrong.append("complete although a bug ended the search")
        return wrong
    relaxed = re.search("loadx|storex|addx", code) and not set(re.findall("[a-z]+", code)) - NEVER_BLOCK
    if (result.get("claim") or {}).get("memory") == "any" and relaxed and not kinds:
        wrong.append("memory: any, but there are relaxed operations")
    failures = promised(result, words, code, oracle)
    if failures is None:
        return wrong
    if "undefined" in failures:
        missed = [] if kinds else sorted(failures)
    else:
        told = kinds | {"race"} if "hfree" in code and "undefined" in kinds else kinds  # see above
        missed = sorted(set(failures) - told)
    if missed:
        wrong.append(f"refuted: \"{result['guarantee']}\", but {', '.join(f'{k} ({failures[k]} preemptions)' for k in missed)} "
                     "is possible")
    return wrong
