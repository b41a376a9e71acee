// Removes calls into the instrumentation that have nothing to report, while only a few variables are tracked: even an
// empty call makes a compute-heavy loop several times slower.
//
// A call is replaced by a no-op the first time it touches no tracked variable. Hardware watchpoints on the variables
// detect whether it touches one later: if an instruction accesses a tracked variable, and no call that is still in
// place is known to come before it, an access was missed. The execution is then repeated with all calls in place. It is
// also repeated if plain writes that were not reported could have changed a decision (spin loops). So the results are
// the same as with every call in place.
#pragma once
#include "model/trace.hpp"
#include "runtime/base/system.hpp"
#include "runtime/detect/watchpoints.hpp"

namespace lockstep::rt {

class CallSites {
 public:
  // True if there are enough calls to matter, or if it is time to count them again.
  bool interested() { return !off_ && (calls_ >= kFewCalls || asked_++ % 64 == 0); }
  // `possible`: only accesses to `ranges` matter in this execution.
  void begin(bool possible, const TrackedRange* ranges, uint32_t count);
  // True if no access was missed. Otherwise the execution has to be repeated.
  bool end(Outcome outcome);

  bool thinned() const { return mode_ == Mode::Thinned; }
  bool in_use() const { return sites_ != nullptr; }  // calls have been removed, or will be
  bool repeated() const { return repeated_; }
  // Called by an entry point whose return address is `pc`: it touched nothing tracked (or, below, something tracked).
  void touched_nothing(const void* pc) {
    if (LIKELY(mode_ != Mode::Thinned))
      ++untracked_calls_;
    else
      take_out(pc);
  }
  void touched(const void* pc) {
    if (UNLIKELY(mode_ != Mode::Whole)) keep(pc);
  }
  // The instruction before `pc` accessed tracked memory.
  void hit(uintptr_t pc);
  // A decision was taken that missing calls could have changed.
  void doubt() { doubtful_ = true; }

  // True for entry points whose calls may be removed. Set by tsan_abi/accesses.cpp.
  bool (*is_idle_hook)(const void* function);

 private:
  // Whole: all calls are in place. Learning: the same, with watchpoints, to learn which instructions belong to calls.
  // Thinned: some calls are removed.
  enum class Mode : uint8_t { Whole, Learning, Thinned };
  enum class State : uint8_t { New, Kept, Fixed, Out };
  struct Site {
    uint64_t pc;
    State state;
    uint8_t length;
    uint8_t code[6];
  };
  struct Access {
    uint64_t pc;
    bool announced;  // a call for tracked memory has always preceded it
  };
  static constexpr uint64_t kFewCalls = 100'000;  // calls per execution that are too few to matter
  static constexpr uint32_t kSites = 1 << 15, kAccesses = 1 << 12, kUnworthy = 16;

  void take_out(const void* pc);
  void keep(const void* pc);
  void put_all_back();
  Site* site(uint64_t pc);
  bool worthwhile(uint64_t set) const;

  Mode mode_;
  bool counts_, missed_, doubtful_, learn_next_, repeated_, off_;
  uint64_t untracked_calls_, hits_;
  uint64_t calls_;  // untracked_calls_ of the last execution in Mode::Whole
  uint32_t asked_;
  uint64_t set_, unworthy_[kUnworthy];
  uint32_t unworthy_count_, doubts_;
  Site* sites_;       // open addressing by pc
  uint32_t* out_;     // indices of removed sites
  Access* accesses_;  // open addressing by pc
  uint32_t site_count_, out_count_, access_count_;
};

inline constinit CallSites call_sites{};

}  // namespace lockstep::rt
