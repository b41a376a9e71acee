// Spells variables and matches spellings.
#include "report/variable_name.hpp"

#include <fnmatch.h>
#include <string_view>

#include "model/text_lines.hpp"
#include "report/user_frames.hpp"

namespace lockstep {

VariableNames::VariableNames(TraceView trace, std::span<const std::span<const uint64_t>> stacks, Symbols& symbols)
    : blocks_(trace), stacks_(stacks), symbols_(symbols) {}

std::string VariableNames::of(ObjectId object) const {
  const auto address = static_cast<uint64_t>(object);
  const Allocation* block = symbols_.is_named(object) ? nullptr : blocks_.at(address);
  if (block == nullptr || block->pc == 0) return symbols_.describe(object);
  const bool known = block->stack && block->stack <= stacks_.size() && !stacks_[block->stack - 1].empty();
  const auto stack = known ? stacks_[block->stack - 1] : std::span<const uint64_t>{&block->pc, 1};
  const auto frame = innermost_user_frame(stack, symbols_);
  if (!frame) return symbols_.describe(object);
  const std::string place = short_place(frame->where);
  std::string name = kHeapSpelling + (place.empty() ? frame->where.function : place);
  if (block->thread != kMainThread) name += " by " + name_of(block->thread);
  if (block->iteration) name += " #" + std::to_string(block->iteration + 1);
  name += offset_suffix(address - block->begin);
  return name;
}

bool spells_variable(const std::string& wanted, const std::string& name) {
  // The characters before which a part may end: a field, an element, an offset, and the details of a heap block.
  const bool heap = name.starts_with(kHeapSpelling);
  const std::string_view boundaries = heap ? "+# " : ".[+";
  const size_t first = heap ? std::string_view(kHeapSpelling).size() : 1;
  for (size_t end = first; end <= name.size(); ++end) {
    if (end < name.size() && boundaries.find(name[end]) == std::string_view::npos) continue;
    if (heap && end < name.size() && name[end] == '#') continue;  // the space before it is the boundary
    const std::string part = name.substr(0, end);
    if (wanted == part || fnmatch(wanted.c_str(), part.c_str(), 0) == 0) return true;
  }
  return false;
}

}  // namespace lockstep
