// The execution under way, saved in place at a decision: every thread but the one that decides is parked, so all of it
// is memory. Putting that back and letting the thread decide again is another execution with the same beginning.
//
// The program's memory is copied as a whole: pages written since the snapshot, heap, stacks, thread-local variables.
// The runtime's own is kept by OwnState. What lies outside memory is not saved: where there is something to undo, or a
// thread runs on a stack of its own making, there is no checkpoint.
#pragma once
#include "model/plan.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/memory/own_state.hpp"

namespace lockstep::rt {

struct Thread;

class Checkpoints {  // lies in unsaved pages itself
 public:
  void init();

  unsigned count() const { return own_.levels(); }
  // Saves what the execution has come to; `decider` is the thread that was about to choose. False: it cannot be saved.
  bool save(const PlanHeader& plan, Thread& decider);
  // The last one that an execution of `plan` comes to, plus one; 0: there is none.
  unsigned reached_by(const PlanHeader& plan) const;
  // Goes back to checkpoint `number` (from 0) and on with another plan. Later ones are forgotten. Returns the decider.
  Thread& resume(unsigned number, const PlanHeader& plan);
  void forget();  // all of them
  bool lost() const { return own_.lost(); }

  // Records of the trace that checkpoint `number` has, and words of its section of sets.
  uint32_t records(unsigned number) const { return level_[number].records; }
  uint32_t set_words(unsigned number) const { return level_[number].set_words; }

  unsigned faults() const { return own_.faults(); }
  bool handle_write_fault(uintptr_t address) { return own_.handle_write_fault(address); }

 private:
  static constexpr unsigned kMostDeltas = 1024, kMostPieces = 16 * 1024;
  static constexpr size_t kMostBytes = 16u << 20;  // of the program's memory, for each
  struct Piece {
    char* at;
    size_t bytes;
  };
  struct Level {
    uint32_t records, set_words;
    Policy policy;
    uint32_t max_steps, promoted, trusted;
    uint32_t deltas;
    Delta* delta;  // what the plan had said so far
    Thread* decider;
    size_t dirty_pages;
    Piece* piece;
    unsigned pieces;
    long input;   // position of standard input
    char* bytes;  // dirty pages, then the pieces
  };
  bool add(Level& level, char* at, size_t bytes);
  bool add_thread(Level& level, Thread& thread);
  bool find_pieces(Level& level, Thread& decider);

  Level level_[OwnState::kLevels];
  OwnState own_;
  Heap::Extent filled_[kMaxThreads];
};

// A plan whose executions can begin at a checkpoint.
bool can_resume(const PlanHeader& plan);

}  // namespace lockstep::rt
