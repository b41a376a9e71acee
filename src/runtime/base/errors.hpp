// The error convention of the C library: errno, and -1.
#pragma once
#include <errno.h>

namespace lockstep::rt {

inline int fail_with(long error) {
  errno = static_cast<int>(error);
  return -1;
}
inline int error_result(int error) { return error ? fail_with(error) : 0; }  // 0: no error
// The return value of a system call's wrapper; `result` is the kernel's.
inline int syscall_result(long result) { return result < 0 ? fail_with(-result) : static_cast<int>(result); }

}  // namespace lockstep::rt
