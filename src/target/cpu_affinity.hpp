// Chooses the cores of the processes of an exploration. A search that needs the traces of few plans to make the next
// takes turns with its workers. On several cores each turn wakes an idle core, which costs several times as much as a
// small execution. So while search and workers take turns, and turns are short, they share a core.
#pragma once
#include <sched.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

class CpuAffinity {
 public:
  CpuAffinity();
  ~CpuAffinity() { part({}); }
  CpuAffinity(const CpuAffinity&) = delete;

  // The cores that this process was allowed to use: the program's processes start there.
  const cpu_set_t& everywhere() const { return everywhere_; }
  // The search waited `time` for a trace, with `plans` in flight.
  void waited(std::span<const pid_t> workers, uint64_t plans, std::chrono::nanoseconds time);
  bool shared() const { return !with_.empty(); }
  // Ends the sharing, because there is more work in flight. Changes only processes that are still `workers`: a process
  // id may have been reused.
  void part(std::span<const pid_t> workers);

 private:
  void took_turns(std::span<const pid_t> workers, std::chrono::nanoseconds waited);
  cpu_set_t everywhere_;
  bool usable_;
  uint32_t turns_ = 0;
  int64_t turn_ = 0;  // nanoseconds, averaged over recent turns
  std::vector<pid_t> with_;
};

}  // namespace lockstep
