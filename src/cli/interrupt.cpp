// Installs the signal handlers of the command line.
#include "cli/interrupt.hpp"

#include <unistd.h>
#include <atomic>
#include <csignal>

#include "model/result.hpp"

namespace lockstep {
namespace {

std::atomic<int> signals{0};
static_assert(std::atomic<int>::is_always_lock_free, "used in a signal handler");

void on_signal(int) {
  if (signals.fetch_add(1) > 0) _exit(static_cast<int>(ExitCode::Interrupted));
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;  // without SA_RESTART: blocking waits wake up
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // a program under nohup ignores SIGHUP
  std::signal(SIGPIPE, SIG_IGN);  // a closed pager must not end the process before the schedule file is written
  std::signal(SIGXFSZ, SIG_IGN);  // at a limit on file sizes, writing fails but the exploration continues
}

bool interrupted() { return signals.load() > 0; }

}  // namespace lockstep
