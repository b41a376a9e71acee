// In a program that is not linked with Lockstep every hint does nothing, and require() is an assertion.
#undef NDEBUG
#include <lockstep/lockstep.hpp>

#include <cassert>
#include <csetjmp>
#include <csignal>
#include <sstream>

namespace {

jmp_buf after_abort;

bool aborts_on(bool condition) {
  std::signal(SIGABRT, [](int) { longjmp(after_abort, 1); });
  if (setjmp(after_abort) != 0) return true;
  lockstep::require(condition, "said by the test");
  return false;
}

std::string text_of(const lockstep::Result& result) {
  std::ostringstream out;
  out << result;
  return out.str();
}

}  // namespace

int main() {
  int object = 0;
  assert(!lockstep::controlled());
  assert(lockstep::choose(3) == 0);
  lockstep::name(object, "object");
  lockstep::yield();
  { lockstep::atomic_section section; }
  lockstep::require(true);
  lockstep::require(true, std::string("text made at run time"));
  assert(!aborts_on(true));
  assert(aborts_on(false));

  lockstep::Result result;
  result.executions = 17;
  result.guarantee = "every execution with at most 1 preemption";
  assert(result);
  assert(text_of(result).find("at most 1 preemption") != std::string::npos);
  result.bugs.push_back({"deadlock", "two threads wait for each other", "the story\n", ""});
  assert(!result);
  assert(text_of(result).find("the story") != std::string::npos);
}
