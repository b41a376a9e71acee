// The common entry of logical threads.
#include "runtime/backend/backend.hpp"
#include "runtime/base/runtime.hpp"

namespace lockstep::rt {

extern "C" void lockstep_thread_entry() {
  runtime.current->entry();
  die("a thread returned from its entry");
}

}  // namespace lockstep::rt
