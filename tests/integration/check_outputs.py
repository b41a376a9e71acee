#!/usr/bin/env python3
"""What a run writes for other programs: events, the page of the run, SARIF, JUnit, annotations, Perfetto.

usage: check_outputs.py LOCKSTEP DEADLOCKING_EXAMPLE CORRECT_EXAMPLE
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

LOCKSTEP = DEADLOCK = CORRECT = ""


class Outputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cwd = pathlib.Path(folder.name)

    def lockstep(self, *words, **env):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("LOCKSTEP", "GITHUB"))}
        return subprocess.run([LOCKSTEP, *words], cwd=self.cwd, env={**kept, "LC_ALL": "C.UTF-8", **env},
                              capture_output=True, text=True, timeout=100, stdin=subprocess.DEVNULL)

    def events(self, *words):
        done = self.lockstep("run", "--out", "out", "--events", "events", *words)
        return done, [json.loads(line) for line in (self.cwd / "events").read_text().splitlines()]

    def page(self, name):
        text = (self.cwd / name).read_text()
        mark = '<script type="application/json" id="data">'
        return json.JSONDecoder().raw_decode(text[text.index(mark) + len(mark):])[0]

    def test_events_and_page_of_a_bug(self):
        done, events = self.events("--report", "run.html", DEADLOCK)
        self.assertEqual(done.returncode, 1, done)
        names = [event["event"] for event in events]
        self.assertEqual(names[0], "start")
        self.assertEqual(names[-1], "end")
        self.assertEqual(names.count("bug"), 1)
        bug = events[names.index("bug")]["bug"]
        self.assertEqual((bug["kind"], bug["schedule"]), ("deadlock", "out/bug-1.lockstep"))
        self.assertEqual(events[-1]["result"]["verdict"], "bug")
        seconds = [event["seconds"] for event in events]
        self.assertEqual(seconds, sorted(seconds))
        page = self.page("run.html")
        self.assertEqual((page["page"], page["finished"]), ("run", True))
        self.assertEqual([event["event"] for event in page["events"]], names)
        self.assertFalse((self.cwd / "run.html.part").exists())

    def test_the_last_progress_agrees_with_the_result(self):
        done, events = self.events("--strategy", "icb", "--preemptions", "1", CORRECT)
        self.assertEqual(done.returncode, 0, done)
        last = [event for event in events if event["event"] == "progress"][-1]
        result = events[-1]["result"]
        self.assertEqual(last["executions"], result["executions"])
        self.assertEqual(last["distinct"], result["traces"])
        self.assertEqual(sum(level["executions"] for level in last["by_preemptions"]), result["executions"])
        self.assertEqual([level["executions"] for level in last["by_preemptions"]], result["executions_by_preemptions"])
        bounds = [event["preemptions"] for event in events if event["event"] == "bound"]
        self.assertEqual(bounds, [0, 1])

    def test_a_mixture_says_what_each_strategy_ran(self):
        done, events = self.events("--executions", "500", CORRECT)
        last = [event for event in events if event["event"] == "progress"][-1]
        self.assertGreater(len(last["by_strategy"]), 1, done)

    def test_events_on_standard_output(self):
        done = self.lockstep("run", "--out", "out", "--events", "-", DEADLOCK)
        self.assertEqual([json.loads(line)["event"] for line in done.stdout.splitlines()][0], "start")
        self.assertIn("DEADLOCK", done.stderr)

    def test_files_that_cannot_be_written(self):
        for words in (("--events", "no/such/file"), ("--report", "no/such/file"), ("--report", "-")):
            done = self.lockstep("run", *words, DEADLOCK)
            self.assertEqual(done.returncode, 2, done)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_sarif_shows_the_steps_of_each_thread(self):
        self.lockstep("run", "--out", "out", "--sarif", "bugs.sarif", DEADLOCK)
        run = json.loads((self.cwd / "bugs.sarif").read_text())["runs"][0]
        driver = run["tool"]["driver"]
        version = self.lockstep("--version").stdout.split()[1]
        self.assertEqual(driver["semanticVersion"], version)
        bug = run["results"][0]
        self.assertEqual(driver["rules"][bug["ruleIndex"]]["id"], bug["ruleId"])
        flows = bug["codeFlows"][0]["threadFlows"]
        self.assertEqual([flow["id"] for flow in flows], ["thread 1", "thread 2"])  # main only creates and joins
        orders = [step["executionOrder"] for flow in flows for step in flow["locations"]]
        self.assertEqual(sorted(orders), list(range(1, len(orders) + 1)))
        for flow in flows:
            for step in flow["locations"]:
                place = step["location"]["physicalLocation"]["artifactLocation"]
                if "uriBaseId" in place:
                    self.assertIn(place["uriBaseId"], run["originalUriBaseIds"])
                else:
                    self.assertTrue(place["uri"].startswith("file:///"), place)
        self.assertTrue(run["originalUriBaseIds"]["SRCROOT"]["uri"].endswith("/"))

    def test_junit_has_the_story(self):
        self.lockstep("run", "--out", "out", "--junit", "result.xml", DEADLOCK)
        case = xml.etree.ElementTree.parse(self.cwd / "result.xml").find("./testsuite/testcase")
        self.assertEqual(case.get("classname"), pathlib.Path(DEADLOCK).name)
        story = case.find("failure").text
        for part in ("DEADLOCK", "lock accounts[1].mutex", "lockstep replay out/bug-1.lockstep"):
            self.assertIn(part, story)

    def test_annotations_for_github(self):
        done = self.lockstep("run", "--out", "out", "--annotations", "github", DEADLOCK,
                             GITHUB_WORKSPACE=str(pathlib.Path(__file__).resolve().parents[2]))
        notes = [line for line in done.stdout.splitlines() if line.startswith("::")]
        self.assertEqual(len(notes), 1, done)
        self.assertRegex(notes[0], r"^::error file=examples/ab_ba_deadlock.cpp,line=\d+,title=deadlock::deadlock: ")
        self.assertEqual(self.lockstep("run", "--annotations", "gitlab", DEADLOCK).returncode, 2)

    def test_a_trace_for_perfetto(self):
        self.lockstep("run", "--out", "out", DEADLOCK)
        done = self.lockstep("explain", "out/bug-1.lockstep", "--perfetto", "bug.json", "--html", "bug.html")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(self.page("bug.html")["kind"], "deadlock")
        events = json.loads((self.cwd / "bug.json").read_text())["traceEvents"]
        ends = {}  # slices of a track do not overlap
        for event in sorted((e for e in events if e["ph"] == "X"), key=lambda e: e["ts"]):
            track = event["pid"], event["tid"]
            self.assertGreaterEqual(event["ts"], ends.get(track, 0), event)
            ends[track] = event["ts"] + event["dur"]
        self.assertEqual({e["args"]["name"] for e in events if e["name"] == "thread_name" and e["pid"] == 1},
                         {"main", "thread 1", "thread 2"})


if __name__ == "__main__":
    LOCKSTEP, DEADLOCK, CORRECT = map(os.path.abspath, sys.argv[1:4])
    unittest.main(argv=sys.argv[:1])
