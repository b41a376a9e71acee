// Checkpoints: the current execution, saved in place at a decision. Every thread but the deciding one is parked, so all
// of the state is memory. Restoring it and letting the thread decide again gives another execution with the same
// beginning.
//
// The program's memory is copied: pages written since the snapshot, heap, stacks, thread-local variables. OwnState
// saves the runtime's memory. State outside memory is not saved: there is no checkpoint if something has to be undone,
// or if a thread runs on a stack that the program made itself.
#pragma once
#include "model/plan.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/memory/own_state.hpp"

namespace lockstep::rt {

struct Thread;

class Checkpoints {  // in unsaved pages
 public:
  void init();

  unsigned count() const { return own_.levels(); }
  // Saves the current execution; `decider` is the thread that is about to choose. False: it cannot be saved.
  bool save(const PlanHeader& plan, Thread& decider);
  // The last checkpoint that an execution of `plan` reaches, plus one; 0: none.
  unsigned reached_by(const PlanHeader& plan) const;
  // Restores checkpoint `number` (from 0) and continues with another plan. Drops later checkpoints. Returns the
  // decider.
  Thread& resume(unsigned number, const PlanHeader& plan);
  void forget();  // drops all
  bool lost() const { return own_.lost(); }

  // Number of records at checkpoint `number`, and of words in the set section.
  uint32_t records(unsigned number) const { return level_[number].records; }
  uint32_t set_words(unsigned number) const { return level_[number].set_words; }

  unsigned faults() const { return own_.faults(); }
  bool handle_write_fault(uintptr_t address) { return own_.handle_write_fault(address); }

 private:
  static constexpr unsigned kMostDeltas = 1024, kMostPieces = 16 * 1024;
  static constexpr size_t kMostBytes = 16u << 20;  // of the program's memory, per checkpoint
  struct Piece {
    char* at;
    size_t bytes;
  };
  struct Level {
    uint32_t records, set_words;
    Policy policy;
    uint32_t max_steps, promoted, trusted;
    uint32_t deltas;
    Delta* delta;  // deltas of the plan so far
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

// True for plans whose executions can start at a checkpoint.
bool can_resume(const PlanHeader& plan);

}  // namespace lockstep::rt
