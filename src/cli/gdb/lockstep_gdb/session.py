"""Where the program stops: internal breakpoints, and the session that knows which of them is meant."""
import os
import struct

import gdb

from __main__ import LOCKSTEP_FRONT_END, LOCKSTEP_SHARED

from .program import SharedMemory, frames, in_runtime, is_own, lockstep_thread, program_threads
from .recording import DATA, ROWS, STEPS, THE_END


class Stop(gdb.Breakpoint):
    def __init__(self, place):
        super().__init__(place, internal=True)
        self.silent = not LOCKSTEP_FRONT_END  # a front end has to report every stop


class AtStep(Stop):
    """The record that was asked for is about to be executed."""

    def arrive(self):
        session.step = session.wanted["record"]
        session.arrived(session.wanted)


class AtFailure(Stop):
    """The execution ends with a failure."""

    def arrive(self):
        session.arrived(session.view, ended=True)


class AtCheck(Stop):
    """A check of a test framework has failed. `register` and `values` say which calls of its function are that."""

    def __init__(self, function, register=None, values=()):
        super().__init__(function)
        self.register, self.values = register, values

    def stop(self):
        if session.wanted is not None:
            return False
        return self.register is None or int(gdb.newest_frame().read_register(self.register)) & 0xFFFF in self.values

    def arrive(self):
        session.arrived(None, check=True)


# Functions that frameworks call when a check has failed.
CHECKS = [
    ("testing::UnitTest::AddTestPartResult", "rsi", (1, 2)),  # GoogleTest
    ("Catch::RunContext::populateReaction",),
    ("doctest::(anonymous namespace)::addFailedAssert",),
    ("boost::unit_test::framework::assertion_result", "rdi", (0,)),
]


class AtCall(Stop):
    """The call before an access: what it is called with says whether it is the one."""

    def __init__(self, access, call):
        super().__init__("*%d" % call)
        self.access = access

    def stop(self):
        if self.access.is_armed():
            self.access.is_next = self.access.is_argument()
        return False


def innermost_function(pc):
    """Inlined ones count."""
    block = gdb.block_for_pc(pc)
    while block is not None and block.function is None:
        block = block.superblock
    return block and block.start, block and block.function


class AtAccess(Stop):
    """An access of a race, or another call that is no step of its own: behind the call in the program's code, or at it
    where what is behind belongs to another function."""

    MAIN_STACK = 0x7FFFFF000000  # addresses above may differ under the debugger

    def __init__(self, index, place):
        code = bytes(gdb.selected_inferior().read_memory(place["pc"] - 6, 6))
        length = 5 if code[1] == 0xE8 else 6 if code[:2] == b"\xff\x15" else 0
        self.is_call = bool(length) and innermost_function(place["pc"]) != innermost_function(place["pc"] - 1)
        super().__init__("*%d" % (place["pc"] - (length if self.is_call else 0)))
        self.index, self.place, self.left, self.is_next = index, place, place.get("times", 1), True
        self.call = None
        self.has_argument = bool(length) and place.get("address", self.MAIN_STACK) < self.MAIN_STACK
        if self.has_argument and not self.is_call:
            self.call, self.is_next = AtCall(self, place["pc"] - length), False

    def is_argument(self):
        return int(gdb.newest_frame().read_register("rdi")) & 0xFFFFFFFFFFFFFFFF == self.place["address"]

    def is_armed(self):
        wanted = session.wanted if session.wanted is not None else {"access": 0}
        if wanted.get("access") != self.index and not (self.index == 0 and session.heeds_failure):
            return False
        return lockstep_thread(gdb.selected_thread()) == self.place["thread"]

    def stop(self):
        # An access that is a scheduling point gets its record only after the call.
        records = self.place.get("records", 0) - self.is_call
        if not self.is_armed() or not self.is_next or session.records() < records:
            return False
        if self.is_call and self.has_argument and not self.is_argument():
            return False
        self.left -= 1
        return self.left == 0

    def arrive(self):
        row = next((row for row in ROWS if row.get("access") == self.index), None)
        session.arrived(row or {"access": self.index})

    def remove(self):
        if self.call is not None:
            self.call.delete()
        self.delete()


class Session:
    """Where the program is, and where it is to stop."""

    def __init__(self):
        self.shared, self.stops, self.accesses, self.checks = None, [], [], []
        self.wanted = None  # a row, or {"record": n}, {"access": n}; None: the failure
        self.view = None  # a row to show once the execution has ended: a wait that did not end
        self.here = None  # number of the row at which the program has stopped; None: not known
        self.step = None  # the record about to be executed; None: stopped elsewhere
        self.at_row, self.ended, self.at_check, self.is_failure = None, False, False, False
        self.show = None  # called when another place is shown; see view.py
        self.runner = self.failed = None  # threads: the running one; one that was blocked at the end
        self.heeds_failure = False  # on the way to a row

    # The runtime's variable lockstep_debug: records so far, record at which to stop.
    @staticmethod
    def variable():
        return int(gdb.parse_and_eval("(long)&lockstep_debug"))

    def records(self):
        return struct.unpack("<I", bytes(gdb.selected_inferior().read_memory(self.variable(), 4)))[0]

    def record_wanted(self):
        """0: none, but an access or the failure."""
        return self.wanted["record"] if self.wanted and "access" not in self.wanted else 0

    def set_until(self):
        gdb.selected_inferior().write_memory(self.variable() + 4, struct.pack("<I", self.record_wanted()))

    def loaded(self, event):
        """The runtime is loaded, and has not begun."""
        if "liblockstep-rt" in (event.new_objfile.filename or ""):
            if self.shared is None:
                self.shared = [SharedMemory(descriptor) for descriptor in LOCKSTEP_SHARED]
                self.stops = [AtStep("lockstep_debug_step"), AtFailure("lockstep_debug_failure")]
                if DATA["stop"]["at"] == "check":
                    self.checks = [AtCheck(*check) for check in CHECKS if has_symbol(check[0])]
            else:
                for shared in self.shared:
                    shared.restore()
            self.forget_accesses()
            self.here, self.step, self.at_row, self.ended, self.at_check = 0, None, None, False, False
            self.set_until()
        if self.shared is not None and not self.accesses:
            self.set_accesses()

    def set_accesses(self):
        places = DATA["stop"].get("accesses", [])
        try:  # a library may be loaded later
            for place in places:
                gdb.selected_inferior().read_memory(place["pc"] - 6, 7)
        except gdb.MemoryError:
            return
        self.accesses = [AtAccess(index, place) for index, place in enumerate(places)]

    def forget_accesses(self):
        for access in self.accesses:
            access.remove()
        self.accesses = []

    def is_running(self):
        return bool(gdb.selected_inferior().pid) and gdb.selected_thread() is not None

    def position(self):
        """The number of the last row that has begun."""
        if self.here is not None:
            return self.here
        records = self.records()
        return max((row["number"] for row in STEPS if row["record"] <= records), default=0)

    def arrived(self, row, ended=False, check=False):
        if ended and not self.ended:
            self.failed = gdb.selected_thread()
        elif ended:
            self.failed.switch()
        self.ended, self.at_check = ended, check
        self.at_row = row if row and "number" in row else None
        self.here = self.at_row["number"] if self.at_row else None if not (ended or check) else THE_END
        if self.at_row and not self.at_row["step"] and "access" not in self.at_row:
            for thread, number in program_threads():  # a wait is shown in the waiting thread
                if number == self.at_row["thread"]:
                    thread.switch()
        self.is_failure = row is None or (DATA["stop"]["at"] == "access" and row.get("access") == 0) or (
            DATA["stop"]["at"] == "record" and row.get("record") == DATA["stop"]["record"])
        self.wanted, self.view, self.heeds_failure = None, None, False
        self.set_until()

    def go(self, row):
        """To a row; None: to the failure."""
        self.wanted, self.view = row, None
        if row is not None and not row.get("step", True) and "access" not in row:
            # A wait begins before the next record, or at the end.
            behind = next((step for step in STEPS if step["number"] > row["number"]), None)
            self.wanted = dict(row, record=behind["record"]) if behind else None
            self.view = None if behind else row
        if not self.is_running():
            gdb.execute("run")
        elif self.ended and self.wanted is None:  # only another view
            self.arrived(self.view, ended=True)
            self.show()
        elif self.step is not None and self.record_wanted() == self.step:
            self.runner.switch()
            self.arrived(self.wanted)
            self.show()
        elif not self.ended and self.position() < (row["number"] if row and "number" in row else THE_END):
            self.set_until()
            gdb.execute("continue")
        else:
            gdb.execute("run")


session = Session()


def own_frame():
    """The frame of a failed check; else the innermost in the user's source; else the innermost outside the runtime."""
    own = [frame for frame in frames() if is_own(frame)]
    if session.at_check:
        file = os.path.basename(DATA["file"])
        for frame in own:
            place = frame.find_sal()
            if os.path.basename(place.symtab.filename) == file and place.line == DATA["line"]:
                return frame
    if own:
        return own[0]
    return next((frame for frame in frames() if not in_runtime(frame) and frame.name()), None)


def has_symbol(function):
    try:
        return bool(gdb.decode_line(function)[1])
    except gdb.error:
        return False
