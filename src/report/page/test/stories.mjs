// Data for tests, in the form of source/model.ts.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const template = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "../dist/page.html"), "utf8");

export function pageWith(data) {
  const text = JSON.stringify(data).replaceAll("<", "\\u003c");
  return template.replace("LOCKSTEP_DATA", () => text);
}

const KINDS = ["operation", "blocked", "switch", "failure", "skipped", "racing"];

const SOURCE = `#include <mutex>
// Moves money from one account to another.
/* A comment
   over two lines. */
void transfer(Account& from, Account& to, int amount) {
  std::lock_guard hold_from(from.mutex);
  std::lock_guard hold_to(to.mutex);
  from.balance -= amount;  // "</script>" ends nothing
  to.balance += amount;
}
`;

class Builder {
  constructor(threads, header) {
    this.data = {
      page: "story", schema: 1, program: ["./bank_test", "--fast"], test: "Bank.Transfer", kind: "deadlock", message: "",
      execution: 118, preemptions: 1, thread_count: threads.length, place: "bank.cpp:7", function: "transfer",
      schedule: "bug-1.lockstep", replay: "lockstep replay lockstep-out/bank_test/bug-1.lockstep",
      rows: { kinds: KINDS, kind: [], thread: [], text: [], stack: [], object: [], number: [], key: [] },
      holds: [], waits: [], edges: [], threads: threads.map((name) => ({ name, end: "finished" })), legend: [],
      objects: [], texts: [], stacks: [], frames: [],
      files: [{ path: "/home/user/bank/src/bank.cpp", text: SOURCE }], ...header,
    };
    this.numbers = new Map();
    this.counted = 0;
  }
  intern(table, value) {
    const key = table + JSON.stringify(value);
    if (!this.numbers.has(key)) this.numbers.set(key, this.data[table].push(value) - 1);
    return this.numbers.get(key);
  }
  row(kind, thread, text, { object, line = 6, key = 1 } = {}) {
    const { rows } = this.data;
    rows.kind.push(KINDS.indexOf(kind));
    rows.thread.push(thread);
    rows.text.push(this.intern("texts", text));
    rows.stack.push(kind === "switch" ? -1 : this.intern("stacks", [this.intern("frames", ["transfer(Account&, Account&, int)", 0, line])]));
    rows.object.push(object ? this.intern("objects", { name: object, kind: "mutex" }) : -1);
    rows.number.push(kind === "switch" || kind === "failure" ? 0 : ++this.counted);
    rows.key.push(key);
    return rows.kind.length - 1;
  }
  object(name) { return this.intern("objects", { name, kind: "mutex" }); }
}

export function deadlock(extra = {}) {
  const b = new Builder(["main", "worker 1", "worker 2"], {
    message: "deadlock: worker 1 waits for accounts[1].mutex held by worker 2, worker 2 waits for accounts[0].mutex held by worker 1",
    ...extra,
  });
  const create1 = b.row("operation", 0, "create worker 1"), create2 = b.row("operation", 0, "create worker 2");
  const joins = b.row("blocked", 0, "join worker 1 … waits");
  const lock1 = b.row("operation", 1, "lock accounts[0].mutex", { object: "accounts[0].mutex" });
  b.row("switch", 2, "preempts worker 1");
  const lock2 = b.row("operation", 2, "lock accounts[1].mutex", { object: "accounts[1].mutex" });
  const stuck2 = b.row("blocked", 2, "lock accounts[0].mutex … worker 1 holds it", { object: "accounts[0].mutex", line: 7 });
  const stuck1 = b.row("blocked", 1, "lock accounts[1].mutex … worker 2 holds it", { object: "accounts[1].mutex", line: 7 });
  const a = b.object("accounts[0].mutex"), c = b.object("accounts[1].mutex");
  b.data.holds.push([1, a, lock1, -1, 0], [2, c, lock2, -1, 0]);
  b.data.waits.push([0, joins, -1, -1], [2, stuck2, -1, -1], [1, stuck1, -1, -1]);
  b.data.edges.push([create1, lock1, 2], [create2, lock2, 2]);
  b.data.threads[0].end = "waits: join worker 1";
  b.data.threads[1] = { name: "worker 1", end: "waits: lock accounts[1].mutex", created: create1 };
  b.data.threads[2] = { name: "worker 2", end: "waits: lock accounts[0].mutex", created: create2 };
  b.data.waits_for = {
    text: "worker 1 waits for accounts[1].mutex held by worker 2, worker 2 waits for accounts[0].mutex held by worker 1",
    edges: [{ thread: 0, object: -1, operation: "join", holders: [1] },
            { thread: 1, object: c, operation: "lock", holders: [2] },
            { thread: 2, object: a, operation: "lock", holders: [1] }],
    cycle: [1, 2],
  };
  return b.data;
}

export function withWhy() {
  const data = deadlock();
  data.why = {
    text: ["Fails only if worker 1 locks accounts[0].mutex before worker 2 does; reversing that passes."],
    orders: [{ first: 4, second: 6, reversed: "passes" }],
  };
  data.passing = {
    first: 0, difference: 4,
    rows: [[0, "create worker 1"], [0, "create worker 2"], [0, "join worker 1 … waits"], [1, "lock accounts[0].mutex"],
           [1, "lock accounts[1].mutex"], [1, "unlock accounts[1].mutex"], [1, "unlock accounts[0].mutex"]]
      .map(([thread, text]) => ({ thread, text, place: "bank.cpp:6" })),
  };
  return data;
}

// A run with two tests, one finished with a bug, one under way.
export function run(finished) {
  const progress = (test, seconds, executions, distinct) => ({
    event: "progress", seconds, test, phase: "2 preemptions and random schedules", executions, distinct, estimated_total: 12000,
    seconds_left: 12 - seconds, frontier: 40, bugs: 0, preemptions_completed: 1,
    by_strategy: { chess: executions / 2, "optimal-dpor": executions / 4, seek: executions / 4 },
    by_preemptions: [{ preemptions: 0, executions: 40, distinct: 20 }, { preemptions: 1, executions: executions / 4, distinct: Math.round(distinct / 4) },
                     { preemptions: 2, executions: executions / 2, distinct: Math.round(distinct / 2) }],
  });
  const bug = { kind: "deadlock", message: "worker 1 waits for accounts[1].mutex held by worker 2 </script>", execution: 118, preemptions: 1,
    threads: 2, location: { function: "transfer", file: "src/bank.cpp", line: 7 }, schedule: "lockstep-out/bank_test/Bank.Transfer/bug-1.lockstep" };
  const result = (verdict, bugs) => ({ verdict, complete: verdict === "pass", guarantee: "every sequentially consistent execution with at most 1 preemption",
    executions: 118, traces: 60, seconds: 0.3, bugs, warnings: [] });
  const events = [{ event: "start", seconds: 0, test: "Bank.Transfer", strategy: "auto" }, progress("Bank.Transfer", 0.3, 118, 60),
    { event: "bug", seconds: 0.3, test: "Bank.Transfer", bug }, { event: "end", seconds: 0.4, test: "Bank.Transfer", result: result("bug", [bug]) },
    { event: "start", seconds: 0.4, test: "Bank.Audit", strategy: "auto" }];
  for (let i = 1; i <= 40; ++i) events.push(progress("Bank.Audit", 0.4 + i * 0.2, i * 200, Math.round(3000 * (1 - Math.exp(-i / 12)))));
  events.push({ event: "restart", seconds: 3, test: "Bank.Audit", points: 2 });
  if (finished) events.push({ event: "end", seconds: 9, test: "Bank.Audit", result: result("pass", []) });
  return { page: "run", schema: 1, program: ["./bank_test"], strategy: "auto", finished, written: 1700000000, events };
}

// Threads that take a lock in turns, `steps` of them; the last fails.
export function long(steps, threads = 3) {
  const names = ["main", ...Array.from({ length: threads - 1 }, (_, i) => `worker ${i + 1}`)];
  const b = new Builder(names, { kind: "assertion", message: "counter == 2", test: undefined });
  let last = -1;
  while (b.counted < steps) {
    const thread = 1 + (Math.floor(b.counted / 6) % (threads - 1));
    const name = b.counted % 12 < 6 ? "queue.mutex_" : "log.mutex_";
    if (b.counted % 30 === 0 && b.counted) b.row("switch", thread, "preempts main");
    const lock = b.row("operation", thread, `lock ${name}`, { object: name, key: Number(b.counted % 30 < 3) });
    if (last >= 0) b.data.edges.push([last, lock, 0]);
    b.row("operation", thread, `store counter ${b.counted % 1000} → ${b.counted % 1000 + 1}`, { object: "counter", line: 8, key: 0 });
    last = b.row("operation", thread, `unlock ${name}`, { object: name, line: 10, key: 0 });
    b.data.holds.push([thread, b.object(name), lock, last, b.counted % 5 === 0 ? 1 : 0]);
  }
  b.row("failure", 0, "✗ assertion", { line: 9 });
  return b.data;
}
