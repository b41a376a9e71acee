# Commands of `lockstep debug`. STORY, the text of the failure, is set before this is read.
import gdb


class Switch(gdb.Breakpoint):
    """Stops on the new thread after a thread switch, if enabled."""

    def __init__(self):
        super().__init__("lockstep_debug_switch", internal=True)
        self.silent = True
        self.enabled = False


class Failure(gdb.Breakpoint):
    """Stops where the recorded failure happens."""

    def __init__(self):
        super().__init__("lockstep_debug_failure", internal=True)
        self.silent = True


switch = failure = None


def loaded(event):
    """Sets the internal breakpoints when the runtime is loaded."""
    global switch, failure
    if switch is None and "liblockstep-rt" in (event.new_objfile.filename or ""):
        switch, failure = Switch(), Failure()


def in_runtime(frame):
    return "liblockstep-rt" in (gdb.solib_name(frame.pc()) or "")


def innermost_own_frame():
    """The innermost frame in the user's source; otherwise the innermost outside the runtime."""
    candidate, frame = None, gdb.newest_frame()
    while frame is not None:
        if not in_runtime(frame) and frame.name():
            candidate = candidate or frame
            place = frame.find_sal()
            if place.symtab is not None and not place.symtab.fullname().startswith("/usr/"):
                return frame
        frame = frame.older()
    return candidate


class WithoutRuntime:
    """Backtraces without the runtime's frames; 'bt -no-filters' has them."""

    name, priority, enabled = "lockstep", 100, True

    def __init__(self):
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (frame for frame in frames if not in_runtime(frame.inferior_frame()))


def stopped(event):
    breakpoints = getattr(event, "breakpoints", [])
    if switch is None or (failure not in breakpoints and switch not in breakpoints):
        return
    frame = innermost_own_frame()
    if frame is not None:
        frame.select()
    number = gdb.selected_thread().num if gdb.selected_thread() else 0
    name = gdb.selected_thread().name if gdb.selected_thread() else ""
    if failure in breakpoints:
        print("lockstep: failure in %s (gdb thread %d); see 'info threads' and 'bt'" % (name, number))
    else:
        print("lockstep: switched to %s (gdb thread %d)" % (name, number))
    if frame is not None:
        gdb.execute("frame")


class Lockstep(gdb.Command):
    """lockstep next | failure | story: run to the next thread switch, run to the failure, print the steps."""

    def __init__(self):
        super().__init__("lockstep", gdb.COMMAND_RUNNING, prefix=True)


class Next(gdb.Command):
    """Run to the next thread switch."""

    def __init__(self):
        super().__init__("lockstep next", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        if switch is None:
            raise gdb.GdbError("the program is not running; type 'run' or 'start' first")
        switch.enabled = True
        try:
            gdb.execute("continue")
        finally:
            switch.enabled = False


class ToFailure(gdb.Command):
    """Run to the failure."""

    def __init__(self):
        super().__init__("lockstep failure", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        gdb.execute("continue")


class Story(gdb.Command):
    """Print the steps of the recorded failure."""

    def __init__(self):
        super().__init__("lockstep story", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        print(STORY)


gdb.events.stop.connect(stopped)
gdb.events.new_objfile.connect(loaded)
WithoutRuntime()
Lockstep()
Next()
ToFailure()
Story()
