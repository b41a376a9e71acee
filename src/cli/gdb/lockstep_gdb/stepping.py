"""What is done before gdb's own commands: 'next', 'step' and 'until' stay in the user's thread and code."""
import os

import gdb

from __main__ import LOCKSTEP_FRONT_END

from .program import in_runtime, is_own
from .session import own_frame, session


def leave_runtime():
    """Before 'next', 'step' and 'until': the thread finishes its operation, and is in the user's code again."""
    if not session.is_running() or not in_runtime(gdb.newest_frame()):
        return
    if session.ended:
        raise gdb.GdbError("the execution ends here; 'lockstep back' goes to the step before it")
    frame, thread = own_frame(), gdb.selected_thread()
    if frame is None or in_runtime(frame):
        return
    behind = gdb.Breakpoint("*%d" % frame.pc(), internal=True, temporary=True)
    behind.silent, behind.thread, place, line = True, thread.num, frame.pc(), frame.find_sal().line
    told = gdb.execute("continue", to_string=True)
    if behind.is_valid():
        behind.delete()
    if not session.is_running() or gdb.selected_thread() != thread or gdb.newest_frame().pc() != place:
        print(told.strip())
        raise gdb.GdbError("stopped before the line was done")
    now = gdb.newest_frame()
    if is_own(now) and now.find_sal().line != line and not LOCKSTEP_FRONT_END:
        gdb.execute("frame")  # the call ended its line: gdb's own command has nothing left to do
        raise gdb.GdbError("(that was the end of the line)")


def before_run():
    """Breakpoints at addresses of libraries cannot be set before these are loaded."""
    session.forget_accesses()


def stay_in_own_code(event):
    """'step' does not enter the C++ library nor the runtime."""
    if "liblockstep-rt" not in (event.new_objfile.filename or ""):
        return
    gdb.events.new_objfile.disconnect(stay_in_own_code)
    gdb.execute("skip -gfi /usr/include/*", to_string=True)
    place = gdb.lookup_global_symbol("lockstep_debug_step")
    if place is not None and place.symtab is not None:
        folder = os.path.dirname(os.path.dirname(place.symtab.fullname()))
        gdb.execute("skip -gfi %s/*" % folder, to_string=True)
