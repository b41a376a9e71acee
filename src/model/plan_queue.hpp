// A queue of plans under way, oldest first. Millions of plans pass through it, so the memory of a finished plan is
// reused for the next one.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "model/plan.hpp"

namespace lockstep {

class PlanQueue {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  const Plan& front() const { return plans_[first_]; }
  const Plan& operator[](size_t i) const { return plans_[(first_ + i) & (plans_.size() - 1)]; }

  void push_back(const Plan& plan) { room() = plan; }
  // The former content of `plan` is lost.
  void swap_in(Plan& plan) { std::swap(room(), plan); }
  void swap_out(Plan& plan) {
    std::swap(plans_[first_], plan);
    pop_front();
  }
  void pop_front() {
    first_ = (first_ + 1) & (plans_.size() - 1);
    --size_;
  }
  void clear() { size_ = 0; }

  template <class F>
  void for_each(F&& visit) const {
    for (size_t i = 0; i < size_; ++i) visit(plans_[(first_ + i) & (plans_.size() - 1)]);
  }

 private:
  Plan& room() {
    if (size_ == plans_.size()) grow();
    return plans_[(first_ + size_++) & (plans_.size() - 1)];
  }
  void grow() {
    std::vector<Plan> more(plans_.empty() ? 16 : 2 * plans_.size());
    for (size_t i = 0; i < size_; ++i) more[i] = std::move(plans_[(first_ + i) & (plans_.size() - 1)]);
    plans_ = std::move(more);
    first_ = 0;
  }

  std::vector<Plan> plans_;  // its size is a power of two
  size_t first_ = 0, size_ = 0;
};

}  // namespace lockstep
