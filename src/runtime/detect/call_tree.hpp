// Call stacks of accesses and allocations in detailed executions. A stack is a path in a tree, so storing one costs a
// pointer.
#pragma once
#include "runtime/detect/clocks.hpp"

namespace lockstep::rt {

struct CallNode {
  uint64_t pc;  // return address
  const CallNode* caller;
};

class CallTree {
 public:
  void begin();
  const CallNode* child(const CallNode* caller, uint64_t pc);

  // The node of `where`, which is a plain pc or a node of this tree.
  const CallNode* node(uint64_t where) const {
    return where - reinterpret_cast<uint64_t>(nodes_) < used_ * sizeof(CallNode)
               ? reinterpret_cast<const CallNode*>(where)
               : nullptr;
  }
  uint64_t pc(uint64_t where) const {
    const CallNode* n = node(where);
    return n ? n->pc : where;
  }

 private:
  CallNode* nodes_ = nullptr;
  uint64_t used_ = 0;
  uint32_t* table_ = nullptr;  // 1 + index, hashed by (caller, pc)
  uint32_t* slots_ = nullptr;  // position of each node in the table
};
inline constinit CallTree call_tree{};

uint64_t unwind_calls();  // the running thread's stack, as a node of the call tree

}  // namespace lockstep::rt
