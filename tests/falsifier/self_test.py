#!/usr/bin/env python3
"""Tests of the falsifier itself: the oracle against small programs worked out by hand, and lies that must be noticed.

usage: self_test.py BUILD
"""
import os
import random
import sys
import tempfile

import generate
import runs

JOINED = "spawn.1,spawn.2,join.1,join.2"
# program, what can fail with the fewest preemptions; for one rule set: (spurious, timeouts, may, delay).
BY_HAND = [
    (JOINED + ",is.0.1,never/load.0,put.0/load.0,put.0", {"assertion": 1}, (0, 1, 0, 0)),  # lost update
    (JOINED + ",is.0.1,never/add.0.1/add.0.1", {}, (0, 1, 0, 0)),
    (JOINED + ",is.0.1,never/casloop.0/casloop.0", {}, (0, 1, 0, 0)),
    (JOINED + "/lock.0,lock.1,unlock.1,unlock.0/lock.1,lock.0,unlock.0,unlock.1", {"stuck": 1}, (0, 1, 0, 0)),
    (JOINED + "/lock.0,lock.1,unlock.1,unlock.0/lock.0,lock.1,unlock.1,unlock.0", {}, (0, 1, 0, 0)),
    (JOINED + "/lock.2,lock.2,unlock.2,unlock.2/lock.2,unlock.2", {}, (0, 1, 0, 0)),
    (JOINED + "/lock.0,lock.0/yield", {"stuck": 0}, (0, 1, 0, 0)),
    (JOINED + "/lock.0,unlock.0/unlock.0", {"undefined": 0}, (0, 1, 0, 0)),
    (JOINED + "/inc.0/lock.0,inc.0,unlock.0", {"race": 0}, (0, 1, 0, 0)),
    (JOINED + ",isp.0.1,never/inc.0/inc.0", {"race": 0, "assertion": 1}, (0, 1, 0, 0)),
    (JOINED + "/lock.0,inc.0,unlock.0/lock.0,inc.0,unlock.0", {}, (0, 1, 0, 0)),
    (JOINED + "/rd.0,read.0,unrd.0/wr.0,write.0.1,unwr.0", {}, (0, 1, 0, 0)),
    (JOINED + "/rd.0,write.0.1,unrd.0/rd.0,write.0.2,unrd.0", {"race": 0}, (0, 1, 0, 0)),
    (JOINED + "/write.0.1,store.0.1/load.0,if.1.1,read.0", {}, (0, 1, 0, 0)),
    (JOINED + "/write.0.1,storex.0.1/load.0,if.1.1,read.0", {"race": 0}, (0, 1, 0, 0)),
    (JOINED + "/write.0.1,store.0.1/spin.0.1,read.0", {}, (0, 1, 0, 0)),
    (JOINED + "/spin.0.1/load.0", {"stuck": 0}, (0, 1, 0, 0)),
    (JOINED + "/spinc.0.1.2,req.1/store.0.1", {"assertion": 1}, (0, 1, 0, 0)),
    (JOINED + "/lock.0,wait.0.0,unlock.0/lock.0,notify.0,unlock.0", {"stuck": 0}, (0, 1, 0, 0)),
    (JOINED + "/lock.0,cwait.0.0.0.1,unlock.0/lock.0,write.0.1,notify.0,unlock.0", {}, (0, 1, 0, 0)),
    (JOINED + "/lock.0,read.0,if.0.3,wait.0.0,read.0,req.0,unlock.0/lock.0,write.0.1,notify.0,unlock.0", {}, (0, 1, 0, 0)),
    (JOINED + "/lock.0,read.0,if.0.3,wait.0.0,read.0,req.0,unlock.0/lock.0,write.0.1,notify.0,unlock.0", {"assertion": 0},
     (1, 1, 0, 0)),  # by a spurious wakeup
    (JOINED + "/acq.0,write.0.1/read.0,post.0", {}, (0, 1, 0, 0)),
    (JOINED + "/acq.0/tryacq.0,if.1.1,post.0", {"stuck": 0}, (0, 1, 0, 0)),
    (JOINED + "/acqfor.0,req.0/post.0", {"assertion": 1}, (0, 1, 0, 0)),
    (JOINED + "/acqfor.0,req.0/post.0", {}, (0, 0, 0, 0)),
    (JOINED + "/acqfor.0.30,req.0/post.0", {}, (0, 1, 0, 10)),
    (JOINED + "/acqfor.0.4,req.0/post.0", {"assertion": 1}, (0, 1, 0, 10)),
    (JOINED + "/sleep.30,load.0,req.0/store.0.1", {"assertion": 1}, (0, 1, 0, 0)),
    (JOINED + "/sleep.30,load.0,req.0/store.0.1", {}, (0, 1, 0, 10)),
    (JOINED + "/sleep.30,load.0,req.0/store.0.1", {}, (0, 1, 1, 10)),
    (JOINED + "/sleep.4,sleep.4,sleep.4,load.0,req.0/store.0.1", {}, (0, 1, 0, 10)),  # one sum
    (JOINED + "/sleep.30,load.0,req.0/sleep.25,store.0.1", {"assertion": 0}, (0, 1, 0, 10)),
    (JOINED + "/sleep.30,load.0,req.0/sleep.15,store.0.1", {}, (0, 1, 0, 10)),
    (JOINED + "/lock.0,sleep.30,unlock.0,load.0,req.0/lock.0,unlock.0,store.0.1", {"assertion": 0}, (0, 1, 0, 10)),
    (JOINED + "/bar.0.2,read.0/write.0.1,bar.0.2", {}, (0, 1, 0, 0)),
    (JOINED + "/bar.0.2/yield", {"stuck": 0}, (0, 1, 0, 0)),
    (JOINED + "/try.0,req.0,unlock.0/lock.0,unlock.0", {"assertion": 1}, (0, 1, 0, 0)),
    (JOINED + ",is.0.1,never/tinc.0/tinc.0", {}, (0, 1, 0, 0)),
    (JOINED + ",is.0.1,never/tinc.0/tinc.0", {"assertion": 1}, (0, 1, 1, 0)),
    (JOINED + ",is.0.1,never/abeg,load.0,put.0,aend/abeg,load.0,put.0,aend", {}, (0, 1, 0, 0)),
    (JOINED + ",is.0.2,is.1.1,never/abeg,add.0.1,aend,abeg,add.1.1,aend/abeg,load.1,aend,if.0.1,add.0.1", {"assertion": 0},
     (0, 1, 0, 0)),
    (JOINED + "/hadd.0.1,if.1.1,hfree.0/hadd.0.1,if.1.1,hfree.0", {}, (0, 1, 0, 0)),
    (JOINED + "/hfree.0/hpost.0", {"race": 0, "undefined": 0}, (0, 1, 0, 0)),
    (JOINED + "/post.0,dq.0/acq.0", {"undefined": 0}, (0, 1, 0, 0)),
    (JOINED + "/choose.3,req.2/yield", {"assertion": 0}, (0, 1, 0, 0)),
    (JOINED + "/load.0,if.1.1,exit.3/store.0.1", {"exit-code": 0}, (0, 1, 0, 0)),
    (JOINED + "/opn/opn,req.1", {"assertion": 0}, (0, 1, 0, 0)),
    (JOINED + ",isr.2.0,isr.1.0,never/opn,cls.0,set.0/opn", {"assertion": 0}, (0, 1, 0, 0)),
    (JOINED + "/cls.0,req.1/opn", {"assertion": 0}, (0, 1, 0, 0)),
    (JOINED + "/mk.0,req.0/mk.0,req.1", {"assertion": 0}, (0, 1, 0, 0)),
    (JOINED + "/mk.0,ren.0.1,rm.1,req.0/has.0,req.2,has.1,req.2", {}, (0, 1, 0, 0)),
    (JOINED + "/mk.0,rm.0/has.0,req.1", {"assertion": 1}, (0, 1, 0, 0)),
    (JOINED + "/mask.1,req.2/mask.2", {"assertion": 0}, (0, 1, 0, 0)),
    (JOINED + "/senv.1,uenv/genv,req.1", {"assertion": 1}, (0, 1, 0, 0)),
    ("spawn.1,store.0.1/spin.0.1,store.1.1#load.1,req.1", {"assertion": 1}, (0, 1, 0, 0)),  # alive when main returns
    ("spawn.1,spawn.2/qexit.0/load.0,if.1.1,abort#store.0.1", {"abort": 1}, (0, 1, 0, 0)),
]


def check_oracle(oracle):
    for code, expected, (spurious, timeouts, may, delay) in BY_HAND:
        found = oracle.ask(code, spurious, bool(timeouts), bool(may), delay)
        assert found["failures"] == expected, f"{code} within {delay} ms: {found['failures']}, by hand {expected}"


def check_lies(oracle, build, folder):
    """Results as a wrong Lockstep would give them."""
    failing, correct = BY_HAND[0][0], BY_HAND[1][0]
    programs = {name: os.path.join(build, "programs", f"falsifier-{name}") for name in ("whole", "partly")}

    def wrong(code, words, lie):
        runner = runs.Runner(os.path.join(build, "bin", "lockstep"), folder, programs, lambda result: {**result, **lie})
        return runs.judge(runner.run(code, words), words, code, oracle)
    dfs = ["--strategy", "dfs", "--workers", "1"]
    bug = {"kind": "deadlock", "preemptions": 0}
    silent = {"complete": True, "bugs": [], "guarantee": "every execution", "claim": None}
    assert wrong(failing, dfs, {}) == [], wrong(failing, dfs, {})
    assert wrong(correct, dfs, {}) == []
    assert wrong(failing, dfs, silent)[0].startswith("refuted")
    bounded = {**silent, "guarantee": "every execution with at most 1 preemption"}
    assert wrong(failing, dfs, bounded)[0].startswith("refuted")
    assert wrong(failing, dfs, {**bounded, "guarantee": "every execution with at most 0 preemptions"}) == []
    claim = {"scope": "executions", "bounds": {"preemptions": 1}, "memory": "sc", "provisos": []}
    assert wrong(failing, dfs, {**silent, "claim": claim})[0].startswith("refuted")
    assert wrong(failing, dfs, {**silent, "complete": False}) == []
    assert wrong(correct, dfs, {"bugs": [bug], "complete": False})[0].startswith("false alarm")
    assert wrong(failing, dfs + ["--preemptions", "0"], {"bugs": [{"kind": "assertion", "preemptions": 1}], "complete": False})
    late = JOINED + "/sleep.30,load.0,req.0/store.0.1"
    assert wrong(late, dfs, silent) == []
    assert wrong(late, dfs + ["--max-delay", "none"], silent)[0].startswith("refuted")
    assert wrong(late, dfs, {"bugs": [{"kind": "assertion", "preemptions": 1}], "complete": False})[0].startswith("false alarm")
    assert wrong(failing, dfs, {"complete": True, "claim": None})[0].startswith("complete although")


def check_generator(oracle):
    """Every feature appears in programs, and in some that have no failure or a rare one."""
    seen, rare, undefined = set(), set(), set()
    rng = random.Random(1)
    for _ in range(1500):
        program = generate.Generator(rng.random()).program()
        if generate.length(program) > 20:
            continue
        found = generate.features(program)
        seen |= found
        if found - rare or found & {"destroy", "heap"} - undefined:
            failures = oracle.ask(generate.encode(program))["failures"]
            if 0 not in failures.values():
                rare |= found
            if failures.get("undefined", 0) > 0:
                undefined |= found
    every = set(generate.FEATURES) | {"handler", "alive-at-exit", "recursive"}
    assert seen >= every, every - seen
    assert rare >= every, every - rare
    assert undefined >= {"destroy", "heap"}, undefined  # uses after the end that need a preemption


def main():
    build = os.path.abspath(sys.argv[1])
    oracle = runs.Oracle(os.path.join(build, "test-bin", "falsifier_oracle"))
    check_oracle(oracle)
    check_generator(oracle)
    with tempfile.TemporaryDirectory() as folder:
        check_lies(oracle, build, folder)
    print(f"oracle right on {len(BY_HAND)} programs; all lies noticed")


if __name__ == "__main__":
    main()
