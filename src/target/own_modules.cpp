// Follows the needed libraries of modules.
#include "target/own_modules.hpp"

#include <map>

#include "target/elf_file.hpp"

namespace lockstep {
namespace {

struct Links {
  std::string name;  // the name by which other modules need it
  std::vector<std::string> needed;
};

std::string base_of(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

// Root modules of Lockstep. libdw loads libdebuginfod without listing it as needed.
bool is_root(const std::string& path) {
  return base_of(path).starts_with("liblockstep") || base_of(path).starts_with("libdebuginfod");
}

Links links_of(const std::string& path) {
  Links links{base_of(path), {}};
  const ElfFile file(path);
  std::span<const uint8_t> dynamic, strings;
  file.for_each_section([&](const Elf64_Shdr& section, std::span<const uint8_t> bytes) {
    if (section.sh_type == SHT_DYNAMIC) dynamic = bytes;
    if (section.sh_type == SHT_STRTAB && (section.sh_flags & SHF_ALLOC)) strings = bytes;
  });
  for (size_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.size(); at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    std::memcpy(&entry, dynamic.data() + at, sizeof entry);
    if ((entry.d_tag != DT_NEEDED && entry.d_tag != DT_SONAME) || entry.d_un.d_val >= strings.size()) continue;
    const auto* text = reinterpret_cast<const char*>(strings.data()) + entry.d_un.d_val;
    const std::string name(text, strnlen(text, strings.size() - entry.d_un.d_val));
    if (entry.d_tag == DT_NEEDED)
      links.needed.push_back(name);
    else
      links.name = name;
  }
  return links;
}

class Graph {
 public:
  explicit Graph(const std::vector<std::string>& paths) {
    for (const std::string& path : paths) {
      const auto [entry, is_new] = links_.emplace(path, Links{});
      if (!is_new) continue;
      entry->second = links_of(path);
      by_name_[entry->second.name] = path;
    }
  }
  // Adds the path and everything it needs, directly or indirectly. Does not follow Lockstep's own modules unless it
  // starts there.
  void add(const std::string& path, std::set<std::string>& to) const {
    if (!to.insert(path).second) return;
    for (const std::string& name : links_.at(path).needed) {
      const auto found = by_name_.find(name);
      if (found != by_name_.end() && !is_root(found->second)) add(found->second, to);
    }
  }

 private:
  std::map<std::string, Links> links_;
  std::map<std::string, std::string> by_name_;
};

}  // namespace

std::set<std::string> modules_of_lockstep(const std::vector<std::string>& paths) {
  const Graph graph(paths);
  std::set<std::string> own, others;
  for (const std::string& path : paths)
    if (is_root(path)) graph.add(path, own);
  for (const std::string& path : paths)
    if (!own.contains(path)) graph.add(path, others);
  std::erase_if(own, [&](const std::string& path) { return others.contains(path); });
  return own;
}

}  // namespace lockstep
