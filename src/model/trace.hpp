// What one execution did: the wire format of traces, written by the runtime.
//
// Layout of a trace message: TraceHeader, Step[steps], Step[pending], uint64_t sets[set_words], uint64_t
// stacks[stack_words], char message[message_bytes], padding to 8, BlockRecord or Touched[block_units],
// DataRace[races], Allocation[allocations], StepValues[values]. All offsets follow from the header.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "model/allocation.hpp"
#include "model/ids.hpp"
#include "model/operation.hpp"
#include "model/race.hpp"
#include "model/reason.hpp"

namespace lockstep {

inline constexpr uint16_t kTraceVersion = 9;

// How an execution ended.
enum class Outcome : uint8_t {
  Ok,
  Assertion,   // assert(), lockstep::require()
  Abort,       // abort(), std::terminate() without an exception
  Exception,   // uncaught C++ exception
  Crash,       // SIGSEGV, SIGBUS, SIGFPE, SIGILL, stack overflow
  ExitCode,    // the process ended with a code other than 0
  Deadlock,    // threads left, none enabled
  LockMisuse,  // unlock of a mutex not held, use or destruction of a destroyed object
  DoubleFree,
  StepLimit,     // exceeded Plan::max_steps, or (code 1) no room for more records
  Livelock,      // only spinning threads are left
  Redundant,     // other executions show everything that this one would show; see Redundancy
  Diverged,      // the plan was impossible: the program is not deterministic
  Uncontrolled,  // the runtime had to give up; the message says why
  WorkerDied,    // written by the driver when the process vanished
  kCount
};
const char* name_of(Outcome outcome);

// Why an execution was given up as Outcome::Redundant.
enum class Redundancy : uint8_t {
  None,
  AllAsleep,         // threads are enabled, but all of them are in the plan's sleep set
  CannotGoOn,        // the thread of a tentative delta cannot run
  UnforeseenChoice,  // the last record is a data choice where the plan expects a choice of thread
  BlocksElsewhere,   // Policy::Blocks: everything from here on is explored elsewhere
};
bool is_whole(Outcome outcome);  // the program ended by itself; the execution was not cut off, lost or out of control

// One record of a trace. Everything that could have gone otherwise is a decision and has its own record: which thread
// runs (alternatives: `enabled`), or a data choice (kind Choose; alternatives: 0..alternatives()-1).
//
// A step with kBlocked begins another round of a spin loop. It exists only because a value that the loop reads, not
// necessarily this step's, was changed before.
struct Step {
  enum Flags : uint8_t {
    kWrite = 1,        // wrote its object; for a pending operation: would write it now
    kConditional = 2,  // the outcome decides between read and write (cas, try-lock)
    kNote = 4,         // not a decision: create, thread exit, join
    kYield = 8,        // the switch after this step is free
    kTimed = 16,       // can time out
    kTimedOut = 32,    // did time out
    kWide = 64,        // `enabled` is an index into the sets section (threads above 63, or timed waiters)
    kBlocked = 128,    // pending: not enabled when the execution ended; a step: see above
  };
  ObjectId object;
  Companion second;
  uint64_t enabled;  // threads that could have been chosen here, by bit; see TraceView::enabled
  ThreadId thread;
  OpKind kind;
  uint8_t flags;

  // For Choose.
  uint16_t taken() const { return first_; }
  uint16_t alternatives() const { return last_; }
  void set_choice(uint16_t taken, uint16_t alternatives) { first_ = taken, last_ = alternatives; }
  // For accesses to memory of the program: the memory order (of atomics), whether the thread executed a full fence
  // since its last step, and the size in bytes; 0: too large to be watched.
  int order() const { return first_ & 7; }
  bool after_fence() const { return first_ & kAfterFence; }
  uint16_t bytes() const { return last_; }
  void set_access(uint16_t order_and_fence, uint16_t bytes) { first_ = order_and_fence, last_ = bytes; }
  static constexpr uint16_t kAfterFence = 0x100;
  // For a lock, an unlock or a condition wait in a detailed execution: since its last step the thread has read, or may
  // have read, memory that is not on its own stack.
  bool read_before() const { return first_ & 1; }
  void set_read_before() { first_ = 1; }
  // Of a call on state outside the program's memory that failed: errno; otherwise 0.
  static constexpr bool can_fail(OpKind kind) { return kind == OpKind::State || kind == OpKind::Io; }
  uint16_t error() const { return can_fail(kind) ? first_ : 0; }
  void set_error(int error) { first_ = static_cast<uint16_t>(error); }

  bool is_note() const { return flags & kNote; }
  bool is_choice() const { return kind == OpKind::Choose; }
  Operation operation() const {
    return {thread, kind, (flags & kWrite) != 0, object, second, (flags & kTimedOut) != 0};
  }
  bool did_the_same_as(const Step& s) const {
    return thread == s.thread && kind == s.kind && object == s.object && second == s.second && flags == s.flags &&
           first_ == s.first_ && last_ == s.last_;
  }

 private:
  uint16_t first_, last_;
};
static_assert(sizeof(Step) == 32, "wire format");

// Does the thread of a step with these flags hold the object afterwards? A condition wait that timed out holds its
// mutex again.
constexpr bool acquires(OpKind kind, uint8_t flags) {
  if (takes_lock(kind)) return !(flags & Step::kTimedOut) || kind == OpKind::Reacquire;
  return has(kind, OpTraits::kTries) && flags & Step::kWrite;
}
// The lock that the step takes or releases.
constexpr ObjectId held_object(const Step& s) { return s.kind == OpKind::CondWait ? s.second.mutex() : s.object; }

// What a step of a detailed execution read and wrote: the bytes of its object before and after it, at most eight. Only
// for steps that access memory of the program (is_access()).
struct StepValues {
  enum Known : uint8_t { kBefore = 1, kAfter = 2 };
  uint64_t before, after;
  uint8_t known;
  uint8_t bytes;
  uint8_t reserved[6];
};
static_assert(sizeof(StepValues) == 24, "wire format");
constexpr bool is_access(OpKind kind) {
  return kind == OpKind::Load || kind == OpKind::Store || kind == OpKind::Rmw || kind == OpKind::Cas ||
         kind == OpKind::PlainRead || kind == OpKind::PlainWrite;
}

// Memory touched: an aligned word and which of its bytes.
struct Touched {
  uint64_t word;
  uint8_t reads, writes;
  uint8_t starts;  // bytes at which an access began: the borders between variables
  uint8_t reserved[5];
};
static_assert(sizeof(Touched) == 16, "wire format");

// An atomic block that was run under Policy::Blocks, followed by the memory it touched.
struct BlockRecord {
  enum How : uint8_t {
    Ended,    // by a lock exit
    Aborted,  // could not finish: `thread` waits for something another thread holds, and the execution was given up
    Last,     // the execution ended in this block
    Rest,     // not a block: the remaining memory that `thread` touched
  };
  uint32_t begin, end;  // its records in the trace, `end` included
  ThreadId thread;
  How how;
  uint8_t everything;  // the memory is incomplete: there was not enough room
  uint32_t touched;    // number of words that follow
};
static_assert(sizeof(BlockRecord) == 16, "wire format");

// What was checked during an execution, and the results other than races.
struct Monitors {
  enum Flags : uint32_t {
    kMoreRaces = 1,  // there are more races than are reported
    kLocksBroken =
        4,           // a shared variable has no lock: see the races that are unlocked() (only if Channel::check_locks)
    kThinned = 8,    // calls that touch no tracked memory were removed from the code (detect/call_sites.hpp)
    kRepeated = 16,  // calls were removed at first; the execution was repeated with all of them
    kNoRaces = 32,   // races were not checked, because a few variables are tracked
  };
};

// The longest delay of a thread in an execution: a sleep or timed wait with a later deadline ended first.
struct LongestDelay {
  uint64_t nanoseconds;  // 0: no thread was delayed
  uint32_t record;       // the record that ended this sleep or wait
  ThreadId held_up;
  uint16_t reserved;
};
static_assert(sizeof(LongestDelay) == 16, "wire format");

struct TraceHeader {
  enum WireFlags : uint16_t {
    kElsewhere = 1,  // only this header is in the ring; the message is in the channel's big area
    kSuffix = 2,     // a TraceSuffix follows the header
    kKept = 4,       // the next trace may be sent as a suffix to this one
  };
  uint32_t bytes;  // of the whole message, a multiple of 8
  uint16_t version;
  Outcome outcome;
  uint8_t detail;  // stacks were recorded
  uint64_t plan_id;
  uint32_t steps, pending, set_words, stack_words, message_bytes;
  uint32_t decisions;      // steps that are not notes
  uint32_t threads;        // threads that took part, including main
  uint32_t last_rounds;    // Livelock: if not 0, the record from which only spinners ran, one more round each
  ThreadId culprit;        // the thread that failed; kNoThread: no particular thread
  uint16_t wire;           // WireFlags; 0 in a trace that has been received
  int32_t code;            // exit code or signal number
  uint64_t fault_address;  // Crash
  uint32_t races;          // data races, each pair of places once
  uint32_t block_units;    // of 16 bytes: blocks and what they touched
  uint32_t monitors;       // Monitors::Flags
  uint32_t allocations;    // number of described heap blocks
  uint32_t reasons;        // Reasons::bits()
  Redundancy redundancy;
  uint8_t brief;  // too long to keep its records: there are no steps, and the fields below were counted instead
  uint8_t reserved[2];
  uint32_t preemptions, contested;  // contested: decisions between several threads
  uint64_t fingerprint;             // the low half of the trace's fingerprint; 0: unknown
  uint64_t output;                  // hash of what the program wrote, if outputs are compared; otherwise 0
  uint32_t values;                  // one per step in detailed executions; otherwise 0
  uint32_t reserved2;
  LongestDelay delay;
};
static_assert(sizeof(TraceHeader) == 136, "wire format");

// A trace on the wire may begin like the trace sent before it. These numbers of records and set words are then omitted.
struct TraceSuffix {
  uint32_t records, set_words;
};
static_assert(sizeof(TraceSuffix) == 8, "wire format");
inline uint32_t wire_size(const TraceHeader& header, const TraceSuffix& suffix) {
  if (!(header.wire & TraceHeader::kSuffix)) return header.bytes;
  return static_cast<uint32_t>(header.bytes + sizeof suffix - sizeof(Step) * suffix.records - 8 * suffix.set_words);
}

// A set of threads as stored in a trace: `words` little-endian 64-bit words.
class ThreadSetView {
 public:
  ThreadSetView(const uint64_t* words, unsigned count) : words_(words), count_(count) {}
  bool contains(ThreadId t) const {
    unsigned i = index_of(t);
    return i / 64 < count_ && (words_[i / 64] >> (i % 64) & 1);
  }
  template <class F>
  void for_each(F&& visit) const {  // ascending
    for (unsigned w = 0; w < count_; ++w)
      for (uint64_t bits = words_[w]; bits; bits &= bits - 1)
        visit(ThreadId(w * 64 + static_cast<unsigned>(__builtin_ctzll(bits))));
  }
  unsigned size() const {
    unsigned n = 0;
    for (unsigned w = 0; w < count_; ++w) n += static_cast<unsigned>(__builtin_popcountll(words_[w]));
    return n;
  }
  bool empty() const { return size() == 0; }

 private:
  const uint64_t* words_;
  unsigned count_;
};

// Reads a trace in place; owns nothing.
class TraceView {
 public:
  explicit TraceView(const void* message) : base_(static_cast<const char*>(message)) {}
  // A trace of a series: its first `same` records, with their sets, equal those of the trace with the previous number.
  TraceView(const void* message, uint32_t number, uint32_t same)
      : base_(static_cast<const char*>(message)), number_(number), same_(same) {}
  uint32_t number() const { return number_; }  // 0: not in a series
  uint32_t same() const { return same_; }
  const TraceHeader& header() const { return *reinterpret_cast<const TraceHeader*>(base_); }
  Outcome outcome() const { return header().outcome; }
  bool is_brief() const { return header().brief; }
  Reasons reasons() const { return Reasons(header().reasons); }
  std::span<const Step> steps() const { return {at<Step>(sizeof(TraceHeader)), header().steps}; }
  // The next operation of every thread unfinished at the end, ascending by thread.
  std::span<const Step> pending() const { return {steps().data() + header().steps, header().pending}; }
  std::span<const uint64_t> sets() const { return {at<uint64_t>(sets_offset()), header().set_words}; }
  std::string_view message() const {
    return {base_ + sets_offset() + 8ul * (header().set_words + header().stack_words), header().message_bytes};
  }

  // Data races and other findings about pairs of accesses; see DataRace::race().
  std::span<const DataRace> races() const { return {at<DataRace>(races_offset()), header().races}; }
  // The heap blocks of the races. In detailed executions, and if the plan requests origins, also the blocks in which
  // operations and the accesses of atomic blocks took place.
  std::span<const Allocation> allocations() const {
    return {at<Allocation>(races_offset() + sizeof(DataRace) * header().races), header().allocations};
  }
  // One per step; empty unless header().detail.
  std::span<const StepValues> values() const {
    return {at<StepValues>(header().bytes - sizeof(StepValues) * header().values), header().values};
  }
  bool locks_broken() const { return header().monitors & Monitors::kLocksBroken; }

  // Blocks in the order of the execution: visit(const BlockRecord&, std::span<const Touched>).
  template <class F>
  void for_each_block(F&& visit) const {
    const size_t bytes = sizeof(Touched) * header().block_units;
    const char* at = base_ + races_offset() - bytes;
    for (const char* end = at + bytes; at < end;) {
      const auto& block = *reinterpret_cast<const BlockRecord*>(at);
      const auto* touched = reinterpret_cast<const Touched*>(at + sizeof block);
      visit(block, std::span<const Touched>(touched, block.touched));
      at += sizeof block + sizeof(Touched) * block.touched;
    }
  }

  // Threads that could have been chosen at a step. A wide set block is [words][set...][timed set...].
  ThreadSetView enabled(const Step& s) const {
    if (!(s.flags & Step::kWide)) return {&s.enabled, 1};
    const uint64_t* block = sets().data() + s.enabled;
    return {block + 1, static_cast<unsigned>(block[0])};
  }
  // The subset of enabled() that would run by timing out: choosing one costs a preemption unless no other thread can
  // run.
  ThreadSetView timed(const Step& s) const {
    if (!(s.flags & Step::kWide)) return {nullptr, 0};
    const uint64_t* block = sets().data() + s.enabled;
    return {block + 1 + block[0], static_cast<unsigned>(block[0])};
  }

  // Call stacks, innermost frame first; only if header().detail. One per step, one per pending thread, one for the
  // failure, then those of the races (RaceAccess::stack).
  std::vector<std::span<const uint64_t>> all_stacks() const;

 private:
  size_t races_offset() const {
    return header().bytes - sizeof(DataRace) * header().races - sizeof(Allocation) * header().allocations -
           sizeof(StepValues) * header().values;
  }
  size_t sets_offset() const { return sizeof(TraceHeader) + sizeof(Step) * size_t(header().steps + header().pending); }
  template <class T>
  const T* at(size_t offset) const {
    return reinterpret_cast<const T*>(base_ + offset);
  }
  const char* base_;
  uint32_t number_ = 0, same_ = 0;
};

// For readers of successive traces that skip the part a trace shares with the previous one.
class Predecessor {
 public:
  // How many first records are known to equal those of the trace passed last.
  uint32_t shared_with(TraceView trace) {
    const uint32_t same = number_ != 0 && trace.number() == number_ + 1 ? trace.same() : 0;
    number_ = trace.number();
    return same;
  }
  // The first record of the trace for which `is` holds; the number of records if there is none.
  template <class Is>
  uint32_t first(TraceView trace, Is&& is) {
    const uint32_t same = shared_with(trace);
    if (first_ >= same) {
      const std::span<const Step> steps = trace.steps();
      for (first_ = same; first_ < steps.size() && !is(steps[first_]);) ++first_;
    }
    return first_;
  }

 private:
  uint32_t number_ = 0, first_ = 0;
};

// A trace that owns its bytes, for traces that outlive the channel's buffer and for tests.
class Trace {
 public:
  Trace() = default;
  explicit Trace(TraceView v) { assign(v); }
  void assign(TraceView v) {  // reuses its memory, unless a copy shares it
    if (bytes_.use_count() != 1) bytes_ = std::make_shared<std::vector<uint64_t>>();
    bytes_->resize((v.header().bytes + 7) / 8);
    std::memcpy(bytes_->data(), &v.header(), v.header().bytes);
  }
  bool empty() const { return !bytes_; }
  TraceView view() const { return TraceView(bytes_->data()); }
  operator TraceView() const { return view(); }

 private:
  friend class TraceBuilder;
  std::shared_ptr<std::vector<uint64_t>> bytes_;  // never changed while copies share it
};

// Writes a trace message: for fakes in tests, and for the driver when a worker has died.
class TraceBuilder {
 public:
  TraceHeader header{};
  std::vector<Step> steps, pending;
  std::vector<uint64_t> sets, stacks;
  std::vector<Touched> blocks;  // as on the wire
  std::vector<DataRace> races;
  std::vector<Allocation> allocations;
  std::vector<StepValues> values;
  std::string_view message;
  Trace build();
};

// The trace of a worker that could not write one. `stack`: where the worker is, innermost frame first.
Trace trace_without_steps(uint64_t plan_id, Outcome outcome, std::string_view message,
                          const std::vector<uint64_t>& stack = {});

}  // namespace lockstep
