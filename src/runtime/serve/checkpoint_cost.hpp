// Decides whether a checkpoint pays: compares the cost of making it and of starting from it with the time it saves. Its
// input is cycle counts only, so tests need no clock.
#pragma once
#include <cstdint>

namespace lockstep::rt {

class CheckpointCost {  // plain data, zero-initialised
 public:
  static constexpr uint64_t kFirstGuess = 40'000;  // cycles for a checkpoint
  static constexpr unsigned kMostPatience = 10;
  static constexpr uint64_t kLong = 256;

  void init() { save_cost_ = resume_cost_ = kFirstGuess; }

  void saved(uint64_t cycles) { average(save_cost_, cycles); }
  void resumed(uint64_t cycles) { average(resume_cost_, cycles); }
  // Duration of an execution from the beginning.
  void took(uint64_t cycles) { longest_ = cycles > longest_ ? cycles : longest_ - longest_ / 8; }

  void unused() {  // no execution started from a checkpoint
    if (patience_ < kMostPatience) ++patience_;
  }
  void used() {
    if (patience_) --patience_;
  }

  bool has_measured() const { return longest_ != 0; }
  // Whole executions take less time than a checkpoint.
  bool too_short() const { return longest_ < price(); }
  // A checkpoint may pay even after few steps, because time passes between steps too.
  bool is_long() const { return longest_ > kLong * price(); }
  // `cycles`: spent since the last place to start from.
  bool pays(uint64_t cycles) const { return cycles > price() << patience_; }

 private:
  // The number of saved cycles that makes a checkpoint worthwhile: few checkpoints are used only once.
  uint64_t price() const { return 2 * resume_cost_ + save_cost_ / 4; }
  static void average(uint64_t& of, uint64_t cycles) { of += cycles / 4 - of / 4; }

  uint64_t save_cost_, resume_cost_, longest_;
  unsigned patience_;
};

}  // namespace lockstep::rt
