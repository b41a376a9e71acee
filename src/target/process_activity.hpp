// The activity of a process, as /proc shows it.
#pragma once
#include <sys/types.h>

#include <string>

namespace lockstep {

struct ProcessActivity {
  bool runs = false;      // a thread of the process or of its children can run, or is stopped by a signal
  std::string sleeps_in;  // otherwise: the system call in which the first thread waits, "flock"; empty: unknown
};

ProcessActivity activity_of(pid_t process);

}  // namespace lockstep
