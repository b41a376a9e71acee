// Copies standard input into a file.
#include "target/standard_input.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <string_view>

namespace lockstep {
namespace {

constexpr int kSilent = 2'000;    // milliseconds without data, after which the input counts as empty
constexpr int kStalled = 30'000;  // the limit after the first data

// Names of functions that read standard input, as they stand in the program's symbol table.
bool can_read_input(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  using namespace std::string_view_literals;
  for (std::string_view name :
       {"\0_ZSt3cin\0"sv, "\0_ZSt4wcin\0"sv, "\0stdin\0"sv, "\0read\0"sv, "\0readv\0"sv, "\0scanf\0"sv,
        "\0__isoc99_scanf\0"sv, "\0__isoc23_scanf\0"sv, "\0getchar\0"sv, "\0getchar_unlocked\0"sv, "\0gets\0"sv,
        "\0poll\0"sv, "\0select\0"sv, "\0epoll_ctl\0"sv})
    if (bytes.find(name) != std::string::npos) return true;
  return false;
}

}  // namespace

ProgramInput::~ProgramInput() {
  if (fd_ >= 0) close(fd_);
}

bool ProgramInput::append(const char* data, size_t size) {
  while (size > 0) {
    const ssize_t n = write(fd_, data, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    data += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

void ProgramInput::read_pipe(int first_patience_ms) {
  int patience = first_patience_ms;
  for (char chunk[65536];;) {
    pollfd p{0, POLLIN, 0};
    const int ready = poll(&p, 1, patience);
    if (ready < 0 && errno == EINTR) return;  // Ctrl-C
    if (ready == 0) {
      if (first_patience_ms > 0)
        warning_ =
            "standard input is an open pipe without new data: the program reads what arrived so far, then end of file";
      return;
    }
    const ssize_t n = read(0, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    if (!append(chunk, static_cast<size_t>(n))) {
      warning_ = "standard input is too large: the program reads only its beginning";
      return;
    }
    if (first_patience_ms > 0) patience = kStalled;
  }
}

std::shared_ptr<const ProgramInput> ProgramInput::from_standard_input(const std::string& program) {
  std::shared_ptr<ProgramInput> input(new ProgramInput);
  struct stat info {};
  if (fstat(0, &info) != 0) return input;
  if (isatty(0)) {
    if (can_read_input(program))
      input->warning_ = "standard input is a terminal: the program reads end of file; use < FILE for input";
    return input;
  }
  if (S_ISCHR(info.st_mode)) return input;  // /dev/null
  input->fd_ = memfd_create("lockstep-input", MFD_CLOEXEC);
  if (input->fd_ < 0) return input;
  if (S_ISREG(info.st_mode)) {
    off_t at = lseek(0, 0, SEEK_CUR);
    for (ssize_t n; at >= 0;) {
      char chunk[65536];
      if ((n = pread(0, chunk, sizeof chunk, at)) <= 0) break;
      if (!input->append(chunk, static_cast<size_t>(n))) {
        input->warning_ = "standard input is too large: the program reads only its beginning";
        break;
      }
      at += n;
    }
  } else {
    input->read_pipe(can_read_input(program) ? kSilent : 0);
  }
  return input;
}

std::shared_ptr<const ProgramInput> ProgramInput::of(const std::string& bytes) {
  std::shared_ptr<ProgramInput> input(new ProgramInput);
  input->fd_ = memfd_create("lockstep-input", MFD_CLOEXEC);
  if (input->fd_ >= 0) input->append(bytes.data(), bytes.size());
  return input;
}

std::string ProgramInput::bytes(size_t most) const {
  struct stat info {};
  if (fd_ < 0 || fstat(fd_, &info) != 0 || static_cast<size_t>(info.st_size) > most) return {};
  std::string text(static_cast<size_t>(info.st_size), '\0');
  const ssize_t n = pread(fd_, text.data(), text.size(), 0);
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return text;
}

}  // namespace lockstep
