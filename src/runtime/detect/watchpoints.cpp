// Sets hardware watchpoints through perf events.
#include "runtime/detect/watchpoints.hpp"

#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "runtime/memory/undo.hpp"

namespace lockstep::rt {
namespace {
constexpr int kLowestDescriptor = 244;  // above those that programs use, below the usual limits
}

bool Watchpoints::watch(const TrackedRange* ranges, uint32_t count) {
  // Aligned pieces of 1, 2, 4 or 8 bytes.
  uint64_t address[kMost];
  uint32_t length[kMost];
  unsigned pieces = 0;
  for (uint32_t i = 0; i < count; ++i)
    for (uint64_t at = ranges[i].address, end = at + ranges[i].size; at < end;) {
      if (pieces == kMost) return false;
      uint32_t piece = 8;
      while (at % piece || at + piece > end) piece /= 2;
      address[pieces] = at;
      length[pieces++] = piece;
      at += piece;
    }
  for (unsigned i = 0; i < kMost; ++i)
    if (!set(points_[i], i < pieces ? address[i] : 0, i < pieces ? length[i] : 0)) return false;
  return true;
}

bool Watchpoints::set(Point& point, uint64_t address, uint32_t length) {
  if (point.address == address && point.length == length) return true;
  if (refused_) return false;
  if (length == 0) {
    sys(SYS_ioctl, point.fd - 1, PERF_EVENT_IOC_DISABLE, 0);
    point.length = 0;
    point.address = 0;
    return true;
  }
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_BREAKPOINT;
  attributes.sample_period = 1;
  attributes.bp_type = HW_BREAKPOINT_RW;
  attributes.bp_addr = address;
  attributes.bp_len = length;
  attributes.exclude_kernel = attributes.exclude_hv = 1;
  attributes.remove_on_exec = 1;
  attributes.sigtrap = 1;
  if (point.fd) {
    refused_ = sys(SYS_ioctl, point.fd - 1, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, word(&attributes)) < 0 ||
               sys(SYS_ioctl, point.fd - 1, PERF_EVENT_IOC_ENABLE, 0) < 0;
  } else {
    const long low = sys(SYS_perf_event_open, word(&attributes), 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    const long fd = low < 0 ? low : sys(SYS_fcntl, low, F_DUPFD_CLOEXEC, kLowestDescriptor);
    if (low >= 0) sys(SYS_close, low);
    refused_ = fd < 0;
    if (!refused_) {
      point.fd = static_cast<int>(fd) + 1;
      undo.keep(static_cast<int>(fd));
    }
  }
  if (refused_) return false;
  point.address = address;
  point.length = length;
  return true;
}

}  // namespace lockstep::rt
