#include "analysis/fingerprint.hpp"

#include <utility>

namespace lockstep {
namespace {

constexpr size_t kFirstObjects = 256;  // a power of two

// Both halves of the 128-bit product: one multiplication mixes every bit of both factors.
uint64_t mix(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

void absorb(Fingerprint& f, uint64_t low, uint64_t high) {
  f.low = mix(f.low ^ low ^ 0x9e3779b97f4a7c15ull, 0xd6e8feb86659fd93ull);
  f.high = mix(f.high ^ high ^ 0xc2b2ae3d27d4eb4full, 0xa0761d6478bd642full);
}

void add_to(Fingerprint& f, const Fingerprint& g) {
  f.low += g.low;
  f.high += g.high;
}

size_t slot_of(ObjectId id, size_t size) {
  return static_cast<size_t>(static_cast<uint64_t>(id) * 0x9e3779b97f4a7c15ull >> 32) & (size - 1);
}

// What the step did, apart from its objects. Flags that only say how the record is stored do not belong to it.
uint64_t description(const Step& step) {
  const auto flags = static_cast<uint64_t>(step.flags & (Step::kWrite | Step::kTimedOut));
  const uint64_t choice = step.is_choice() ? step.value : 0;
  return index_of(step.thread) | static_cast<uint64_t>(step.kind) << 16 | flags << 24 | choice << 32 | 1ull << 63;
}

}  // namespace

Fingerprinter::Fingerprinter() : objects_(kFirstObjects) {}

void Fingerprinter::begin() {
  ++execution_;
  sum_ = {};
}

Fingerprinter::Thread& Fingerprinter::thread(unsigned t) {
  if (t >= threads_.size()) threads_.resize(t + 1);
  Thread& thread = threads_[t];
  if (thread.execution != execution_) thread = {{}, execution_};
  return thread;
}

Fingerprinter::Object& Fingerprinter::object(ObjectId id) {
  size_t slot = slot_of(id, objects_.size());
  while (objects_[slot].id != id && objects_[slot].id != kNoObject) slot = (slot + 1) & (objects_.size() - 1);
  Object& object = objects_[slot];
  if (object.execution == execution_ && object.id == id) return object;
  const bool fresh = object.id == kNoObject;
  object = {id, execution_, {}, {}};
  if (!fresh || 2 * ++used_ < objects_.size()) return object;
  grow();
  return this->object(id);
}

void Fingerprinter::grow() {
  std::vector<Object> old(2 * objects_.size());
  old.swap(objects_);
  for (Object& o : old) {
    if (o.id == kNoObject) continue;
    size_t slot = slot_of(o.id, objects_.size());
    while (objects_[slot].id != kNoObject) slot = (slot + 1) & (objects_.size() - 1);
    objects_[slot] = o;
  }
}

void Fingerprinter::add(const Step& step) {
  const AccessList list = accesses(step.operation());
  Fingerprint hash = thread(index_of(step.thread)).last;
  const uint64_t what = description(step);
  absorb(hash, what, what);
  for (const Access& a : list) {
    if (a.object == kNoObject) continue;
    const Object& o = object(a.object);
    Fingerprint past = o.write;
    if (a.write) add_to(past, o.reads);
    const uint64_t name = static_cast<uint64_t>(a.object) << 1 | (a.write ? 1 : 0);
    absorb(hash, past.low + name, past.high ^ name);
  }
  if (step.kind == OpKind::ProcessExit) absorb(hash, sum_.low, sum_.high);  // after everything
  for (const Access& a : list) {
    if (a.object == kNoObject) continue;
    Object& o = object(a.object);
    if (a.write) {
      o.write = hash;
      o.reads = {};
    } else {
      add_to(o.reads, hash);
    }
  }
  thread(index_of(step.thread)).last = hash;
  if (step.kind == OpKind::Create) thread(static_cast<unsigned>(step.second)).last = hash;
  add_to(sum_, hash);
}

Fingerprint fingerprint_of(TraceView trace) {
  Fingerprinter f;
  f.begin();
  for (const Step& step : trace.steps()) f.add(step);
  return f.value();
}

}  // namespace lockstep
