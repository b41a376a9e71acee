// Builds the words for each kind of operation.
#include "report/operation_text.hpp"

#include <fmt/format.h>
#include <cstring>

namespace lockstep {
namespace {

// Verbs in the order of OpKind; nullptr: the operation needs a special sentence.
const char* verb_of(OpKind kind) {
  switch (kind) {
    case OpKind::Load: return "load";
    case OpKind::Store: return "store";
    case OpKind::Rmw: return "update";
    case OpKind::Cas: return "cas";
    case OpKind::Lock: return "lock";
    case OpKind::TryLock: return "try-lock";
    case OpKind::Unlock: return "unlock";
    case OpKind::CondBroadcast: return "notify_all";
    case OpKind::ReadLock: return "read-lock";
    case OpKind::WriteLock: return "write-lock";
    case OpKind::TryReadLock: return "try-read-lock";
    case OpKind::TryWriteLock: return "try-write-lock";
    case OpKind::ReadUnlock: return "read-unlock";
    case OpKind::WriteUnlock: return "write-unlock";
    case OpKind::SemWait: return "acquire";
    case OpKind::SemTryWait: return "try-acquire";
    case OpKind::SemPost: return "release";
    case OpKind::BarrierArrive: return "arrive at";
    case OpKind::BarrierLeave: return "leave";
    case OpKind::OnceEnter: return "enter once";
    case OpKind::OnceExit: return "done once";
    case OpKind::FutexWait:
    case OpKind::FutexBlocked: return "wait on";
    case OpKind::FutexWake: return "notify";
    case OpKind::PlainRead: return "read";
    case OpKind::PlainWrite: return "write";
    case OpKind::Destroy: return "destroy";
    default: return nullptr;
  }
}

// "head_ → 0", "head_ 0 → 1", "head_ expected 0, found 1".
std::string access_text(const Step& step, const TraceNames& names, uint32_t index) {
  const std::string object = names.object(step.object, index);
  const auto before = names.value_before(index), after = names.value_after(index);
  if (step.kind == OpKind::Load || step.kind == OpKind::PlainRead) return before ? object + " → " + *before : object;
  if (step.kind == OpKind::Cas && !(step.flags & Step::kWrite))
    return before ? fmt::format("{} expected {}, found {}", object,
                                names.value_text(step.object, index, step.second.expected()), *before)
                  : object;
  return before && after ? fmt::format("{} {} → {}", object, *before, *after) : object;
}

std::string sentence(const Step& step, const TraceNames& names, uint32_t index) {
  switch (step.kind) {
    case OpKind::ThreadStart: return "starts";
    case OpKind::Create: return "create " + names.thread(step.second.thread());
    case OpKind::ThreadExit: return "ends";
    case OpKind::Join: return "join " + names.thread(step.second.thread());
    case OpKind::ProcessExit: return "end of the process";
    case OpKind::ExitHandler: return "exit handlers";
    case OpKind::AtomicSection: return step.second.begins_section() ? "begin atomic section" : "end atomic section";
    case OpKind::Fence: return "fence";
    case OpKind::CondWait:
      return fmt::format("starts waiting on {}, releases {}", names.object(step.object, index),
                         names.object(step.second.mutex(), index));
    case OpKind::Reacquire: {
      const std::string mutex = names.object(step.object, index);
      if (index == kNoStep || step.second.none()) return "relock " + mutex;
      return fmt::format("returns from waiting on {}", names.object(step.second.condition(), index));
    }
    case OpKind::CondSignal: {
      const ThreadId woken = step.second.woken();
      return fmt::format("notify_one {}, {}", names.object(step.object, index),
                         woken == kNoThread ? "nobody waits" : "wakes " + names.thread(woken));
    }
    case OpKind::Yield: return "yield";
    case OpKind::Sleep: return "sleep";
    case OpKind::Cancel: return "cancel " + names.thread(ThreadId(static_cast<uint16_t>(step.object)));
    case OpKind::Signal: return "signal " + names.thread(ThreadId(static_cast<uint16_t>(step.object)));
    case OpKind::TestCancel: return "cancellation point";
    case OpKind::Io: return io_text(step.second);
    case OpKind::Timer: return "timer";
    case OpKind::State:
      return fmt::format("{} {}", step.flags & Step::kWrite ? "change" : "look at", name_of(state_kind(step.object)));
    case OpKind::Choose: return fmt::format("choose {} of {}", step.taken(), step.alternatives());
    default: return name_of(step.kind);
  }
}

}  // namespace

std::string failure_text(int error) {
  const char* name = strerrorname_np(error);
  return ", fails: " + (name ? std::string(name) : fmt::format("error {}", error));
}

std::string io_text(Companion second) {
  const uint32_t fd = second.descriptor();
  switch (second.io_wait()) {
    case IoWait::Input: return fmt::format("input on descriptor {}", fd);
    case IoWait::Room: return fmt::format("output on descriptor {}", fd);
    case IoWait::Any: return fmt::format("readiness of descriptor {}", fd);
    case IoWait::Events: return fmt::format("events of epoll descriptor {}", fd);
    case IoWait::Several: return "readiness of one of several descriptors";
    default: return "input/output";
  }
}

std::string operation_text(const Step& step, const TraceNames& names, uint32_t index) {
  const char* verb = verb_of(step.kind);
  std::string text = !verb                  ? sentence(step, names, index)
                     : is_access(step.kind) ? std::string(verb) + " " + access_text(step, names, index)
                                            : std::string(verb) + " " + names.object(step.object, index);
  if (step.error() != 0) {
    text += failure_text(step.error());
  } else if (step.flags & Step::kTimedOut) {
    text += ", times out";
  } else if ((step.flags & Step::kConditional) && !(step.flags & Step::kWrite) && !(step.flags & Step::kBlocked)) {
    text += step.kind == OpKind::OnceEnter ? ", already done" : ", fails";
  }
  return text;
}

}  // namespace lockstep
