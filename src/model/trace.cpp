// Reads and builds trace messages.
#include "model/trace.hpp"

#include <iterator>

namespace lockstep {

const char* name_of(Outcome outcome) {
  static constexpr const char* kNames[] = {"ok",        "assertion", "abort",       "exception",    "crash",
                                           "exit-code", "deadlock",  "lock-misuse", "double-free",  "step-limit",
                                           "livelock",  "redundant", "diverged",    "uncontrolled", "worker-died"};
  static_assert(std::size(kNames) == static_cast<size_t>(Outcome::kCount));
  return outcome < Outcome::kCount ? kNames[static_cast<size_t>(outcome)] : "?";
}

bool is_whole(Outcome outcome) {
  switch (outcome) {
    case Outcome::StepLimit:
    case Outcome::Redundant:
    case Outcome::Diverged:
    case Outcome::Uncontrolled:
    case Outcome::WorkerDied: return false;
    default: return true;
  }
}

std::vector<std::span<const uint64_t>> TraceView::all_stacks() const {
  std::vector<std::span<const uint64_t>> stacks;
  const uint64_t* word = sets().data() + header().set_words;
  const uint64_t* end = word + header().stack_words;
  while (word < end && word + 1 + *word <= end) {
    stacks.emplace_back(word + 1, *word);
    word += 1 + *word;
  }
  return stacks;
}

Trace TraceBuilder::build() {
  header.version = kTraceVersion;
  header.steps = static_cast<uint32_t>(steps.size());
  header.pending = static_cast<uint32_t>(pending.size());
  header.set_words = static_cast<uint32_t>(sets.size());
  header.stack_words = static_cast<uint32_t>(stacks.size());
  header.message_bytes = static_cast<uint32_t>(message.size());
  size_t bytes = sizeof(TraceHeader) + sizeof(Step) * (steps.size() + pending.size()) +
                 8 * (sets.size() + stacks.size()) + message.size();
  const size_t before_blocks = (bytes + 7) & ~size_t{7};
  const size_t before_races = before_blocks + sizeof(Touched) * blocks.size();
  header.block_units = static_cast<uint32_t>(blocks.size());
  header.races = static_cast<uint32_t>(races.size());
  header.allocations = static_cast<uint32_t>(allocations.size());
  header.values = static_cast<uint32_t>(values.size());
  header.bytes = static_cast<uint32_t>(before_races + sizeof(DataRace) * races.size() +
                                       sizeof(Allocation) * allocations.size() + sizeof(StepValues) * values.size());
  Trace trace;
  trace.bytes_ = std::make_shared<std::vector<uint64_t>>(header.bytes / 8);
  char* out = reinterpret_cast<char*>(trace.bytes_->data());
  auto put = [&out](const void* data, size_t size) {
    if (size) std::memcpy(out, data, size);
    out += size;
  };
  put(&header, sizeof header);
  put(steps.data(), sizeof(Step) * steps.size());
  put(pending.data(), sizeof(Step) * pending.size());
  put(sets.data(), 8 * sets.size());
  put(stacks.data(), 8 * stacks.size());
  put(message.data(), message.size());
  out = reinterpret_cast<char*>(trace.bytes_->data()) + before_blocks;
  put(blocks.data(), sizeof(Touched) * blocks.size());
  put(races.data(), sizeof(DataRace) * races.size());
  put(allocations.data(), sizeof(Allocation) * allocations.size());
  put(values.data(), sizeof(StepValues) * values.size());
  return trace;
}

Trace trace_without_steps(uint64_t plan_id, Outcome outcome, std::string_view message,
                          const std::vector<uint64_t>& stack) {
  TraceBuilder builder;
  builder.header.plan_id = plan_id;
  builder.header.outcome = outcome;
  builder.header.culprit = kNoThread;
  builder.message = message;
  if (!stack.empty()) {
    builder.stacks.assign(1, stack.size());
    builder.stacks.insert(builder.stacks.end(), stack.begin(), stack.end());
    builder.header.detail = 1;
  }
  return builder.build();
}

}  // namespace lockstep
