// What the driver saw in a detailed execution beside the trace: what objects are called and what type they have, and
// the variables of a failed assertion. Plain data, so that reports need no program.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/ids.hpp"

namespace lockstep {

// How the bytes of a scalar are shown.
struct ValueType {
  enum Kind : uint8_t { Unknown, Bool, Signed, Unsigned, Character, Float, Pointer, Enum };
  Kind kind = Unknown;
  uint8_t size = 0;
  std::vector<std::pair<uint64_t, std::string>> enumerators = {};  // Enum
};

std::string value_text(uint64_t bits, const ValueType& type);  // "true", "-3", "nullptr", "kClosed"

struct ObservedObject {
  std::string name;
  ValueType type;
  uint32_t since = 0;  // record from which on it is called that: memory of the stack is used again
};

struct Operand {
  std::string name, value;
};

struct Observations {
  std::map<ObjectId, std::vector<ObservedObject>> objects;  // ascending by `since`
  std::vector<Operand> operands;                            // of the failed assertion, in the order it names them

  const ObservedObject* find(ObjectId object, uint32_t step) const {
    const auto at = objects.find(object);
    if (at == objects.end()) return nullptr;
    const ObservedObject* best = &at->second.front();
    for (const ObservedObject& seen : at->second)
      if (seen.since <= step) best = &seen;
    return best;
  }
};

}  // namespace lockstep
