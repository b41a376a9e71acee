// The tree of call stacks.
#include "runtime/detect/call_tree.hpp"

#include "runtime/base/trace_limits.hpp"

namespace lockstep::rt {
namespace {
constexpr uint64_t kMostNodes = 1ull << 20;
constexpr uint64_t kTable = 2 * kMostNodes;
}  // namespace

void CallTree::begin() {
  if (!nodes_) {
    nodes_ = static_cast<CallNode*>(map_pages(sizeof(CallNode) * kMostNodes));
    table_ = static_cast<uint32_t*>(map_pages(sizeof(uint32_t) * kTable));
    slots_ = static_cast<uint32_t*>(map_pages(sizeof(uint32_t) * kMostNodes));
  }
  for (; used_; --used_) table_[slots_[used_ - 1]] = 0;
}

const CallNode* CallTree::child(const CallNode* caller, uint64_t pc) {
  uint64_t slot = ((reinterpret_cast<uint64_t>(caller) >> 4) * 31 + pc) * 0x9e3779b97f4a7c15ull >> 43;
  for (;; slot = (slot + 1) % kTable) {
    if (!table_[slot]) break;
    const CallNode& known = nodes_[table_[slot] - 1];
    if (known.pc == pc && known.caller == caller) return &known;
  }
  if (used_ == kMostNodes) return caller;  // no more room: stacks of deeper programs are cut
  nodes_[used_] = {pc, caller};
  slots_[used_] = static_cast<uint32_t>(slot);
  table_[slot] = static_cast<uint32_t>(++used_);
  return &nodes_[used_ - 1];
}

}  // namespace lockstep::rt
