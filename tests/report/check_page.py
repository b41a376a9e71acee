#!/usr/bin/env python3
"""The page that the repository carries was built from the sources beside it, is small, and the lock file names no hosts.

usage: check_page.py PAGE_FOLDER
"""
import hashlib
import json
import pathlib
import re
import sys
import unittest

FOLDER = pathlib.Path()


class Page(unittest.TestCase):
    def test_it_was_built_from_these_sources(self):
        names = ["build.mjs", "package.json", "package-lock.json", "page.html", "tsconfig.json"]
        names += ["source/" + path.name for path in (FOLDER / "source").iterdir()]
        digest = hashlib.sha256()
        for name in sorted(names):
            digest.update(name.encode() + b"\n" + (FOLDER / name).read_bytes())
        built = re.search(r'<meta name="sources" content="([0-9a-f]+)">', (FOLDER / "dist/page.html").read_text())[1]
        self.assertEqual(built, digest.hexdigest(), "run 'npm ci && npm run build' in src/report/page")

    def test_it_is_small(self):
        self.assertLess((FOLDER / "dist/page.html").stat().st_size, 400 * 1024)

    def test_it_loads_nothing(self):
        page = (FOLDER / "dist/page.html").read_text()
        self.assertIn("default-src 'none'", page)
        self.assertEqual(re.findall(r"<(?:link|img|iframe|script[^>]* src)", page), [])

    def test_the_lock_file_names_no_hosts(self):
        for name, package in json.loads((FOLDER / "package-lock.json").read_text())["packages"].items():
            self.assertNotIn("resolved", package, name)


if __name__ == "__main__":
    FOLDER = pathlib.Path(sys.argv[1])
    unittest.main(argv=sys.argv[:1])
