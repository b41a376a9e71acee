// The table of help texts.
#include "report/finding_help.hpp"

#include <iterator>

namespace lockstep {

FindingHelp finding_help(FindingKind kind) {
  static constexpr FindingHelp kHelp[] = {
      {"An assertion fails under some schedule.",
       "Look at the last step before the failure in which another thread changed what the assertion depends on."},
      {"Threads wait for each other for ever.",
       "Take locks in the same order everywhere, for example with std::scoped_lock; change the condition that a thread "
       "waits for while holding the mutex it waits with."},
      {"Threads run for ever without getting anywhere.",
       "Look for a loop that waits for a value which only a thread that waits as well would change."},
      {"Two threads access the same memory without synchronisation, and one writes.",
       "Protect both accesses by the same mutex, or make the variable a std::atomic."},
      {"The program crashes under some schedule.",
       "Look for an object that another thread changes or destroys before its last use."},
      {"The program aborts under some schedule.", "Look at what the calling code found before it called abort()."},
      {"An exception is not caught under some schedule.", "Catch it in the thread that throws it."},
      {"Memory is used after it was freed or its function returned.",
       "Join the threads that use an object before it ends, or share its ownership."},
      {"Memory is freed twice.", "Let one owner free it, for example a std::unique_ptr."},
      {"A lock is used against its rules.",
       "Unlock in the thread that locked, and destroy a lock only when nobody uses it any more."},
      {"Locks are taken in opposite orders.", "Take them in the same order everywhere: another schedule can deadlock."},
      {"No common lock protects a shared variable.", "Hold the same mutex at every access."},
      {"An execution on weaker memory is possible that was not explored.",
       "Use memory_order_seq_cst, or a fence between the store and the load."},
      {"Memory is unreachable at the end of the program.", "Free it, or keep it in an object that does."},
      {"The results of concurrent operations fit no order of them.",
       "Find the operation that takes effect at two different moments."},
      {"The program ends with an unexpected exit code under some schedule.",
       "Look at what the program printed, and at the last switch before it ended."},
      {"The program does not repeat itself.", "Remove what depends on time, addresses or random numbers."},
      {"The program fails if a thread is held up for longer than its sleeps and timeouts allow.",
       "Wait for the event itself, not for a time in which it should have happened."},
  };
  static_assert(std::size(kHelp) == static_cast<size_t>(FindingKind::kCount), "one entry per kind");
  return kHelp[static_cast<size_t>(kind)];
}

}  // namespace lockstep
