// Converts the text of an option's value to its field.
#pragma once
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "cli/option_values.hpp"

namespace lockstep {

using Problem = std::optional<std::string>;  // what is wrong with it

template <class T>
Problem number_into(T& target, const std::string& text, uint64_t least) {
  const auto number = parse_number(text);
  if (!number || *number < least || *number > std::numeric_limits<T>::max())
    return fmt::format("'{}' is not a whole number of at least {}", text, least);
  target = static_cast<T>(*number);
  return std::nullopt;
}

template <class E, size_t N>
Problem choice_into(E& target, const std::string& text, const std::pair<const char*, E> (&choices)[N]) {
  std::string known;
  for (const auto& [name, value] : choices) {
    if (text == name) {
      target = value;
      return std::nullopt;
    }
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
  }
  return fmt::format("'{}' is not one of: {}", text, known);
}

inline Problem flag_into(bool& target, const std::string& text) {
  const auto value = parse_bool(text);
  if (!value) return fmt::format("'{}' is not true or false", text);
  target = *value;
  return std::nullopt;
}

}  // namespace lockstep
