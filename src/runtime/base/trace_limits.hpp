// Sizes of the parts of a trace other than its steps. All of it is virtual memory, committed only as it is used.
#pragma once
#include <cstddef>
#include <cstdint>

namespace lockstep::rt {
constexpr size_t kSetWords = 1ull << 26;    // for wide traces
constexpr size_t kStackWords = 1ull << 24;  // for detailed traces
constexpr size_t kDeepest = 64;             // frames per stack
constexpr size_t kNotesRoom = 1ull << 16;
// Records that are counted together if they are not kept. At least this many before the newest one are kept.
constexpr uint32_t kCountedTogether = 1u << 16;
}  // namespace lockstep::rt
