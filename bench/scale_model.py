#!/usr/bin/env python3
"""What 10 to 10,000 workers of a queue would give: service times are measured here (CPU time of coordinator and Redis
for an execution, in units of a search and as plans), the rest is simulated.

usage: bench/scale_model.py [BUILD_DIR] [--plot FILE.svg]
"""
import argparse
import collections
import heapq
import json
import math
import os
import random
import socket
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("build", nargs="?", default="build/release")
parser.add_argument("--plot")
options = parser.parse_args()
lockstep, program = os.path.abspath(f"{options.build}/bin/lockstep"), os.path.abspath(f"{options.build}/bench/scale_body")
UNIT, WINDOW = 4096, 4096  # executions of a unit; plans under way
WORKERS = [10, 30, 100, 300, 1000, 3000, 10_000]


def cpu_of(pid):  # of its main thread
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as stat:
        return int(stat.read().split()[0]) / 1e9


def measure(strategy, most):
    """CPU seconds per execution: of the coordinator, of Redis."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        redis = subprocess.Popen(["redis-server", "--port", str(port), "--save", "", "--dir", folder], stdout=subprocess.DEVNULL)
        time.sleep(0.5)
        url = f"redis://127.0.0.1:{port}/model"
        worker = subprocess.Popen([lockstep, "work", "--queue", url, "--workers", "2", "--quiet"])
        costs = []
        for executions in (most // 4, most):  # the difference: without start and end
            before = cpu_of(redis.pid)
            run = subprocess.Popen([lockstep, "run", "--strategy", strategy, "--executions", str(executions), "--workers", "0", "--queue", url, "--races", "ignore",
                                    "--points", "atomics", "--quiet", "--out", folder, "--json", f"{folder}/result.json", program, "0"], stdout=subprocess.DEVNULL)
            usage = os.wait4(run.pid, 0)[2]
            with open(f"{folder}/result.json", encoding="utf-8") as result:
                counted = json.load(result)["executions"]
            costs.append((counted, usage.ru_utime + usage.ru_stime, cpu_of(redis.pid) - before))
        for process in (worker, redis):
            process.terminate()
            process.wait()
        executions, *times = [last - first for first, last in zip(*costs)]
        return [seconds / executions for seconds in times]


def simulate(workers, batch, batches, execution, coordinator, redis, draw):
    """Batches wait for a worker, are executed, pass Redis and the coordinator, one after the other, and are replaced by
    new ones. Executions per second, busy shares of the workers, the coordinator, Redis."""
    waiting, free = batches, workers
    events, queues, idle = [], [collections.deque(), collections.deque()], [True, True]
    service = [batch * redis, batch * coordinator]
    busy, now, done, number = [0.0, 0.0, 0.0], 0.0, 0, 0
    total = max(20 * batches, 2000)

    def start(kind, length):
        nonlocal number
        number += 1
        busy[kind] += length
        heapq.heappush(events, (now + length, number, kind))

    def feed():
        nonlocal waiting, free
        while waiting and free:
            waiting, free = waiting - 1, free - 1
            start(0, batch * execution * draw.uniform(0.8, 1.2))
        for station in (0, 1):
            if idle[station] and queues[station]:
                queues[station].popleft()
                idle[station] = False
                start(station + 1, service[station])

    feed()
    while done < total:
        now, _, kind = heapq.heappop(events)
        if kind == 0:
            free += 1
            queues[0].append(0)
        elif kind == 1:
            idle[0] = True
            queues[1].append(0)
        else:
            idle[1] = True
            waiting += 1
            done += 1
        feed()
    return done * batch / now, min(1, busy[0] / now / workers), busy[2] / now, busy[1] / now


def plot(curves, path):
    """Executions per second by workers, both logarithmic."""
    left, top, width, height = 80, 20, 560, 380
    high = max(math.log10(rate) for _, points in curves for _, rate in points)
    low = min(math.log10(rate) for _, points in curves for _, rate in points)

    def at(workers, rate):
        return left + (math.log10(workers) - 1) / 3 * width, top + (high - math.log10(rate)) / (high - low) * height

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 190}" height="{top + height + 50}" font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>']
    for exponent in range(math.ceil(low), math.floor(high) + 1):
        y = at(10, 10**exponent)[1]
        lines += [f'<path d="M{left} {y:.1f}h{width}" stroke="#ddd"/>', f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">10^{exponent}/s</text>']
    for workers in (10, 100, 1000, 10_000):
        x = at(workers, 10**low)[0]
        lines += [f'<path d="M{x:.1f} {top}v{height}" stroke="#ddd"/>', f'<text x="{x:.1f}" y="{top + height + 18}" text-anchor="middle">{workers:,}</text>']
    lines.append(f'<text x="{left + width / 2}" y="{top + height + 38}" text-anchor="middle">workers</text>')
    labels = []
    for (name, points), colour in zip(curves, ("#1b6", "#16b", "#b61", "#b16")):
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in points))
        x, y = at(*points[-1])
        while any(abs(y - label) < 13 for label in labels):
            y += 13
        labels.append(y)
        lines += [f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>', f'<text x="{x + 8:.1f}" y="{y + 4:.1f}" fill="{colour}">{name}</text>']
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([*lines, "</svg>\n"]))


def main():
    units, plans = measure("random", 1_600_000), measure("chess", 300_000)
    print(f"{os.cpu_count()} cores, {time.strftime('%Y-%m-%d')}. CPU time of an execution, coordinator and Redis: {units[0] * 1e6:.2f} and {units[1] * 1e6:.3f} µs in units, "
          f"{plans[0] * 1e6:.2f} and {plans[1] * 1e6:.3f} µs as plans.\n")
    print("| an execution takes | sent as |", " | ".join(f"{n:,}" for n in WORKERS), "|")
    print("| --- | --- |", " | ".join("---:" for _ in WORKERS), "|")
    draw, curves = random.Random(1), []
    for name, execution, costs in (("10 µs", 1e-5, units), ("1 ms", 1e-3, units), ("1 ms", 1e-3, plans), ("100 ms", 0.1, plans)):
        how = "units" if costs is units else "plans"
        cells, points = [], []
        for workers in WORKERS:
            if how == "units":
                batch, batches = UNIT, 2 * workers
            else:
                batch = max(1, min(WINDOW // (4 * workers), int(0.02 / execution)))
                batches = WINDOW // batch
            rate, work, coordinator, redis = simulate(workers, batch, batches, execution, *costs, draw)
            cells.append(f"{rate:,.0f}/s ({100 * work:.0f} %)")
            points.append((workers, rate))
        print(f"| {name} | {how} |", " | ".join(cells), "|", flush=True)
        curves.append((f"{name}, {how}", points))
    if options.plot:
        plot(curves, options.plot)


main()
