"""The program under the debugger: its memory, frames and threads."""
import os
import re

import gdb

LIBRARIES = re.compile(r"^/usr/|/lockstep/(lockstep|gtest|catch2)\.hpp$")


class SharedMemory:
    """What the program shares with Lockstep, as it was before the first run: every run begins with that."""

    def __init__(self, descriptor):
        self.descriptor, self.size, self.parts = descriptor, os.fstat(descriptor).st_size, []
        at = 0
        while at < self.size:
            try:
                begin = os.lseek(descriptor, at, os.SEEK_DATA)
            except OSError:  # the rest is zeros
                break
            at = os.lseek(descriptor, begin, os.SEEK_HOLE)
            self.parts.append((begin, os.pread(descriptor, at - begin, begin)))

    def restore(self):
        os.ftruncate(self.descriptor, 0)
        os.ftruncate(self.descriptor, self.size)
        for begin, content in self.parts:
            os.pwrite(self.descriptor, content, begin)


def in_runtime(frame):
    return "liblockstep-rt" in (gdb.solib_name(frame.pc()) or "")


def is_own(frame):
    """In the user's source."""
    place = frame.find_sal()
    if place.symtab is None or in_runtime(frame):
        return False
    return not LIBRARIES.search(place.symtab.fullname())


def frames():
    frame = gdb.newest_frame()
    while frame is not None:
        yield frame
        frame = frame.older()


def lockstep_thread(thread):
    """The number of the program's thread that this OS thread is; None: none of the program's."""
    try:
        with open("/proc/%d/task/%d/comm" % (thread.ptid[0], thread.ptid[1])) as comm:
            name = comm.read().strip()
    except OSError:
        return None
    if name == "main":
        return 0
    match = re.fullmatch(r"thread (\d+)", name)
    return int(match.group(1)) if match else None


def program_threads():
    """(OS thread, number) of the program's threads, by number."""
    pairs = ((thread, lockstep_thread(thread)) for thread in gdb.selected_inferior().threads())
    return sorted((pair for pair in pairs if pair[1] is not None), key=lambda pair: pair[1])
