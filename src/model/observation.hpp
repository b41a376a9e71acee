// What the driver saw in a detailed execution besides the trace: names and types of objects, and the variables of a
// failed assertion. Plain data, so that reports do not need the program.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/ids.hpp"

namespace lockstep {

// How to print the bytes of a scalar.
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
  uint64_t begin = 0;  // of the named object: several words of a container have one name
  uint32_t since = 0;  // first record from which the object has this name: stack memory is reused
};

struct Operand {
  std::string name, value;
};

struct Observations {
  std::map<ObjectId, std::vector<ObservedObject>> objects;  // ascending by `since`
  std::vector<Operand> operands;                            // of the failed assertion, in its order

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
