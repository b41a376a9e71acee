// What an execution did outside its memory and has to be undone before the next: descriptors and mappings.
#pragma once
#include "runtime/base.hpp"

namespace lockstep::rt {

class Undo {
 public:
  void remember();  // at the snapshot: the descriptors that are open now stay open
  void keep(int fd) { kept_[fd] = true; }
  void opened() { descriptors_changed_ = true; }  // or closed
  bool inherited(int fd) const { return fd >= 0 && static_cast<unsigned>(fd) < kMaxDescriptors && kept_[fd]; }
  void moved() { folder_changed_ = true; }  // to another working directory
  void started_process() { wrote_ = true; }
  void wrote_files();                       // or made, or removed
  void mapped(void* address, size_t size);
  void unmapped(void* address, size_t size);
  void undo();
  // Nothing of that has happened in this execution so far.
  bool nothing_to_undo() const { return !descriptors_changed_ && !folder_changed_ && !mappings_changed_ && !wrote_; }

 private:
  struct Mapping {
    uintptr_t begin, end;
  };
  static constexpr unsigned kMaxDescriptors = 1024, kMaxMappings = 4096;
  bool kept_[kMaxDescriptors];
  int saved_[3];  // copies of the standard descriptors, which programs close and redirect
  bool descriptors_changed_, folder_changed_, mappings_changed_, wrote_;
  int folder_;    // the working directory
  Mapping* mappings_;
  unsigned mapping_count_;
};

}  // namespace lockstep::rt
