// Walks containers by the memory layouts of libstdc++.
#include "target/std_containers.hpp"

#include <dwarf.h>
#include <algorithm>
#include <string_view>
#include <vector>

#include "target/types.hpp"

namespace lockstep::debug_info {
namespace {

constexpr uint64_t kFew = 32, kMost = 1000;
using Visit = std::function<void(const Element&)>;

struct Container {
  Dwarf_Die* type;
  uint64_t address, wanted;
  const ProcessMemory& memory;
  const Visit& visit;

  uint64_t word(uint64_t offset) const { return memory.word(address + offset).value_or(0); }
  uint64_t at(uint64_t where) const { return memory.word(where).value_or(0); }
  void visit_own(uint64_t begin, uint64_t size) const {
    Element own{begin, {}, "", false, false, size, true};
    if (begin != 0 && size != 0) visit(own);
  }
};

// Visits equal elements side by side; the first has number `first`. Up to `reserved`, elements come and go.
void visit_row(const Container& c, Dwarf_Die element, uint64_t begin, uint64_t end, uint64_t first,
               uint64_t reserved = 0) {
  const uint64_t size = size_of(&element);
  reserved = std::max(reserved, end);
  if (size == 0 || reserved <= begin || begin == 0) return;
  const uint64_t count = end > begin ? (end - begin) / size : 0;
  const auto visit = [&](uint64_t i) { c.visit({begin + i * size, element, "[" + std::to_string(first + i) + "]"}); };
  if (c.wanted - begin < reserved - begin) visit((c.wanted - begin) / size);
  for (uint64_t i = 0; i < std::min(count, kFew); ++i) visit(i);
}

void visit_vector(const Container& c) {
  auto element = template_argument(c.type, 0);
  if (element && size_of(c.type) == 24)
    visit_row(c, *element, c.word(0), c.word(8), 0, c.word(16));  // not vector<bool>
}

uint64_t deque_buffer(uint64_t element_size) { return element_size < 512 ? 512 / element_size : 1; }

void visit_deque(const Container& c) {
  auto element = template_argument(c.type, 0);
  const uint64_t size = element ? size_of(&*element) : 0;
  if (size == 0) return;
  c.visit_own(c.word(0), 8 * c.word(8));
  const uint64_t first_node = c.word(40), last_node = c.word(72), buffer = deque_buffer(size);
  uint64_t index = 0;
  for (uint64_t node = first_node; node != 0 && node <= last_node && index < kMost * buffer; node += 8) {
    const uint64_t begin = node == first_node ? c.word(16) : c.at(node);
    const uint64_t end = node == last_node ? c.word(48) : c.at(node) + buffer * size;
    visit_row(c, *element, begin, end, index);
    index += end > begin ? (end - begin) / size : 0;
  }
}

std::string string_text(uint64_t address, const ProcessMemory& memory) {
  const uint64_t data = memory.word(address).value_or(0), size = memory.word(address + 8).value_or(0);
  std::string text(std::min<uint64_t>(size, 24), '?');
  if (!data || !memory.read(data, text.data(), text.size())) return "\"?\"";
  return "\"" + text + (size > text.size() ? "…" : "") + "\"";
}

std::string key_text(Dwarf_Die* type, uint64_t address, const ProcessMemory& memory) {
  const ValueType shown = value_type(type);
  if (plain_name(type).starts_with("basic_string<char")) return string_text(address, memory);
  const auto value = memory.word(address, std::clamp<size_t>(shown.size, 1, 8));
  return value && shown.kind != ValueType::Unknown ? value_text(*value, shown) : "?";
}

// Visits a node's value: the value of a map's pair, otherwise the key itself.
void visit_node(const Container& c, Dwarf_Die value, uint64_t at) {
  if (!plain_name(&value).starts_with("pair<")) return c.visit({at, value, "{" + key_text(&value, at, c.memory) + "}"});
  std::vector<Member> members = members_of(&value);
  const auto find = [&](const char* name) {
    return std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.name == name; });
  };
  const auto first = find("first"), second = find("second");
  if (first == members.end() || second == members.end()) return;
  const std::string key = key_text(&first->type, at + first->offset, c.memory);
  c.visit({at + second->offset, second->type, "[" + key + "]"});
}

void visit_tree(const Container& c) {
  auto value = nested_type(c.type, "value_type");
  if (!value) return;
  constexpr uint64_t kParent = 8, kLeft = 16, kRight = 24, kValue = 32;
  const uint64_t header = c.address + 8;
  uint64_t node = c.at(header + kLeft);  // leftmost
  for (uint64_t n = 0; node != 0 && node != header && n < kMost; ++n) {
    c.visit_own(node, kValue);
    visit_node(c, *value, node + kValue);
    if (uint64_t next = c.at(node + kRight)) {
      while (uint64_t left = c.at(next + kLeft)) next = left;
      node = next;
      continue;
    }
    uint64_t parent = c.at(node + kParent);
    while (parent != header && parent != 0 && node == c.at(parent + kRight)) {
      node = parent;
      parent = c.at(parent + kParent);
    }
    node = parent;
  }
}

void visit_hash_table(const Container& c) {
  auto value = nested_type(c.type, "value_type");
  if (!value) return;
  c.visit_own(c.word(0), 8 * c.word(8));  // the buckets
  uint64_t node = c.word(16);
  for (uint64_t n = 0; node != 0 && n < kMost; ++n, node = c.at(node)) {
    c.visit_own(node, 8);
    visit_node(c, *value, node + 8);
  }
}

void visit_list(const Container& c) {
  auto value = template_argument(c.type, 0);
  if (!value) return;
  uint64_t node = c.word(0);
  for (uint64_t n = 0; node != 0 && node != c.address && n < kMost; ++n, node = c.at(node)) {
    c.visit_own(node, 16);
    c.visit({node + 16, *value, "[" + std::to_string(n) + "]"});
  }
}

void visit_unique_pointer(const Container& c) {
  auto element = template_argument(c.type, 0);
  const uint64_t target = c.word(size_of(c.type) - 8);  // a deleter with state comes before the pointer
  if (!element || target == 0) return;
  Dwarf_Die inner;
  const bool array = dwarf_tag(&*element) == DW_TAG_array_type && type_of(&*element, &inner);  // unique_ptr<T[]>
  if (array) element = inner;
  c.visit({target, *element, "", true, array});
}

void visit_shared_pointer(const Container& c) {
  auto element = template_argument(c.type, 0);
  if (element && c.word(0)) c.visit({c.word(0), *element, "", true});
  if (const uint64_t counts = c.word(8)) {
    Dwarf_Die unknown{};
    c.visit({counts + 8, unknown, ".use_count()", false, false, 4});
    c.visit({counts + 12, unknown, ".weak_count()", false, false, 4});
  }
}

struct Layout {
  std::string_view name;
  void (*visit)(const Container&);
};
constexpr Layout kLayouts[] = {
    {"vector<", visit_vector},
    {"deque<", visit_deque},
    {"map<", visit_tree},
    {"multimap<", visit_tree},
    {"set<", visit_tree},
    {"multiset<", visit_tree},
    {"unordered_map<", visit_hash_table},
    {"unordered_set<", visit_hash_table},
    {"list<", visit_list},
    {"unique_ptr<", visit_unique_pointer},
    {"shared_ptr<", visit_shared_pointer},
    {"weak_ptr<", visit_shared_pointer},
};

}  // namespace

bool visit_elements(Dwarf_Die* container, uint64_t address, uint64_t wanted, const ProcessMemory& memory,
                    const Visit& visit) {
  const std::string name = plain_name(container);
  for (const Layout& layout : kLayouts) {
    if (!std::string_view(name).starts_with(layout.name)) continue;
    layout.visit({container, address, wanted, memory, visit});
    return true;
  }
  return false;
}

std::optional<uint64_t> element_count(Dwarf_Die* container, uint64_t address, const ProcessMemory& memory) {
  const std::string name = plain_name(container);
  const auto is = [&name](const char* prefix) { return name.starts_with(prefix); };
  const auto word = [&](uint64_t offset) { return memory.word(address + offset); };
  if (is("map<") || is("set<") || is("multimap<") || is("multiset<")) return word(40);
  if (is("unordered_map<") || is("unordered_set<")) return word(24);
  if (is("list<")) return word(16);
  if (is("basic_string<")) return word(8);
  auto element = template_argument(container, 0);
  const uint64_t size = element ? size_of(&*element) : 0;
  if (size == 0) return std::nullopt;
  const auto between = [&](uint64_t from, uint64_t to, uint64_t each) -> std::optional<uint64_t> {
    const auto first = word(from), last = word(to);
    return first && last ? std::optional((*last - *first) / each) : std::nullopt;
  };
  if (is("vector<") && size_of(container) == 24) return between(0, 8, size);
  if (!is("deque<")) return std::nullopt;
  const auto nodes = between(40, 72, 8), in_first = between(16, 32, size), in_last = between(56, 48, size);
  if (!nodes || !in_first || !in_last) return std::nullopt;
  if (*nodes == 0) return between(16, 48, size);
  return *in_first + *in_last + (*nodes - 1) * deque_buffer(size);
}

}  // namespace lockstep::debug_info
