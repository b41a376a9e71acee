// Names for any address: follows pointers, references and containers from the variables of a stopped program, as source
// code would. Private to the symbols library.
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
  std::string path;      // to the object itself, or to the pointer to it
  bool pointee = false;  // reached through a pointer: members are spelled path->member
  unsigned hops = 0;     // number of pointers on the path
  uint64_t size = 0;     // 0: the size of the type
  bool single = false;   // not the first element of several
  uint64_t whole = 0;    // the container whose own memory this is: it has the name
};

struct FoundObject {
  std::string path;
  std::optional<Dwarf_Die> type;
  uint64_t begin = 0;  // of the object that the path names
};

class ObjectGraph {
 public:
  // `blocks`: known heap blocks, which limit arrays behind pointers. `gives_up`: true if find() takes too long.
  ObjectGraph(const ProcessMemory& memory, std::span<const Allocation> blocks, std::function<bool()> gives_up = {})
      : memory_(memory), blocks_(blocks), gives_up_(std::move(gives_up)) {}

  void add_root(Region root) { roots_.push_back(std::move(root)); }
  // What a lambda has captured: used only where no variable leads to the address as directly.
  void add_late_root(Region root) { late_roots_.push_back(std::move(root)); }

  // A parameter, a reference, the object of a member function: the name holds in one call only. A way of few pointers
  // from a variable is told instead.
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
