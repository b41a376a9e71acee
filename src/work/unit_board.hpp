// The units of an exploration that are not answered yet: which are made, handed out, to be run again.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "work/queue_link.hpp"
#include "work/units.hpp"

namespace lockstep {

class UnitBoard {
 public:
  UnitBoard(QueueLink& link, size_t window) : link_(link), window_(window) {}

  uint64_t settings = 0;  // number of those that units are made with

  // --- handing out ---
  bool is_open() const { return open_ != nullptr; }
  const std::shared_ptr<Batch>& open();  // to which plans are added
  void close_if_full();
  void close();
  // Whoever has nothing to do gets what there is. But no more traces than there is room for: they are kept until it is
  // their turn.
  void serve_the_idle();
  void need(const std::shared_ptr<Batch>& unit);  // it is waited for
  void hand_out(std::shared_ptr<Batch> unit);
  uint64_t next_number() { return ++units_; }  // in the stream, for whoever puts something there

  // --- out there ---
  size_t size() const { return out_.size() + ready_.size(); }
  bool is_out(const Batch& unit) const { return out_.contains(unit.number); }
  size_t plans_out() const;
  void hand_out_again(const Batch& unit);  // what was lost of it
  void hand_out_lost();                    // all that Redis has not
  void withdraw(const Batch& unit);
  void take_all_back();
  void forget();  // Redis is gone

  // --- answers ---
  // True: its traces are there. False: it came too late, or names threads that were not known.
  bool accept(AnswerMessage& answer);
  void run_again();                                               // those that met new threads
  std::vector<ThreadTable::Entry> threads_of(const Batch& unit);  // that it met; none: it met none
  void is_read(const Trace& trace) { bytes_kept_ -= std::min<uint64_t>(bytes_kept_, trace.view().header().bytes); }

 private:
  struct Again {
    std::shared_ptr<Batch> unit;
    std::vector<ThreadTable::Entry> threads;
  };

  QueueLink& link_;
  const size_t window_;
  UnitSize size_;
  uint64_t units_ = 0;
  std::shared_ptr<Batch> open_;
  std::deque<std::shared_ptr<Batch>> ready_;        // to be handed out
  std::map<uint64_t, std::shared_ptr<Batch>> out_;  // by number
  std::vector<Again> again_;                        // that met new threads
  uint64_t bytes_kept_ = 0;                         // of traces whose turn has not come
};

}  // namespace lockstep
