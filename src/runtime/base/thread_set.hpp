// A set of threads. Programs rarely have more than 64 threads, so callers use only word[0] while `words` is 1.
#pragma once
#include "model/ids.hpp"
#include "runtime/base/system.hpp"

namespace lockstep::rt {

struct ThreadSet {
  static constexpr unsigned kWords = kMaxThreads / 64;
  uint64_t word[kWords];

  void add(ThreadId t) { word[index_of(t) / 64] |= 1ull << (index_of(t) % 64); }
  void remove(ThreadId t) { word[index_of(t) / 64] &= ~(1ull << (index_of(t) % 64)); }
  void put(ThreadId t, bool in) { in ? add(t) : remove(t); }
  bool contains(ThreadId t) const { return word[index_of(t) / 64] >> (index_of(t) % 64) & 1; }
  // Copies only the words in use. Word by word, because a vector load of words just written is slow.
  void copy(const ThreadSet& other, unsigned words) {
    word[0] = other.word[0];
    for (unsigned i = 1; i < words; ++i) word[i] = other.word[i];
  }
  void clear(unsigned words) {
    word[0] = 0;
    for (unsigned i = 1; UNLIKELY(i < words); ++i) word[i] = 0;  // UNLIKELY avoids a call of memset, which is slower
  }
  bool empty(unsigned words) const {
    for (unsigned i = 0; i < words; ++i)
      if (word[i]) return false;
    return true;
  }
  unsigned size(unsigned words) const {
    unsigned n = 0;
    for (unsigned i = 0; i < words; ++i) n += static_cast<unsigned>(__builtin_popcountll(word[i]));
    return n;
  }
  // The n-th member, ascending. The set must have more than n members.
  ThreadId nth(unsigned n) const {
    for (unsigned i = 0;; ++i) {
      const unsigned here = static_cast<unsigned>(__builtin_popcountll(word[i]));
      if (n >= here) {
        n -= here;
        continue;
      }
      uint64_t bits = word[i];
      while (n--) bits &= bits - 1;
      return ThreadId(i * 64 + static_cast<unsigned>(__builtin_ctzll(bits)));
    }
  }
  // The smallest member not below `from`, or kNoThread.
  ThreadId from(unsigned first, unsigned words) const {
    for (unsigned i = first / 64; i < words; ++i) {
      uint64_t bits = word[i];
      if (i == first / 64) bits &= ~0ull << (first % 64);
      if (bits) return ThreadId(i * 64 + static_cast<unsigned>(__builtin_ctzll(bits)));
    }
    return kNoThread;
  }
  template <class F>
  void for_each(unsigned words, F&& visit) const {
    for (unsigned i = 0; i < words; ++i)
      for (uint64_t bits = word[i]; bits; bits &= bits - 1)
        visit(ThreadId(i * 64 + static_cast<unsigned>(__builtin_ctzll(bits))));
  }
};

}  // namespace lockstep::rt
