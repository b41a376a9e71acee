# Commands of `lockstep debug`. STORY, the text of the failure, is set before this is read.
import gdb


class Switch(gdb.Breakpoint):
    """Stops on the thread that goes on after a switch of threads, when asked to."""

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
    """The runtime is there: its places to stop at can be set without a word."""
    global switch, failure
    if switch is None and "liblockstep-rt" in (event.new_objfile.filename or ""):
        switch, failure = Switch(), Failure()


def in_runtime(frame):
    return "liblockstep-rt" in (gdb.solib_name(frame.pc()) or "")


def innermost_own_frame():
    """That of the user's source if there is one, not of the library it calls."""
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
        print("lockstep: the failure, on %s (gdb thread %d); 'info threads' and 'bt' show who is where" % (name, number))
    else:
        print("lockstep: %s goes on (gdb thread %d)" % (name, number))
    if frame is not None:
        gdb.execute("frame")


class Lockstep(gdb.Command):
    """lockstep next | failure | story: go to the next switch of threads, go to the failure, tell the story."""

    def __init__(self):
        super().__init__("lockstep", gdb.COMMAND_RUNNING, prefix=True)


class Next(gdb.Command):
    """Go on to the next switch of threads."""

    def __init__(self):
        super().__init__("lockstep next", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        if switch is None:
            raise gdb.GdbError("the program does not run yet: use 'run' or 'start' first")
        switch.enabled = True
        try:
            gdb.execute("continue")
        finally:
            switch.enabled = False


class ToFailure(gdb.Command):
    """Go on to the failure."""

    def __init__(self):
        super().__init__("lockstep failure", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        gdb.execute("continue")


class Story(gdb.Command):
    """Tell the story of the recorded failure."""

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
