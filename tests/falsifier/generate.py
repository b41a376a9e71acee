"""Small random programs of the falsifier's language (language.hpp).

A program is a dict: `threads` (a list of bodies, main first) and `handler` (a body, run at exit). A body is a list of
nodes: an instruction such as ("lock", 0), or ("if", value, body), which runs its body if r == value.
"""
import random

KINDS = ("atomic", "relaxed", "plain", "mutex", "recursive", "rwlock", "spinlock", "try", "timed", "condition", "notify",
         "semaphore", "barrier", "spin", "rounds", "casloop", "choose", "section", "trusted", "uninstrumented", "heap",
         "destroy", "exit", "require", "pause", "state")
# How often each kind of snippet is taken. What always makes a claim incomplete is rare.
WEIGHTS = dict(atomic=10, relaxed=2, plain=5, mutex=9, recursive=2, rwlock=5, spinlock=3, notify=4, semaphore=5, spin=3,
               rounds=2, casloop=2, choose=3, section=3, trusted=3, uninstrumented=1, heap=3, destroy=1, exit=2, require=4,
               pause=3, condition=4, barrier=2, state=6)
WEIGHTS["try"] = 5
WEIGHTS["timed"] = 3


def flatten(body):
    """The instructions of a body; blocks become jumps."""
    out = []
    for node in body:
        if node[0] == "if":
            inside = flatten(node[2])
            out.append(("if", node[1], len(inside)))
            out += inside
        else:
            out.append(node)
    return out


def encode(program):
    def text(body):
        return ",".join(".".join(str(x) for x in instruction) for instruction in flatten(body))
    code = "/".join(text(body) for body in program["threads"])
    return code + ("#" + text(program["handler"]) if program["handler"] else "")


def length(program):
    return max(len(flatten(body)) for body in program["threads"] + [program["handler"]])


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.locks = self.random.choice([(0,), (0, 1), (0, 1, 2), (0, 2)])
        self.variables = self.random.choice([1, 1, 2])

    def pick(self, *options):
        return self.random.choice(options)

    def variable(self):
        return self.random.randrange(self.variables)

    def value(self):
        return self.random.choice([0, 1, 1, 2])

    def atomic(self):
        a, v = self.variable(), self.value()
        return self.pick([("load", a)], [("store", a, v)], [("store", a, 1)], [("add", a, 1)], [("xchg", a, v)],
                         [("cas", a, self.pick(0, 1), self.pick(1, 2))], [("load", a), ("put", a)], [("load", a)],
                         [("load", 0), ("load", 1)])

    def relaxed(self):
        a = self.variable()
        return self.pick([("loadx", a)], [("storex", a, self.value())], [("addx", a, 1)])

    def plain(self):
        p = self.variable()
        return self.pick([("read", p)], [("write", p, self.value())], [("inc", p)], [("read", p), ("putp", p)])

    def inner(self):
        """One or two accesses, for the inside of a lock or block."""
        out = []
        for _ in range(self.pick(1, 1, 2)):
            out += self.pick(self.plain, self.plain, self.atomic, self.checked)()
        return out

    def checked(self):
        return [self.pick(("load", self.variable()), ("read", self.variable())), ("req", self.pick(1, 2, 2, 3))]

    require = checked

    def mutex(self):
        m = self.random.choice(self.locks)
        inside = self.inner()
        if self.random.random() < 0.3:
            n = self.random.choice(self.locks)
            if n != m:
                inside = [("lock", n)] + inside + [("unlock", n)]
        return [("lock", m)] + inside + [("unlock", m)]

    def recursive(self):
        return [("lock", 2), ("lock", 2)] + self.inner() + [("unlock", 2)] + self.pick([], self.inner()) + [("unlock", 2)]

    def rwlock(self):
        w = self.pick(0, 0, 1)
        if self.pick(True, False):
            return [("rd", w)] + self.pick(self.inner(), [("read", self.variable())]) + [("unrd", w)]
        return [("wr", w)] + self.inner() + [("unwr", w)]

    def spinlock(self):
        return [("sl", 0)] + self.inner() + [("su", 0)]

    def try_(self):
        take, give = self.pick((("try", 0), ("unlock", 0)), (("try", 1), ("unlock", 1)), (("tryrd", 0), ("unrd", 0)),
                               (("trywr", 0), ("unwr", 0)), (("trywr", 1), ("unwr", 1)), (("st", 0), ("su", 0)))
        return [take, ("if", 1, self.inner() + [give])] + self.pick([], [("req", 0)])

    def timed(self):
        return self.pick([("tryfor", 0, self.duration()), ("if", 1, self.inner() + [("unlock", 0)])],
                         [("acqfor", self.pick(0, 2), self.duration()), ("if", self.pick(0, 1), self.inner())],
                         [("lock", 0), ("waitfor", 0, 0, self.duration())] + self.pick([], [("req", 1)]) + [("unlock", 0)],
                         [("sleep", self.duration())])

    def duration(self):
        """Milliseconds: within what a thread may be held up, or beyond."""
        return self.pick(1, 1, 4, 15, 30)

    def condition(self):
        c = self.pick(0, 1)
        m, p = c, self.variable()
        waiting = self.pick([("wait", c, m)], [("cwait", c, m, p, 1)], [("cwait", c, m, p, 1)],
                            [("read", p), ("if", 0, [("wait", c, m)])],
                            [("read", p), ("if", 0, [("wait", c, m), ("read", p), ("req", 0)])])
        return [("lock", m)] + waiting + self.pick([], [("write", p, 0)]) + [("unlock", m)]

    def notify(self):
        c = self.pick(0, 1)
        m, p, how = c, self.variable(), self.pick("notify", "notifyall")
        return self.pick([("lock", m), ("write", p, 1), (how, c), ("unlock", m)],
                         [("lock", m), ("write", p, 1), ("unlock", m), (how, c)], [(how, c)])

    def semaphore(self):
        q = self.pick(0, 0, 1, 2)
        return self.pick([("post", q)], [("acq", q)], [("post", q)], [("acq", 2)] + self.inner() + [("post", 2)],
                         [("tryacq", q), ("if", self.pick(0, 1), self.inner())])

    def spin(self):
        return self.pick([("spin", self.variable(), 1)], [("spiny", self.variable(), 1)],
                         [("spint", 0)] + self.inner() + [("unlock", 0)], [("store", self.variable(), 1)])

    def rounds(self):
        return [("spinc", self.variable(), 1, self.pick(2, 3))] + self.pick([], [("req", self.pick(1, 2))])

    def casloop(self):
        return [("casloop", self.variable())]

    def choose(self):
        return [("choose", self.pick(2, 3)), ("if", self.pick(0, 1), self.inner())]

    def section(self):
        return [("abeg",)] + self.pick(self.inner() + self.inner(), self.mutex()) + [("aend",)]

    def trusted(self):
        return [("tinc", self.variable())]

    def uninstrumented(self):
        return [("uinc", self.variable())]

    def heap(self):
        return self.pick([("hload", 0)], [("hadd", 0, 1)], [("hread", 0)], [("hwrite", 0, 1)],
                         [("hlock", 0), ("hwrite", 0, 1), ("hunlock", 0)], [("hpost", 0)], [("hnotify", 0)],
                         [("hacq", 0), ("hfree", 0)], [("hadd", 0, 1), ("if", 1, [("hfree", 0)])],
                         [("load", self.variable()), ("if", 1, [("hfree", 0)])])

    def destroy(self):
        which = self.pick("dm", "dc", "dq", "dw", "ds")
        return self.pick([("load", self.variable()), ("if", 1, [(which, 0)])], [(which, 0)])

    def exit(self):
        how = self.pick(("exit", 0), ("exit", 0), ("exit", 3), ("qexit", 0), ("qexit", 3), ("abort",))
        return self.pick([("load", self.variable()), ("if", self.pick(1, 2), [how])], [("qexit", 0)], [("exit", 0)])

    def pause(self):
        return [self.pick(("yield",), ("sleep", self.duration()))]

    def state(self):
        """Calls on state of the process and the file system."""
        f, g = self.random.sample([0, 1], 2)
        return self.pick([("opn",)], [("opn",), ("req", self.pick(1, 2))], [("opn",), ("cls", 0)], [("cls", 0)],
                         [("mk", f)], [("mk", f), ("req", 0)], [("rm", f)], [("has", f)], [("has", f), ("if", 1, self.inner())],
                         [("ren", f, g)], [("mask", self.pick(1, 2))], [("mask", 2), ("req", self.pick(1, 2))],
                         [("senv", self.pick(1, 2))], [("uenv",)], [("genv",)], [("genv",), ("req", self.pick(1, 2))])

    def snippet(self):
        kind = self.random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        if kind == "barrier":
            return [("bar", self.pick(0, 0, 1), 2)]
        return getattr(self, {"try": "try_"}.get(kind, kind))()

    def body(self, most):
        out = self.snippet()
        while len(flatten(out)) < most:
            more = self.snippet()
            if len(flatten(out + more)) > most + 2:
                break
            out += more
        return out

    def edge(self):
        """What one thread waits for, and what another does to end that."""
        p, a, q, c = self.variable(), self.variable(), self.pick(0, 1), self.pick(0, 1)
        how = self.pick("notify", "notifyall")
        return self.pick(([("bar", 0, 2)], [("bar", 0, 2)]), ([("bar", 1, 2)], [("bar", 1, 2)]), ([("acq", q)], [("post", q)]),
                         ([("spin", a, 1)], [("store", a, 1)]), ([("spiny", a, 1)], [("add", a, 1)]),
                         ([("lock", c), ("cwait", c, c, p, 1), ("unlock", c)],
                          [("lock", c), ("write", p, 1), (how, c), ("unlock", c)]),
                         ([("lock", c), ("cwait", c, c, p, 1), ("unlock", c)],
                          [("lock", c), ("write", p, 1), ("unlock", c), (how, c)]),
                         ([("hacq", 0), ("hfree", 0)], [("hwrite", 0, 1), ("hpost", 0)]))

    def lifetime(self):
        """What one thread uses and another destroys or frees: in time, or only if the user was quick."""
        a = self.variable()
        use, end = self.pick(([("lock", 0), ("unlock", 0)], ("dm", 0)), ([("rd", 0), ("unrd", 0)], ("dw", 0)),
                             ([("wr", 0), ("unwr", 0)], ("dw", 0)), ([("sl", 0), ("su", 0)], ("ds", 0)), ([("post", 0)], ("dq", 0)),
                             ([("tryacq", 0)], ("dq", 0)), ([("notify", 0)], ("dc", 0)), ([("notifyall", 0)], ("dc", 0)),
                             ([("hpost", 0)], ("hfree", 0)), ([("hnotify", 0)], ("hfree", 0)), ([("hadd", 0, 1)], ("hfree", 0)),
                             ([("hlock", 0), ("hunlock", 0)], ("hfree", 0)), ([("hwrite", 0, 1)], ("hfree", 0)))
        return self.pick((use + [("store", a, 2)], [("load", a), ("if", 2, [end])]),  # correct
                         ([("store", a, 2)] + use, [("load", a), ("if", 2, [end])]), (use, [end]), (use, use + [end]))

    def sections(self):
        """Atomic sections or trusted code in both threads, one after another in the first."""
        def one():
            return self.pick([("abeg",)] + self.atomic() + self.pick([], self.atomic()) + [("aend",)], [("tinc", self.variable())])
        return one() + one(), one() + self.pick([], self.checked())

    def add_edge(self, threads):
        if self.random.random() < 0.5:
            waiter, other = self.random.sample(threads, 2)
            for body, piece in zip((waiter, other), self.pick(self.edge, self.edge, self.lifetime, self.sections)()):
                at = self.random.randrange(len(body) + 1)
                if not any(node[0] in ("lock", "rd", "wr", "sl", "abeg") for node in body):
                    body[at:at] = piece
                else:
                    body += piece

    def program(self):
        count = self.pick(2, 2, 2, 3)
        threads = [self.body(self.pick(2, 3, 4, 5) if count == 2 else self.pick(1, 2, 3)) for _ in range(count)]
        self.add_edge(threads)
        others = range(1, count + 1)
        main = [("spawn", t) for t in others]
        if self.random.random() < 0.2:
            main += self.body(2)
        joined = self.random.random()
        if joined < 0.8:
            main += [("join", t) for t in others]
        elif joined < 0.9:
            main += [("join", 1)]
        handler = []
        if self.random.random() < (0.15 if joined < 0.8 else 0.6):
            handler = self.pick([("set", 0)], []) + self.pick(self.checked(), self.body(2), self.checked())
        return balance({"threads": [main] + threads, "handler": handler})


def balance(program):
    """At most one place calls exit, and not beside a main that returns: two calls at a time are undefined."""
    exits = 0
    unjoined = any(node[0] == "spawn" and ("join",) + node[1:] not in program["threads"][0] for node in program["threads"][0])

    def visit(body):
        nonlocal exits
        out = []
        for node in body:
            if node[0] == "if":
                node = ("if", node[1], visit(node[2]))
            if node[0] == "exit":
                exits += 1
                if unjoined or exits > 1:
                    node = ("qexit",) + node[1:]
            out.append(node)
            if node[0] in ("exit", "qexit", "abort"):
                break  # nothing runs after it
        return out
    threads = [visit(body) for body in program["threads"]]
    handler = [n for n in visit(program["handler"]) if n[0] not in ("exit",)]
    return {"threads": threads, "handler": handler}


def instructions(program):
    for body in program["threads"] + [program["handler"]]:
        yield from flatten(body)


FEATURES = {
    "relaxed": ("loadx", "storex", "addx"), "plain": ("read", "write", "putp", "inc"),
    "atomic": ("load", "store", "put", "add", "xchg", "cas"), "mutex": ("lock",), "rwlock": ("rd", "wr"),
    "spinlock": ("sl",), "try": ("try", "tryrd", "trywr", "st", "tryacq"), "timed": ("tryfor", "acqfor", "waitfor", "sleep"),
    "condition": ("wait", "waitfor", "cwait"), "semaphore": ("post", "acq"), "barrier": ("bar",), "spin": ("spin", "spiny", "spint"),
    "rounds": ("spinc",), "casloop": ("casloop",), "choose": ("choose",), "section": ("abeg",), "trusted": ("tinc",),
    "uninstrumented": ("uinc",), "heap": ("hfree",), "destroy": ("dm", "dc", "dq", "dw", "ds"), "exit": ("exit", "qexit", "abort"),
    "require": ("req", "never"), "yield": ("yield",), "descriptors": ("opn", "cls"), "files": ("mk", "rm", "has", "ren"),
    "umask": ("mask",), "environment": ("senv", "uenv", "genv"),
}


def features(program):
    ops = {i[0] for i in instructions(program)}
    found = {name for name, members in FEATURES.items() if ops & set(members)}
    if program["handler"]:
        found.add("handler")
    main = program["threads"][0]
    if any(n[0] == "spawn" and ("join", n[1]) not in main for n in main):
        found.add("alive-at-exit")
    if ("lock", 2) in set(instructions(program)):
        found.add("recursive")
    return found


# --- making failures rare, or impossible ---

def with_final_check(program, finals, rng):
    """Adds a check of final values at the end of main: of a rare combination that is possible, or of one that is not."""
    if not finals:
        return program
    top = max(cost for _, cost in finals)
    values = list(rng.choice([v for v, cost in finals if cost >= top - rng.choice([0, 0, 1])]))
    used = [k for k in range(10) if len({v[k] for v, _ in finals}) > 1]
    if not used:
        return program
    if rng.random() < 0.4:  # change it until it is impossible
        for _ in range(10):
            values[rng.choice(used)] = rng.choice([0, 1, 2, 3])
            if all(any(v[k] != values[k] for k in used) for v, _ in finals):
                break
    checks = []
    for k in used:
        kind, index = ("is", k) if k < 3 else ("isp", k - 3) if k < 6 else ("isr", k - 5)
        checks.append((kind, index, values[k]))
    threads = [program["threads"][0] + checks + [("never",)]] + program["threads"][1:]
    return {"threads": threads, "handler": program["handler"]}


# --- shrinking ---

def smaller_bodies(body):
    for n in range(len(body)):
        yield body[:n] + body[n + 1:]
        if body[n][0] == "if":
            yield body[:n] + body[n][2] + body[n + 1:]
            for inside in smaller_bodies(body[n][2]):
                yield body[:n] + [("if", body[n][1], inside)] + body[n + 1:]


def well_formed(program):
    main = program["threads"][0]
    spawned = [n[1] for n in main if n[0] == "spawn"]
    return main and all(n[0] != "join" or n[1] in spawned for n in main) and (not program["handler"] or flatten(program["handler"]))


def smaller(program):
    """All programs that are one removal smaller."""
    for t in range(len(program["threads"]) - 1, 0, -1):
        if t == len(program["threads"]) - 1:
            main = [n for n in program["threads"][0] if not (n[0] in ("spawn", "join", "isr") and n[1] == t)]
            yield {"threads": [main] + program["threads"][1:t], "handler": program["handler"]}
    for t, body in enumerate(program["threads"]):
        for less in smaller_bodies(body):
            yield {"threads": program["threads"][:t] + [less] + program["threads"][t + 1:], "handler": program["handler"]}
    for less in smaller_bodies(program["handler"]):
        yield {"threads": program["threads"], "handler": less}
