// How often a thread has given way at which place, and whether another round can matter.
//
// A thread that gives way in a loop lets the others go first, so executions in which it goes round and round meanwhile
// are not explored. Nothing is lost if it comes back to a place in a state in which it has been there before, with no
// change by it in between: the round did nothing, and the execution without it is explored. Otherwise the number of
// rounds may matter, and the first `most` of them are steps like any others.
#pragma once
#include <cstdint>

namespace lockstep::rt {

class Rounds {
 public:
  enum class Pass : uint8_t {
    First,   // it has not given way before
    New,     // not at this place
    Counts,  // another state, within the rounds that are tried
    Same,    // a state it has been in before
    Beyond,  // another state, and more rounds than are tried
  };

  void begin() { used_ = 0; }

  // It gives way at `place`, in `state` (0: not known). After Same and Beyond, rounds are counted anew.
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
    uint64_t place, state[2];  // the last two states: some loops take turns between two objects
    uint32_t passes;
    bool known;
  };

  // Places beyond kMostPlaces share the last entry, so that every loop comes to an end of its rounds.
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
