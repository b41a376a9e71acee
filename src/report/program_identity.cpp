// Reads the build id and the state of a program's file.
#include "report/program_identity.hpp"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep {

ProgramIdentity identify_program(const std::string& path) {
  ProgramIdentity identity;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return identity;
  struct stat info {};
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    identity.size = static_cast<uint64_t>(info.st_size);
    identity.mtime = info.st_mtim.tv_sec;
    elf_version(EV_CURRENT);
    if (Elf* elf = elf_begin(fd, ELF_C_READ_MMAP, nullptr)) {
      const void* bytes = nullptr;
      const ssize_t count = dwelf_elf_gnu_build_id(elf, &bytes);
      for (ssize_t i = 0; i < count; ++i)
        identity.build_id += fmt::format("{:02x}", static_cast<const uint8_t*>(bytes)[i]);
      elf_end(elf);
    }
  }
  close(fd);
  return identity;
}

bool ProgramWatch::was_replaced() {
  const auto now = std::chrono::steady_clock::now();
  if (replaced_ || now - looked_ < std::chrono::milliseconds(200)) return replaced_;
  looked_ = now;
  struct stat info {};
  if (stat(path_.c_str(), &info) != 0) return replaced_ = began_.known();
  if (static_cast<uint64_t>(info.st_size) == began_.size && info.st_mtim.tv_sec == began_.mtime) return false;
  const ProgramIdentity there = identify_program(path_);
  return replaced_ = there.size != began_.size || there.build_id != began_.build_id;
}

bool same_program(const ProgramIdentity& a, const ProgramIdentity& b) {
  if (!a.build_id.empty() && !b.build_id.empty()) return a.build_id == b.build_id;
  return a.size == b.size && a.mtime == b.mtime;
}

}  // namespace lockstep
