// oneTBB's concurrent_hash_map: a correct use and a wrong one.
#include <tbb/concurrent_hash_map.h>

#include "library.hpp"

using Map = tbb::concurrent_hash_map<int, int>;

void correct() {  // an accessor locks its element
  Map map;
  auto add = [&] {
    Map::accessor element;
    map.insert(element, 1);
    const int seen = element->second;
    std::this_thread::yield();
    element->second = seen + 1;
  };
  together(add, add);
  Map::const_accessor element;
  assert(map.find(element, 1) && element->second == 2);
}

void misused() {  // reads under one lock and writes under another
  Map map;
  auto add = [&] {
    int seen = 0;
    {
      Map::const_accessor element;
      if (map.find(element, 1)) seen = element->second;
    }
    Map::accessor element;
    map.insert(element, 1);
    element->second = seen + 1;
  };
  together(add, add);
  Map::const_accessor element;
  assert(map.find(element, 1) && element->second == 2);
}
