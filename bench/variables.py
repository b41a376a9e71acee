"""Figures on variables: bugs of the classes of table 1, pct against pctvb, the cost of tracking.

usage: variables.py BUILD [OUTPUT.svg]
"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(sys.argv[1]).resolve()
SVG = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else BUILD / "bench/pctvb.svg").resolve()
LOCKSTEP, PROGRAMS = BUILD / "bin/lockstep", BUILD / "bench/variables"
# As the paper has them: executions until the bug, (c, v, t).
PAPER = {"merge_sort": (651, (1, 1, 2)), "producer_consumer": (1, (0, 0, 2)), "linked_list": (23, (1, 1, 2)),
         "bubble_sort": (1, (0, 0, 2)), "piper": (64, (1, 1, 2)), "allocation_vector": (113, (2, 1, 2)),
         "ping_pong": (234, (1, 1, 2)), "manager": (33, (1, 1, 2)), "account": (19, (1, 1, 2)), "airline_tickets": (2, (0, 0, 2)),
         "hash_set": (813, (1, 1, 2)), "tree_set": (813, (1, 1, 2)), "region_ownership": (47248, (2, 2, 2))}


def run(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "result.json"
        subprocess.run([LOCKSTEP, "run", "--quiet", "--workers", "1", "--races", "ignore", "--json", str(path), *map(str, arguments)],
                       cwd=folder, capture_output=True)
        return json.loads(path.read_text())


def classes():
    print("| program | executions | (c, v, t) | the paper's |\n| --- | --- | --- | --- |")
    for name, (executions, cvt) in PAPER.items():
        preemptions = "3" if name == "region_ownership" else "2"
        result = run("--strategy", "vb", "--preemptions", preemptions, "--time", "60s", PROGRAMS / "classes", name)
        bugs = [f"{b['execution']} | ({b['preemptions']}, {b['variables']}, {b['threads']})" for b in result["bugs"]]
        print(f"| {name} | {bugs[0] if bugs else 'none | '} | {executions}, {cvt} |", flush=True)


def until_bug(strategy, accesses):
    total = 0
    for seed in range(20):
        bugs = run("--strategy", strategy, "--points", "all", "--seed", seed, "--executions", "5000", "--no-shrink",
                   PROGRAMS / "rare", accesses)["bugs"]
        total += bugs[0]["execution"] if bugs else 5000
    return total / 20


def plot(points, series):
    width, height, left, top = 640, 400, 60, 20
    most = max(max(s) for _, s, _ in series)
    x = lambda i: left + i * (width - left - 20) / (len(points) - 1)
    y = lambda v: top + (height - top - 50) * (1 - v / most)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>']
    for i, p in enumerate(points):
        lines.append(f'<text x="{x(i):.0f}" y="{height - 30}" text-anchor="middle">{p}</text>')
    for v in (0, most / 2, most):
        lines.append(f'<text x="{left - 8}" y="{y(v) + 4:.0f}" text-anchor="end">{v:.0f}</text>')
    for number, (name, values, colour) in enumerate(series):
        path = " ".join(f"{x(i):.1f},{y(v):.1f}" for i, v in enumerate(values))
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines.append(f'<text x="{left + 20}" y="{top + 16 * (number + 1)}" fill="{colour}">{name}: executions until the bug</text>')
    lines.append(f'<text x="{width / 2}" y="{height - 8}" text-anchor="middle">accesses to the other variable (the buggy one: 3)</text></svg>')
    SVG.write_text("\n".join(lines) + "\n")


def rare():
    points = [2, 10, 20, 40, 80, 160]
    pct = [until_bug("pct:depth=2", n) for n in points]
    pctvb = [until_bug("pctvb:depth=2,variables=1", n) for n in points]
    print("\n| accesses to the other variable | pct | pctvb |\n| --- | --- | --- |")
    for n, a, b in zip(points, pct, pctvb):
        print(f"| {n} | {a:.0f} | {b:.0f} |")
    plot(points, [("pct", pct, "#b33"), ("pctvb", pctvb, "#36b")])
    print(f"plot: {SVG}")


def cpu_seconds(*command):
    """User time of a command and everything it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([str(word) for word in command], capture_output=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def per_execution(few, many, *arguments):
    """What one more execution costs: without starting up and preparing."""
    with tempfile.TemporaryDirectory() as folder:
        cost = [cpu_seconds(LOCKSTEP, "run", "--quiet", "--workers", "1", "--no-shrink", "--out", folder, "--executions", n, *arguments)
                for n in (few, many)]
    return (cost[1] - cost[0]) / (many - few)


def tracking():
    print("\n| kernel | native | one variable tracked | all tracked | one / native | all / one |\n| --- | --- | --- | --- | --- | --- |")
    for name, rounds in (("monte_carlo", 200), ("molecules", 60), ("tours", 1000)):
        program = [PROGRAMS / "kernel", name, rounds]
        native = cpu_seconds(PROGRAMS / "kernel-native", name, 20 * rounds) / 20
        one = per_execution(14, 64, "--strategy", "vb", "--preemptions", 1, "--variables", 1, "--races", "ignore", *program)
        every = per_execution(1, 4, "--strategy", "vb", "--races", "ignore", *program)  # preparatory ones
        print(f"| {name} | {native * 1e3:.1f} ms | {one * 1e3:.1f} ms | {every * 1e3:.0f} ms | {one / native:.1f} | {every / one:.0f} |", flush=True)


classes()
rare()
tracking()
