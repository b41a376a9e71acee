// Hashes the kind and the code places of a finding.
#include "report/fingerprint.hpp"

#include <fmt/format.h>
#include <xxhash.h>
#include <algorithm>

#include "report/race_text.hpp"
#include "report/user_frames.hpp"

namespace lockstep {
namespace {

std::string signature(std::span<const uint64_t> stack, Symbols& symbols) {
  const auto frame = innermost_user_frame(stack, symbols);
  if (!frame) return "?";
  return fmt::format("{}|{}", frame->where.function, short_place(frame->where));
}

std::string without_numbers(std::string_view message) {
  std::string text;
  for (size_t i = 0; i < message.size();) {
    const bool hexadecimal = message.substr(i).starts_with("0x");
    const size_t end =
        message.find_first_not_of(hexadecimal ? "0123456789abcdef" : "0123456789", hexadecimal ? i + 2 : i);
    text += end == i ? message[i] : '#';
    i = end == i ? i + 1 : std::min(end, message.size());
  }
  return text;
}

// The places and message of a failure: the innermost frames, because many failures share a function that aborts, and
// the message without the parts that change from run to run.
std::string failure_signature(const Finding& finding, const TraceNames& names) {
  constexpr size_t kDepth = 3;
  std::string text;
  for (const Frame& frame : user_frames(names.stack_of_failure(), names.symbols())) {
    if (std::count(text.begin(), text.end(), '\n') == kDepth) break;
    text += fmt::format("{}|{}\n", frame.where.function, short_place(frame.where));
  }
  return text + without_numbers(finding.message);
}

bool about_all_threads(FindingKind kind) { return kind == FindingKind::Deadlock || kind == FindingKind::Livelock; }

}  // namespace

std::string fingerprint_of(const Finding& finding, const TraceNames& names) {
  const FindingKind kind = finding.kind;
  const std::optional<DataRace>& race = finding.race;
  std::vector<std::string> parts;
  if (about_all_threads(kind) && !race) {
    const auto pending = names.trace().pending();
    for (size_t i = 0; i < pending.size(); ++i)
      if (kind == FindingKind::Livelock || (pending[i].flags & Step::kBlocked))
        parts.push_back(
            fmt::format("{}|{}", name_of(pending[i].kind), signature(names.stack_of_pending(i), names.symbols())));
  } else if (race) {
    for (const RaceAccess* access : {&race->first, &race->second})
      parts.push_back(signature(stack_of(*access, names), names.symbols()));
  } else if (finding.allocation) {
    parts.push_back(signature(names.stack_of_allocation(*finding.allocation), names.symbols()));
  } else if (!finding.steps.empty() || !finding.lock_cycle.empty()) {
    for (const uint32_t step : finding.steps) parts.push_back(signature(names.stack_of_step(step), names.symbols()));
    for (const LockNesting& n : finding.lock_cycle)
      parts.push_back(signature(names.stack_of_step(n.step), names.symbols()));
  } else {
    parts.push_back(failure_signature(finding, names));
  }
  std::sort(parts.begin(), parts.end());  // independent of thread numbers
  std::string text = name_of(kind);
  for (const std::string& part : parts) text += "\n" + part;
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

}  // namespace lockstep
