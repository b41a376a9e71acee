// Copies of the runtime's memory at checkpoints, by write protection.
#include "runtime/memory/own_state.hpp"

#include <link.h>
#include <sys/mman.h>

namespace lockstep::rt {
namespace {

struct Range {
  uintptr_t begin, end;
};

// The runtime's writable variables: those of the module that contains this code, except what the linker made read-only.
int find_variables(dl_phdr_info* info, size_t, void* data) {
  const auto here = reinterpret_cast<uintptr_t>(&find_variables);
  Range variables{}, relocated{};
  bool ours = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    if (segment.p_type == PT_LOAD && here >= begin && here < end) ours = true;
    if (segment.p_type == PT_LOAD && segment.p_flags & PF_W) variables = {begin, end};
    if (segment.p_type == PT_GNU_RELRO) relocated = {begin, end};
  }
  if (!ours) return 0;
  if (relocated.end > variables.begin) variables.begin = relocated.end;
  *static_cast<Range*>(data) = {(variables.begin + kPage - 1) & ~(kPage - 1),
                                (variables.end + kPage - 1) & ~(kPage - 1)};
  return 1;
}

void protect(uintptr_t begin, size_t bytes, int how) {
  sys(SYS_mprotect, static_cast<long>(begin), static_cast<long>(bytes), how);
}

}  // namespace

void OwnState::init() {
  Range variables{};
  dl_iterate_phdr(find_variables, &variables);
  variables_begin_ = variables.begin;
  variables_end_ = variables.end;
  page_ = static_cast<Page*>(map_unsaved_pages(sizeof(Page) * kMostPages));
  copies_ = static_cast<char*>(map_unsaved_pages(kPage * kMostCopies));
}

char* OwnState::take_copy(const char* page) {
  char* copy = free_;
  if (copy) {
    copy_bytes(&free_, copy, sizeof free_);
  } else {
    if (copies_used_ == kMostCopies) return nullptr;
    copy = copies_ + kPage * copies_used_++;
  }
  copy_bytes(copy, page, kPage);
  return copy;
}

void OwnState::watch(unsigned from) {
  unsigned count;
  const OwnPages* all = own_pages(&count);
  for (unsigned i = from; i < count; ++i)
    if (all[i].saved) protect(all[i].begin, all[i].bytes, PROT_READ);
  watched_count_ = count;
  if (from == 0) protect(variables_begin_, variables_end_ - variables_begin_, PROT_READ);
}

void OwnState::unwatch() {
  const OwnPages* all = own_pages(&watched_count_);
  protect(variables_begin_, variables_end_ - variables_begin_, PROT_READ | PROT_WRITE);
  for (unsigned i = 0; i < watched_count_; ++i)
    if (all[i].saved) protect(all[i].begin, all[i].bytes, PROT_READ | PROT_WRITE);
}

bool OwnState::save() {
  if (levels_ == kLevels || lost_) return false;
  unsigned count;
  own_pages(&count);
  if (levels_ == 0) {
    page_count_ = copies_used_ = 0;
    free_ = nullptr;
    pin_pages(true);
    mappings_[levels_++] = count;
    watch(0);
    return true;
  }
  for (unsigned i = 0; i < page_count_; ++i) {
    if ((page_[i].copy[levels_] = take_copy(page_[i].at))) continue;
    lost_ = true;
    return false;
  }
  mappings_[levels_++] = count;
  watch(watched_count_);
  return true;
}

bool OwnState::watched(uintptr_t address) const {
  if (address >= variables_begin_ && address < variables_end_) return true;
  if (address < kPrivateBase || address >= kPrivateEnd) return false;
  unsigned count;
  const OwnPages* all = own_pages(&count);
  for (unsigned i = 0; i < watched_count_; ++i)
    if (address - all[i].begin < all[i].bytes) return all[i].saved;
  return false;
}

bool OwnState::handle_write_fault(uintptr_t address) {
  if (!levels_ || !watched(address)) return false;
  ++faults_;
  char* at = reinterpret_cast<char*>(address & ~(kPage - 1));
  protect(reinterpret_cast<uintptr_t>(at), kPage, PROT_READ | PROT_WRITE);
  const unsigned top = levels_ - 1;
  char* copy = page_count_ < kMostPages ? take_copy(at) : nullptr;
  if (!copy) {
    lost_ = true;
    return true;
  }
  Page& page = page_[page_count_++];
  page.at = at;
  page.first = static_cast<uint8_t>(top);
  page.copy[top] = copy;
  return true;
}

void OwnState::restore(unsigned level) {
  unsigned count;
  const OwnPages* all = own_pages(&count);
  const uintptr_t gone = count > mappings_[level] ? all[mappings_[level]].begin : kPrivateEnd;
  if (gone != kPrivateEnd) forget_pages_after(mappings_[level]);
  unsigned kept = 0;
  for (unsigned i = 0; i < page_count_; ++i) {
    Page page = page_[i];
    const unsigned from = page.first > level ? page.first : level;
    const auto at = reinterpret_cast<uintptr_t>(page.at);
    const bool exists = at < gone || at >= kPrivateEnd;
    char* right = page.copy[from];
    for (unsigned l = page.first; l < levels_; ++l) {
      if (l < level || (l == from && exists)) continue;
      copy_bytes(page.copy[l], &free_, sizeof free_);
      free_ = page.copy[l];
    }
    if (!exists) continue;
    copy_bytes(page.at, right, kPage);
    if (page.first > level) {
      page.first = static_cast<uint8_t>(level);
      page.copy[level] = right;
    }
    page_[kept++] = page;
  }
  page_count_ = kept;
  levels_ = level + 1;
  watched_count_ = mappings_[level];
}

void OwnState::forget() {
  if (!levels_) return;
  unwatch();
  levels_ = 0;
  lost_ = false;
  pin_pages(false);
}

}  // namespace lockstep::rt
