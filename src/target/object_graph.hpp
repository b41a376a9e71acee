// From the variables of a stopped program along pointers, references and containers to any address: what the source
// would call it. Private to the symbols library.
#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "model/allocation.hpp"
#include "target/process_memory.hpp"
#include "target/types.hpp"

namespace lockstep::debug_info {

// Memory of a known type.
struct Region {
  uint64_t address = 0;
  Dwarf_Die type{};
  std::string path;      // of the object itself, or of the pointer to it
  bool pointee = false;  // reached by a pointer: members are spelled path->member
  unsigned hops = 0;     // pointers on the way
  uint64_t size = 0;     // 0: the type's
  bool single = false;   // not the first of several
};

struct FoundObject {
  std::string path;
  std::optional<Dwarf_Die> type;
};

class ObjectGraph {
 public:
  // `blocks`: of the heap, as far as they are known: how far an array behind a pointer reaches.
  // `gives_up`: find() takes too long.
  ObjectGraph(const ProcessMemory& memory, std::span<const Allocation> blocks, std::function<bool()> gives_up = {})
      : memory_(memory), blocks_(blocks), gives_up_(std::move(gives_up)) {}

  void add_root(Region root) { roots_.push_back(std::move(root)); }
  // What a function knows of its own object: told only where no variable leads there as directly.
  void add_late_root(Region root) { late_roots_.push_back(std::move(root)); }

  // A parameter or reference: its name holds in one call only. A way of few pointers from a variable is told instead.
  void add_alias_root(Region root) { alias_roots_.push_back(std::move(root)); }

  // The shortest way; of equal ones that from the root which was added first.
  std::optional<FoundObject> find(uint64_t address);

 private:
  std::optional<FoundObject> inside(Region& region, uint64_t address) const;
  void expand(Region& region, uint64_t wanted);
  void expand_type(const Region& region, Dwarf_Die* type, uint64_t offset, const std::string& suffix, uint64_t wanted);
  void follow(const Region& region, Dwarf_Die* pointer, uint64_t offset, const std::string& suffix, bool library);
  void push(Region region, bool distant = false);
  uint64_t bytes_behind(uint64_t address) const;

  const ProcessMemory& memory_;
  std::span<const Allocation> blocks_;
  const std::function<bool()> gives_up_;
  std::deque<Region> roots_, late_roots_, alias_roots_, queue_;
  std::deque<Region> distant_;  // behind pointers of the library's own: looked at when there is nothing else
  std::set<std::pair<uint64_t, Dwarf_Off>> seen_;
};

}  // namespace lockstep::debug_info
