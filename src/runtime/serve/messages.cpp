// Reads plans from the channel and writes traces into it.
#include "runtime/serve/messages.hpp"

#include "model/ring.hpp"
#include "runtime/base/runtime.hpp"
#include "runtime/checks/findings_writer.hpp"
#include "runtime/detect/promoted_accesses.hpp"
#include "runtime/detect/races.hpp"
#include "runtime/process/own_process.hpp"
#include "runtime/sched/inspection.hpp"
#include "runtime/sched/scheduler.hpp"
#include "runtime/serve/checkpoint_policy.hpp"
#include "runtime/sync/would_write.hpp"

namespace lockstep::rt {

namespace {

// Spins only briefly before sleeping: pauses are long on recent processors, and spinning takes a core from other
// processes.
constexpr unsigned kSpins = 4;

char* channel_bytes(uint64_t offset) { return reinterpret_cast<char*>(runtime.channel) + offset; }

}  // namespace

// --- reading plans ---

// The next plan, or nullptr when the driver requests a stop. Before sleeping, wakes the driver if there are traces to
// read.
const PlanHeader* next_plan() {
  Ring& plans = runtime.channel->plans;
  Ring& traces = runtime.channel->traces;
  for (unsigned spins = 0;; ++spins) {
    if (const char* message = front(plans, channel_bytes(plans.offset)))
      return reinterpret_cast<const PlanHeader*>(message);
    if (runtime.channel->stop.load(std::memory_order_acquire)) return nullptr;
    if (spins < kSpins) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      continue;
    }
    if (traces.reader_sleeps.load(std::memory_order_seq_cst)) ring_bell(traces);
    const uint32_t bell = plans.bell.load(std::memory_order_acquire);
    plans.reader_sleeps.store(1, std::memory_order_seq_cst);
    if (plans.written.load(std::memory_order_seq_cst) == plans.read.load(std::memory_order_relaxed) &&
        !runtime.channel->stop.load(std::memory_order_acquire)) {
      timespec limit{1, 0};  // detects that the driver has died
      futex_wait(&plans.bell, bell, &limit);
    }
    plans.reader_sleeps.store(0, std::memory_order_relaxed);
  }
}

// The following plan, if the driver has sent one.
const PlanHeader* plan_after(const PlanHeader* plan) {
  const Ring& plans = runtime.channel->plans;
  uint64_t position = plans.read.load(std::memory_order_relaxed) + plan->bytes;
  return reinterpret_cast<const PlanHeader*>(message_at(plans, channel_bytes(plans.offset), position));
}

// Rings no bell: the driver never waits for room.
void plan_done(const PlanHeader* plan) { pop(runtime.channel->plans, plan->bytes); }

// --- writing traces ---

namespace {

// Room for a message; waits until the driver has read enough.
char* trace_room(const RingSlot& slot) {
  Ring& ring = runtime.channel->traces;
  while (!fits(ring, slot)) {
    if (ring.reader_sleeps.load(std::memory_order_seq_cst)) ring_bell(ring);
    const uint32_t space = ring.space.load(std::memory_order_acquire);
    ring.writer_sleeps.store(1, std::memory_order_seq_cst);
    if (!fits(ring, slot)) {
      timespec limit{1, 0};
      futex_wait(&ring.space, space, &limit);
    }
    ring.writer_sleeps.store(0, std::memory_order_relaxed);
    if (runtime.channel->stop.load(std::memory_order_acquire)) sys(SYS_exit_group, 0);
  }
  return open_slot(ring, channel_bytes(ring.offset), slot);
}

void wait_for_big_area() {
  Channel& channel = *runtime.channel;
  while (channel.big_busy.load(std::memory_order_acquire)) {
    if (channel.traces.reader_sleeps.load(std::memory_order_seq_cst)) ring_bell(channel.traces);
    timespec limit{1, 0};
    futex_wait(&channel.big_busy, 1, &limit);
    if (channel.stop.load(std::memory_order_acquire)) sys(SYS_exit_group, 0);
  }
  channel.big_busy.store(1, std::memory_order_relaxed);
}

void publish_trace(const RingSlot& slot) {
  Ring& ring = runtime.channel->traces;
  publish(ring, slot);
  const uint64_t messages = ring.messages.load(std::memory_order_relaxed) + 1;
  ring.messages.store(messages, std::memory_order_release);
  if (ring.reader_sleeps.load(std::memory_order_seq_cst) && messages >= ring.wake_at.load(std::memory_order_relaxed))
    ring_bell(ring);
}

// The search names objects by the common names of overlapping accesses.
void name_objects(Step* steps, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const Operation op = promoted.canonical(steps[i].operation());
    steps[i].object = op.object;
    steps[i].second = op.second;
  }
}

uint32_t find_pending(Step* pending) {
  Scheduler& s = scheduler();
  uint32_t count = 0;
  s.live.for_each(s.words(), [&](ThreadId t) {
    if (!s.thread(t).parked) return;
    Step& p = pending[count++] = next_step(s.thread(t));
    p.thread = t;
    p.enabled = 0;
    p.flags = static_cast<uint8_t>(s.enabled.contains(t) ? p.flags & ~Step::kBlocked : p.flags | Step::kBlocked);
    if (would_write(p)) p.flags |= Step::kWrite;
  });
  return count;
}

Reasons reasons_of(const Step* pending, uint32_t count) {
  Reasons all = scheduler().reasons;
  switch (scheduler().outcome) {  // it did not end, or no thread could run
    case Outcome::Deadlock:
    case Outcome::StepLimit:
    case Outcome::Livelock:
    case Outcome::Redundant:
    case Outcome::Diverged: return all;
    default: break;
  }
  for (uint32_t i = 0; i < count; ++i)
    if (!(pending[i].flags & Step::kBlocked)) all.add(Reason::EarlyExit);
  return all;
}

TraceHeader describe_trace(uint64_t plan_id, const Step* pending, uint32_t pending_count) {
  const Scheduler& s = scheduler();
  TraceHeader header{};
  header.version = kTraceVersion;
  header.outcome = s.outcome;
  header.detail = s.detail;
  header.plan_id = plan_id;
  header.brief = s.first_kept > 0;
  header.steps = header.brief ? 0 : s.log_size;
  header.pending = pending_count;
  header.set_words = s.set_words;
  header.stack_words = s.stack_words;
  header.message_bytes = s.message_size;
  header.decisions = s.decisions;
  header.threads = s.created;
  header.redundancy = s.redundancy;
  header.last_rounds = s.last_rounds;
  header.delay = s.delay;
  header.culprit = s.culprit;
  header.code = s.code;
  header.fault_address = s.fault_address;
  header.output = s.output;
  header.races = race_detector.count;
  header.block_units = s.records_memory() ? s.blocks.units : 0;
  header.monitors = monitor_flags();
  header.reasons = reasons_of(pending, pending_count).bits();
  if (header.brief) {
    header.fingerprint = s.counted().fingerprint();
    header.preemptions = s.counted().preemptions();
    header.contested = s.counted().contested();
  }
  header.values = inspection.keeps_values && !header.brief ? step_values(s.log_size) : 0;
  written_allocations(&header.allocations);
  const size_t bytes = sizeof header + sizeof(Step) * (size_t{header.steps} + pending_count) +
                       8 * (size_t{s.set_words} + s.stack_words) + s.message_size;
  header.bytes = static_cast<uint32_t>(((bytes + 7) & ~size_t{7}) + sizeof(Touched) * header.block_units +
                                       sizeof(DataRace) * header.races + sizeof(Allocation) * header.allocations +
                                       sizeof(StepValues) * header.values);
  return header;
}

// Memory for a trace too large for the ring: only its header is written to `in_ring`.
char* room_elsewhere(const TraceHeader& header, uint32_t size, char* in_ring) {
  if (size > runtime.channel->big_capacity) die("a trace is larger than the channel");
  TraceHeader stub = header;
  stub.wire = TraceHeader::kElsewhere;
  copy_bytes(in_ring, &stub, sizeof stub);
  wait_for_big_area();
  return channel_bytes(runtime.channel->big_offset);
}

// Writes the last sections of a trace, which end at `end`.
void write_findings_sections(const TraceHeader& header, char* end) {
  const size_t touched = sizeof(Touched) * header.block_units, races = sizeof(DataRace) * header.races;
  const size_t allocations = sizeof(Allocation) * header.allocations, values = sizeof(StepValues) * header.values;
  if (LIKELY(!(touched | races | allocations | values))) return;
  char* tail = end - touched - races - allocations - values;
  if (touched) copy_bytes(tail, scheduler().blocks.out(), touched);
  copy_bytes(tail + touched, race_detector.found, races);
  uint32_t count;
  copy_bytes(tail + touched + races, written_allocations(&count), allocations);
  copy_bytes(end - values, inspection.values, values);
}

}  // namespace

void write_trace(uint64_t plan_id) {
  Scheduler& s = scheduler();
  Step pending[kMaxThreads];
  const uint32_t pending_count = find_pending(pending);
  TraceHeader header = describe_trace(plan_id, pending, pending_count);
  // Omits the part that equals the previous trace.
  TraceSuffix suffix{checkpoint_policy().same_records(), checkpoint_policy().same_set_words()};
  if (suffix.records) header.wire |= TraceHeader::kSuffix;
  if (checkpoint_policy().any()) header.wire |= TraceHeader::kKept;
  const uint32_t size = wire_size(header, suffix);
  const bool big = UNLIKELY(size > runtime.channel->traces.capacity / 4);
  const RingSlot slot = next_slot(runtime.channel->traces, big ? static_cast<uint32_t>(sizeof header) : size);
  char* out = trace_room(slot);
  if (big) out = room_elsewhere(header, size, out);
  write_findings_sections(header, out + size);
  auto put = [&out](const void* data, size_t bytes) {
    copy_bytes(out, data, bytes);
    out += bytes;
  };
  put(&header, sizeof header);
  if (suffix.records) put(&suffix, sizeof suffix);
  auto* steps = reinterpret_cast<Step*>(out);
  put(s.log + suffix.records, sizeof(Step) * (header.steps - suffix.records));
  put(pending, sizeof(Step) * pending_count);
  if (UNLIKELY(promoted.aliased())) name_objects(steps, header.steps - suffix.records + pending_count);
  if (s.set_words) put(s.sets + suffix.set_words, 8 * size_t{s.set_words - suffix.set_words});
  if (s.stack_words) put(s.stacks, 8 * size_t{s.stack_words});
  if (s.message_size) {
    put(s.message, s.message_size);
    const uint64_t nothing = 0;  // padding
    put(&nothing, -s.message_size & 7);
  }
  publish_trace(slot);
}

// A hash of the whole trace.
uint64_t digest_of_trace() {
  Scheduler& s = scheduler();
  Step pending[kMaxThreads];
  const uint32_t pending_count = find_pending(pending);
  const TraceHeader header = describe_trace(0, pending, pending_count);
  uint64_t hash = 0x9e3779b97f4a7c15ull;
  auto add = [&hash](const void* data, size_t bytes) {
    const auto* at = static_cast<const char*>(data);
    for (size_t i = 0; i < bytes; i += 8) {
      uint64_t word = 0;
      copy_bytes(&word, at + i, bytes - i < 8 ? bytes - i : 8);
      hash = (hash ^ word) * 0x2127599bf4325c37ull;
      hash ^= hash >> 47;
    }
  };
  add(&header, sizeof header);
  add(s.log, sizeof(Step) * header.steps);
  add(pending, sizeof(Step) * pending_count);
  add(s.sets, 8 * size_t{s.set_words});
  add(s.message, s.message_size);
  add(race_detector.found, sizeof(DataRace) * header.races);
  uint32_t allocations;
  const Allocation* written = written_allocations(&allocations);
  add(written, sizeof(Allocation) * allocations);
  return hash;
}

}  // namespace lockstep::rt
