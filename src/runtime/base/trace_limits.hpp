// Room for what a trace holds besides its steps. All of it is virtual memory, touched only as far as it is used.
#pragma once
#include <cstddef>
#include <cstdint>

namespace lockstep::rt {
constexpr size_t kSetWords = 1ull << 26;    // by wide traces
constexpr size_t kStackWords = 1ull << 24;  // by detailed ones
constexpr size_t kDeepest = 64;             // frames of a stack
constexpr size_t kNotesRoom = 1ull << 16;
// Records that are counted at a time where they are not kept. At least as many before the newest one stay.
constexpr uint32_t kCountedTogether = 1u << 16;
}  // namespace lockstep::rt
