// Memory shared between the driver and its workers.
#pragma once
#include <cstddef>

#include "model/result.hpp"

namespace lockstep {

// Memory shared with other processes through an inherited descriptor.
class SharedMemory {
 public:
  SharedMemory() = default;
  static Result<SharedMemory> create(const char* name, size_t bytes);
  SharedMemory(SharedMemory&& other) noexcept { swap(other); }
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SharedMemory();
  void* data() const { return data_; }
  int fd() const { return fd_; }

 private:
  void swap(SharedMemory& other);
  void* data_ = nullptr;
  size_t bytes_ = 0;
  int fd_ = -1;
};

}  // namespace lockstep
