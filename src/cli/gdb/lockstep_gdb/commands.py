"""The commands 'lockstep ...', and 'info threads'."""
import os

import gdb

from .program import program_threads
from .recording import DATA, ROWS, STEPS, THE_END, name_of
from .session import own_frame, session
from .stepping import leave_runtime
from .view import state_of


class Lockstep(gdb.Command):
    """Move along the steps of a recorded failure. The numbers are those of 'lockstep story'."""

    def __init__(self):
        super().__init__("lockstep", gdb.COMMAND_RUNNING, prefix=True)


def command(name, kind=gdb.COMMAND_RUNNING):
    """Makes a function of its argument a command; its help is the function's."""

    def make(function):
        class Command(gdb.Command):
            __doc__ = function.__doc__

            def invoke(self, argument, from_tty):
                function(argument.strip())

        Command(name, kind)
        return function

    return make


def number_in(argument, default=None):
    try:
        return int(argument) if argument or default is None else default
    except ValueError:
        raise gdb.GdbError("a number is needed, not '%s'" % argument)


Lockstep()


@command("lockstep failure")
def failure(argument):
    """Run to the failure; from the beginning if the program is there or behind it."""
    stop = DATA["stop"]
    if stop["at"] == "access":
        session.go(next((row for row in ROWS if row.get("access") == 0), {"access": 0}))
    elif stop["at"] == "record":
        session.go(next(row for row in STEPS if row["record"] >= stop["record"]))
    else:
        session.go(None)


@command("lockstep goto")
def goto(argument):
    """lockstep goto STEP: run to this step of the story, from the beginning if it lies behind."""
    number = number_in(argument)
    row = next((row for row in ROWS if row["number"] == number), None)
    if row is None:
        raise gdb.GdbError("no step %d; the story has steps 1 to %d" % (number, THE_END - 1))
    session.go(row)


@command("lockstep back")
def back(argument):
    """lockstep back [N]: go N steps back, by running again from the beginning."""
    here = session.position()
    before = [row for row in ROWS if row["number"] < here or (row["number"] == here and session.at_row is None)]
    count = number_in(argument, 1)
    if count < 1 or count > len(before):
        raise gdb.GdbError("there are %d steps before this one" % len(before))
    session.go(before[-count])


@command("lockstep next")
def next_step(argument):
    """lockstep next [N]: run N steps on, in whatever thread they are; the failure comes after the last one."""
    behind = [row for row in ROWS if row["number"] > session.position()]
    count = number_in(argument, 1)
    if session.position() >= THE_END:
        raise gdb.GdbError("the failure is the last step")
    session.heeds_failure = not any("access" in row for row in ROWS)
    session.go(behind[count - 1]) if count <= len(behind) else failure("")


@command("lockstep switch")
def switch(argument):
    """Run to the next step of another thread."""
    here = session.position()
    now = next((row["thread"] for row in reversed(STEPS) if row["number"] <= here), None)
    row = next((row for row in STEPS if row["number"] > here and row["thread"] != now), None)
    session.go(row) if row else failure("")


@command("lockstep next-conflict")
def next_conflict(argument):
    """Run to the next step of another thread that conflicts with this one: the same object, and one of both writes."""
    here = session.position()
    row = next((row for row in reversed(STEPS) if row["number"] <= here), None)
    behind = next((r for r in STEPS if row and r["record"] == row.get("conflict")), None)
    if behind is None:
        raise gdb.GdbError("no later step of another thread conflicts with this one")
    session.go(behind)


@command("lockstep other")
def other(argument):
    """Run to the other access of a race: to the first one, if the program is at the second."""
    places = DATA["stop"].get("accesses", [])
    if len(places) < 2:
        raise gdb.GdbError("this failure has only one place")
    index = 0 if session.at_row is not None and session.at_row.get("access") == 1 else 1
    session.go(next((row for row in ROWS if row.get("access") == index), {"access": index}))


@command("lockstep before-step")
def before_step(argument):
    """Let the thread finish its operation, and be in the user's code again. 'next', 'step' and 'until' do it first."""
    leave_runtime()


@command("lockstep story", gdb.COMMAND_STATUS)
def story(argument):
    """Print the steps of the recorded failure."""
    print(DATA["story"])


@command("info threads", gdb.COMMAND_STATUS)
def info_threads(argument):
    """List the program's threads, with what each one does or waits for. 'thread N' selects one."""
    selected, frame = gdb.selected_thread(), gdb.selected_frame() if gdb.selected_thread() else None
    lines = []
    for thread, number in program_threads():
        thread.switch()
        own = own_frame()
        place = own.find_sal() if own is not None else None
        where = "%s:%d" % (os.path.basename(place.symtab.filename), place.line) if place and place.symtab else ""
        lines.append(("*" if thread == selected else " ", thread.num, name_of(number), where, state_of(thread, number)))
    if selected is not None:
        selected.switch()
        frame.select()
    width = [max([len(line[i]) for line in lines] or [0]) for i in (2, 3)]
    print("  Id  %-*s  %-*s  State" % (width[0], "Thread", width[1], "Where"))
    for line in lines:
        print("%s %-3d %-*s  %-*s  %s" % (line[0], line[1], width[0], line[2], width[1], line[3], line[4]))
