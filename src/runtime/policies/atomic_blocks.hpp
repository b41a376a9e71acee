// The scheduler for atomic blocks (model/blocks.hpp): threads are switched only between blocks, and the plan lists the
// threads that are stopped where its search branched off. Everything else follows from the accesses of the blocks, so
// one execution is one schedule of the paper, and the search can derive the rest from the trace.
//
// A thread is stopped as *delayed*, because its block was explored first from here, or as *aborted*, because its block
// cannot finish before another thread releases something. A delayed thread continues after the next block or, with
// kBlocksConflict, after the next block that conflicts with its own. An aborted thread continues when the object it
// waits for may be free, or when a block changed memory that it read before it waited: it may not need the object any
// more.
#pragma once
#include "model/blocks.hpp"
#include "model/plan.hpp"
#include "runtime/policies/footprint.hpp"

namespace lockstep::rt {

class Blocks {
 public:
  static constexpr ThreadId kAsByDefault{0xfffe};
  static constexpr ThreadId kRedundant{0xfffd};  // everything from here on was explored elsewhere

  void init(Footprint::Pages pages) {
    if (out_) return;
    footprint_.init(pages);
    out_ = static_cast<Touched*>(pages(sizeof(Touched) * kMostUnits));
  }
  // `blind`: accesses are not seen, so every pair of blocks conflicts.
  void begin(const uint64_t* extra, uint32_t words, uint32_t start, bool blind) {
    blind_ = blind;
    extra_ = extra;
    words_ = words;
    start_ = start == kNoStep ? 0 : start;
    flags_ = words ? static_cast<uint8_t>(extra[0]) : 0;
    units = 0;
    in_block_ = free_ = started_ = false;
    current_ = kNoThread;
    stopped_count_ = 0;
    for (unsigned t = 0; t < kMaxThreads; ++t) locks_[t] = 0, end_due_[t] = false;
    footprint_.begin();
  }

  // Switches to another plan in the middle of an execution. The plan has the same decisions so far and stops threads
  // later. The locks and accesses of the threads are as if it had been followed from the beginning.
  void follow(const uint64_t* extra, uint32_t words, uint32_t start) {
    extra_ = extra;
    words_ = words;
    start_ = start;
    units = 0;
    in_block_ = started_ = yielded_ = false;
    current_ = kNoThread;
    stopped_count_ = entered_count_ = 0;
  }
  bool can_follow() const { return !free_; }  // with any plan: blocks are still kept apart

  // Under another policy: only records what each thread touches in the whole execution.
  void begin_survey(bool blind) {
    begin(nullptr, 0, kNoStep, blind);
    flags_ = kBlocksConflict;
    free_ = true;
  }

  // --- events ---
  void touch(ThreadId t, uint64_t address, uint64_t size, bool write) { footprint_.add_range(t, address, size, write); }
  struct Circumstances {
    bool woke_somebody = false;    // a signal woke a thread that can run at once
    bool created_threads = false;  // threads created after the step can run before the rest of the block
    bool unpreemptible = false;    // the thread's next operation belongs to this step
  };
  void executed(const Step& step, uint32_t record, Circumstances c) {
    const ThreadId t = step.thread;
    for_each_touched(step, flags_ & kBlocksLocksWrite, flags_ & kBlocksForgetLocks,
                     [&](uint64_t word, uint8_t bytes, bool write) { footprint_.add(t, word, bytes, write); });
    if (in_block_ && t == current_) note_lock(step);
    for (unsigned i = 0; i < stopped_count_; ++i)
      if (stopped_[i].aborted && writes(step, stopped_[i].wanted)) stopped_[i].may_go_on = true;
    last_record_ = record;
    count_locks(step);
    bool& due = end_due_[index_of(t)];
    due |= c.created_threads || ends_block(step, c.woke_somebody, locks_[index_of(t)] > 0);
    if (free_ || c.unpreemptible || !due) return;
    due = false;
    if (in_block_ && t == current_) {
      yielded_ = step.flags & Step::kYield;
      close(BlockRecord::Ended);
    } else {
      footprint_.start(t);
    }
  }
  void ended() {  // the execution ended, anywhere
    const ThreadId last = in_block_ && !free_ ? current_ : kNoThread;
    if (last != kNoThread) write_block(BlockRecord::Last);
    for (unsigned t = 0; (flags_ & kBlocksConflict) && t < kMaxThreads; ++t) {
      current_ = ThreadId(static_cast<uint16_t>(t));
      if (current_ != last && footprint_.size(current_) > 0) write_block(BlockRecord::Rest);
    }
    in_block_ = false;
  }

  // --- the next thread ---
  // The plan decided.
  void follows_plan(ThreadId t, uint32_t record) {
    if (record < start_) return;
    if (!started_) stop_threads();
    if (!in_block_ || t != current_) open(t, record);
  }
  // `each(visit)` visits the candidates, ascending; `live(t)`: has not ended; `waiting()`: a thread waits for a signal.
  template <class Each, class Live, class Waiting>
  ThreadId choose(uint32_t record, Each&& each, Live&& live, Waiting&& waiting) {
    if (record < start_ || free_) return kAsByDefault;
    if (!started_) stop_threads();
    const auto among = [&](auto&& wanted) {
      ThreadId found = kNoThread;
      each([&](ThreadId t) {
        if (found == kNoThread && wanted(t)) found = t;
      });
      return found;
    };
    if (in_block_) {
      if (among([&](ThreadId t) { return t == current_; }) != kNoThread) return current_;
      const bool others = among([&](ThreadId t) { return !is_aborted(t); }) != kNoThread;
      if (!live(current_) || (others && !could_wait_)) {
        close(BlockRecord::Ended);
      } else if (others) {
        write_block(BlockRecord::Aborted);
        in_block_ = false;
        return kRedundant;
      } else {
        free_ = true;  // no thread can finish a block: let all run until they block
        return kAsByDefault;
      }
    }
    for (unsigned i = 0; i < stopped_count_;)
      if (stopped_[i].aborted && ended_thread(stopped_[i].wanted, live))
        let_go(i);
      else
        ++i;
    ThreadId next = kNoThread;
    if (!yielded_) next = among([&](ThreadId t) { return t == current_ && !is_stopped(t); });
    if (next == kNoThread && yielded_) next = among([&](ThreadId t) { return t > current_ && !is_stopped(t); });
    if (next == kNoThread) next = among([&](ThreadId t) { return !is_stopped(t); });
    if (next == kNoThread) {
      next = among([&](ThreadId t) { return !is_aborted(t); });  // delayed
      if (next != kNoThread && !((flags_ & kBlocksRunDelayed) && waiting())) return kRedundant;
      if (next == kNoThread) {
        free_ = true;
        return kAsByDefault;
      }
      stopped_count_ = 0;
    }
    open(next, record);
    unsigned candidates = 0;
    each([&](ThreadId) { ++candidates; });
    could_wait_ = candidates > 1;
    return next;
  }

  const Touched* out() const { return out_; }
  uint32_t units = 0;  // number of units written to out()

 private:
  static constexpr uint32_t kMostUnits = 1u << 20;
  static constexpr unsigned kMostEntered = 32;
  struct Stopped {
    ThreadId thread;
    bool aborted, everything, may_go_on;
    ObjectId wanted;
    const uint64_t* touched;  // pairs of words in the plan
    uint32_t count;
  };

  void stop_threads() {
    started_ = true;
    in_block_ = false;
    current_ = kNoThread;
    yielded_ = false;
    if (words_ < 2) return;
    const uint64_t* at = extra_ + 2;
    for (uint64_t i = 0; i < extra_[1] && stopped_count_ < kMaxThreads; ++i) {
      const uint32_t count = static_cast<uint32_t>(at[0] >> 32);
      stopped_[stopped_count_++] = {ThreadId(static_cast<uint16_t>(at[0])),
                                    (at[0] >> 16 & 1) != 0,
                                    (at[0] >> 17 & 1) != 0,
                                    false,
                                    ObjectId{at[1]},
                                    at + 2,
                                    count};
      at += 2 + 2 * uint64_t{count};
    }
  }
  bool is_stopped(ThreadId t) const {
    for (unsigned i = 0; i < stopped_count_; ++i)
      if (stopped_[i].thread == t) return true;
    return false;
  }
  bool is_aborted(ThreadId t) const {
    for (unsigned i = 0; i < stopped_count_; ++i)
      if (stopped_[i].thread == t && stopped_[i].aborted) return true;
    return false;
  }
  bool any_aborted() const {
    for (unsigned i = 0; i < stopped_count_; ++i)
      if (stopped_[i].aborted) return true;
    return false;
  }
  template <class Live>
  static bool ended_thread(ObjectId wanted, Live&& live) {
    const uint64_t first = static_cast<uint64_t>(thread_object(ThreadId{0}));
    const uint64_t number = static_cast<uint64_t>(wanted) - first;
    return number < kMaxThreads && !live(ThreadId(static_cast<uint16_t>(number)));
  }
  // Locks taken before there was a second thread are not counted: never below 0.
  void count_locks(const Step& step) {
    uint16_t& locks = locks_[index_of(step.thread)];
    if (is_lock(step.kind) && acquires(step.kind, step.flags))
      ++locks;
    else if (leaves_lock(step.kind) && locks > 0)
      --locks;
  }
  void let_go(unsigned i) { stopped_[i] = stopped_[--stopped_count_]; }

  // A lock that is held across the end of a block keeps other threads out of the code that follows. Without that
  // conflict, a thread in the middle of nested locks would stay delayed although other threads' blocks must come before
  // all of it.
  void note_lock(const Step& step) {
    if (takes_lock(step.kind) && acquires(step.kind, step.flags)) {
      if (entered_count_ < kMostEntered)
        entered_[entered_count_++] = step.object;
      else
        change_lock(step.object);
    } else if (leaves_lock(step.kind)) {
      const ObjectId lock = held_object(step);
      for (unsigned i = entered_count_; i-- > 0;)
        if (entered_[i] == lock) {
          entered_[i] = entered_[--entered_count_];
          return;
        }
      change_lock(lock);
    }
  }
  void change_lock(ObjectId lock) {
    if (!(flags_ & kBlocksForgetLocks))
      footprint_.add(current_, static_cast<uint64_t>(lock) & ~uint64_t{7}, 0xff, true);
  }

  void open(ThreadId t, uint32_t record) {
    entered_count_ = 0;
    current_ = t;
    in_block_ = could_wait_ = true;
    yielded_ = false;
    block_begin_ = record;
  }
  void close(BlockRecord::How how) {
    write_block(how);
    for (unsigned i = 0; i < stopped_count_;)
      if (stopped_[i].aborted ? stopped_[i].may_go_on || changes_way_of(stopped_[i]) : conflicts(stopped_[i]))
        let_go(i);
      else
        ++i;
    footprint_.start(current_);
    in_block_ = false;
  }
  bool changes_way_of(const Stopped& s) const {  // of an aborted thread: its locks are not in its touched memory
    return (s.everything || s.count > 0) && touches_same(s);
  }
  bool conflicts(const Stopped& s) const { return !(flags_ & kBlocksConflict) || touches_same(s); }
  bool touches_same(const Stopped& s) const {
    if (blind_ || s.everything || footprint_.everything(current_)) return true;
    if (footprint_.size(current_) == 0) return false;
    for (uint32_t i = 0; i < s.count; ++i) {
      const uint64_t bits = s.touched[2 * i + 1];
      const Touched other{s.touched[2 * i], static_cast<uint8_t>(bits), static_cast<uint8_t>(bits >> 8), 0, {}};
      if (conflict(footprint_.of(current_, other.word), other, flags_ & kBlocksReadsConflict)) return true;
    }
    return false;
  }
  void write_block(BlockRecord::How how) {
    for (; entered_count_ > 0; --entered_count_) change_lock(entered_[entered_count_ - 1]);
    uint32_t count = footprint_.size(current_);
    bool everything = blind_ || footprint_.everything(current_);
    if (!(flags_ & kBlocksConflict) && how != BlockRecord::Aborted && !any_aborted()) count = 0;  // not needed
    if (units + 1 >= kMostUnits) return;
    if (units + 1 + count > kMostUnits || everything) count = 0, everything = true;
    const BlockRecord block{block_begin_, last_record_, current_, how, everything, count};
    __builtin_memcpy(out_ + units++, &block, sizeof block);
    if (count) footprint_.for_each(current_, [&](const Touched& t) { out_[units++] = t; });
  }

  Footprint footprint_;
  Touched* out_ = nullptr;
  const uint64_t* extra_ = nullptr;
  uint32_t words_ = 0, start_ = 0, block_begin_ = 0, last_record_ = 0;
  uint8_t flags_ = 0;
  bool in_block_ = false, started_ = false, yielded_ = false;
  bool blind_ = false;
  bool free_ = false;  // blocks cannot be kept apart any more
  // Another thread could have run instead of the block. If none could (the thread is not preempted there), a block that
  // has to wait ends, because nobody can be run before it.
  bool could_wait_ = false;
  ThreadId current_ = kNoThread;
  unsigned stopped_count_ = 0, entered_count_ = 0;
  ObjectId entered_[kMostEntered];  // entered and not left by the current block
  Stopped stopped_[kMaxThreads];
  uint16_t locks_[kMaxThreads];  // how many each thread holds
  bool end_due_[kMaxThreads];    // its block ends as soon as it can be preempted again
};

}  // namespace lockstep::rt
