// Creates and maps shared memory.
#include "target/shared_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace lockstep {
namespace {

std::string reason() {
  return errno == EFBIG ? "the limit on the size of files is too low (ulimit -f)" : std::strerror(errno);
}

}  // namespace

Result<SharedMemory> SharedMemory::create(const char* name, size_t bytes) {
  SharedMemory m;
  m.fd_ = memfd_create(name, MFD_CLOEXEC);
  if (m.fd_ < 0 || ftruncate(m.fd_, static_cast<off_t>(bytes)) != 0)
    return Error{ExitCode::Uncontrolled, "cannot create shared memory: " + reason()};
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, m.fd_, 0);
  if (p == MAP_FAILED) return Error{ExitCode::Uncontrolled, "cannot map shared memory: " + reason()};
  m.data_ = p;
  m.bytes_ = bytes;
  return m;
}

void SharedMemory::swap(SharedMemory& other) {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(fd_, other.fd_);
}

SharedMemory::~SharedMemory() {
  if (data_) munmap(data_, bytes_);
  if (fd_ >= 0) close(fd_);
}

}  // namespace lockstep
