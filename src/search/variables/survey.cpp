// Collects the shared variables of executions.
#include "search/variables/survey.hpp"

#include <algorithm>

#include "model/blocks.hpp"

namespace lockstep {
namespace {
constexpr uint64_t kNotMemory = 0xfffe'0000'0000'0000ull;  // objects of the model that are not memory begin here
}

void VariableSurvey::look(TraceView trace) {
  blocks_ = HeapBlocks(trace);
  for (const Step& s : trace.steps()) {
    threads_ = std::max(threads_, index_of(s.thread) + 1);
    if (s.is_note() || s.is_choice()) continue;
    const bool atomic = is_atomic(s.kind);
    for (const Access& a : accesses(s.operation()))
      note(trace, static_cast<uint64_t>(a.object), atomic && s.bytes() ? s.bytes() : 1, s.thread, a.write, atomic);
  }
  bool overflowed = false;
  trace.for_each_block([&](const BlockRecord& block, std::span<const Touched> touched) {
    overflowed |= block.everything != 0;
    for (const Touched& t : touched)
      for (unsigned start = 0; start < 8; ++start) {
        if (!(t.starts >> start & 1)) continue;
        unsigned end = start + 1;
        while (end < 8 && !(t.starts >> end & 1) && ((t.reads | t.writes) >> end & 1)) ++end;
        const unsigned bytes = ((1u << (end - start)) - 1) << start;
        note(trace, t.word + start, end - start, block.thread, t.writes & bytes, true);
      }
  });
  overflows_ += overflowed;
}

void VariableSurvey::note(TraceView trace, uint64_t address, uint64_t size, ThreadId thread, bool write, bool data) {
  if (address >= kNotMemory || address == 0) return;
  VariableId id = blocks_.variable(address);
  if (heap_ != HeapVariable::Element && id.on_heap()) {
    const Allocation& block = *blocks_.at(address);
    address = block.begin;
    size = block.size;
    id.at = 0;
    if (heap_ == HeapVariable::Site) id = {.origin = id.origin};
  }
  if (globals_ && !id.on_heap())
    if (const TrackedRange whole = globals_(address); whole.size > 0) {
      address = id.at = whole.address;
      size = whole.size;
    }
  const auto [place, fresh] = known_.try_emplace(id);
  Known& v = place->second;
  if (fresh) v.data = data;
  const auto known =
      std::find_if(v.where.begin(), v.where.end(), [&](const TrackedRange& r) { return r.address == address; });
  const bool news = known == v.where.end() || known->size < size;
  if (known == v.where.end())
    v.where.push_back({address, size});
  else
    known->size = std::max(known->size, size);
  v.written |= write;
  v.threads.insert(thread);
  const bool is_shared = v.written && v.threads.size() >= 2;
  if (is_shared && v.number != kLeftOut && (news || v.number == kNone)) share(id, v, trace);
}

void VariableSurvey::share(const VariableId& id, Known& v, TraceView trace) {
  if (last_iteration_ && id.iteration > *last_iteration_) {
    v.number = kLeftOut;
    ++left_out_;
    return;
  }
  ++changes_;
  if (v.number == kNone && focus_) v.in_focus = focus_(trace, ObjectId{v.where.front().address});
  if (v.number != kNone && !settled_) {
    shared_[v.number].where = v.where;
    return;
  }
  if (v.number == kNone)
    ++count_;
  else
    shared_[v.number].replaced = true;
  v.number = shared_.size();
  shared_.push_back({id, v.where});
}

void VariableSurvey::settle() {
  settled_ = true;
  std::stable_sort(shared_.begin(), shared_.end(), [&](const SharedVariable& a, const SharedVariable& b) {
    const Known &x = known_.at(a.id), &y = known_.at(b.id);
    if (x.in_focus != y.in_focus) return x.in_focus;
    if (a.id.iteration != b.id.iteration) return a.id.iteration < b.id.iteration;
    return x.data != y.data ? x.data : x.threads.size() > y.threads.size();
  });
  for (size_t i = 0; i < shared_.size(); ++i) known_.at(shared_[i].id).number = i;
}

std::vector<size_t> VariableSurvey::in_focus() const {
  std::vector<size_t> numbers;
  for (size_t i = 0; focus_ && i < shared_.size(); ++i)
    if (!shared_[i].replaced && known_.at(shared_[i].id).in_focus) numbers.push_back(i);
  return numbers;
}

void VariableSurvey::save(StateWriter& out) const {
  out.put<uint64_t>(known_.size());
  for (const auto& [id, v] : known_) {
    out.put(id);
    out.put_all(v.where);
    out.put_all(std::vector(v.threads.begin(), v.threads.end()));
    for (const bool flag : {v.data, v.written, v.in_focus}) out.put(flag);
    out.put<uint64_t>(v.number);
  }
  out.put<uint64_t>(shared_.size());
  for (const SharedVariable& v : shared_) {
    out.put(v.id);
    out.put_all(v.where);
    out.put(v.replaced);
  }
  for (const uint64_t n :
       {uint64_t{settled_}, uint64_t{count_}, uint64_t{left_out_}, changes_, overflows_, uint64_t{threads_}})
    out.put(n);
}

void VariableSurvey::load(StateReader& in) {
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
    Known& v = known_[in.get<VariableId>()];
    v.where = in.get_all<TrackedRange>();
    const auto threads = in.get_all<ThreadId>();
    v.threads = {threads.begin(), threads.end()};
    for (bool* flag : {&v.data, &v.written, &v.in_focus}) *flag = in.get<bool>();
    v.number = in.get<uint64_t>();
  }
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
    SharedVariable& v = shared_.emplace_back();
    v.id = in.get<VariableId>();
    v.where = in.get_all<TrackedRange>();
    v.replaced = in.get<bool>();
  }
  settled_ = in.get<uint64_t>() != 0;
  for (size_t* n : {&count_, &left_out_}) *n = in.get<uint64_t>();
  for (uint64_t* n : {&changes_, &overflows_}) *n = in.get<uint64_t>();
  threads_ = static_cast<unsigned>(std::min<uint64_t>(in.get<uint64_t>(), kMaxThreads));
  for (const auto& [id, v] : known_)
    if (v.number < kLeftOut && v.number >= shared_.size()) return in.reject();
}

}  // namespace lockstep
