#include "target/trusted_code.hpp"

#include <fnmatch.h>
#include <algorithm>
#include <map>

#include "target/demangle.hpp"
#include "target/elf_file.hpp"

namespace lockstep {
namespace {

bool matches(const std::vector<std::string>& globs, const std::string& name) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return fnmatch(glob.c_str(), name.c_str(), 0) == 0; });
}

std::vector<CodeRange> merged(std::vector<CodeRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const CodeRange& a, const CodeRange& b) { return a.begin < b.begin; });
  std::vector<CodeRange> result;
  for (const CodeRange& r : ranges) {
    if (!result.empty() && r.begin <= result.back().end)
      result.back().end = std::max(result.back().end, r.end);
    else
      result.push_back(r);
  }
  return result;
}

}  // namespace

std::vector<CodeRange> find_code(const std::vector<Module>& modules, const std::vector<std::string>& globs) {
  std::map<std::string, std::pair<uint64_t, uint64_t>> files;  // path -> where it begins and ends
  for (const Module& m : modules) {
    if (m.path.empty() || m.path.front() != '/') continue;
    auto [at, fresh] = files.try_emplace(m.path, m.begin - m.file_offset, m.end);
    at->second.first = std::min(at->second.first, m.begin - m.file_offset);
    at->second.second = std::max(at->second.second, m.end);
  }
  std::vector<CodeRange> ranges;
  for (const auto& [path, extent] : files) {
    if (matches(globs, path) || matches(globs, path.substr(path.find_last_of('/') + 1))) {
      ranges.push_back({extent.first, extent.second});
      continue;
    }
    const ElfFile file(path);
    if (!file.good()) continue;
    const uint64_t base = file.position_independent() ? extent.first : 0;
    for (const ElfFile::Function& f : file.functions()) {
      const std::string name = readable_name(f.name);
      if (matches(globs, name) || matches(globs, name.substr(0, name.find('('))))
        ranges.push_back({base + f.begin, base + f.end});
    }
  }
  return merged(std::move(ranges));
}

}  // namespace lockstep
