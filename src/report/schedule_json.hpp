// Definitions that the writer and the reader of schedule files share. Private to them.
#pragma once
#include <fmt/format.h>
#include <xxhash.h>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::schedule_json {

using Json = nlohmann::ordered_json;

inline constexpr const char* kMagic = "lockstep-schedule";
inline constexpr const char* kChecksum = "checksum";
inline constexpr std::string_view kIsolations[] = {"auto", "loop", "reset", "fork"};
inline constexpr std::string_view kBackends[] = {"auto", "fiber", "os-thread"};
inline constexpr std::string_view kPoints[] = {"auto", "sync", "atomics", "racy", "all"};
inline constexpr std::string_view kTimeouts[] = {"stuck", "cost", "always"};
inline constexpr std::string_view kPolicies[] = {"default", "random", "round-robin", "pct", "pos",
                                                 "guided",  "blocks", "priorities",  "surw"};

inline std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

inline std::string to_hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}
inline std::optional<std::string> from_hex(std::string_view text) {
  std::string bytes;
  if (text.size() % 2 != 0) return std::nullopt;
  for (size_t i = 0; i < text.size(); i += 2) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    if (error != std::errc{} || end != text.data() + i + 2) return std::nullopt;
    bytes += static_cast<char>(value);
  }
  return bytes;
}

// The checksum of the content without the checksum, independent of white space.
inline std::string checksum_of(Json json) {
  json.erase(kChecksum);
  const std::string text = dump(json);
  return fmt::format("xxh3:{:016x}", XXH3_64bits(text.data(), text.size()));
}

}  // namespace lockstep::schedule_json
