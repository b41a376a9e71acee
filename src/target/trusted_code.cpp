// Finds the code ranges of functions and modules by name.
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

// Removes duplicates: constructors and functions folded by the linker share an address.
std::vector<CodeRange> distinct(std::vector<CodeRange> functions) {
  std::sort(functions.begin(), functions.end(),
            [](const CodeRange& a, const CodeRange& b) { return a.begin < b.begin; });
  const auto same = [](const CodeRange& a, const CodeRange& b) { return a.begin == b.begin; };
  functions.erase(std::unique(functions.begin(), functions.end(), same), functions.end());
  return functions;
}

}  // namespace

std::vector<CodeRange> find_code(const std::vector<Module>& modules, const std::vector<std::string>& globs) {
  std::map<std::string, std::pair<uint64_t, uint64_t>> files;  // path -> begin and end of its mapping
  for (const Module& m : modules) {
    if (m.path.empty() || m.path.front() != '/') continue;
    auto [at, fresh] = files.try_emplace(m.path, m.begin - m.file_offset, m.end);
    at->second.first = std::min(at->second.first, m.begin - m.file_offset);
    at->second.second = std::max(at->second.second, m.end);
  }
  std::vector<CodeRange> functions;
  for (const auto& [path, extent] : files) {
    const bool whole = matches(globs, path) || matches(globs, path.substr(path.find_last_of('/') + 1));
    const ElfFile file(path);
    if (!file.good()) continue;
    const uint64_t base = file.position_independent() ? extent.first : 0;
    for (const ElfFile::Function& f : (whole ? file.all_functions() : file.functions())) {
      const std::string name = whole ? std::string() : readable_name(f.name);
      if (whole || matches(globs, name) || matches(globs, name.substr(0, name.find('('))))
        functions.push_back({base + f.begin, base + f.end});
    }
  }
  return distinct(std::move(functions));
}

}  // namespace lockstep
