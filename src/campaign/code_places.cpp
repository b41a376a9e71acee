// Converts between return addresses and places in files.
#include "campaign/code_places.hpp"

namespace lockstep {

std::vector<CodePlace> places_of(const std::vector<Module>& modules, const std::vector<uint64_t>& addresses) {
  std::vector<CodePlace> places;
  for (const uint64_t address : addresses)
    for (const Module& m : modules)
      if (address >= m.begin && address < m.end) places.push_back({m.path, address - m.begin + m.file_offset});
  return places;
}

std::vector<uint64_t> addresses_of(const std::vector<Module>& modules, const std::vector<CodePlace>& places) {
  std::vector<uint64_t> addresses;
  for (const CodePlace& place : places)
    for (const Module& m : modules)
      if (m.path == place.module && place.offset >= m.file_offset && place.offset - m.file_offset < m.end - m.begin)
        addresses.push_back(m.begin + (place.offset - m.file_offset));
  return addresses;
}

}  // namespace lockstep
