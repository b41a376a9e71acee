// Turns calls on files and other state of the process into operations.
#include "runtime/sched/state_call.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/memory/undo.hpp"
#include "runtime/process/libraries.hpp"
#include "runtime/sched/spin.hpp"

namespace lockstep::rt {
namespace {

uint64_t state_versions[static_cast<size_t>(StateKind::kCount)];  // grow with every change
uint64_t& version_of(StateKind kind) { return state_versions[static_cast<unsigned>(kind)]; }
Watch watch_on(StateKind kind) {
  return {reinterpret_cast<uint64_t>(&version_of(kind)), version_of(kind), sizeof(uint64_t)};
}

// A name of the file that is the same in every execution, unlike its inode number: its file name without the folder.
// All temporary files share one name, because their names vary.
uint64_t identity_of(int fd, const struct stat& info) {
  if (undo.is_temporary(info)) return 0;
  char link[32], name[512];
  format(link, sizeof link, "/proc/self/fd/%d", static_cast<uint64_t>(fd));
  const long size = sys(SYS_readlinkat, AT_FDCWD, word(link), word(name), sizeof name - 1);
  name[size > 0 ? size : 0] = 0;
  if (contains(name, " (deleted)")) return 0;
  uint64_t hash = 0;
  for (const char* c = base_name(name); *c; ++c) hash = (hash ^ static_cast<uint8_t>(*c)) * 0x100'0000'01b3;
  return hash;
}

}  // namespace

void StateCall::reach() {
  const bool can_run = may_go_round();
  const auto flags = static_cast<uint8_t>((use_ == Use::Change ? Step::kWrite : 0) | because_of_a_change());
  step_ =
      &scheduler().reach(OpKind::State, reinterpret_cast<const void*>(state_object(kind_)), flags, can_run, second_);
}

StateCall::StateCall(int fd, Use use, bool moves_position) : kind_(StateKind::Files), use_(use), second_{} {
  if (!controlled() || scheduler().unjoined == 0) return;
  if (undo.inherited(fd)) {
    // An inherited descriptor is not a file of the program. Its output matters only if outputs are compared.
    if (!runtime.channel->compares_output || (fd != 1 && fd != 2) || use == Use::Look) return;
    kind_ = StateKind::Output;
    reach();
    return;
  }
  struct stat info {};
  if (sys(SYS_fstat, fd, word(&info)) != 0 || !S_ISREG(info.st_mode)) return;
  second_ = Companion::state(position_object(identity_of(fd, info)), moves_position);
  reach();
}

void StateCall::finish(bool changed) const {
  const int saved = errno;
  const bool changes_second = second_.writes_state();
  const StateKind second = state_kind(second_.state());
  if (changed && (use_ == Use::Change || changes_second)) {
    if (use_ == Use::Change || second == StateKind::kCount) state_changed(kind_);  // a position belongs to its file
    if (changes_second && second != StateKind::kCount) state_changed(second);
  } else {
    note_unchanging(*step_, watch_on(kind_));
    if (second != StateKind::kCount) note_unchanging_too(*step_, watch_on(second));
  }
  errno = saved;
}

void state_changed(StateKind kind) {
  ++version_of(kind);
  note_progress();
}

const Module state_module = {
    .name = "state of the process",
    .before_execution =
        [] {
          for (uint64_t& version : state_versions) version = 0;
        },
};

}  // namespace lockstep::rt
