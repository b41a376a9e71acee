// Calls that wait in the kernel for events that cannot be polled.
#pragma once

namespace lockstep::rt {

// Would open() wait for another thread to open the other end of a named pipe?
bool waits_for_other_end(const char* path, int flags);
int open_named_pipe(const char* path, int flags);

bool is_record_lock(int command);  // of fcntl
int lock_record(int fd, int command, void* argument);

}  // namespace lockstep::rt
