// Code that is known to be right: while it is on the stack its thread is not preempted, though it may have to wait
// (preemption sealing). What --trust names, and of itself what the C and C++ libraries do under the hood.
#pragma once
#include "model/channel.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

class TrustedCode {
 public:
  void update(const Channel& channel) {
    const uint32_t version = channel.trusted_version.load(std::memory_order_acquire);
    if (LIKELY(version == version_)) return;
    version_ = version;
    count_ = channel.trusted_count < kMaxTrusted ? channel.trusted_count : kMaxTrusted;
    if (!ranges_) ranges_ = static_cast<CodeRange*>(map_unsaved_pages(sizeof(CodeRange) * kMaxTrusted));
    for (uint32_t i = 0; i < count_; ++i) ranges_[i] = channel.trusted[i];
  }
  bool any() const { return count_ != 0; }
  uint32_t count() const { return count_; }
  const CodeRange& function(uint32_t i) const { return ranges_[i]; }
  bool contains(const void* code) const {
    const uint64_t pc = reinterpret_cast<uint64_t>(code);
    uint32_t low = 0, high = count_;
    while (low < high) {
      const uint32_t middle = (low + high) / 2;
      if (ranges_[middle].end <= pc)
        low = middle + 1;
      else
        high = middle;
    }
    return low < count_ && ranges_[low].begin <= pc;
  }

 private:
  CodeRange* ranges_;  // of functions, ascending
  uint32_t count_, version_;
};
inline constinit TrustedCode trusted_code{};

}  // namespace lockstep::rt
