"""What the experiments of all papers share: runs of Lockstep, tables as CSV and Markdown, curves as SVG."""
import csv
import json
import os
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("LOCKSTEP_BUILD", HERE.parents[1] / "build/release")).resolve()
RESULTS = HERE / "results"
LOCKSTEP, BUGS, TRACES = BUILD / "bin/lockstep", BUILD / "bench/bugs", BUILD / "bench/traces"
SCALE = float(os.environ.get("LOCKSTEP_PAPERS_SCALE", "1"))  # of all budgets


def budget(executions):
    return max(int(executions * SCALE), 100)


def within(executions):
    """A budget in words."""
    return f"{budget(executions):,} executions"


def run(program, *options, executions=20_000, seconds=60, shrink=False):
    """The JSON report of one run; None if the program could not be run. shrink: a bug has the bounds that it needs."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        subprocess.run([LOCKSTEP, "run", "--quiet", "--progress", "never", "--workers", "1", "--races", "ignore", *([] if shrink else ["--no-shrink"]),
                        "--executions", str(budget(executions)), "--time", f"{max(int(seconds * SCALE), 30)}s",
                        "--out", folder, "--json", path, *map(str, options), *map(str, program)],
                       cwd=folder, capture_output=True, check=False)
        return json.loads(path.read_text()) if path.exists() else None


def bug_of(report):
    return report["bugs"][0] if report and report["bugs"] else None


def explored(report):
    """How many executions there were, as text: "> N" if the search did not come to its end."""
    return ("" if report["complete"] else "> ") + str(report["executions"]) if report else "–"


def coverage(program, *options, executions=20_000):
    """Rows (series, at, executions, seconds, traces) of --coverage."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "coverage.csv"
        run(program, "--coverage", path, *options, executions=executions)
        with path.open() as file:
            return [{k: v if k == "series" else float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def table(name, title, head, rows, remark):
    """Writes results/NAME.csv and returns the table as Markdown."""
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{name}.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
    lines = [f"### {title}", "", "| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join([*lines, "", remark, ""])


COLOURS = ("#1b6ca8", "#b03a2e", "#1e8449", "#b9770e", "#6c3483", "#34495e", "#117a65")


def curves(name, title, series, x_label, y_label, remark):
    """Writes results/NAME.svg from {label: [(x, y), ...]} and results/NAME.csv; returns Markdown."""
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{name}.csv").open("w") as file:
        file.write(f"series,{x_label},{y_label}\n")
        for label, points in series.items():
            file.writelines(f"{label},{x:g},{y:g}\n" for x, y in points)
    width, height, left, bottom, top = 640, 400, 70, 50, 30
    most_x = max((x for points in series.values() for x, _ in points), default=1) or 1
    most_y = max((y for points in series.values() for _, y in points), default=1) or 1
    place = lambda x, y: (left + (width - left - 20) * x / most_x, height - bottom - (height - bottom - top) * y / most_y)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           f'<path d="M{left},{top}V{height - bottom}H{width - 20}" fill="none" stroke="black"/>',
           f'<text x="{width / 2}" y="16" text-anchor="middle">{title}</text>',
           f'<text x="{width / 2}" y="{height - 10}" text-anchor="middle">{x_label} (to {most_x:g})</text>',
           f'<text x="16" y="{height / 2}" text-anchor="middle" transform="rotate(-90 16 {height / 2})">{y_label} (to {most_y:g})</text>']
    for number, (label, points) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join("{:.1f},{:.1f}".format(*place(x, y)) for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out.append(f'<text x="{left + 12}" y="{top + 14 * (number + 1)}" fill="{colour}">{label}</text>')
    (RESULTS / f"{name}.svg").write_text("\n".join([*out, "</svg>", ""]))
    return f"### {title}\n\n![{title}](results/{name}.svg)\n\n{remark}\n"


def thinned(points, most=60):
    step = max(len(points) // most, 1)
    return points[::step] + ([points[-1]] if points and (len(points) - 1) % step else [])
