// Whether a checkpoint pays: what making one and starting from it costs, against what it saves. Only counts of cycles
// go in, so that the rule can be tried without a clock.
#pragma once
#include <cstdint>

namespace lockstep::rt {

class CheckpointCost {  // plain data that begins as zeros
 public:
  static constexpr uint64_t kFirstGuess = 40'000;  // cycles for a checkpoint
  static constexpr unsigned kMostPatience = 10;
  static constexpr uint64_t kLong = 256;

  void init() { save_cost_ = resume_cost_ = kFirstGuess; }

  void saved(uint64_t cycles) { average(save_cost_, cycles); }
  void resumed(uint64_t cycles) { average(resume_cost_, cycles); }
  // An execution from the beginning took so long.
  void took(uint64_t cycles) { longest_ = cycles > longest_ ? cycles : longest_ - longest_ / 8; }

  void unused() {  // a checkpoint nobody started from
    if (patience_ < kMostPatience) ++patience_;
  }
  void used() {
    if (patience_) --patience_;
  }

  bool has_measured() const { return longest_ != 0; }
  // Whole executions take less than a checkpoint would.
  bool too_short() const { return longest_ < price(); }
  // A place behind few steps may be worth a checkpoint: time lies between steps, too.
  bool is_long() const { return longest_ > kLong * price(); }
  // So many cycles were spent since the last place to start from.
  bool pays(uint64_t cycles) const { return cycles > price() << patience_; }

 private:
  // Cycles to be saved by starting from a checkpoint, for it to be worth making: few are used only once.
  uint64_t price() const { return 2 * resume_cost_ + save_cost_ / 4; }
  static void average(uint64_t& of, uint64_t cycles) { of += cycles / 4 - of / 4; }

  uint64_t save_cost_, resume_cost_, longest_;
  unsigned patience_;
};

}  // namespace lockstep::rt
