#include "everyday.hpp"

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const auto& [name, program] : programs()) std::puts(name.c_str());
    return 0;
  }
  const auto found = programs().find(argv[1]);
  if (found == programs().end()) return 99;
  found->second();
  return 0;
}
