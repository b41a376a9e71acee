// Parses numbers, durations and sizes.
#include "cli/option_values.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace lockstep {
namespace {

// "1.5h" is {1.5, "h"}; nullopt without digits, with a sign, or if the number is not finite.
struct Quantity {
  double amount;
  std::string_view unit;
};
std::optional<Quantity> split(std::string_view text) {
  size_t digits = 0;
  while (digits < text.size() && ((text[digits] >= '0' && text[digits] <= '9') || text[digits] == '.')) ++digits;
  double amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, amount, std::chars_format::fixed);
  if (digits == 0 || error != std::errc{} || end != text.data() + digits || !std::isfinite(amount)) return std::nullopt;
  return Quantity{amount, text.substr(digits)};
}

}  // namespace

std::optional<uint64_t> parse_number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto quantity = split(text);
  if (!quantity) return std::nullopt;
  constexpr std::pair<std::string_view, double> kUnits[] = {{"ms", 1},     {"s", 1e3},    {"m", 60e3},
                                                            {"min", 60e3}, {"h", 3600e3}, {"d", 86400e3}};
  for (const auto& [unit, milliseconds] : kUnits)
    if (unit == quantity->unit && quantity->amount * milliseconds < 1e15)
      return std::chrono::milliseconds(static_cast<int64_t>(quantity->amount * milliseconds));
  return std::nullopt;
}

std::optional<uint64_t> parse_size(std::string_view text) {
  const auto quantity = split(text);
  if (!quantity) return std::nullopt;
  constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1},
                                                            {"B", 1},
                                                            {"k", 1024},
                                                            {"K", 1024},
                                                            {"kB", 1e3},
                                                            {"KB", 1e3},
                                                            {"KiB", 1024},
                                                            {"M", 1048576},
                                                            {"MB", 1e6},
                                                            {"MiB", 1048576},
                                                            {"G", 1073741824},
                                                            {"GB", 1e9},
                                                            {"GiB", 1073741824},
                                                            {"T", 1099511627776.0},
                                                            {"TB", 1e12},
                                                            {"TiB", 1099511627776.0}};
  for (const auto& [unit, bytes] : kUnits)
    if (unit == quantity->unit && quantity->amount * bytes < 1e18)
      return static_cast<uint64_t>(quantity->amount * bytes);
  return std::nullopt;
}

std::optional<bool> parse_bool(std::string_view text) {
  for (std::string_view yes : {"true", "yes", "on", "1"})
    if (text == yes) return true;
  for (std::string_view no : {"false", "no", "off", "0"})
    if (text == no) return false;
  return std::nullopt;
}

std::optional<std::string> read_text_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return in ? std::optional(text.str()) : std::nullopt;
}

}  // namespace lockstep
