// Names of threads and objects. Both are independent of the schedule: the same thread or object has the same name in
// every execution of an exploration.
#pragma once
#include <compare>
#include <cstdint>

namespace lockstep {

// A thread, by creation path (parent, n-th child of that parent). Paths are interned to small numbers in the
// channel's ThreadTable; main is 0, its first child is usually 1.
enum class ThreadId : uint16_t {};
inline constexpr ThreadId kMainThread{0};
inline constexpr ThreadId kNoThread{0xffff};
inline constexpr unsigned kMaxThreads = 2048;

constexpr unsigned index_of(ThreadId t) { return static_cast<unsigned>(t); }

// A synchronisation object or variable: its address. Addresses are canonical because ASLR is off and heap
// memory comes from an arena per thread at a fixed place.
enum class ObjectId : uint64_t {};
inline constexpr ObjectId kNoObject{0};

}  // namespace lockstep
