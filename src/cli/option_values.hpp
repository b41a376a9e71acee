// Values of options as users write them: "1,000" is not a number, "5m" is a duration, "2GiB" is a size.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

std::optional<uint64_t> parse_number(std::string_view text);                     // decimal digits only
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);  // 500ms, 30s, 5m, 1h, 1.5h
std::optional<uint64_t> parse_size(std::string_view text);  // bytes, or with k, kB, KiB, M, MB, MiB, G, GB, GiB, T...
std::optional<bool> parse_bool(std::string_view text);      // true, false, yes, no, on, off, 1, 0

// The contents of a regular file; none if it cannot be read.
std::optional<std::string> read_text_file(const std::string& path);

}  // namespace lockstep
