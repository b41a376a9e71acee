// Opens and reads files named by a user.
#include "report/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace lockstep {

Result<std::string> read_input_file(const std::string& path, uint64_t most_bytes) {
  const auto bad = [&path](const std::string& why) { return Error{ExitCode::Usage, fmt::format("{} {}", path, why)}; };
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return bad(fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct Closer {
    int fd;
    ~Closer() { close(fd); }
  } closer{fd};
  struct stat info {};
  if (fstat(fd, &info) != 0) return bad(fmt::format("cannot be read: {}", std::strerror(errno)));
  if (S_ISDIR(info.st_mode)) return bad("is a directory");
  if (!S_ISREG(info.st_mode)) return bad("is not a regular file");
  if (static_cast<uint64_t>(info.st_size) > most_bytes)
    return bad(fmt::format("is larger than {} MiB", most_bytes >> 20));
  std::string text(static_cast<size_t>(info.st_size), '\0');
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t count = read(fd, text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return bad(fmt::format("cannot be read: {}", std::strerror(errno)));
    if (count == 0) break;
    size += static_cast<size_t>(count);
  }
  text.resize(size);
  return text;
}

}  // namespace lockstep
