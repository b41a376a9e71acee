#!/usr/bin/env python3
"""Runs the examples of a document in an empty folder and compares what they print with what the document shows.

usage: check.py FOLDER_OF_LOCKSTEP DOCUMENT

In the document, a comment before a code block says what the block is:
  <!-- file NAME -->   the content of a file
  <!-- patch -->       a change to these files, for patch(1)
  <!-- run -->         commands behind "$ ", each with its output
Only the essential lines are compared: the kind of a bug, what was proved, what gdb stopped at. With LOCKSTEP_APPROVE=1 the
outputs in the document are replaced by what the commands print now.
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(<!-- (file|patch|run) ?(\S*) -->\n```\w*\n)(.*?)(^```$)", re.S | re.M)
KINDS = ("ASSERTION|DEADLOCK|LIVELOCK|DATA RACE|CRASH|ABORT|EXCEPTION|USE AFTER FREE|DOUBLE FREE|LOCK MISUSE|LEAK|"
         "EXIT CODE")
# What is essential of a line, and what is not compared.
ESSENTIAL = [
    re.compile(rf"^({KINDS})\b"),
    re.compile(r"^(PASS .*?)(?: \(|$)"),
    re.compile(r"^ *(\S+ +(?:pass|BUG|incomplete)\b[^(\d]*)"),
    re.compile(r"^(lockstep: [^\d]*)"),
    re.compile(r"^(Shrunk from|No simpler schedule|Bug found)"),
    re.compile(r"^(exit code \d+)"),
]


def essential(output):
    lines = []
    for line in output.splitlines():
        for pattern in ESSENTIAL:
            if match := pattern.search(line):
                lines.append(re.sub(r"\s+", " ", match.group(1)).strip())
                break
    return lines


def commands_in(block):
    """(command, output) pairs."""
    pairs = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            pairs.append([line[2:].rstrip("\n"), ""])
        elif pairs:
            pairs[-1][1] += line
    return pairs


class Examples:
    def __init__(self, tools, folder):
        self.folder, self.problems = folder, []
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("LOCKSTEP", "COLUMNS", "LINES"))}
        self.environment.update(PATH=f"{tools}:{os.environ['PATH']}", LC_ALL="C.UTF-8", COLUMNS="100", HOME=str(folder))

    def run(self, command):
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, text=True, timeout=300,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        noise = r"^(\[Thread debugging|Using host libthread_db|\[Switching to Thread).*\n"
        return re.sub(noise, "", done.stdout, flags=re.M).replace(f"{self.folder}/", "")

    def block(self, match):
        opening, what, name, content, closing = match.groups()
        if what == "file":
            (self.folder / name).write_text(content)
        elif what == "patch":
            subprocess.run(["patch", "-s", "-p0"], cwd=self.folder, input=content, text=True, check=True)
        else:
            content = "".join(self.command(command, shown) for command, shown in commands_in(content))
        return opening + content + closing

    def command(self, command, shown):
        output = self.run(command)
        before, now = essential(shown), essential(output)
        if before != now:
            difference = "\n".join(difflib.unified_diff(before, now, "document", "now", lineterm=""))
            self.problems.append(f"$ {command}\n{difference}\n--- all of it:\n{output}")
        lines = "".join(line.rstrip() + "\n" for line in output.strip("\n").splitlines())
        return f"$ {command}\n{lines}"


def main():
    tools, document = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = document.read_text()
    with tempfile.TemporaryDirectory() as folder:
        examples = Examples(tools, pathlib.Path(folder))
        renewed = BLOCK.sub(examples.block, text)
    if os.environ.get("LOCKSTEP_APPROVE"):
        document.write_text(renewed)
    if examples.problems:
        sys.exit("\n".join(examples.problems) + f"\n{document.name} shows something else; ./dev approve renews it")


main()
