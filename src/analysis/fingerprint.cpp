// Computes fingerprints of executions from the accesses of their steps.
#include "analysis/fingerprint.hpp"

#include "model/step_hash.hpp"

namespace lockstep {
namespace {

using lockstep::absorb;
void absorb(Fingerprint& f, uint64_t what) {
  absorb(f.low, what);
  f.high = mix(f.high ^ what ^ 0xc2b2ae3d27d4eb4full, 0xa0761d6478bd642full);
}
void absorb(Fingerprint& f, const Fingerprint& past, uint64_t name) {
  absorb(f.low, past.low, name);
  f.high = mix(f.high ^ past.high ^ name ^ 0xc2b2ae3d27d4eb4full, 0xa0761d6478bd642full);
}

void add_to(uint64_t& f, uint64_t g) { f += g; }
void take_from(uint64_t& f, uint64_t g) { f -= g; }
void add_to(Fingerprint& f, const Fingerprint& g) {
  f.low += g.low;
  f.high += g.high;
}

void take_from(Fingerprint& f, const Fingerprint& g) {
  f.low -= g.low;
  f.high -= g.high;
}

}  // namespace

template <class Hash>
void BasicFingerprinter<Hash>::begin() {
  ++execution_;
  steps_ = records_ = 0;
  sum_ = {};
}

template <class Hash>
inline typename BasicFingerprinter<Hash>::Thread& BasicFingerprinter<Hash>::thread(unsigned t) {
  if (t >= threads_.size()) threads_.resize(t + 1);
  Thread& thread = threads_[t];
  if (thread.execution != execution_) thread = {{}, execution_};
  return thread;
}

template <class Hash>
inline uint32_t BasicFingerprinter<Hash>::object(ObjectId id) {
  const uint32_t number = index_.find_or_add(id, objects_, [&] { objects_.push_back({id, execution_, {}, {}}); });
  if (objects_[number].execution != execution_) objects_[number] = {id, execution_, {}, {}};
  return number;
}

template <class Hash>
void BasicFingerprinter<Hash>::add(const Step& step) {
  const uint32_t record = records_++;
  if (step.is_note()) return;  // follows from the steps: creation, end and join of threads
  if (steps_ == room_) undo_.resize(room_ = 2 * room_ + 64);
  const AccessList list = accesses(step.operation());
  Undo& undo = undo_[steps_++];
  undo.record = record;
  undo.thread = static_cast<uint16_t>(index_of(step.thread));
  undo.uses = 0;
  Thread& own = thread(undo.thread);
  Hash hash = undo.last = own.last;
  absorb(hash, description(step));
  for (const Access& a : list) {
    if (a.object == kNoObject) continue;
    const uint32_t number = object(a.object);
    const Object& o = objects_[number];
    undo.use[undo.uses++] = {number, o.write, o.reads};
    Hash past = o.write;
    if (a.write) add_to(past, o.reads);
    absorb(hash, past, access_name(a.object, a.write));
  }
  if (step.kind == OpKind::ProcessExit) absorb(hash, sum_, 0);  // ordered after all steps
  uint32_t use = 0;
  for (const Access& a : list) {
    if (a.object == kNoObject) continue;
    Object& o = objects_[undo.use[use++].object];
    if (a.write) {
      o.write = hash;
      o.reads = {};
    } else {
      add_to(o.reads, hash);
    }
  }
  own.last = hash;
  add_to(sum_, hash);
}

template <class Hash>
void BasicFingerprinter<Hash>::truncate(uint32_t records) {
  if (records < records_) records_ = records;
  while (steps_ > 0 && undo_[steps_ - 1].record >= records) {
    const Undo& undo = undo_[--steps_];
    take_from(sum_, threads_[undo.thread].last);
    threads_[undo.thread].last = undo.last;
    for (uint32_t i = undo.uses; i-- > 0;) {
      objects_[undo.use[i].object].write = undo.use[i].write;
      objects_[undo.use[i].object].reads = undo.use[i].reads;
    }
  }
}

template class BasicFingerprinter<Fingerprint>;
template class BasicFingerprinter<uint64_t>;

Fingerprint fingerprint_of(TraceView trace) {
  Fingerprinter f;
  f.begin();
  for (const Step& step : trace.steps()) f.add(step);
  return f.value();
}

}  // namespace lockstep
