// Undoes what an execution changed outside its memory.
#include "runtime/memory/undo.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/base/runtime.hpp"
#include "runtime/process/facts.hpp"

namespace lockstep::rt {
namespace {
constexpr int kSavedDescriptors = 244;  // above those that programs use, below the usual limits
}

void Undo::remember() {
  for (int fd = 0; fd < 3; ++fd) saved_[fd] = static_cast<int>(sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kSavedDescriptors));
  for (unsigned fd = 0; fd < kMaxDescriptors; ++fd) kept_[fd] = sys(SYS_fcntl, fd, F_GETFD) >= 0;
  const long folder = sys(SYS_openat, AT_FDCWD, word("."), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  folder_ = folder < 0 ? -1 : static_cast<int>(sys(SYS_fcntl, folder, F_DUPFD_CLOEXEC, kSavedDescriptors));
  if (folder >= 0) sys(SYS_close, folder);
  if (folder_ >= 0) kept_[folder_] = true;
  descriptors_changed_ = folder_changed_ = false;
}

void Undo::wrote_files() {
  wrote_ = true;
  notice(FactKind::WritesFiles);
}

namespace {
uint64_t identity_of(const struct stat& file) { return file.st_dev * 0x9e37'79b9'7f4a'7c15 ^ file.st_ino; }
bool changed_since(uint64_t began, const struct stat& file) {
  const auto seconds = static_cast<uint64_t>(file.st_ctim.tv_sec), rest = static_cast<uint64_t>(file.st_ctim.tv_nsec);
  return seconds * 1'000'000'000 + rest > began;
}
}  // namespace

bool Undo::starts_file(int folder, const char* path, int flags) {
  for (const char* outside : {"/proc/", "/sys/", "/dev/"})
    if (!path || starts_with(path, outside)) return false;
  struct stat info {};
  if (sys(SYS_newfstatat, folder, word(path), word(&info), 0) != 0) return flags & O_CREAT;
  if (flags & O_TRUNC && !(flags & O_EXCL)) return true;
  const bool only_writes = (flags & O_ACCMODE) == O_WRONLY && !(flags & O_EXCL);
  if (!only_writes) note_if_left(info);
  return false;
}

// Reports a file that another execution has changed.
void Undo::note_if_left(const struct stat& file) {
  if (changed_since(runtime.channel->began, file) && !made(file)) notice(FactKind::FilesChange);
}

// Ignores folders: they change whenever a file is created in them.
void Undo::looks_at(int folder, const char* path) {
  struct stat info {};
  if (path && !starts_with(path, "/dev/") && !starts_with(path, "/proc/") &&
      sys(SYS_newfstatat, folder, word(path), word(&info), 0) == 0 && !S_ISDIR(info.st_mode))
    note_if_left(info);
}

void Undo::made(int folder, const char* path, bool is_new) {
  struct stat info {};
  if (sys(SYS_newfstatat, folder, word(path), word(&info), AT_SYMLINK_NOFOLLOW) != 0) return;
  if (!is_new)
    note_if_left(info);
  else if (own_file_count_ < kMaxOwnFiles)
    temporary_[own_file_count_] = false, own_files_[own_file_count_++] = identity_of(info);
}

void Undo::limits(int resource) {
  if (resource < 0 || resource >= 32 || limited_ >> resource & 1) return;
  limited_ |= 1u << resource;
  sys(SYS_prlimit64, 0, resource, 0, word(&limits_[resource]));
}

void Undo::restore_limits() {
  for (int resource = 0; resource < 32; ++resource)
    if (limited_ >> resource & 1) sys(SYS_prlimit64, 0, resource, word(&limits_[resource]), 0);
  limited_ = 0;
}

bool Undo::made(const struct stat& file) const {
  for (unsigned i = 0; i < own_file_count_; ++i)
    if (own_files_[i] == identity_of(file)) return true;
  return false;
}

void Undo::started_file(int fd, bool temporary) {
  struct stat info {};
  if (own_file_count_ == kMaxOwnFiles || sys(SYS_fstat, fd, word(&info)) != 0) return;
  temporary_[own_file_count_] = temporary;
  own_files_[own_file_count_++] = identity_of(info);
}

bool Undo::is_temporary(const struct stat& file) const {
  for (unsigned i = 0; i < own_file_count_; ++i)
    if (own_files_[i] == identity_of(file) && temporary_[i]) return true;
  return false;
}

void Undo::mapped(void* address, size_t size) {
  mappings_changed_ = true;
  if (!mappings_) mappings_ = static_cast<Mapping*>(map_unsaved_pages(sizeof(Mapping) * kMaxMappings));
  if (mapping_count_ == kMaxMappings) return;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(address);
  mappings_[mapping_count_++] = {begin, begin + ((size + 4095) & ~size_t{4095})};
}

void Undo::unmapped(void* address, size_t size) {
  mappings_changed_ = true;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(address), end = begin + ((size + 4095) & ~size_t{4095});
  for (unsigned i = 0; i < mapping_count_; ++i)
    if (mappings_[i].begin >= begin && mappings_[i].end <= end) mappings_[i] = mappings_[--mapping_count_], --i;
}

void Undo::undo() {
  if (folder_changed_ && folder_ >= 0) sys(SYS_fchdir, folder_);
  if (mask_changed_) sys(SYS_umask, mask_);
  if (limited_) restore_limits();
  folder_changed_ = mappings_changed_ = wrote_ = mask_changed_ = false;
  for (; mapping_count_; --mapping_count_) {
    const Mapping& m = mappings_[mapping_count_ - 1];
    sys(SYS_munmap, static_cast<long>(m.begin), static_cast<long>(m.end - m.begin));
  }
  if (!descriptors_changed_) return;
  descriptors_changed_ = false;
  for (int fd = 0; fd < 3; ++fd)
    if (saved_[fd] >= 0) sys(SYS_dup3, saved_[fd], fd, 0);
  // Closes whole ranges of new descriptors: most programs open a few above the standard ones.
  for (unsigned fd = 0; fd < kMaxDescriptors;) {
    if (kept_[fd]) {
      ++fd;
      continue;
    }
    unsigned last = fd;
    while (last + 1 < kMaxDescriptors && !kept_[last + 1]) ++last;
    sys(SYS_close_range, fd, last + 1 == kMaxDescriptors ? ~0u : last, 0);
    fd = last + 1;
  }
}

const Module undo_module = {
    .name = "descriptors, files and mappings",
    .restore = [] { undo.undo(); },
    .before_execution = [] { undo.begin(); },
    .leave_for_checkpoint = [] { undo.undo(); },
};

}  // namespace lockstep::rt
