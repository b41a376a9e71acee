// What a process is doing, as /proc shows it.
#pragma once
#include <sys/types.h>

#include <string>

namespace lockstep {

struct ProcessActivity {
  bool runs = false;      // some thread of it, or of its children, can run or is stopped by a signal
  std::string sleeps_in;  // otherwise: the system call that the first thread waits in, "flock"; empty: unknown
};

ProcessActivity activity_of(pid_t process);

}  // namespace lockstep
