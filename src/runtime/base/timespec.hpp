// Conversions of the C library's time types.
#pragma once
#include <stdint.h>
#include <time.h>

namespace lockstep::rt {

inline constexpr uint64_t kSecond = 1'000'000'000;  // in nanoseconds

inline bool has_valid_nanoseconds(const timespec& t) {
  return t.tv_nsec >= 0 && t.tv_nsec < static_cast<long>(kSecond);
}
inline bool is_valid(const timespec& t) { return t.tv_sec >= 0 && has_valid_nanoseconds(t); }

inline uint64_t nanoseconds(const timespec& t) {  // of a non-negative time; limits it to centuries
  constexpr uint64_t kMostSeconds = 9'000'000'000;
  const auto seconds = static_cast<uint64_t>(t.tv_sec);
  if (seconds > kMostSeconds) return kMostSeconds * kSecond;
  return seconds * kSecond + static_cast<uint64_t>(t.tv_nsec);
}

}  // namespace lockstep::rt
