// The units that a search is divided into, in the order in which one worker would explore them. Units of a higher rank
// come after all of a lower one. Whoever explores a unit returns what it has left of it, which takes the unit's place;
// so the order does not depend on who was faster.
#pragma once
#include <cstdint>
#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "search/base/saved_state.hpp"

namespace lockstep {

// A part of a search that can be explored by itself.
struct UnitPart {
  uint64_t rank = 0;
  uint64_t size = 0;  // open executions
  std::string bytes{};
  bool operator==(const UnitPart&) const = default;
};

struct Unit {
  uint64_t number = 0;  // its name, never used again
  uint64_t rank = 0;
  uint64_t size = 0;  // open executions
  std::string bytes{};
};

class UnitList {
 public:
  // Behind all of its rank; small ones become one. That is possible because bytes of two parts, the later one's first,
  // are a part.
  void add(UnitPart part);
  // For who explores units one after the other: the first unit, unless others have it or its result is not counted yet.
  std::optional<UnitPart> take_first();
  void put_first(uint64_t rank, std::vector<UnitPart> rest);  // what is left of it

  // A unit of the lowest rank that nobody has: the first one, or the last if `last`. nullopt: there is none now.
  std::optional<Unit> hand_out(bool last = false);
  bool has_waiting(size_t count) const;  // so many of the lowest rank, for hand_out()
  // It was not explored after all. `alone`: it is handed out again only when everything before it is finished.
  void put_back(uint64_t number, bool alone = false);
  void give_up(uint64_t number);   // likewise, and it is not handed out any more: only taken
  bool first_is_given_up() const;  // so nobody but who takes the first unit can go on
  void put_back_out();             // all that were handed out and not returned
  void put_back_all();             // also those that were returned and not removed
  // It was explored; what is left has no lower rank than it. It stays until its result was counted.
  void returned(uint64_t number, std::vector<UnitPart> rest);
  // The first of all units, if it was returned; with `any` the first one that was.
  std::optional<uint64_t> next_returned(bool any = false) const;
  void remove(uint64_t number);  // of a returned one
  bool is_first(uint64_t number) const;
  bool first_waits() const;
  const std::string& bytes_of(uint64_t number) const;  // of one that was handed out or returned

  bool empty() const { return levels_.empty(); }
  uint64_t lowest_rank() const { return levels_.begin()->first; }  // if not empty
  uint64_t size() const { return size_; }                          // open executions, those handed out included
  uint64_t size_of(uint64_t rank) const;                           // likewise
  uint64_t memory_bytes() const { return bytes_; }
  bool spill();  // what waits goes to disk; false: there is no room

  void save(StateWriter& out) const;  // what was handed out waits again
  void load(StateReader& in);

 private:
  static constexpr uint64_t kSmall = 512;  // open executions

  enum class State : uint8_t { Waiting, Out, Returned };
  struct Entry {
    uint64_t number;
    uint64_t size;
    State state = State::Waiting;
    bool alone = false, given_up = false;
    std::string bytes{};
    std::optional<uint64_t> on_disk{};  // where, if `bytes` are there
    uint64_t disk_bytes = 0;
    std::vector<UnitPart> later{};  // of a returned one: what is left and has a higher rank
  };
  struct Level {
    std::list<Entry> entries{};
    uint64_t size = 0;  // open executions of all entries
  };
  using Place = std::list<Entry>::iterator;
  struct Found {
    uint64_t rank;
    Place entry;
  };
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void insert(Level& level, Place place, UnitPart part);
  void erase(Level& level, uint64_t rank, Place entry);
  Found find(uint64_t number) const { return found_.at(number); }
  void bring_back(Entry& entry);
  std::string read(const Entry& entry) const;

  std::map<uint64_t, Level> levels_;  // none is empty
  std::unordered_map<uint64_t, Found> found_;
  uint64_t next_number_ = 1, size_ = 0, bytes_ = 0;
  std::unique_ptr<std::FILE, Close> file_;  // has no name, so it is gone with the process
  uint64_t file_end_ = 0;
};

}  // namespace lockstep
