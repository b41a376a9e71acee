// A vector that uses large memory pages once it is large, if the system has them: random accesses then cause fewer page
// faults and cache misses.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace lockstep {

template <class T>
struct LargePages {
  using value_type = T;
  static constexpr size_t kPage = size_t{2} << 20, kLarge = 2 * kPage;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}
  template <class U>
  bool operator==(const LargePages<U>&) const {
    return true;
  }

  T* allocate(size_t count) {
    const size_t bytes = count * sizeof(T);
    if (bytes < kLarge) return static_cast<T*>(::operator new(bytes));
    const size_t wanted = whole_pages(bytes), reserved = wanted + kPage;
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;  // unused reserve costs nothing
    void* room = ::mmap(nullptr, reserved, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (room == MAP_FAILED) throw std::bad_alloc();
    char* const begin = static_cast<char*>(room);
    const size_t before = (kPage - reinterpret_cast<uintptr_t>(begin) % kPage) % kPage;
    if (before > 0) ::munmap(begin, before);
    if (before < kPage) ::munmap(begin + before + wanted, kPage - before);
    ::madvise(begin + before, wanted, MADV_HUGEPAGE);  // a hint: without such pages the memory is ordinary
    return reinterpret_cast<T*>(begin + before);
  }
  void deallocate(T* at, size_t count) {
    const size_t bytes = count * sizeof(T);
    if (bytes < kLarge)
      ::operator delete(at);
    else
      ::munmap(at, whole_pages(bytes));
  }

 private:
  static size_t whole_pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }
};

template <class T>
using LargeVector = std::vector<T, LargePages<T>>;

// Call before adding an element. A vector that is already large reserves many times its size, because moving it fills
// all of its pages again. If there is no such room, it grows as usual.
template <class T>
void make_room_for_one(LargeVector<T>& values) {
  constexpr size_t kTimes = 64;
  if (values.size() < values.capacity() || values.size() * sizeof(T) < LargePages<T>::kLarge) return;
  try {
    values.reserve(kTimes * values.size());
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace lockstep
