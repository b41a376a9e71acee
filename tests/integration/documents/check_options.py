#!/usr/bin/env python3
"""The table in docs/options.md is the one of the tool, and every man page has examples.

usage: check_options.py LOCKSTEP_DOCUMENTS DOCUMENT MAN_PAGES

With LOCKSTEP_APPROVE=1 the table in the document is renewed.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

TABLE = re.compile(r"(<!-- table of options -->\n).*?(<!-- end -->)", re.S)

writer, document, pages = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
table = subprocess.run([writer, "options"], check=True, capture_output=True, text=True).stdout
text = document.read_text()
renewed = TABLE.sub(lambda match: match.group(1) + table + match.group(2), text)
if os.environ.get("LOCKSTEP_APPROVE"):
    document.write_text(renewed)
if renewed != text:
    sys.exit(f"{document.name} has another table of options than the tool; ./dev approve renews it")
found = sorted(pages.glob("*.1"))
assert len(found) >= 10, found
for page in found:
    content = page.read_text()
    if content.startswith(".so "):
        assert (pages.parent / content.split()[1]).exists(), page
        continue
    assert re.search(r"^\.SH EXAMPLES\n\.TP\n\.B \S", content, re.M), f"{page.name} has no examples"
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", str(page)], capture_output=True, text=True, check=True)
        assert done.stderr == "", done.stderr
