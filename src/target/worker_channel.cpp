// Sends plans, receives traces, and wakes the worker when it pays off.
#include "target/worker_channel.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <new>

#include "model/ring.hpp"

namespace lockstep {
namespace {

// With one worker, the traces should stay in the processor's cache. With several, none should wait until its traces are
// read.
size_t trace_ring(bool alone) { return size_t{1} << (alone ? 19 : 21); }
constexpr size_t kFew = 24;

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected, int milliseconds) {
  timespec limit{milliseconds / 1000, milliseconds % 1000 * 1'000'000l};
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, &limit, nullptr, 0);
}
void futex_wake(std::atomic<uint32_t>& word) { syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0); }

// The largest size of a trace of this many records with stacks and wide sets.
size_t big_trace_bytes(uint64_t records) { return (records + (1u << 18)) * sizeof(Step) + (1ull << 29) + (1ull << 27); }

}  // namespace

Result<bool> WorkerChannel::create() {
  facts();  // before the memory is released
  facts_read_ = 0;
  libraries();
  libraries_read_ = 0;
  modules_ = options_.plain_modules;
  resumed_ = resumed();
  const size_t big = big_trace_bytes(options_.max_records), traces = trace_ring(options_.alone());
  auto memory = SharedMemory::create(
      "lockstep-channel", sizeof(Channel) + plan_ring_ + traces + big + kMaxPlainFunctions * sizeof(PlainFunction));
  if (!memory) return memory.error();
  memory_ = std::move(*memory);
  write_settings(*new (memory_.data()) Channel{});
  Channel* c = &shared();
  c->plans.offset = sizeof(Channel);
  c->plans.capacity = plan_ring_;
  c->traces.offset = sizeof(Channel) + plan_ring_;
  c->traces.capacity = traces;
  c->big_offset = c->traces.offset + traces;
  c->big_capacity = big;
  c->plain_offset = c->big_offset + big;
  watch(options_.watched_code);
  unrung_ = 0;
  sent_ = 0;
  message_ = 0;
  return true;
}

void WorkerChannel::write_settings(Channel& channel) {
  Channel* c = &channel;
  c->magic = kChannelMagic;
  c->version = kChannelVersion;
  c->bytes_header = sizeof(Channel);
  c->isolation = options_.isolation;
  c->backend = options_.backend;
  c->points = options_.points;
  c->timeouts = options_.timeouts;
  c->spin_rounds = options_.spin_rounds;
  c->max_delay_ms = options_.max_delay_ms;
  c->spurious = options_.spurious;
  c->prime = options_.prime;
  c->detect_races = options_.detect_races;
  c->check_locks = options_.check_locks;
  c->check_yields = options_.check_yields;
  c->find_leaks = options_.find_leaks;
  c->checkpoints = options_.checkpoints;
  promote(options_.promoted);
  trust(options_.trusted);
  preempt_in(options_.preemptible);
  know_loops(options_.native_loops);
  c->expected_exit = options_.expected_exit;
  c->compares_output = options_.compares_output;
  options_.before_each.copy(c->before_each, kMaxOutsideCommand - 1);
  options_.after_each.copy(c->after_each, kMaxOutsideCommand - 1);
  c->max_steps = options_.max_steps;
  c->max_records = options_.max_records;
  c->began = options_.began;
  c->capture_fd = options_.capture_fd >= 0 ? kCaptureFd : 0;
  c->rewinds_input = options_.input_fd() >= 0;
}

bool WorkerChannel::sleep_while_starting(int milliseconds) const {
  Channel& c = shared();
  const uint32_t bell = c.traces.bell.load(std::memory_order_acquire);
  if (c.state.load(std::memory_order_acquire) != WorkerState::Starting) return false;
  futex_wait(c.traces.bell, bell, milliseconds);
  return c.state.load(std::memory_order_acquire) == WorkerState::Starting;
}

// A message never wraps, so a message larger than half the ring could wait forever.
bool WorkerChannel::outgrown_by(const Plan& plan) const { return wire_size(plan) > plan_ring_ / 2; }
void WorkerChannel::make_room_for(const Plan& plan) {
  plan_ring_ = std::max<size_t>(plan_ring_, 2 * std::bit_ceil(size_t{wire_size(plan)}));
}

bool WorkerChannel::send(const Plan& plan) {
  Ring& ring = shared().plans;
  const RingSlot slot = next_slot(ring, wire_size(plan));
  if (!fits(ring, slot)) return false;
  write_wire(plan, open_slot(ring, bytes(ring), slot));
  publish(ring, slot);
  ++sent_;
  if (++unrung_ >= 16 && !takes_turns_) this->ring();
  return true;
}

uint64_t WorkerChannel::resumed() const {
  return resumed_ + (exists() ? shared().resumed.load(std::memory_order_relaxed) : 0);
}

const std::set<Fact>& WorkerChannel::facts() {
  if (!exists()) return facts_;
  const FactTable& table = shared().facts;
  const uint32_t count = std::min<uint32_t>(table.count.load(std::memory_order_acquire), FactTable::kMost);
  for (; facts_read_ < count; ++facts_read_) facts_.insert(table.fact[facts_read_]);
  if (count < FactTable::kMost) return facts_;
  // The fixed list of facts may be full.
  for (unsigned kind = 0; kind < static_cast<unsigned>(FactKind::kCount); ++kind)
    if (table.kinds.load(std::memory_order_relaxed) >> kind & 1) facts_.insert({0, FactKind(kind)});
  return facts_;
}

const std::set<std::string>& WorkerChannel::libraries() {
  if (!exists()) return libraries_;
  const uint32_t count = shared().libraries.load(std::memory_order_acquire);
  for (; libraries_read_ < count; ++libraries_read_)
    libraries_.insert(libraries_read_ < kMaxLibraries ? shared().library[libraries_read_] : "");
  return libraries_;
}

void WorkerChannel::promote(const PromotedPoints& points) {
  Channel& c = shared();
  c.promoted_count = static_cast<uint32_t>(std::min<size_t>(points.places.size(), kMaxPromoted));
  std::copy_n(points.places.begin(), c.promoted_count, c.promoted);
  c.alias_count = static_cast<uint32_t>(std::min<size_t>(points.aliases.size(), kMaxAliases));
  std::copy_n(points.aliases.begin(), c.alias_count, c.alias);
  c.promoted_version.fetch_add(1, std::memory_order_release);
  settings_changed();
}

void WorkerChannel::allow_spurious(uint32_t wakeups) {
  Channel& c = shared();
  c.spurious = wakeups;
  settings_changed();
}

void WorkerChannel::allow_delay(uint32_t max_delay_ms) {
  shared().max_delay_ms = max_delay_ms;
  settings_changed();
}

namespace {

uint32_t copy_ranges(const std::vector<CodeRange>& code, CodeRange* to) {
  const size_t count = std::min<size_t>(code.size(), kMaxTrusted);
  std::copy_n(code.begin(), count, to);
  return static_cast<uint32_t>(count);
}

}  // namespace

void WorkerChannel::trust(const std::vector<CodeRange>& code) {
  Channel& c = shared();
  c.trusted_count = copy_ranges(code, c.trusted);
  c.trusted_version.fetch_add(1, std::memory_order_release);
  settings_changed();
}

void WorkerChannel::preempt_in(const std::vector<CodeRange>& code) {
  Channel& c = shared();
  c.preemptible_count = copy_ranges(code, c.preemptible);
  c.trusted_version.fetch_add(1, std::memory_order_release);
  settings_changed();
}

void WorkerChannel::watch(const CodeToWatch& code) {
  const auto& [functions, locked] = code;
  Channel& c = shared();
  const uint32_t count = c.plain_count.load(std::memory_order_relaxed);
  const size_t fresh = std::min<size_t>(functions.size(), kMaxPlainFunctions - count);
  std::copy_n(functions.begin(), fresh,
              reinterpret_cast<PlainFunction*>(static_cast<char*>(memory_.data()) + c.plain_offset) + count);
  c.plain_count.store(count + static_cast<uint32_t>(fresh), std::memory_order_release);
  const uint32_t known = c.locked_count.load(std::memory_order_relaxed);
  const size_t more = std::min<size_t>(locked.size(), kMaxLocked - known);
  std::copy_n(locked.begin(), more, c.locked + known);
  c.locked_count.store(known + static_cast<uint32_t>(more), std::memory_order_release);
}

void WorkerChannel::know_loops(const std::vector<uint64_t>& jumps) {
  if (!exists()) return;
  Channel& c = shared();
  const auto count = static_cast<uint32_t>(std::min<size_t>(jumps.size(), kMaxNativeLoops));
  std::copy_n(jumps.begin(), count, c.native_loop);
  c.native_loops.store(count, std::memory_order_release);
}

bool WorkerChannel::add_found_loops(std::vector<uint64_t>& known) const {
  const size_t before = known.size();
  const uint32_t found = std::min(shared().found_loops.load(std::memory_order_acquire), kMaxNativeLoops);
  for (uint32_t i = 0; i < found; ++i)
    if (std::find(known.begin(), known.end(), shared().found_loop[i]) == known.end())
      known.push_back(shared().found_loop[i]);
  return known.size() > before;
}

void WorkerChannel::ring() {
  Ring& ring = shared().plans;
  unrung_ = 0;
  if (!ring.reader_sleeps.load(std::memory_order_seq_cst)) return;
  ring.reader_sleeps.store(0, std::memory_order_relaxed);
  ring.bell.fetch_add(1, std::memory_order_release);
  futex_wake(ring.bell);
}

bool WorkerChannel::has_trace() { return lockstep::front(shared().traces, bytes(shared().traces)) != nullptr; }

TraceView WorkerChannel::front() {
  Ring& ring = shared().traces;
  const char* at = bytes(ring) + ring.read.load(std::memory_order_relaxed) % ring.capacity;
  const bool elsewhere = TraceView(at).header().wire & TraceHeader::kElsewhere;
  const char* message = elsewhere ? static_cast<const char*>(memory_.data()) + shared().big_offset : at;
  size_t size = 0;
  const TraceView trace = received_.read(message, &size);
  message_ = elsewhere ? sizeof(TraceHeader) : size;
  return trace;
}

void WorkerChannel::pop() {
  Ring& ring = shared().traces;
  const char* at = bytes(ring) + ring.read.load(std::memory_order_relaxed) % ring.capacity;
  if (TraceView(at).header().wire & TraceHeader::kElsewhere) {
    shared().big_busy.store(0, std::memory_order_release);
    futex_wake(shared().big_busy);
  }
  lockstep::pop(ring, message_);
  // Waits until there is room for many traces; otherwise the worker would wake for every trace.
  if (ring.writer_sleeps.load(std::memory_order_relaxed) &&
      ring.written.load(std::memory_order_relaxed) - ring.read.load(std::memory_order_relaxed) <= ring.capacity / 2)
    wake_writer();
}

void WorkerChannel::wake_writer() {
  Ring& ring = shared().traces;
  ring.writer_sleeps.store(0, std::memory_order_relaxed);
  ring.space.fetch_add(1, std::memory_order_release);
  futex_wake(ring.space);
}

void WorkerChannel::go_on() {
  shared().inspection.waiting.store(0, std::memory_order_release);
  futex_wake(shared().inspection.waiting);
}

void WorkerChannel::sleep_until_trace(size_t in_flight, int milliseconds) {
  Ring& ring = shared().traces;
  this->ring();
  for (int spin = 0; spin < 4; ++spin) {
    if (ring.written.load(std::memory_order_acquire) != ring.read.load(std::memory_order_relaxed)) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  // Does not wake for every trace, because a futex call costs as much as a small execution. With few plans, or when
  // taking turns, waits for all: the worker rings when it has nothing left to do.
  const uint64_t batch = takes_turns_ || in_flight < kFew ? in_flight : std::min<uint64_t>(in_flight / 2, 128);
  const uint32_t bell = ring.bell.load(std::memory_order_acquire);
  ring.wake_at.store(ring.messages.load(std::memory_order_relaxed) + batch, std::memory_order_relaxed);
  ring.reader_sleeps.store(1, std::memory_order_seq_cst);
  if (ring.writer_sleeps.load(std::memory_order_seq_cst)) wake_writer();  // pop() may have missed the sleeping writer
  if (ring.written.load(std::memory_order_seq_cst) == ring.read.load(std::memory_order_relaxed) && !stopped()) {
    // The worker may have gone to sleep before it saw that this side sleeps.
    const bool idle =
        shared().plans.reader_sleeps.load(std::memory_order_seq_cst) &&
        shared().plans.written.load(std::memory_order_relaxed) == shared().plans.read.load(std::memory_order_acquire);
    futex_wait(ring.bell, bell, idle ? 1 : milliseconds);
  }
  ring.reader_sleeps.store(0, std::memory_order_relaxed);
}

}  // namespace lockstep
