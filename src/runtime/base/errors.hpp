// How functions of the C library fail: errno, and -1.
#pragma once
#include <errno.h>

namespace lockstep::rt {

inline int fail_with(long error) {
  errno = static_cast<int>(error);
  return -1;
}
inline int error_result(int error) { return error ? fail_with(error) : 0; }  // 0: it did not fail
// What the wrapper of a system call returns; `result` is the kernel's.
inline int syscall_result(long result) { return result < 0 ? fail_with(-result) : static_cast<int>(result); }

}  // namespace lockstep::rt
