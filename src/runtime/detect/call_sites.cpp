// Removes calls into the instrumentation from the program's code, and puts them back.
#include "runtime/detect/call_sites.hpp"

#include "runtime/base/runtime.hpp"
#include "runtime/process/backtrace.hpp"
#include "runtime/process/code_patches.hpp"
#include "runtime/process/libraries.hpp"

namespace lockstep::rt {
namespace {

// More hits than this cost more than the calls. The kernel also stops reporting hits when one tick has too many.
constexpr uint64_t kCallsPerHit = 20'000;
constexpr uint64_t kFewHits = 8;
constexpr uint32_t kMostDoubts = 3;

uint32_t slot_of(uint64_t pc, uint32_t slots) {
  return static_cast<uint32_t>(pc * 0x9e3779b97f4a7c15ull >> 40) % slots;
}

#if defined(__x86_64__)
int32_t displacement(const uint8_t* at) {
  int32_t value;
  copy_bytes(&value, at, 4);
  return value;
}

// The target of `jmp *slot(%rip)` in the procedure linkage table.
const void* through_linkage_table(const uint8_t* code) {
  if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa) code += 4;  // endbr64
  if (code[0] == 0xf2) ++code;                                                              // bnd
  if (code[0] != 0xff || code[1] != 0x25) return nullptr;
  return *reinterpret_cast<const void* const*>(code + 6 + displacement(code + 2));
}

// The length of the call instruction before `pc` if it calls one of the entry points. Otherwise 0, for example if a
// function ended in a jump to an entry point.
unsigned length_of_call(const uint8_t* pc) {
  if (pc[-5] == 0xe8) {
    const uint8_t* target = pc + displacement(pc - 4);
    return call_sites.is_idle_hook(target) || call_sites.is_idle_hook(through_linkage_table(target)) ? 5 : 0;
  }
  if (pc[-6] == 0xff && pc[-5] == 0x15) {
    const void* target = *reinterpret_cast<const void* const*>(pc + displacement(pc - 4));
    return call_sites.is_idle_hook(target) ? 6 : 0;
  }
  return 0;
}

constexpr uint8_t kNothing[2][6] = {{0x0f, 0x1f, 0x44, 0x00, 0x00}, {0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00}};
constexpr bool kSupported = true;
#else
unsigned length_of_call(const uint8_t*) { return 0; }
constexpr uint8_t kNothing[2][6] = {};
constexpr bool kSupported = false;
#endif

}  // namespace

bool CallSites::worthwhile(uint64_t set) const {
  if (off_ || calls_ < kFewCalls) return false;
  for (uint32_t i = 0; i < unworthy_count_; ++i)
    if (unworthy_[i] == set) return false;
  return true;
}

void CallSites::begin(bool possible, const TrackedRange* ranges, uint32_t count) {
  counts_ = kSupported && possible;
  mode_ = Mode::Whole;
  set_ = 1;
  for (uint32_t i = 0; i < count; ++i) set_ = (set_ ^ ranges[i].address ^ ranges[i].size << 48) * 0x9e3779b97f4a7c15ull;
  const bool wanted = counts_ && worthwhile(set_);
  if (wanted && !sites_) {
    sites_ = static_cast<Site*>(map_pages(sizeof(Site) * kSites));
    out_ = static_cast<uint32_t*>(map_pages(sizeof(uint32_t) * kSites));
    accesses_ = static_cast<Access*>(map_pages(sizeof(Access) * kAccesses));
    is_own_code(0);  // caches the result, because a signal handler must not search for it
  }
  if (wanted || out_count_) {
    const bool watched = watchpoints.watch(ranges, wanted ? count : 0);
    if (wanted && watched) mode_ = learn_next_ ? Mode::Learning : Mode::Thinned;
  }
  if (mode_ != Mode::Thinned) put_all_back();
  repeated_ = learn_next_;
  learn_next_ = missed_ = doubtful_ = false;
  untracked_calls_ = hits_ = 0;
}

bool CallSites::end(Outcome outcome) {
  if (!counts_) return true;
  if (mode_ != Mode::Thinned) {
    calls_ = untracked_calls_;
    return true;
  }
  if (hits_ > kFewHits && hits_ > calls_ / kCallsPerHit) {
    unworthy_[unworthy_count_++ % kUnworthy] = set_;
    missed_ = true;
  }
  if (unworthy_count_ > kUnworthy) unworthy_count_ = kUnworthy;
  // Threads that wait for a change may have changed something unseen, or run on because of it.
  doubtful_ |= outcome == Outcome::Livelock || outcome == Outcome::StepLimit;
  if (!missed_ && !doubtful_) return true;
  if (!missed_ && ++doubts_ == kMostDoubts) off_ = true;
  learn_next_ = true;
  return false;
}

void CallSites::hit(uintptr_t pc) {
  ++hits_;
  if (!runtime.running || is_own_code(pc)) return;
  Thread& me = *runtime.current;
  const bool announced = me.announced;
  me.announced = false;
  uint32_t i = slot_of(pc, kAccesses);
  while (accesses_[i].pc && accesses_[i].pc != pc) i = (i + 1) % kAccesses;
  Access& access = accesses_[i];
  if (mode_ == Mode::Thinned) {
    missed_ |= access.pc == 0 || (access.announced && !announced);
  } else if (access.pc) {
    access.announced &= announced;
  } else if (++access_count_ < kAccesses / 2) {
    access = {pc, announced};
  } else {
    off_ = true;
  }
}

CallSites::Site* CallSites::site(uint64_t pc) {
  uint32_t i = slot_of(pc, kSites);
  while (sites_[i].pc && sites_[i].pc != pc) i = (i + 1) % kSites;
  if (sites_[i].pc) return &sites_[i];
  if (site_count_ == kSites / 2) return nullptr;
  ++site_count_;
  sites_[i].pc = pc;
  return &sites_[i];
}

void CallSites::keep(const void* pc) {
  runtime.current->announced = true;
  if (Site* s = site(reinterpret_cast<uint64_t>(pc)); s && s->state == State::New) s->state = State::Kept;
}

void CallSites::take_out(const void* pc) {
  Site* s = site(reinterpret_cast<uint64_t>(pc));
  if (!s || s->state != State::New) return;
  s->length = static_cast<uint8_t>(length_of_call(static_cast<const uint8_t*>(pc)));
  const uint64_t begin = s->pc - s->length;
  copy_bytes(s->code, reinterpret_cast<const void*>(begin), s->length);
  if (s->length == 0 || !write_code(begin, kNothing[s->length - 5], s->length)) {
    s->state = State::Fixed;
    return;
  }
  s->state = State::Out;
  out_[out_count_++] = static_cast<uint32_t>(s - sites_);
}

void CallSites::put_all_back() {
  while (out_count_) {
    Site& s = sites_[out_[--out_count_]];
    write_code(s.pc - s.length, s.code, s.length);
    s.state = State::New;
  }
}

}  // namespace lockstep::rt
