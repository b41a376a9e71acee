#!/usr/bin/env python3
"""The falsifier with programs that are compiled one by one, at every level of optimisation, with and without Lockstep.

usage: compiled.py BUILD [--seed N] [--count N]       N programs

What is compiled with lockstep-cxx must give what the oracle says, as in falsify.py. What is compiled without it runs as it
is, some times: a failure that the oracle does not know shows that the oracle is wrong.
"""
import argparse
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile

import emit
import falsify
import generate
import runs

NATIVE_RUNS = 20
STRATEGIES = ("optimal-dpor", "source-dpor", "dfs", "icb", "auto")


class Compiled:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.compilers = [c for c in ("g++", "clang++") if shutil.which(c)]
        self.oracle = runs.Oracle(os.path.join(build, "test-bin", "falsifier_oracle"))
        self.source = os.path.join(folder, "program.cpp")
        self.include = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include")
        self.done = self.wrong = 0

    def compile(self, words, output):
        command = words + ["-std=c++20", "-g", "-w", "-pthread", "-I" + self.include, self.source, "-o", output]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"does not compile: {done.stderr[:2000]}")
        return output

    def test(self, program, rng):
        with open(self.source, "w") as file:
            file.write(emit.source(program))
        code, level, compiler = generate.encode(program), f"-O{rng.randrange(4)}", rng.choice(self.compilers)
        if "race" in self.oracle.ask(code, 2, True, True)["failures"]:
            level = "-O0"  # optimised, racy accesses may be merged or vanish
        wrapper = [os.path.join(self.build, "bin", "lockstep-cxx"), f"--lockstep-compiler={compiler}", level]
        binary = self.compile(wrapper, os.path.join(self.folder, "instrumented"))
        runner = runs.Runner(os.path.join(self.build, "bin", "lockstep"), self.folder, {"whole": binary, "partly": binary})
        for strategy in STRATEGIES:
            words = ["--strategy", strategy, "--workers", "1"] + rng.choice([[], ["--races", "ignore"]])
            for sentence in runs.judge(runner.run(code, words), words, code, self.oracle):
                if not sentence.startswith("complete although"):
                    self.report(f"{sentence}\n  {' '.join(wrapper[1:])} {shlex.join(words)}", code)
        native = self.compile([compiler, level], os.path.join(self.folder, "native"))
        self.run_natively(native, code, f"{compiler} {level}")
        self.done += 1

    def run_natively(self, binary, code, how):
        possible = self.oracle.ask(code, 2, True, True)["failures"]
        if "undefined" in possible or "race" in possible or "choose" in code:
            return
        for _ in range(NATIVE_RUNS):
            try:
                status = subprocess.run([binary], capture_output=True, timeout=None if "stuck" not in possible else 0.3).returncode
            except subprocess.TimeoutExpired:
                continue
            if status and not set(possible) & {"assertion", "abort", "exit-code"}:
                self.report(f"the oracle is wrong: ends with {status} natively ({how}), possible is {sorted(possible)}", code)
                return

    def report(self, sentence, code):
        self.wrong += 1
        kept = f"mismatch-{self.wrong}.cpp"
        shutil.copy(self.source, kept)
        print(f"\nMISMATCH {sentence}\n  {code}\n  source kept: {kept}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--without", action="append", default=[])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compiled = Compiled(os.path.abspath(arguments.build), folder)
        for seed in range(arguments.seed * 1_000_000, arguments.seed * 1_000_000 + arguments.count):
            program = falsify.make(seed, compiled.oracle, ["uninstrumented", "section"] + arguments.without)
            compiled.test(program, random.Random(seed))
    print(f"{compiled.done} programs compiled, {compiled.wrong} mismatches")
    return 1 if compiled.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
