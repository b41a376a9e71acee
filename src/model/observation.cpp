// Prints values of scalars by their type.
#include "model/observation.hpp"

#include <cstdio>
#include <cstring>

namespace lockstep {
namespace {

std::string float_text(uint64_t bits, unsigned size) {
  char text[40];
  if (size == 4) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    std::snprintf(text, sizeof text, "%g", static_cast<double>(value));
  } else {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    std::snprintf(text, sizeof text, "%g", value);
  }
  return text;
}

int64_t sign_extended(uint64_t bits, unsigned size) {
  const unsigned shift = size >= 8 || size == 0 ? 0 : 64 - 8 * size;
  return static_cast<int64_t>(bits << shift) >> shift;
}

std::string hex(uint64_t bits) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(bits));
  return text;
}

}  // namespace

std::string value_text(uint64_t bits, const ValueType& type) {
  switch (type.kind) {
    case ValueType::Bool: return bits & 0xff ? "true" : "false";
    case ValueType::Signed: return std::to_string(sign_extended(bits, type.size));
    case ValueType::Character:
      if (type.size == 1 && bits >= 0x20 && bits < 0x7f) return std::string("'") + static_cast<char>(bits) + "'";
      return std::to_string(sign_extended(bits, type.size));
    case ValueType::Float: return float_text(bits, type.size);
    case ValueType::Pointer: return bits == 0 ? "nullptr" : hex(bits);
    case ValueType::Enum:
      for (const auto& [value, name] : type.enumerators)
        if (value == bits) return name;
      return std::to_string(sign_extended(bits, type.size));
    case ValueType::Unknown:
    case ValueType::Unsigned: break;
  }
  return bits >> 40 ? hex(bits) : std::to_string(bits);  // without a type, large values look like addresses
}

}  // namespace lockstep
