// Reads global variables from symbol tables.
#include "target/global_objects.hpp"

#include <algorithm>
#include <map>

#include "target/elf_file.hpp"

namespace lockstep {

std::vector<TrackedRange> find_global_objects(const std::vector<Module>& modules) {
  std::map<std::string, uint64_t> begins;  // start of each file in memory
  for (const Module& m : modules) {
    if (m.path.empty() || m.path.front() != '/') continue;
    const auto [at, fresh] = begins.try_emplace(m.path, m.begin - m.file_offset);
    at->second = std::min(at->second, m.begin - m.file_offset);
  }
  std::vector<TrackedRange> objects;
  for (const auto& [path, begin] : begins) {
    const ElfFile file(path);
    if (!file.good()) continue;
    const uint64_t base = file.position_independent() ? begin : 0;
    for (const ElfFile::Object& object : file.objects()) objects.push_back({base + object.begin, object.size});
  }
  std::sort(objects.begin(), objects.end(),
            [](const TrackedRange& a, const TrackedRange& b) { return a.address < b.address; });
  return objects;
}

TrackedRange global_object_at(const std::vector<TrackedRange>& objects, uint64_t address) {
  const auto after = std::upper_bound(objects.begin(), objects.end(), address,
                                      [](uint64_t a, const TrackedRange& object) { return a < object.address; });
  return after != objects.begin() && std::prev(after)->contains(address) ? *std::prev(after) : TrackedRange{address, 0};
}

}  // namespace lockstep
