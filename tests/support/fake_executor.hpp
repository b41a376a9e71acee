// Runs plans on a Machine and writes traces as the runtime would: the Executor of the tests.
#pragma once
#include <cstdint>
#include <deque>

#include "fake_program.hpp"
#include "model/executor.hpp"

namespace lockstep::fake {

// When the work is really done. Nothing a search does may depend on it.
enum class Timing : uint8_t { Lazy, Eager, Backwards };

// What the fake says a trace shares with the one before, as workers with checkpoints do. Some of it, if anything.
enum class Told : uint8_t { Nothing, Truth, TooMuch };

struct FakeOptions {
  size_t window = 1;
  Timing timing = Timing::Lazy;
  bool wide_sets = false;                            // as if some thread had a number above 63
  std::function<void(Trace&, uint64_t n)> tamper{};  // spoil the n-th execution, from 1
  Told same = Told::Truth;
};

// One execution of `plan`.
Trace execute(const Program& program, const Plan& plan, bool wide_sets = false);

class FakeExecutor final : public Executor {
 public:
  explicit FakeExecutor(const Program& program, FakeOptions options = {}) : program_(program), options_(options) {}

  size_t window() const override { return options_.window; }
  void submit(const Plan& plan) override;
  std::optional<TraceView> next(const std::function<bool()>& interrupted) override;
  void cancel() override { in_flight_.clear(); }

  size_t in_flight() const { return in_flight_.size(); }
  size_t most_in_flight() const { return most_; }

 private:
  struct Item {
    Plan plan;
    Trace trace;  // empty: not run yet
  };
  void run(Item& item);
  uint32_t same_as_before() const;

  const Program& program_;
  FakeOptions options_;
  std::deque<Item> in_flight_;
  Trace current_, before_;
  size_t most_ = 0;
  uint64_t delivered_ = 0;
};

}  // namespace lockstep::fake
