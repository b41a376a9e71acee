// Where the processes of an exploration run. A search that needs the traces of few plans to make the next takes turns
// with its workers; on several cores each hand-over wakes an idle one, which costs several times as much as a small
// execution. So as long as they take turns, and turns are short, they share a core.
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

  // Where the program may run by itself: its processes are started there.
  const cpu_set_t& everywhere() const { return everywhere_; }
  // A trace was waited for so long, with so many plans under way.
  void waited(std::span<const pid_t> workers, uint64_t plans, std::chrono::nanoseconds time);
  bool shared() const { return !with_.empty(); }
  // There is more under way. Only those who are still `workers` are touched: other processes may have got their names.
  void part(std::span<const pid_t> workers);

 private:
  void took_turns(std::span<const pid_t> workers, std::chrono::nanoseconds waited);
  cpu_set_t everywhere_;
  bool usable_;
  uint32_t turns_ = 0;
  int64_t turn_ = 0;  // nanoseconds, averaged over the last few
  std::vector<pid_t> with_;
};

}  // namespace lockstep
