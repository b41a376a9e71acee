"""What is shown: threads with what each one does, the place where the program has stopped, backtraces."""
import gdb

from .program import in_runtime, lockstep_thread, program_threads
from .recording import DATA, ROWS, STEPS, THE_END, name_of
from .session import own_frame, session


def doing(number):
    """What a thread of the program does now, or will do next, and whether it waits."""
    here = session.position()
    if session.ended or here >= THE_END:
        mine = next((end for end in DATA["end"] if end["thread"] == number), None)
        blocked = next((row for row in reversed(ROWS) if row["thread"] == number), None)
        if mine is None:
            return "finished"
        return wording(mine["waits"], blocked["text"] if blocked and blocked.get("waits") else mine["text"])
    mine = [row for row in ROWS if row["thread"] == number]
    last = next((row for row in reversed(mine) if row["number"] <= here), None)
    following = next((row for row in mine if row["number"] > here and row["step"]), None)
    at = session.at_row
    record = at["record"] - 1 if at is not None and at["step"] else session.records()
    creation = next((step for step in DATA["creation"] if step["thread"] == number and step["record"] > record), None)
    if creation is not None and (following is None or creation["record"] < following["record"]):
        following = creation
    if following is None:
        following = next((end for end in DATA["end"] if end["thread"] == number), None)
    if following is None:
        return "finished"
    decision = next((row for row in STEPS if row["number"] >= here + (session.at_row is None) and "enabled" in row), None)
    waits = number not in decision["enabled"] if decision else following.get("waits", False)
    text = last["text"] if waits and last and last.get("waits") else following["text"]
    return wording(waits, text)


def wording(waits, text):
    return ("waits: " if waits else "next: ") + text.removesuffix(" … waits")


def state_of(thread, number):
    if session.at_row is not None and session.at_row["thread"] == number:
        return "step %d: %s" % (session.at_row["number"], session.at_row["text"])
    if thread == session.runner:
        return "failed" if session.here == THE_END and DATA["kind"] != "deadlock" else "runs" if not session.ended else doing(number)
    return doing(number)


def name_threads():
    """So that every list of threads, in gdb and in front ends, says what each one does."""
    for thread, number in program_threads():
        thread.name = "%s (%s)" % (name_of(number), state_of(thread, number))


def announce():
    number = lockstep_thread(gdb.selected_thread())
    row = session.at_row
    if session.is_failure:
        message = DATA["message"].strip()
        known = message.startswith(DATA["kind"].replace("-", " "))
        print("lockstep: " + (message if known else "%s: %s" % (DATA["kind"], message)))
        if len(session.accesses) > 1:
            print("lockstep: %s is at the second access; 'lockstep other' shows the first" % name_of(number))
        else:
            print("lockstep: stopped in %s; see 'bt', 'info threads', 'lockstep back'" % name_of(number))
    if row is not None:
        print("lockstep: step %d, %s: %s" % (row["number"], name_of(row["thread"]), row["text"]))


def stopped(event):
    session.runner = gdb.selected_thread()
    arrived = next((stop for stop in getattr(event, "breakpoints", []) if hasattr(stop, "arrive")), None)
    if arrived is not None:
        arrived.arrive()
    name_threads()
    if arrived is not None:
        show()


def show():
    """The place at which the program has stopped."""
    announce()
    frame = own_frame()
    if frame is not None:
        frame.select()
        gdb.execute("frame")


def continued(event):
    session.here = session.step = session.at_row = None


def exited(event):
    if session.wanted is not None and hasattr(event, "exit_code"):  # not killed, to be run again
        print("lockstep: the program has ended before that; 'lockstep failure' runs it again")
        session.wanted = None


class WithoutRuntime:
    """Backtraces without the runtime's frames; 'bt -no-filters' has them."""

    name, priority, enabled = "lockstep", 100, True

    def __init__(self):
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (frame for frame in frames if not in_runtime(frame.inferior_frame()))
