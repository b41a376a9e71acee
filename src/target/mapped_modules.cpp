#include "target/mapped_modules.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace lockstep {

std::vector<Module> modules_of(pid_t process) {
  std::vector<Module> modules;
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0, offset = 0;
    char permissions[8] = {};
    int at = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %7s %lx %*s %*s %n", &begin, &end, permissions, &offset, &at) < 4) continue;
    std::string path = line.substr(std::min<size_t>(static_cast<size_t>(at), line.size()));
    if (path.empty() || path[0] != '/') continue;
    modules.push_back({begin, end, offset, path, permissions[2] == 'x'});
  }
  return modules;
}

}  // namespace lockstep
