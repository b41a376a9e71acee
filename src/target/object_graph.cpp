// Breadth-first search from variables to an address.
#include "target/object_graph.hpp"

#include <dwarf.h>
#include <algorithm>

#include "target/std_containers.hpp"

namespace lockstep::debug_info {
namespace {

constexpr size_t kMostRegions = 6000;
constexpr unsigned kMostHops = 8;
constexpr unsigned kHopsBeforeAliases = 2;
constexpr uint64_t kMostElements = 64;  // of an array that are followed

// A lock guard stands for the mutex that it holds.
bool is_lock(Dwarf_Die* type) {
  const std::string name = plain_name(type);
  for (const char* lock : {"lock_guard<", "unique_lock<", "scoped_lock<", "shared_lock<"})
    if (name.starts_with(lock)) return true;
  return false;
}

// "queue" + ".head", "node" + ".next" behind a pointer, "*node".
std::string spell(const Region& region, const std::string& rest) {
  if (!region.pointee) return region.path + rest;
  if (region.path.empty()) return rest.empty() ? "*this" : rest.substr(1);  // the object itself, known as `this`
  if (rest.empty()) return "*" + region.path;
  if (rest[0] == '.') return region.path + "->" + rest.substr(1);
  return "(*" + region.path + ")" + rest;
}

}  // namespace

uint64_t ObjectGraph::bytes_behind(uint64_t address) const {
  for (const Allocation& block : blocks_)
    if (block.contains(address)) return block.begin + block.size - address;
  return 0;
}

std::optional<FoundObject> ObjectGraph::inside(Region& region, uint64_t address) const {
  const uint64_t size = region.size ? region.size : std::max<uint64_t>(region.type.addr ? size_of(&region.type) : 0, 1);
  const uint64_t offset = address - region.address;
  if (region.type.addr == nullptr)
    return offset < size ? std::optional(FoundObject{region.path, std::nullopt, region.whole ? region.whole : address})
                         : std::nullopt;
  const uint64_t behind = region.pointee && !region.single ? bytes_behind(region.address) : 0;
  Leaf leaf;
  if (behind >= 2 * size && offset < behind) {  // an array of such objects
    const std::string element = region.path + "[" + std::to_string(offset / size) + "]";
    const std::string rest = path_inside(&region.type, offset % size, &leaf);
    return FoundObject{element + rest, leaf.type, address - leaf.within};
  }
  if (address < region.address || offset >= size) return std::nullopt;
  const std::string rest = path_inside(&region.type, offset, &leaf);
  return FoundObject{spell(region, rest), leaf.type, address - leaf.within};
}

void ObjectGraph::push(Region region, bool distant) {
  if (region.address < 4096 || region.hops > kMostHops) return;
  const Dwarf_Off type = region.type.addr ? dwarf_dieoffset(&region.type) : 0;
  if (seen_.size() < kMostRegions && seen_.emplace(region.address, type).second)
    (distant ? distant_ : queue_).push_back(std::move(region));
}

void ObjectGraph::follow(const Region& region, Dwarf_Die* pointer, uint64_t offset, const std::string& suffix,
                         bool library) {
  Dwarf_Die target;
  const auto value = memory_.word(region.address + offset);
  if (!value || *value == 0 || !type_of(pointer, &target)) return;
  if (dwarf_tag(&target) == DW_TAG_subroutine_type) return;
  // The target of a pointer inside a library object (future, thread) counts as part of that object.
  push({*value, target, spell(region, suffix), !is_reference(pointer) && !library, region.hops + 1}, library);
}

void ObjectGraph::expand_type(const Region& region, Dwarf_Die* type, uint64_t offset, const std::string& suffix,
                              uint64_t wanted) {
  if (is_pointer(type)) return follow(region, type, offset, suffix, false);
  if (auto shape = shape_of(type); shape && dwarf_tag(type) == DW_TAG_array_type) {
    if (!is_class(&shape->element) && !is_pointer(&shape->element)) return;
    uint64_t count = 1;
    for (const uint64_t n : shape->counts) count *= n;
    for (uint64_t i = 0; i < std::min(count, kMostElements); ++i) {
      const uint64_t at = i * shape->element_size;
      const std::string element = path_inside(type, at);
      const std::string index = element.substr(0, element.find(']') + 1);
      expand_type(region, &shape->element, offset + at, suffix + index, wanted);
    }
    return;
  }
  if (!is_class(type)) return;
  const bool library = is_library_type(type);
  const auto visit = [&](const Element& e) {
    const std::string path = spell(region, suffix) + e.suffix;
    push({e.address, e.type, path, e.pointee, region.hops + 1, e.size, !e.array, e.own ? region.address + offset : 0});
  };
  if (library && visit_elements(type, region.address + offset, wanted, memory_, visit)) return;
  if (library && is_lock(type)) return;
  for (Member& member : members_of(type)) {
    if (library && is_pointer(&member.type)) {
      follow(region, &member.type, offset + member.offset, suffix, true);
      continue;
    }
    const bool silent = member.name.empty() || (library && member.name[0] == '_');
    expand_type(region, &member.type, offset + member.offset, silent ? suffix : suffix + "." + member.name, wanted);
  }
}

void ObjectGraph::expand(Region& region, uint64_t wanted) {
  if (region.type.addr != nullptr) expand_type(region, &region.type, 0, "", wanted);
}

std::optional<FoundObject> ObjectGraph::find(uint64_t address) {
  queue_.clear();
  seen_.clear();
  distant_.clear();
  // What is a variable's own comes before anything behind a pointer.
  for (auto* roots : {&roots_, &alias_roots_})
    for (Region& root : *roots)
      if (root.hops == 0)
        if (auto found = inside(root, address)) return found;
  for (const Region& root : roots_) push(root);
  constexpr size_t kLookEvery = 64;
  size_t looked_at = 0, early = queue_.size();
  for (bool late = false, aliases = false;;) {
    if (!late && early-- == 0) {
      late = true;
      for (const Region& root : late_roots_) push(root);
    }
    if (late && !aliases && (queue_.empty() || queue_.front().hops > kHopsBeforeAliases)) {
      aliases = true;
      std::deque<Region> rest = std::exchange(queue_, {});
      for (const Region& root : alias_roots_) push(root);
      queue_.insert(queue_.end(), rest.begin(), rest.end());
    }
    if (queue_.empty()) queue_.swap(distant_);
    if (queue_.empty() || (gives_up_ && ++looked_at % kLookEvery == 0 && gives_up_())) return std::nullopt;
    Region region = std::move(queue_.front());
    queue_.pop_front();
    if (auto found = inside(region, address)) return found;
    expand(region, address);
  }
}

}  // namespace lockstep::debug_info
