// Computes path fingerprints along a known happens-before order.
#include "analysis/path_fingerprint.hpp"

#include "model/step_hash.hpp"

namespace lockstep {

void PathFingerprint::add(const Step& step, const HappensBefore& order) {
  const uint32_t record = order.size() - 1;
  const HappensBefore::Event& event = order[record];
  const unsigned t = index_of(step.thread);
  if (t >= threads_.size()) threads_.resize(t + 1);
  if (objects_.size() < order.objects()) objects_.resize(order.objects());
  if (steps_ == undo_.size()) undo_.resize(2 * undo_.size() + 64);
  Undo& undo = undo_[steps_++];
  undo.record = record;
  undo.thread = static_cast<uint16_t>(t);
  undo.uses = event.uses;
  uint64_t hash = undo.last = threads_[t];
  absorb(hash, description(step));
  for (unsigned i = 0; i < event.uses; ++i) {
    const HappensBefore::Use& use = event.use[i];
    const Object& o = objects_[use.object];
    undo.use[i] = {use.object, o};
    absorb(hash, use.write ? o.write + o.reads : o.write, access_name(order.object(use.object).id, use.write));
  }
  if (step.kind == OpKind::ProcessExit) absorb(hash, sum_, 0);  // ordered after all steps
  for (unsigned i = 0; i < event.uses; ++i) {
    Object& o = objects_[event.use[i].object];
    if (event.use[i].write)
      o = {hash, 0};
    else
      o.reads += hash;
  }
  threads_[t] = hash;
  sum_ += hash;
}

void PathFingerprint::truncate(uint32_t records) {
  while (steps_ > 0 && undo_[steps_ - 1].record >= records) {
    const Undo& undo = undo_[--steps_];
    sum_ -= threads_[undo.thread];
    threads_[undo.thread] = undo.last;
    for (unsigned i = undo.uses; i-- > 0;) objects_[undo.use[i].object] = undo.use[i].was;
  }
}

}  // namespace lockstep
