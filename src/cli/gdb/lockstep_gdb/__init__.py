"""What `lockstep debug` adds to gdb (Python 3).

Set in __main__ before: LOCKSTEP_DATA, the path of the recorded failure; LOCKSTEP_SHARED, the descriptors of the memory that
the program shares with Lockstep; LOCKSTEP_FRONT_END, whether a program and not a person uses gdb. The execution is deterministic, so going back is running again. A place is a row of
the story: a step, a wait, or an access of a race.
"""
import gdb

from . import commands  # noqa: F401, defines them
from .session import session as the_session
from .stepping import stay_in_own_code
from .view import WithoutRuntime, continued, exited, show, stopped

for text in ("next", "step", "until"):
    gdb.execute("define hook-%s\nlockstep before-step\nend" % text, to_string=True)
for text in ("run", "start"):
    gdb.execute("define hook-%s\npython lockstep_gdb.stepping.before_run()\nend" % text, to_string=True)
gdb.execute("set confirm off")
gdb.execute("handle SIGSEGV SIGBUS SIGFPE SIGILL SIGABRT nostop noprint pass", to_string=True)  # for the runtime
gdb.execute("interpreter-exec mi -enable-frame-filters", to_string=True)
gdb.events.stop.connect(stopped)
gdb.events.cont.connect(continued)
gdb.events.exited.connect(exited)
gdb.events.new_objfile.connect(the_session.loaded)
gdb.events.new_objfile.connect(stay_in_own_code)
the_session.show = show
WithoutRuntime()
