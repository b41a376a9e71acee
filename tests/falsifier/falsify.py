#!/usr/bin/env python3
"""Looks for claims of Lockstep that are false, on generated programs with an independent interpreter as oracle.

usage: falsify.py BUILD [--seed N] [--count N] [--strategies 'S...'] [--without FEATURE]

A run is a (program, strategy, options) triple. Each mismatch is shrunk and printed with the command that repeats it.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import shlex
import sys
import tempfile
import threading
import time

import generate
import runs

PER_PROGRAM = 12  # runs of each program


def sort_of(sentence):
    """What stays the same while a mismatch is shrunk: what is wrong, and the kinds of failures."""
    return sentence.split(":")[0], tuple(re.findall("assertion|stuck|race|undefined|abort|exit-code", sentence.split('"')[-1]))


def make(seed, oracle, without, having=()):
    """A program that the oracle can enumerate, mostly one whose failures need a preemption or do not exist."""
    rng = random.Random(seed)
    while True:
        program = generate.Generator(rng.random()).program()
        if generate.length(program) > 20 or generate.features(program) & set(without):
            continue
        if not generate.features(program) >= set(having):
            continue
        answer = oracle.ask(generate.encode(program))
        if answer["too_large"] or answer["states"] > 4000:
            continue
        if 0 in answer["failures"].values() and rng.random() < 0.75:
            continue
        if rng.random() < 0.6:
            program = generate.with_final_check(program, answer["finals"], rng)
        return program


class Campaign:
    def __init__(self, arguments, folder):
        self.arguments = arguments
        self.folder = folder
        self.suppressions = os.path.join(folder, "suppressions")
        with open(self.suppressions, "w") as file:
            file.write("race:*\n")
        programs = {name: os.path.join(arguments.build, "programs", f"falsifier-{name}") for name in ("whole", "partly", "explore")}
        self.runner = runs.Runner(os.path.join(arguments.build, "bin", "lockstep"), folder, programs)
        self.oracles = {}
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.seen = collections.Counter()  # mismatches by sort and strategy

    def oracle(self):
        key = threading.get_ident()
        if key not in self.oracles:
            self.oracles[key] = runs.Oracle(os.path.join(self.arguments.build, "test-bin", "falsifier_oracle"))
        return self.oracles[key]

    def test(self, seed):
        rng = random.Random(seed * 1_000_003)
        program = make(seed, self.oracle(), self.arguments.without, self.arguments.having)
        code, features = generate.encode(program), generate.features(program)
        spaces = {}
        for _ in range(self.arguments.per_program):
            strategy = rng.choice(self.arguments.strategies or runs.EXHAUSTIVE * 3 + runs.SAMPLING + runs.VARIANTS)
            words = runs.options_for(strategy, features, rng, self.suppressions)
            if runs.fits_explore(features) and rng.random() < 0.1:
                words = runs.explore_options(strategy, rng)
            if set(words) & set(self.arguments.without):
                continue
            begin = time.monotonic()
            result = self.runner.run(code, words, threading.get_ident())
            if time.monotonic() - begin > self.arguments.slow:
                print(f"slow: {time.monotonic() - begin:.1f} s {shlex.join(words)} {code}", flush=True)
            wrong = runs.judge(result, words, code, self.oracle())
            space = runs.space(result, words)
            # auto goes on with spurious wakeups, which is another space.
            if space and not result["bugs"] and "auto" not in words:
                wrong += self.compare(spaces.setdefault(space, {}), result, words)
            with self.lock:
                self.count(result, strategy, features)
            for sentence in wrong:
                if any(sentence.startswith(sort) for sort in self.arguments.skip):
                    continue
                with self.lock:
                    self.counts["mismatches"] += 1
                    self.seen[sentence.split(":")[0], strategy] += 1
                    again = self.seen[sentence.split(":")[0], strategy] > self.arguments.most
                if not again:
                    self.report(program, words, sentence)
        return seed

    @staticmethod
    def compare(known, result, words):
        """Finished searches of one space must have seen equally many traces."""
        known[result["traces"]] = words
        if len(known) == 1:
            return []
        return [f"traces: {' and '.join(f'{n} ({shlex.join(w)})' for n, w in known.items())}"]

    def count(self, result, strategy, features):
        self.counts["runs"] += 1
        if "seconds" not in result and "bugs" in result:
            self.counts["by explore()"] += 1
        self.counts["strategy " + strategy.split(":")[0]] += 1
        for feature in features:
            self.counts["feature " + feature] += 1
        if result.get("complete"):
            self.counts["complete"] += 1
            for feature in features:
                self.counts["complete with " + feature] += 1
        if "refused" in result:
            self.counts["refused"] += 1
        if result.get("bugs"):
            self.counts["bugs"] += 1

    # --- mismatches ---

    def shows(self, program, words, sort):
        code = generate.encode(program)
        if self.oracle().ask(code)["too_large"]:
            return False
        result = self.runner.run(code, words, threading.get_ident())
        return any(sort_of(s) == sort for s in runs.judge(result, words, code, self.oracle()))

    def shrink(self, program, words, sort):
        changed = True
        while changed:
            changed = False
            for less in generate.smaller(program):
                if generate.well_formed(less) and self.shows(less, words, sort):
                    program, changed = less, True
                    break
        for option in [w for w in words if w.startswith("--") and w != "--strategy"]:
            at = words.index(option)
            fewer = words[:at] + words[at + (1 if option in ("--keep-going", "--no-shrink") else 2):]
            if self.shows(program, fewer, sort):
                words = fewer
        return program, words

    def report(self, program, words, sentence):
        if sentence.startswith("traces"):
            with self.lock:
                print(f"\nMISMATCH {sentence}\n  {generate.encode(program)}", flush=True)
            return
        sort = sort_of(sentence)
        program, words = self.shrink(program, words, sort)
        code = generate.encode(program)
        result = self.runner.run(code, words, threading.get_ident())
        again = [s for s in runs.judge(result, words, code, self.oracle()) if sort_of(s) == sort]
        with self.lock:
            print(f"\nMISMATCH {again[0] if again else sentence + ' (did not repeat)'}")
            print(f"  {shlex.join(words)}  {shlex.quote(code)}")
            print(f"  again: {shlex.join(self.runner.command(code, words, 'lockstep-out'))}", flush=True)

    def print_coverage(self):
        print(f"\n{self.counts['runs']} runs, {self.counts['complete']} complete claims, {self.counts['bugs']} with bugs, "
              f"{self.counts['by explore()']} by explore(), {self.counts['refused']} refused, {self.counts['mismatches']} mismatches")
        for name in sorted(generate.FEATURES) + ["handler", "alive-at-exit", "recursive"]:
            print(f"  {name:16} {self.counts['feature ' + name]:6} runs {self.counts['complete with ' + name]:6} complete")
        print("  " + ", ".join(f"{n[9:]} {c}" for n, c in sorted(self.counts.items()) if n.startswith("strategy ")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300, help="how many runs")
    parser.add_argument("--per-program", type=int, default=PER_PROGRAM)
    parser.add_argument("--strategies", type=lambda text: text.split(), help="only these, separated by spaces")
    parser.add_argument("--skip", action="append", default=[], help="a sort of mismatch that is not reported; repeatable")
    parser.add_argument("--most", type=int, default=3, help="how many mismatches of a sort and strategy are shrunk")
    parser.add_argument("--without", action="append", default=[], help="a feature that programs do not have, or an option not to use; repeatable")
    parser.add_argument("--with", dest="having", action="append", default=[], help="a feature that all programs have; repeatable")
    parser.add_argument("--slow", type=float, default=1e9, help="print runs that take longer, in seconds")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    arguments.build = os.path.abspath(arguments.build)
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(arguments, folder)
        programs = -(-arguments.count // arguments.per_program)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for _ in pool.map(campaign.test, range(arguments.seed * 1_000_000, arguments.seed * 1_000_000 + programs)):
                pass
        campaign.print_coverage()
        return 1 if campaign.counts['mismatches'] else 0


if __name__ == "__main__":
    sys.exit(main())
