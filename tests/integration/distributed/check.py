#!/usr/bin/env python3
"""Explorations with workers of a queue give what one worker here gives, whatever happens to workers, coordinator and
Redis: check.py CASE LOCKSTEP PROGRAM [ROUNDS [SEED]]

Every case starts a redis-server of its own on a free port.
"""
import contextlib
import json
import math
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

case, lockstep, program = sys.argv[1], *(os.path.abspath(a) for a in sys.argv[2:4])
rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 1
draw = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
SKIPPED = 77  # as CTest knows it
PASSWORD = "a:b@c/d%"


def expect(good, what, *texts):
    if not good:
        sys.exit("\n".join([what, *map(str, texts)]))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Redis:
    def __init__(self, *options):
        self.port, self.folder, self.options = free_port(), os.getcwd(), options
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", self.folder, *self.options],
            stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        until(lambda: not socket.socket().connect_ex(("127.0.0.1", self.port)), "redis-server does not start")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def url(self, user=""):
        return f"redis://{user}127.0.0.1:{self.port}/tests"


def until(is_so, what, seconds=60):
    end = time.monotonic() + seconds
    while not is_so():
        expect(time.monotonic() < end, what)
        time.sleep(0.02)


class Worker:
    """`lockstep work`, until it is killed. Its lines are in a file."""

    started = []

    def __init__(self, url, workers=1, before=(), environment=None):
        self.log = tempfile.NamedTemporaryFile(dir=os.getcwd(), prefix="work-", suffix=".log", delete=False)
        self.process = subprocess.Popen([*before, lockstep, "work", "--queue", url, "--workers", str(workers)], stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=subprocess.STDOUT, env={**os.environ, **(environment or {})})

        Worker.started.append(self)

    def text(self):
        with open(self.log.name, encoding="utf-8") as file:
            return file.read()

    def kill(self, how=signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(how)
        return self.process.wait(timeout=20)


def command(url, strategy, words, *options, here=0):
    queue = ["--queue", url] if url else []
    return [lockstep, "run", "--strategy", strategy, "--workers", str(here), *queue, "--out", "out", "--json", "result.json", *options, program,
            *words.split()]


def result():
    with open("result.json", encoding="utf-8") as file:
        return json.load(file)


def run(*words, **options):
    with contextlib.suppress(FileNotFoundError):
        os.remove("result.json")
    done = subprocess.run(command(*words, **options), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    shutil.rmtree("out", ignore_errors=True)
    return done


def counted(done):
    """What must not depend on who did it."""
    expect(os.path.exists("result.json"), "no result", done.stdout, done.stderr)
    r = result()
    bugs = sorted((bug["kind"], bug["fingerprint"]) for bug in r["bugs"])
    return {"traces": r["traces"], "verdict": r["verdict"], "complete": r["complete"], "claim": r["claim"], "bugs": bugs, "exit": done.returncode}


def exact(done):  # of dfs, icb and the random strategies
    r = result()
    return {**counted(done), "executions": r["executions"], "first": [bug["execution"] for bug in r["bugs"]]}


def orders(n, k):
    return math.factorial(n * k) // math.factorial(k) ** n


def counts(redis):
    """Every strategy, with 1 to 4 workers elsewhere, without and with workers here."""
    same = [("dfs", "orders 3 3"), ("icb", "orders 3 3"), ("dfs", "lost_update 3"), ("icb", "lost_update 3"), ("dfs", "late_threads"),
            ("icb --preemptions 2", "orders 3 3"), ("random --executions 3000", "lost_update 3"), ("pct --executions 3000", "late_threads"),
            ("pos --executions 2000", "orders 3 3"), ("dfs", "plain_race"), ("random --executions 2000", "plain_race")]
    learned = [(s, p) for s in ("dpor", "source-dpor", "optimal-dpor", "bpor", "chess", "vb", "delay", "best-first", "exitblock")
               for p in ("orders 3 2", "lost_update 3", "late_threads")]
    workers, alone_with = [], {}
    for number in range(1, 5):
        workers.append(Worker(redis.url()))
        for judge, cases in ((exact, same), (counted, learned)):
            for strategy, words in cases if rounds > 1 else cases[number % 4 :: 4]:
                name, *options = strategy.split()
                if (strategy, words) not in alone_with:
                    alone_with[strategy, words] = judge(run(None, name, words, "--keep-going", *options, here=1))
                alone = alone_with[strategy, words]
                here = draw.choice([0, 0, 1, 2])
                done = run(redis.url(), name, words, "--keep-going", *options, here=here)
                expect(judge(done) == alone, f"{strategy} {words}, {number} workers, {here} here", alone, judge(done), done.stdout, done.stderr,
                       *(w.text() for w in workers))
    side_by_side = [subprocess.Popen([*command(redis.url(), "dfs", words)[:-2 - len(words.split())], f"{n}.json", "--out", f"out{n}", program, *words.split()],
                                     stdout=subprocess.DEVNULL) for n, words in enumerate(("orders 3 3", "orders 4 2"))]
    for n, count in enumerate((orders(3, 3), orders(4, 2))):
        expect(side_by_side[n].wait(timeout=100) == 0, "two explorations at once")
        with open(f"{n}.json", encoding="utf-8") as file:
            expect(json.load(file)["executions"] == count, "two explorations at once share something")
    for strategy in ("auto", "portfolio", "best-first"):
        done = run(redis.url(), strategy, "lost_update 3")
        expect(done.returncode == 1 and result()["bugs"][0]["kind"] == "assertion", strategy, done.stdout, done.stderr)
    for worker in workers:
        expect(worker.kill(signal.SIGTERM) == 0, "a worker does not end when it is asked to", worker.text())
        expect(" executions, " in worker.text(), "a worker did nothing", worker.text())


def units(redis):
    """Searches that are divided: the executions, their order and the first bug of one worker. Reductions: the traces."""
    cases = [("dfs", "orders 3 4"), ("icb", "orders 3 4"), ("random --executions 50001", "orders 3 4"), ("pos --executions 30000", "orders 3 4"),
             ("dfs", "late_bug"), ("icb", "late_bug"), ("icb --keep-going", "late_bug"), ("dfs", "late_creation"), ("icb", "late_creation"),
             ("dfs --executions 21000", "late_creation")]
    reduced = [(f"{s} --keep-going", p) for s in ("source-dpor", "optimal-dpor") for p in ("orders 3 4", "late_bug", "late_creation")]
    workers = []
    for number in (1, 2, 4, 4):
        while len(workers) < number:
            workers.append(Worker(redis.url()))
        for judge, some in ((exact, cases), (counted, reduced)):
            for strategy, words in some if rounds > 1 else some[number % 3 :: 3]:
                name, *options = strategy.split()
                alone, here = judge(run(None, name, words, *options, here=1)), draw.choice([0, 0, 1, 2])
                done = run(redis.url(), name, words, *options, here=here)
                expect(judge(done) == alone, f"{strategy} {words}, {number} workers, {here} here", alone, judge(done), done.stdout, done.stderr,
                       *(w.text() for w in workers))
    for worker in workers:
        expect(worker.kill(signal.SIGTERM) == 0, "a worker does not end when it is asked to", worker.text())
    expect(all(" executions, " in w.text() for w in workers), "somebody did nothing", *(w.text() for w in workers))


LARGE, LARGE_ORDERS = "orders 4 3", orders(4, 3)  # 369,600


def finished(what, code, text):
    expect(code == 0, f"{what}: exit {code}", text)
    r = result()
    expect(r["traces"] == LARGE_ORDERS and r["complete"] and r["verdict"] == "pass", f"{what}: {r['traces']} traces", text)
    return r


def killed_workers(redis):
    """Workers killed and frozen at any moment."""
    for n in range(rounds):
        for strategy in ("dfs", "optimal-dpor", "icb", "random")[: 4 if rounds > 1 else 1]:
            workers = [Worker(redis.url(), 2), Worker(redis.url())]
            here = draw.choice([0, 1])
            search = subprocess.Popen(command(redis.url(), strategy, LARGE, here=here), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            kills = 0
            while search.poll() is None:
                time.sleep(draw.uniform(0.05, 0.6))
                if kills < (4 if rounds > 1 else 2):
                    victim = workers.pop(draw.randrange(len(workers)))
                    if draw.random() < 0.3:
                        victim.process.send_signal(signal.SIGSTOP)
                        frozen = victim
                    else:
                        victim.kill()
                    workers.append(Worker(redis.url(), draw.choice([1, 2])))
                    kills += 1
            code, text = search.wait(), search.stdout.read()
            if strategy == "random":  # 100,000 by itself
                expect(code == 0 and result()["executions"] == 100000, f"{strategy}, round {n}: exit {code}", text)
            else:
                done = finished(f"{strategy}, round {n}, {kills} kills", code, text)
                expect(strategy == "optimal-dpor" or done["executions"] == LARGE_ORDERS, f"{strategy}: {done['executions']} executions")
            for worker in workers:
                worker.kill()
            with contextlib.suppress(NameError):
                frozen.kill()


def killed_coordinator(redis):
    """Killed at any moment and resumed with the same queue."""
    worker = Worker(redis.url(), 2)
    for strategy in ("dfs", "source-dpor", "icb")[: 3 if rounds > 1 else 1]:
        shutil.rmtree("out", ignore_errors=True)
        words, ends = command(redis.url(), strategy, LARGE, here=draw.choice([0, 1])), 0
        while True:
            search = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            with contextlib.suppress(subprocess.TimeoutExpired):
                if ends < 3 * rounds:
                    search.wait(timeout=draw.uniform(0.3, 1.5))
                else:
                    search.wait()
            if search.poll() is not None:
                break
            search.kill()
            search.wait()
            ends += 1
            words = [lockstep, "resume", "out"]
            expect(os.path.exists("out/exploration.state"), "nothing was saved")
        expect(ends > 0, f"{strategy} was not killed once")
        r = finished(f"{strategy}, {ends} kills", search.returncode, search.stdout.read())
        expect(r["executions"] == LARGE_ORDERS or strategy == "source-dpor", f"{strategy}: {r['executions']} executions")
    worker.kill()


def restarted_redis(redis):
    """Killed and started again, with its append-only file and without."""
    redis.kill()
    for options in (["--appendonly", "yes", "--appendfsync", "everysec"], []):
        for _ in range(rounds):
            for file in ("appendonlydir", "dump.rdb"):
                shutil.rmtree(file, ignore_errors=True)
            server = Redis(*options)
            worker = Worker(server.url(), 2)
            search = subprocess.Popen(command(server.url(), "dfs", LARGE), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for _ in range(2 if rounds > 1 else 1):
                time.sleep(draw.uniform(0.3, 0.9))
                server.kill()
                server.start()
            r = finished("redis restarted", search.wait(timeout=200), search.stdout.read())
            expect(r["executions"] == LARGE_ORDERS, f"{r['executions']} executions")
            worker.kill()
            server.kill()


def lost_redis(redis):
    """Gone for good: the workers here finish it, and say so. Gone for a while: those of the queue come back."""
    for comes_back in (False, True) if rounds > 1 else (True,):
        worker = Worker(redis.url(), 2)
        with open("search.txt", "w+") as output:
            search = subprocess.Popen(command(redis.url(), "dfs", "orders 4 4", here=1), stdout=output, stderr=subprocess.STDOUT)

            def says(words):
                with open("search.txt") as so_far:
                    return words in so_far.read()

            until(lambda: "joined" in worker.text(), "no worker joins")
            redis.kill()
            until(lambda: says("cannot be reached"), "it does not say that Redis is gone")
            if comes_back:
                redis.start()
                until(lambda: says("can be reached again"), "it does not say that Redis is back")
            search.send_signal(signal.SIGINT)  # it would take minutes
            search.wait(timeout=60)
        expect(result()["executions"] == result()["traces"] > 0, "it has lost something", result())
        worker.kill()
        if not comes_back:
            redis.start()


def sentences(redis):
    """What is wrong is said in one sentence."""
    redis.kill()
    server = Redis("--requirepass", PASSWORD)
    good, bad = "default:" + "".join(f"%{ord(c):02x}" for c in PASSWORD) + "@", "default:wrong@"

    def refused(words, what):
        done = subprocess.run([lockstep, *words], capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
        expect(done.returncode == 2 and done.stderr.count("\n") == 1 and what in done.stderr, f"{words}: {what}", done.returncode, done.stderr)
        expect("wrong" not in done.stderr and PASSWORD not in done.stderr, "it tells the password", done.stderr)

    free = f"redis://127.0.0.1:{free_port()}/q"
    for words in (["work", "--queue"], ["run", "--queue"]):
        rest = [program, "orders"] if words[0] == "run" else []
        refused([*words, server.url(bad), *rest], "refuses the user or the password")
        refused([*words, server.url(), *rest], "wants a password")
        refused([*words, free, *rest], "cannot reach Redis at 127.0.0.1")
        refused([*words, "http://host/q", *rest], "does not begin with redis://")
        refused([*words, "redis://host:6379", *rest], "has no queue name")
        refused([*words, "redis://host:70000/q", *rest], "a port that is not a number from 1 to 65535")
    refused(["run", "--workers", "0", program], "--workers 0 needs --queue")
    refused(["work"], "no queue given")
    refused(["work", "--queue", free, program], "takes no program")
    worker = Worker(server.url(good))
    done = run(server.url(good), "dfs", "orders 2 2")
    expect(done.returncode == 0 and result()["traces"] == 6, "with the password", done.stdout, done.stderr, worker.text())
    expect(worker.kill(signal.SIGINT) == 0, "interrupted", worker.text())
    expect("orders 2 2" in worker.text() and " executions, " in worker.text(), "no line per exploration", worker.text())
    server.kill()


def encrypted(redis):
    """rediss://, with a certificate that is trusted and with one that is not."""
    redis.kill()
    if not shutil.which("openssl"):
        print("skipped: no openssl command here to make a certificate with")
        sys.exit(SKIPPED)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    server = Redis("--tls-cert-file", "cert.pem", "--tls-key-file", "key.pem", "--tls-ca-cert-file", "cert.pem", "--tls-auth-clients", "no",
                   "--tls-port", str(free_port()))
    url = f"rediss://127.0.0.1:{server.options[-1]}/tests"
    trusted = {"SSL_CERT_FILE": os.path.abspath("cert.pem")}
    worker = Worker(url, 1, environment=trusted)
    os.environ.update(trusted)
    done = run(url, "dfs", "orders 3 2")
    expect(done.returncode == 0 and result()["traces"] == 90, "with TLS", done.stdout, done.stderr, worker.text())
    worker.kill()
    del os.environ["SSL_CERT_FILE"]
    done = run(url, "dfs", "orders 2 2")
    expect(done.returncode == 2 and "certificate is not trusted" in done.stderr, "a certificate of anybody", done.stderr)
    done = run(f"rediss://127.0.0.1:{server.port}/tests", "dfs", "orders 2 2")
    expect(done.returncode == 2 and done.stderr.count("\n") == 1, "TLS with a server that has none", done.stderr)
    server.kill()


def other_machine(*extra):
    """A command prefix that has no program where ours is, as another machine would not."""
    before = ["unshare", "--user", "--map-root-user", "--mount", "--uts", "sh", "-c",
              f'{" && ".join(["true", *extra])} && exec "$@"', "sh"]
    probe = subprocess.run([*before, "true"], capture_output=True)
    if probe.returncode != 0:
        print("skipped: no namespaces here, so no other machine", probe.stderr.decode())
        sys.exit(SKIPPED)
    return before


def machines(redis):
    """A machine without the program gets it; one that behaves differently is refused."""
    folder = os.path.join(os.getcwd(), "elsewhere")
    os.makedirs(folder + "/input")
    with open(folder + "/input/steps.txt", "w", encoding="utf-8") as file:
        file.write("3\n")
    shutil.copy(program, folder)
    cache = {"XDG_CACHE_HOME": os.path.join(os.getcwd(), "cache")}
    lacking = Worker(redis.url(), 2, other_machine(f"mount -t tmpfs none {folder}"), cache)
    words = [lockstep, "run", "--strategy", "dfs", "--workers", "0", "--queue", redis.url(), "--json", "../result.json", "--out", "../out",
             "./" + os.path.basename(program)]
    for what, count in (("orders 3 3", 1680), ("from_file", 20)):
        done = subprocess.run([*words, *what.split()], cwd=folder, capture_output=True, text=True, timeout=60)
        expect(done.returncode == 0 and result()["traces"] == count, f"{what} elsewhere", done.stdout, done.stderr, lacking.text())
    until(lambda: " executions, " in lacking.text(), "the other machine did nothing", 20)
    expect("not served" not in lacking.text(), "the other machine is of no use", lacking.text())
    expect(os.stat(cache["XDG_CACHE_HOME"] + "/lockstep").st_mode & 0o777 == 0o700, "the cache is not private")
    lacking.kill()
    differs = Worker(redis.url(), 1, other_machine("hostname other"), cache)
    done = run(redis.url(), "dfs", "by_machine", here=1)
    expect(done.returncode == 0 and result()["traces"] == 6, "by_machine", done.stdout, done.stderr)
    with open("search.log", "w+", encoding="utf-8") as log:
        search = subprocess.Popen(command(redis.url(), "random", "by_machine", "--executions", "100000000", "--time", "60s", here=1),
                                  stdout=log, stderr=log, text=True)
        until(lambda: "not served: the program does something else here" in differs.text(), "it is not refused", 20)
        until(lambda: "on other is not used: the program does something else here" in open("search.log", encoding="utf-8").read(),
              "the coordinator does not say so", 20)
        search.send_signal(signal.SIGINT)
        expect(search.wait(timeout=30) == 130 and result()["traces"] == 6, "by_machine with another machine")
    differs.kill()


class Network:
    """A switch in a network namespace, and machines that hang on it, each in a namespace of its own."""

    def __init__(self, *machines):
        self.prefix, self.machines = f"ls{os.getpid()}", machines
        self.hub = self.prefix + "-hub"
        self.made = []

    def __enter__(self):
        self.add(self.hub)
        self.ip("-n", self.hub, "link", "add", "switch", "type", "bridge")
        self.ip("-n", self.hub, "link", "set", "switch", "up")
        for number, machine in enumerate(self.machines, 1):
            self.add(self.name(machine))
            self.ip("-n", self.hub, "link", "add", machine, "type", "veth", "peer", "name", "eth0", "netns", self.name(machine))
            self.ip("-n", self.hub, "link", "set", machine, "master", "switch")
            self.ip("-n", self.name(machine), "addr", "add", f"10.77.0.{number}/24", "dev", "eth0")
            self.ip("-n", self.name(machine), "link", "set", "eth0", "up")
            self.plug(machine, "up")
        return self

    def __exit__(self, *_):
        for name in self.made:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    def ip(self, *words):
        done = subprocess.run(["ip", *words], capture_output=True, text=True)
        if done.returncode != 0:
            print("skipped: no network namespaces here:", done.stderr)
            self.__exit__()
            sys.exit(SKIPPED)

    def add(self, name):
        self.ip("netns", "add", name)
        self.made.append(name)
        self.ip("-n", name, "link", "set", "lo", "up")

    def name(self, machine):
        return f"{self.prefix}-{machine}"

    def plug(self, machine, how):
        self.ip("-n", self.hub, "link", "set", machine, how)

    def delay(self, machine, milliseconds):
        words = ["tc", "-n", self.hub, "qdisc", "add", "dev", machine, "root", "netem", "delay", f"{milliseconds}ms"]
        return shutil.which("tc") and subprocess.run(words, capture_output=True).returncode == 0

    def on(self, machine):  # a command prefix
        return ["ip", "netns", "exec", self.name(machine)]


def networks(redis):
    """Machines whose cables are pulled out and put back, the coordinator's among them; and slow ones."""
    redis.kill()
    if os.geteuid() != 0 or not shutil.which("ip"):
        print("skipped: network namespaces need root and the command ip")
        sys.exit(SKIPPED)
    with Network("desk", "store", "lab1", "lab2") as network:
        url = "redis://10.77.0.2:6379/tests"
        server = subprocess.Popen([*network.on("store"), "redis-server", "--port", "6379", "--bind", "10.77.0.2", "--protected-mode", "no", "--save", ""],
                                  stdout=subprocess.DEVNULL)
        until(lambda: not subprocess.run([*network.on("desk"), "sh", "-c", "exec 3<>/dev/tcp/10.77.0.2/6379"], capture_output=True).returncode
              or not subprocess.run([*network.on("desk"), "redis-cli", "-h", "10.77.0.2", "ping"], capture_output=True).returncode, "no Redis")
        workers = [Worker(url, 2, network.on(machine)) for machine in ("lab1", "lab2")]
        if not network.delay("lab2", 20):
            print("no netem here: links are not slow")
        for n in range(rounds):
            for strategy, victim in (("dfs", "lab1"), ("icb", "desk"), ("optimal-dpor", "lab2"))[: 3 if rounds > 1 else 2]:
                search = subprocess.Popen([*network.on("desk"), *command(url, strategy, LARGE, here=draw.choice([0, 1]))], stdout=subprocess.PIPE,
                                          stderr=subprocess.STDOUT, text=True)
                time.sleep(draw.uniform(0.2, 0.8))
                network.plug(victim, "down")
                time.sleep(draw.uniform(0.5, 4.5))  # others take a unit after 3 s
                network.plug(victim, "up")
                done = finished(f"{strategy}, round {n}, {victim} was cut off", search.wait(timeout=200), search.stdout.read())
                expect(strategy == "optimal-dpor" or done["executions"] == LARGE_ORDERS, f"{strategy}: {done['executions']} executions")
        for worker in workers:
            worker.kill()
        server.kill()
        server.wait()


LIBRARY = """#include <atomic>
#include <thread>
int orders(int k) {
  std::atomic<int> x{0};
  std::thread a([&] { for (int i = 0; i < k; ++i) x.fetch_add(1); }), b([&] { for (int i = 0; i < k; ++i) x.fetch_add(1); });
  a.join();
  b.join();
  return x == 2 * k ? 0 : 1;
}
extern "C" int plugged() { return orders(4); }
"""


def libraries(redis):
    """Libraries that a machine lacks come with the program: one that it is linked with, and one that it opens."""
    folder = os.path.join(os.getcwd(), "elsewhere")
    os.makedirs(folder)
    with open("library.cpp", "w", encoding="utf-8") as file:
        file.write(LIBRARY)
    with open("user.cpp", "w", encoding="utf-8") as file:
        file.write("""#include <dlfcn.h>
            int orders(int k);
            int main(int argc, char**) {
              if (argc == 1) return orders(3);
              void* plug = dlopen("libplug.so", RTLD_NOW);
              return plug ? reinterpret_cast<int (*)()>(dlsym(plug, "plugged"))() : 3;
            }""")
    compiler = os.path.join(os.path.dirname(lockstep), "lockstep-cxx")
    for words in (["-shared", "-fPIC", "library.cpp", "-o", f"{folder}/liborders.so.1.2", "-Wl,-soname,liborders.so.1"],
                  ["-shared", "-fPIC", "library.cpp", "-o", f"{folder}/libplug.so"]):
        subprocess.run([compiler, "-std=c++20", "-O1", "-g", *words], check=True)
    os.symlink("liborders.so.1.2", f"{folder}/liborders.so.1")
    subprocess.run([compiler, "-std=c++20", "-O1", "-g", "user.cpp", f"{folder}/liborders.so.1.2", "-ldl", f"-Wl,-rpath,{folder}", "-o", f"{folder}/user"],
                   check=True)
    cache = {"XDG_CACHE_HOME": os.path.join(os.getcwd(), "cache")}
    lacking = Worker(redis.url(), 2, other_machine(f"mount -t tmpfs none {folder}"), cache)
    for more, count in (([], 20), (["plug"], 70)):
        words = [lockstep, "run", "--strategy", "dfs", "--workers", "0", "--queue", redis.url(), "--json", "result.json", "--out", "out", f"{folder}/user", *more]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, env={**os.environ, "LD_LIBRARY_PATH": folder})
        expect(done.returncode == 0 and result()["traces"] == count, f"{more or 'linked'}", done.stdout, done.stderr, lacking.text())
        until(lambda: lacking.text().count(f"user{' plug' if more else ''}: ") == 1, f"the other machine did nothing {lacking.text()}", 10)
    expect("not served" not in lacking.text() and ": 0 executions" not in lacking.text(), "the other machine is of no use", lacking.text())
    lacking.kill()


def deadly(redis):
    """One execution that ends its worker again and again is known in the end, whatever unit it is in."""
    worker = Worker(redis.url(), 3)
    for words, count in (("deadly", 10), ("late_death", 34650)):
        done = subprocess.run(["sh", "-c", 'DEADLY=$$ exec "$@"', "sh", *command(redis.url(), "dfs", words, "--keep-going")], capture_output=True,
                              text=True, timeout=200, stdin=subprocess.DEVNULL)
        r = result()
        # Here it does no harm: nothing is lost.
        expect(r["executions"] == count and r["traces"] == count and r["complete"], f"{words}: {r['executions']} executions", done.stdout,
               done.stderr, worker.text())
        expect("lost its worker 3 times, running alone; it is run here" in done.stderr, "nobody is told of it", done.stderr)
    worker.kill()


def main():
    if not shutil.which("redis-server"):
        print("skipped: redis-server is not installed; tools/install-deps installs it")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        redis = Redis()
        try:
            {f.__name__: f for f in (counts, units, killed_workers, killed_coordinator, restarted_redis, lost_redis, sentences, encrypted, machines, networks, libraries, deadly)}[case](redis)
        finally:
            for worker in Worker.started:
                worker.process.kill()
            redis.kill()
            os.chdir("/")


main()
