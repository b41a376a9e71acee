// Walks a trace and records notifications, waits and holders.
#include "report/wait_story.hpp"

namespace lockstep {

WaitStory::WaitStory(TraceView trace) {
  std::map<ThreadId, uint32_t> notified;  // woken by this step, and not back yet
  std::map<std::pair<ThreadId, ObjectId>, uint32_t> depth_now;
  const auto wake = [&](ThreadId t, uint32_t step) {
    waiting.erase(t);
    notified[t] = step;
    woken[step].push_back(t);
  };
  const auto steps = trace.steps();
  for (uint32_t i = 0; i < steps.size(); ++i) {
    const Step& s = steps[i];
    if (acquires(s.kind, s.flags)) {
      const uint32_t held = ++depth_now[{s.thread, s.object}];
      if (held == 1) taken[{s.thread, s.object}] = i;
      if (held > 1) depth[i] = held;
    } else if (has(s.kind, OpTraits::kTries) && !(s.flags & Step::kWrite)) {
      for (const auto& [key, held] : depth_now)
        if (key.second == s.object && held) holders[i].push_back(key.first);
    }
    if (has(s.kind, OpTraits::kGives)) {
      uint32_t& held = depth_now[{s.thread, held_object(s)}];
      if (held && --held == 0) taken.erase({s.thread, held_object(s)});
    }
    switch (s.kind) {
      case OpKind::CondWait: waiting[s.thread] = s.object; break;
      case OpKind::Reacquire:
        if (notified.contains(s.thread)) woken_by[i] = notified[s.thread];
        notified.erase(s.thread);
        waiting.erase(s.thread);
        break;
      case OpKind::CondSignal:
        woken[i] = {};
        if (s.second.woken() != kNoThread) wake(s.second.woken(), i);
        break;
      case OpKind::CondBroadcast: {
        woken[i] = {};
        const auto before = waiting;
        for (const auto& [thread, condition] : before)
          if (condition == s.object) wake(thread, i);
        break;
      }
      default: break;
    }
  }
}

}  // namespace lockstep
