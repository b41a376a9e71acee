#!/usr/bin/env python3
"""Checks the ground rules of the runtime (base/system.hpp) in what the compiler made of it: no static constructors, and
each file has at most one object of mutable state, which its module resets.

usage: state_check.py LIBRARY OBJECT...
"""
import re
import subprocess
import sys

# The one marked __attribute__((constructor)), and what the compiler puts there itself.
CONSTRUCTORS = re.compile(r"\bearly\(|^frame_dummy$|^_sub_I_")
# Addresses found once with dlsym are no state.
CACHES = re.compile(r"::(function|real|table|standard)$|^(function|real)(\.\d+)?$")


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def dynamic_constructors(library):
    return [line.split()[-1] for line in lines("nm", "-C", library) if "_GLOBAL__sub_I" in line]


def constructors(library):
    """Names of the functions that .init_array calls, by the relocations that fill it."""
    section = next(l for l in lines("readelf", "-S", "-W", library) if ".init_array" in l)
    begin, size = (int(x, 16) for x in re.search(r"INIT_ARRAY\s+(\w+)\s+\w+\s+(\w+)", section).groups())
    names = {int(l.split()[0], 16): l.split(maxsplit=2)[2] for l in lines("nm", "-C", library) if l[0] != " "}
    for line in lines("readelf", "-r", "-W", library):
        fields = line.split()
        if len(fields) < 4 or not re.fullmatch(r"[0-9a-f]{12,16}", fields[0]):
            continue
        if begin <= int(fields[0], 16) < begin + size:
            yield names.get(int(fields[-1], 16), "?")


def mutable(path):
    """Objects in .data and .bss that this file alone defines."""
    for line in lines("objdump", "-t", "-C", path):
        found = re.match(r"\w+ ([lg ]).{6}O? *(\.data|\.bss)(?!\.rel\.ro)\S*\t\w+ +(?:\.hidden )?(.*)", line)
        if not found or found[3].startswith(".") or " O " not in line[:30] + " ":
            continue
        if not CACHES.search(found[3]) and not found[3].startswith(("DW.ref.", "guard variable for")):
            yield found[3]


def main():
    library, objects = sys.argv[1], [o for o in sys.argv[2:] if "/stdcxx/" not in o]
    problems = [f"static constructor {name}" for name in dynamic_constructors(library)]
    found = list(constructors(library))
    if not found:
        problems.append("no constructors found at all: this check is broken")
    problems += [f"constructor {name}" for name in found if not CONSTRUCTORS.search(name)]
    states = 0
    for path in objects:
        names = sorted(set(mutable(path)))
        states += len(names)
        if len(names) > 1:
            problems.append(f"{path.split('.dir/')[-1]}: more than one object of mutable state: {', '.join(names)}")
    if states < 10:
        problems.append("hardly any state found: this check is broken")
    print("\n".join(problems) or f"{states} objects of mutable state, constructors: {', '.join(sorted(set(found)))}")
    return 1 if problems else 0


sys.exit(main())
