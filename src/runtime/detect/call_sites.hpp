// Calls into the instrumentation that have nothing to say are taken out of the program's code while only a few
// variables are tracked: even an empty call makes a compute-heavy loop several times slower.
//
// A call is replaced by a no-op the first time it is seen to touch no tracked variable. Whether it touches one later is
// watched by hardware watchpoints on the variables: an instruction that reads or writes one of them and is not known to
// come with a call that is still there has been missed, and the execution is repeated with all calls in place. So is
// one in which the plain writes that were not told could have mattered otherwise (spin loops). What is reported is
// therefore the same as with every call in place.
#pragma once
#include "model/trace.hpp"
#include "runtime/base/system.hpp"
#include "runtime/detect/watchpoints.hpp"

namespace lockstep::rt {

class CallSites {
 public:
  // Are there so many calls that it matters, or is it time to count them again?
  bool interested() { return !off_ && (calls_ >= kFewCalls || asked_++ % 64 == 0); }
  // `possible`: this execution is one in which only accesses to `ranges` matter.
  void begin(bool possible, const TrackedRange* ranges, uint32_t count);
  // Was everything seen that had to be seen? Otherwise the execution has to be repeated.
  bool end(Outcome outcome);

  bool thinned() const { return mode_ == Mode::Thinned; }
  bool in_use() const { return sites_ != nullptr; }  // calls have been taken out, or will be
  bool repeated() const { return repeated_; }
  // From an entry point that was called from before `pc`: it touched nothing tracked, or something tracked.
  void touched_nothing(const void* pc) {
    if (LIKELY(mode_ != Mode::Thinned))
      ++untracked_calls_;
    else
      take_out(pc);
  }
  void touched(const void* pc) {
    if (UNLIKELY(mode_ != Mode::Whole)) keep(pc);
  }
  // An instruction in front of `pc` read or wrote tracked memory.
  void hit(uintptr_t pc);
  // Something was decided that calls which are not there could have changed.
  void doubt() { doubtful_ = true; }

  // Is this one of the entry points whose calls may be taken out? Set by those who have them (tsan_abi/accesses.cpp).
  bool (*is_idle_hook)(const void* function);

 private:
  // All calls are there; the same and watchpoints, to learn which instructions belong to calls; calls are missing.
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
    bool announced;  // a call for tracked memory always came before it
  };
  static constexpr uint64_t kFewCalls = 100'000;  // in an execution: no burden
  static constexpr uint32_t kSites = 1 << 15, kAccesses = 1 << 12, kUnworthy = 16;

  void take_out(const void* pc);
  void keep(const void* pc);
  void put_all_back();
  Site* site(uint64_t pc);
  bool worthwhile(uint64_t set) const;

  Mode mode_;
  bool counts_, missed_, doubtful_, learn_next_, repeated_, off_;
  uint64_t untracked_calls_, hits_;
  uint64_t calls_;  // untracked_calls_ of the last whole execution
  uint32_t asked_;
  uint64_t set_, unworthy_[kUnworthy];
  uint32_t unworthy_count_, doubts_;
  Site* sites_;       // open addressing by pc
  uint32_t* out_;     // indices of sites that are out
  Access* accesses_;  // open addressing by pc
  uint32_t site_count_, out_count_, access_count_;
};

inline constinit CallSites call_sites{};

}  // namespace lockstep::rt
