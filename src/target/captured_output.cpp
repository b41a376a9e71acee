// Creates and reads the file that captures output.
#include "target/captured_output.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace lockstep {

CapturedOutput::~CapturedOutput() {
  if (fd_ >= 0) close(fd_);
}

bool CapturedOutput::create() { return (fd_ = memfd_create("lockstep-output", MFD_CLOEXEC)) >= 0; }

bool CapturedOutput::clear() const { return ftruncate(fd_, 0) == 0 && lseek(fd_, 0, SEEK_SET) == 0; }

std::string CapturedOutput::text() const {
  std::string text(static_cast<size_t>(std::max<off_t>(0, lseek(fd_, 0, SEEK_END))), '\0');
  const ssize_t n = pread(fd_, text.data(), text.size(), 0);
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return text;
}

}  // namespace lockstep
