"""ExitBlock (Bruening & Chapin, MIT LCS 2000): orders by variant, growth with threads and regions."""
from math import factorial

from common import BUGS, TRACES, curves, explored, run, table

VARIANTS = ("exitblock", "exitblock-rw", "exitblock-dd", "exitblock-rwdd")


def variants():
    rows = []
    for program in ((TRACES / "mutex", 2, 2), (TRACES / "mutex", 2, 4), (TRACES / "mutex", 3, 2), (BUGS / "deadlock01",),
                    (BUGS / "lock_cycle",), (BUGS / "two_locks_three",)):
        row = [" ".join([program[0].name, *map(str, program[1:])])]
        for variant in VARIANTS:
            report = run(program, "--strategy", variant, "--keep-going", executions=50_000)
            row.append(explored(report) + (", deadlock" if report and report["bugs"] else ""))
        rows.append(row)
    return table("exitblock_variants", "Orders by variant (figures 4, 7, 9 and 11)", ["program", *VARIANTS], rows,
                 "The paper draws the trees of four small programs and gives no counts of real ones; the trees themselves are tests "
                 "(`tests/search/blocks`). Plain ExitBlock meets lock-cycle deadlocks only in rare cases, the `-dd` variants predict them and run them; "
                 "`-rw` runs only orders of blocks that access the same memory. `>`: the search did not come to its end in the time given.")


def orders(variant, *arguments):
    report = run((TRACES / "mutex", *arguments), "--strategy", variant, executions=50_000)
    return report["executions"] if report["complete"] else None


def known(points):
    return [(n, count) for n, count in points if count is not None]


def unfinished(series):
    shortest = min(len(points) for points in series.values())
    longest = max(len(points) for points in series.values())
    return "" if shortest == longest else " A curve ends where its search did not come to its end in the time given."


def growth():
    series = {}
    for variant in ("exitblock", "exitblock-rw"):
        series[f"{variant}, 2 threads"] = known([(n, orders(variant, 2, n)) for n in range(1, 6)])
    series["formula (2n)! / n!²"] = [(n, factorial(2 * n) // factorial(n) ** 2) for n in range(1, 6)]
    return curves("exitblock_growth", "Orders by regions per thread", series, "regions per thread", "executions",
                  "Section 4.6, formula 1: k threads with n lock exits each have (kn)! / (n!)^k orders, for two threads the third curve. `-rw` cannot "
                  "leave any out here, because all regions write the same counter." + unfinished(series))


def threads():
    series = {"exitblock, 1 region": known([(n, orders("exitblock", n, 1)) for n in range(1, 7)]), "k!": [(n, factorial(n)) for n in range(1, 7)]}
    return curves("exitblock_threads", "Orders by threads", series, "threads", "executions",
                  "Formula 1 with one lock exit each: k! orders." + unfinished(series))


def experiments():
    return [variants, growth, threads]
