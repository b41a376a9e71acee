// Records what an execution changes outside its memory and undoes it before the next one: descriptors, mappings, files,
// limits.
#pragma once
#include "runtime/base/module.hpp"
#include "runtime/base/system.hpp"

struct stat;

namespace lockstep::rt {

class Undo {
 public:
  void remember();  // at the snapshot: descriptors that are open now stay open
  void keep(int fd) { kept_[fd] = true; }
  void opened() { descriptors_changed_ = true; }  // or closed a descriptor
  bool inherited(int fd) const { return fd >= 0 && static_cast<unsigned>(fd) < kMaxDescriptors && kept_[fd]; }
  void moved() { folder_changed_ = true; }  // changed the working directory
  void started_process() { wrote_ = true; }
  void uses_shared_memory() { wrote_ = true; }  // which is not part of a checkpoint
  void wrote_files();                           // or created or removed files
  // Call before opening the file at `path` with these flags. If the file changed since the exploration began, and this
  // execution did not write it from its start, the execution may read what others left. True: it reads nothing of
  // others, if the file can be opened.
  bool starts_file(int folder, const char* path, int flags);
  void started_file(int fd, bool temporary = false);
  void looks_at(int folder, const char* path);           // the same, for a call that only queries a file
  void made(int folder, const char* path, bool is_new);  // a folder, a link or the like; not is_new: it existed already
  void masked(uint32_t before) {                         // by umask
    if (!mask_changed_) mask_ = before;
    mask_changed_ = true;
  }
  void limits(int resource);                 // before a limit of this resource changes
  bool made(const struct stat& file) const;  // by this execution
  bool is_temporary(const struct stat& file) const;
  void begin() { own_file_count_ = 0; }  // starts an execution
  void mapped(void* address, size_t size);
  void unmapped(void* address, size_t size);
  void undo();
  // None of this has happened in this execution so far.
  bool nothing_to_undo() const {
    return !descriptors_changed_ && !folder_changed_ && !mappings_changed_ && !wrote_ && !mask_changed_ && !limited_;
  }

 private:
  void note_if_left(const struct stat& file);
  void restore_limits();

  struct Mapping {
    uintptr_t begin, end;
  };
  static constexpr unsigned kMaxDescriptors = 1024, kMaxMappings = 4096;
  bool kept_[kMaxDescriptors];
  int saved_[3];  // copies of the standard descriptors, because programs close and redirect them
  bool descriptors_changed_, folder_changed_, mappings_changed_, wrote_;
  int folder_;  // the working directory
  bool mask_changed_;
  uint32_t mask_;
  uint32_t limited_;  // bit set of resources
  struct {
    uint64_t soft, hard;
  } limits_[32];
  Mapping* mappings_;
  unsigned mapping_count_;
  static constexpr unsigned kMaxOwnFiles = 64;
  uint64_t own_files_[kMaxOwnFiles];  // device and inode number of files that this execution created or emptied
  bool temporary_[kMaxOwnFiles];      // files whose names vary
  unsigned own_file_count_;
};
inline constinit Undo undo{};
extern const Module undo_module;

}  // namespace lockstep::rt
