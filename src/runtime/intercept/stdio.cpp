// Calls through which the kernel writes to the program's memory, and locks of stdio that must not be held across a
// switch.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <wchar.h>

#include "runtime/base/real_function.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/intercept/io_wait.hpp"
#include "runtime/intercept/process_state.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/sched/scheduler.hpp"

using namespace lockstep;
using namespace lockstep::rt;

LOCKSTEP_EXPORT ssize_t pread(int fd, void* buffer, size_t size, off_t offset) {
  about_to_write(buffer, size);
  const StateCall call(fd, Use::Look, false);
  return call.done(LOCKSTEP_REAL(pread)(fd, buffer, size, offset));
}

// Their buffers are often globals that nothing has written yet.
LOCKSTEP_EXPORT int uname(utsname* out) noexcept {
  about_to_write(out, sizeof *out);
  return LOCKSTEP_REAL(uname)(out);
}
LOCKSTEP_EXPORT int getsockname(int fd, sockaddr* out, socklen_t* size) noexcept {
  if (size) about_to_write(out, *size);
  about_to_write(size, sizeof *size);
  return LOCKSTEP_REAL(getsockname)(fd, out, size);
}
LOCKSTEP_EXPORT int getsockopt(int fd, int level, int name, void* out, socklen_t* size) noexcept {
  if (size) about_to_write(out, *size);
  about_to_write(size, sizeof *size);
  return LOCKSTEP_REAL(getsockopt)(fd, level, name, out, size);
}

// The names of fscanf and vfscanf in the headers since C99.
extern "C" int __isoc99_vfscanf(FILE*, const char*, va_list);
extern "C" int __isoc99_fscanf(FILE*, const char*, ...);

#define LOCKSTEP_STREAM(use, result, name, parameters, arguments) \
  LOCKSTEP_EXPORT result name parameters {                        \
    const StreamCall call(stream, Use::use);                      \
    return call.done(LOCKSTEP_REAL(name) arguments);              \
  }
LOCKSTEP_STREAM(Change, size_t, fwrite, (const void* bytes, size_t size, size_t count, FILE* stream),
                (bytes, size, count, stream))
LOCKSTEP_STREAM(Change, int, fputs, (const char* text, FILE* stream), (text, stream))
LOCKSTEP_STREAM(Change, int, fputc, (int c, FILE* stream), (c, stream))
LOCKSTEP_STREAM(Change, int, putc, (int c, FILE* stream), (c, stream))
LOCKSTEP_STREAM(Change, int, vfprintf, (FILE * stream, const char* text, va_list list), (stream, text, list))
LOCKSTEP_STREAM(Look, char*, fgets, (char* out, int size, FILE* stream), (out, size, stream))
LOCKSTEP_STREAM(Look, int, fgetc, (FILE * stream), (stream))
LOCKSTEP_STREAM(Look, int, getc, (FILE * stream), (stream))
LOCKSTEP_STREAM(Look, ssize_t, getline, (char** out, size_t* size, FILE* stream), (out, size, stream))
LOCKSTEP_STREAM(Look, ssize_t, getdelim, (char** out, size_t* size, int end, FILE* stream), (out, size, end, stream))
LOCKSTEP_STREAM(Look, ssize_t, __getdelim, (char** out, size_t* size, int end, FILE* stream), (out, size, end, stream))
LOCKSTEP_STREAM(Change, int, ungetc, (int c, FILE* stream), (c, stream))
LOCKSTEP_STREAM(Look, int, __isoc99_vfscanf, (FILE * stream, const char* text, va_list list), (stream, text, list))
LOCKSTEP_STREAM(Look, wint_t, fgetwc, (FILE * stream), (stream))
LOCKSTEP_STREAM(Look, wint_t, getwc, (FILE * stream), (stream))
LOCKSTEP_STREAM(Look, wchar_t*, fgetws, (wchar_t * out, int size, FILE* stream), (out, size, stream))
LOCKSTEP_STREAM(Change, wint_t, fputwc, (wchar_t c, FILE* stream), (c, stream))
LOCKSTEP_STREAM(Change, wint_t, putwc, (wchar_t c, FILE* stream), (c, stream))
LOCKSTEP_STREAM(Change, int, fputws, (const wchar_t* text, FILE* stream), (text, stream))
LOCKSTEP_STREAM(Change, int, vfwprintf, (FILE * stream, const wchar_t* text, va_list list), (stream, text, list))
LOCKSTEP_STREAM(Look, long, ftell, (FILE * stream), (stream))
LOCKSTEP_STREAM(Change, int, fseek, (FILE * stream, long offset, int from), (stream, offset, from))
#define LOCKSTEP_FORMATS(name, with_list, type)            \
  LOCKSTEP_EXPORT int name(FILE* stream, type text, ...) { \
    va_list list;                                          \
    va_start(list, text);                                  \
    const int result = with_list(stream, text, list);      \
    va_end(list);                                          \
    return result;                                         \
  }
LOCKSTEP_FORMATS(fprintf, vfprintf, const char*)
LOCKSTEP_EXPORT int vprintf(const char* text, va_list list) { return vfprintf(stdout, text, list); }
LOCKSTEP_EXPORT int printf(const char* text, ...) {
  va_list list;
  va_start(list, text);
  const int result = vfprintf(stdout, text, list);
  va_end(list);
  return result;
}
LOCKSTEP_EXPORT int puts(const char* text) {
  const StreamCall call(stdout, Use::Change);
  return call.done(LOCKSTEP_REAL(puts)(text));
}
LOCKSTEP_EXPORT int putchar(int c) { return putc(c, stdout); }
LOCKSTEP_FORMATS(fwprintf, vfwprintf, const wchar_t*)
LOCKSTEP_FORMATS(__isoc99_fscanf, __isoc99_vfscanf, const char*)
LOCKSTEP_EXPORT void rewind(FILE* stream) {
  const StreamCall call(stream, Use::Change);
  LOCKSTEP_REAL(rewind)(stream);
  call.done(0);
}
LOCKSTEP_EXPORT int fflush(FILE* stream) {
  const StreamCall call(stream, Use::Change);
  return call.done(LOCKSTEP_REAL(fflush)(stream));
}

LOCKSTEP_EXPORT void flockfile(FILE* stream) noexcept {
  if (controlled()) scheduler().forbid_preemption(true);
  LOCKSTEP_REAL(flockfile)(stream);
  if (controlled()) race_detector.acquire(self().id, stream);
}
LOCKSTEP_EXPORT void funlockfile(FILE* stream) noexcept {
  if (controlled()) race_detector.release(self().id, stream);
  LOCKSTEP_REAL(funlockfile)(stream);
  if (controlled()) scheduler().forbid_preemption(false);
}
