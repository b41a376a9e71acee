// Counts how often a thread yields at each place, and decides whether another round of its loop can matter.
//
// A thread that yields in a loop lets the others go first, so executions in which it runs further rounds meanwhile are
// not explored. Nothing is lost if the thread returns to a place in an earlier state without having changed anything in
// between: the round did nothing, and the execution without the round is explored. Otherwise the number of rounds may
// matter, and the first `most` of them are steps like any others.
#pragma once
#include <cstdint>

namespace lockstep::rt {

class Rounds {
 public:
  enum class Pass : uint8_t {
    First,   // the thread has not yielded before
    New,     // it has not yielded at this place before
    Counts,  // a new state, within the rounds to try
    Same,    // an earlier state
    Beyond,  // a new state, after the rounds to try
  };

  void begin() { used_ = 0; }

  // The thread yields at `place`, in `state` (0: unknown). After Same and Beyond, the count of rounds restarts.
  Pass pass(uint64_t place, uint64_t state, uint32_t most) {
    const bool first = used_ == 0;
    Place& here = at(place);
    const bool known = here.known;
    here.known = true;
    const bool same = state && (state == here.state[0] || state == here.state[1]);
    if (!same) {
      here.state[1] = here.state[0];
      here.state[0] = state;
    }
    ++here.passes;
    if (first) return Pass::First;
    if (!same && here.passes <= most) return known ? Pass::Counts : Pass::New;
    for (uint32_t i = 0; i < used_; ++i) place_[i].passes = 0;
    here.passes = 1;  // the next round begins here
    return same ? Pass::Same : Pass::Beyond;
  }

 private:
  static constexpr uint32_t kMostPlaces = 8;
  struct Place {
    uint64_t place, state[2];  // the last two states: some loops alternate between two objects
    uint32_t passes;
    bool known;
  };

  // Places beyond kMostPlaces share the last entry, so that the number of rounds of every loop is limited.
  Place& at(uint64_t place) {
    for (uint32_t i = 0; i < used_; ++i)
      if (place_[i].place == place) return place_[i];
    if (used_ == kMostPlaces) return place_[kMostPlaces - 1];
    place_[used_] = {place, {0, 0}, 0, false};
    return place_[used_++];
  }

  uint32_t used_;
  Place place_[kMostPlaces];
};

}  // namespace lockstep::rt
