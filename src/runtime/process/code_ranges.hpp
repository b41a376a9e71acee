// Sets of functions of the program, as the driver lists them.
#pragma once
#include "model/channel.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

class CodeRanges {
 public:
  void update(uint32_t version, const CodeRange* ranges, uint32_t count) {
    if (LIKELY(version == version_)) return;
    version_ = version;
    count_ = count < kMaxTrusted ? count : kMaxTrusted;
    if (!ranges_) ranges_ = static_cast<CodeRange*>(map_unsaved_pages(sizeof(CodeRange) * kMaxTrusted));
    for (uint32_t i = 0; i < count_; ++i) ranges_[i] = ranges[i];
  }
  uint32_t count() const { return count_; }
  const CodeRange& function(uint32_t i) const { return ranges_[i]; }
  bool any() const { return count_ != 0; }
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
  CodeRange* ranges_;  // code of functions, ascending
  uint32_t count_, version_;
};

}  // namespace lockstep::rt
