#include "search/variables/survey.hpp"

#include <algorithm>

#include "model/blocks.hpp"

namespace lockstep {
namespace {
constexpr uint64_t kNotMemory = 0xfffe'0000'0000'0000ull;  // tokens of the model
}

void VariableSurvey::look(TraceView trace) {
  for (const Step& s : trace.steps()) {
    threads_ = std::max(threads_, index_of(s.thread) + 1);
    if (s.is_note() || s.is_choice()) continue;
    const bool atomic =
        s.kind == OpKind::Load || s.kind == OpKind::Store || s.kind == OpKind::Rmw || s.kind == OpKind::Cas;
    for (const Access& a : accesses(s.operation()))
      note(static_cast<uint64_t>(a.object), atomic && s.arity ? s.arity : 1, s.thread, a.write, atomic);
  }
  trace.for_each_block([&](const BlockRecord& block, std::span<const Touched> touched) {
    for (const Touched& t : touched)
      for (unsigned start = 0; start < 8; ++start) {
        if (!(t.starts >> start & 1)) continue;
        unsigned end = start + 1;
        while (end < 8 && !(t.starts >> end & 1) && ((t.reads | t.writes) >> end & 1)) ++end;
        const unsigned bytes = ((1u << (end - start)) - 1) << start;
        note(t.word + start, end - start, block.thread, t.writes & bytes, true);
      }
  });
}

void VariableSurvey::note(uint64_t address, uint64_t size, ThreadId thread, bool write, bool data) {
  if (address >= kNotMemory || address == 0) return;
  Known& v = known_.try_emplace(address, Known{size, {}, data, false, false}).first->second;
  v.size = std::max(v.size, size);
  v.written |= write;
  v.threads.insert(thread);
  if (v.told || !v.written || v.threads.size() < 2) return;
  v.told = true;
  shared_.push_back({address, v.size});
}

void VariableSurvey::settle() {
  std::stable_sort(shared_.begin(), shared_.end(), [&](const TrackedRange& a, const TrackedRange& b) {
    const Known &x = known_.at(a.address), &y = known_.at(b.address);
    return x.data != y.data ? x.data : x.threads.size() > y.threads.size();
  });
}

void VariableSurvey::save(StateWriter& out) const {
  out.put<uint64_t>(known_.size());
  for (const auto& [address, v] : known_) {
    out.put(address);
    out.put(v.size);
    out.put_all(std::vector(v.threads.begin(), v.threads.end()));
    for (const bool flag : {v.data, v.written, v.told}) out.put(flag);
  }
  out.put_all(shared_);
  out.put(threads_);
}

void VariableSurvey::load(StateReader& in) {
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
    Known& v = known_[in.get<uint64_t>()];
    v.size = in.get<uint64_t>();
    const auto threads = in.get_all<ThreadId>();
    v.threads = {threads.begin(), threads.end()};
    for (bool* flag : {&v.data, &v.written, &v.told}) *flag = in.get<bool>();
  }
  shared_ = in.get_all<TrackedRange>();
  threads_ = in.get<unsigned>();
}

}  // namespace lockstep
