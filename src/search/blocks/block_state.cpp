// Saves and loads a search over blocks. The memory of delayed threads is shared by many schedules and stored once.
#include <algorithm>
#include <map>

#include "search/base/saved_trace.hpp"
#include "search/blocks/block_search.hpp"

namespace lockstep {
namespace {

void put_wait(StateWriter& out, const LockWait& w) {
  out.put(w.steps);
  out.put(w.wanted);
  out.put(w.exclusive);
  out.put_all(w.held);
  out.put_all(w.choices);
}

LockWait get_wait(StateReader& in) {
  LockWait w;
  w.steps = in.get<uint32_t>();
  w.wanted = in.get<ObjectId>();
  w.exclusive = in.get<bool>();
  w.held = in.get_all<HeldLock>();
  w.choices = in.get_all<uint16_t>();
  return w;
}

}  // namespace

class BlockSearch::Memories {
 public:
  uint64_t number(const std::shared_ptr<Memory>& memory) {
    if (!memory) return 0;
    const auto [place, fresh] = numbers_.try_emplace(memory.get(), all_.size() + 1);
    if (fresh) all_.push_back(memory);
    return place->second;
  }
  std::shared_ptr<Memory> at(uint64_t number, StateReader& in) const {
    if (number == 0) return nullptr;
    if (number <= all_.size()) return all_[number - 1];
    in.reject();
    return nullptr;
  }
  void save(StateWriter& out) const {
    out.put<uint64_t>(all_.size());
    for (const auto& memory : all_) {
      out.put(memory->everything);
      out.put(memory->variants);
      out.put_all(memory->touched);
      out.put<uint64_t>(memory->waits.size());
      for (const LockWait& w : memory->waits) put_wait(out, w);
    }
  }
  void load(StateReader& in) {
    for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
      auto memory = std::make_shared<Memory>();
      memory->everything = in.get<bool>();
      memory->variants = in.get<uint32_t>();
      memory->touched = in.get_all<Touched>();
      for (auto waits = in.get<uint64_t>(); waits > 0 && in.good(); --waits) memory->waits.push_back(get_wait(in));
      all_.push_back(std::move(memory));
    }
  }

 private:
  std::vector<std::shared_ptr<Memory>> all_;
  std::map<const Memory*, uint64_t> numbers_;
};

void BlockSearch::save(StateWriter& out) const {
  Memories memories;
  for (const Node& node : open_) {
    memories.number(node.variant);
    for (const Stopped& s : node.stopped) memories.number(s.memory);
  }
  memories.save(out);
  out.put<uint64_t>(open_.size());
  for (const Node& node : open_) {
    out.put_all(node.deltas);
    out.put(node.start);
    out.put(node.cost);
    out.put(node.choices_after);
    out.put(memories.number(node.variant));
    out.put<uint64_t>(node.stopped.size());
    for (const Stopped& s : node.stopped) {
      out.put(s.thread);
      out.put(s.aborted);
      out.put(s.wanted);
      out.put(memories.number(s.memory));
    }
    out.put(node.deadlock.has_value());
    if (node.deadlock) {
      out.put_all(node.deadlock->cycle);
      out.put_all(node.deadlock->schedule);
    }
    out.put(node.status);
    if (node.status == Node::Status::Back) put_trace(out, node.trace);
  }
  put_queue(out, in_flight_);
  out.put<uint64_t>(discarded_);
  for (const uint64_t n : {learned_, schedules_, aborted_, peak_, confirmed_, diverged_, lost_, cut_}) out.put(n);
  criteria_.save(out);
  users_.save(out);
  early_.save(out);
  out.put(nests_locks_);
  out.put<uint64_t>(predicted_.size());
  for (const auto& [key, failed] : predicted_) {
    out.put_all(std::vector(key.begin(), key.end()));
    out.put(failed);
  }
  out.put<uint64_t>(unconfirmed_.size());
  for (const auto& [key, f] : unconfirmed_) {
    out.put_all(f.lock_cycle);
    out.put_text(f.message);
    put_trace(out, f.trace);
  }
}

void BlockSearch::load(StateReader& in) {
  Memories memories;
  memories.load(in);
  open_.clear();
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
    Node& node = open_.emplace_back();
    node.deltas = in.get_all<Delta>();
    for (uint32_t* n : {&node.start, &node.cost, &node.choices_after}) *n = in.get<uint32_t>();
    node.variant = memories.at(in.get<uint64_t>(), in);
    for (auto stopped = in.get<uint64_t>(); stopped > 0 && in.good(); --stopped) {
      Stopped& s = node.stopped.emplace_back();
      s.thread = in.get<ThreadId>();
      s.aborted = in.get<bool>();
      s.wanted = in.get<ObjectId>();
      s.memory = memories.at(in.get<uint64_t>(), in);
    }
    if (in.get<bool>()) {
      node.deadlock.emplace();
      node.deadlock->cycle = in.get_all<LockNesting>();
      node.deadlock->schedule = in.get_all<uint64_t>();
    }
    node.status = in.get<Node::Status>();
    if (node.status > Node::Status::Back) in.reject();
    if (node.status == Node::Status::Back) {
      node.trace = get_trace(in);
      if (node.trace.empty()) return in.reject();
      waiting_bytes_ += node.trace.view().header().bytes;
    }
  }
  in_flight_ = get_queue<size_t>(in);
  discarded_ = in.get<uint64_t>();
  if (std::ranges::any_of(in_flight_, [this](size_t place) { return place >= open_.size(); })) return in.reject();
  // The last schedule is never Back: it would have been learned.
  if (!open_.empty() && open_.back().status == Node::Status::Back) in.reject();
  for (uint64_t* n : {&learned_, &schedules_, &aborted_, &peak_, &confirmed_, &diverged_, &lost_, &cut_})
    *n = in.get<uint64_t>();
  criteria_.load(in);
  users_.load(in);
  early_.load(in);
  nests_locks_ = in.get<bool>();
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
    const auto key = in.get_all<std::pair<uint64_t, uint64_t>>();
    predicted_[Key(key.begin(), key.end())] = in.get<uint32_t>();
  }
  for (auto count = in.get<uint64_t>(); count > 0 && in.good(); --count) {
    const auto cycle = in.get_all<LockNesting>();
    const std::string message = in.get_text();
    unconfirmed_.emplace(key_of(cycle), unconfirmed(cycle, message, get_trace(in)));
  }
}

uint64_t BlockSearch::memory_bytes() const {
  uint64_t bytes = open_.capacity() * sizeof(Node) + waiting_bytes_;
  for (const Node& n : open_) {
    bytes += n.deltas.capacity() * sizeof(Delta) + n.stopped.capacity() * sizeof(Stopped);
    if (!n.stopped.empty() && n.stopped.back().memory)
      bytes += n.stopped.back().memory->touched.capacity() * sizeof(Touched);
  }
  return bytes;
}

}  // namespace lockstep
