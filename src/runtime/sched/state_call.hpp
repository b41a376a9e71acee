// State that threads share besides memory: descriptors, files, the environment ... Calls that read or change it are
// scheduling points while there are other threads. All state of one kind is one object; two calls that only read do not
// conflict.
#pragma once
#include <sys/types.h>

#include <cerrno>
#include <cstdio>

#include "runtime/base/module.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/sched/scheduler.hpp"

namespace lockstep::rt {

enum class Use : uint8_t { Look, Change };

// One such call: a step when it begins. done() takes the call's result: a call that failed or only read changed
// nothing, and a loop of such calls spins (sched/spin.hpp).
class StateCall {
 public:
  StateCall(StateKind kind, Use use) : StateCall(kind, use, Companion{}) {}
  StateCall(StateKind kind, Use use, StateKind second, Use use_second)
      : StateCall(kind, use, Companion::state(state_object(second), use_second == Use::Change)) {}
  // A call on an open file; no step if the file is not the program's own.
  StateCall(int fd, Use use, bool moves_position);

  template <class T>
  T done(T result) const {
    if (UNLIKELY(step_ != nullptr)) {
      if (kind_ == StateKind::Files || kind_ == StateKind::Descriptors) step_->set_error(error_of(result));
      finish(succeeded(result));
    }
    return result;
  }
  // Of a call that does not say by errno why it failed: at the end of a file, for one.
  template <class T>
  T done_without_error(T result) const {
    if (UNLIKELY(step_ != nullptr)) finish(succeeded(result));
    return result;
  }
  void finish(bool changed) const;  // if the call was to change something

 private:
  StateCall(StateKind kind, Use use, Companion second) : kind_(kind), use_(use), second_(second) {
    if (controlled() && scheduler().unjoined > 0) reach();
  }
  void reach();
  static bool succeeded(const void* result) { return result != nullptr; }
  static bool succeeded(int result) { return result >= 0; }
  static bool succeeded(unsigned) { return true; }
  static bool succeeded(ssize_t size) { return size > 0; }
  static bool succeeded(size_t size) { return size > 0; }
  static int error_of(int result) { return result == -1 ? errno : 0; }
  static int error_of(ssize_t result) { return result == -1 ? errno : 0; }
  static int error_of(FILE* stream) { return stream ? 0 : errno; }
  template <class T>
  static int error_of(const T&) {
    return 0;
  }

  StateKind kind_;
  Use use_;
  Companion second_;
  Step* step_ = nullptr;
};

void state_changed(StateKind kind);

extern const Module state_module;

}  // namespace lockstep::rt
