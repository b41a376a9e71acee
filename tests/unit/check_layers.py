#!/usr/bin/env python3
"""Fails if a file under src/ includes a folder that its own folder must not know of.

usage: check_layers.py SRC | --self-test
"""
import pathlib
import re
import sys
import tempfile

# Folder -> what it may include besides itself. A tuple restricts it to those headers.
ALLOWED = {
    "model": {},
    "runtime": {"model": None},
    "analysis": {"model": None},
    "search": {"analysis": None, "model": None},
    "target": {"model": None, "analysis": ("analysis/finding.hpp",)},  # the Symbols interface
    "report": {"model": None, "analysis": None, "search": ("search/explorer.hpp",)},  # results
    "campaign": {name: None for name in ("model", "analysis", "search", "target", "report")},
    "cli": {name: None for name in ("model", "analysis", "search", "target", "report", "campaign", "runtime")},
    "explore": {name: None for name in ("model", "report", "campaign")},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def violations(src):
    found = []
    for path in sorted(src.rglob("*")):
        if path.suffix not in (".hpp", ".cpp", ".h", ".c", ".cc", ".S"):
            continue
        folder = path.relative_to(src).parts[0]
        if folder not in ALLOWED:
            found.append(f"{path}: src/{folder} is not in the list of layers")
            continue
        for included in INCLUDE.findall(path.read_text(errors="replace")):
            # Relative paths must not be a way around: ../runtime/x.hpp counts as runtime/x.hpp.
            parts = [p for p in included.split("/") if p not in (".", "..")]
            layer = parts[0] if len(parts) > 1 else folder
            if layer not in ALLOWED or layer == folder:
                continue
            headers = ALLOWED[folder].get(layer, ())
            if headers is not None and "/".join(parts) not in headers:
                found.append(f"{path}: {folder} must not include {included}")
    return found


def self_test():
    cases = [
        ("search/a.cpp", "runtime/x.hpp", True),
        ("runtime/a.cpp", "search/x.hpp", True),
        ("runtime/deep/a.cpp", "../../analysis/x.hpp", True),
        ("model/a.hpp", "analysis/finding.hpp", True),
        ("target/a.cpp", "analysis/outcome.hpp", True),
        ("target/a.cpp", "analysis/finding.hpp", False),
        ("report/a.cpp", "search/tree_search.hpp", True),
        ("report/a.cpp", "search/explorer.hpp", False),
        ("cli/a.cpp", "target/target.hpp", False),
        ("search/a.cpp", "model/trace.hpp", False),
        ("search/a.cpp", "sys/mman.h", False),
    ]
    for file, included, wrong in cases:
        with tempfile.TemporaryDirectory() as root:
            path = pathlib.Path(root) / file
            path.parent.mkdir(parents=True)
            path.write_text(f'#include "{included}"\n')
            if bool(violations(pathlib.Path(root))) != wrong:
                return [f"self-test: {file} including {included} should be {'wrong' if wrong else 'right'}"]
    return []


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    problems = self_test() if sys.argv[1] == "--self-test" else violations(pathlib.Path(sys.argv[1]))
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
