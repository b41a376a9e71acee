// A token goes round a ring of three stations. Who waited too long makes a new one if nobody seems to hold it, but the
// holder has only put it on the line: two stations end up with a token each.
#include "harness.hpp"
int main() {
  constexpr int kStations = 3;
  std::atomic<int> line[kStations] = {1, 0, 0};  // a token on the way to each
  std::atomic<int> holders = 0, inside = 0;
  together_n(kStations, [&](int me) {
    for (int attempts = 0; attempts < 2; ++attempts) {
      bool have = line[me].exchange(0) == 1;
      if (!have && attempts == 1 && holders == 0) {  // lost, it seems
        bool on_the_way = false;
        for (const auto& link : line) on_the_way |= link == 1;
        have = !on_the_way;
      }
      if (!have) continue;
      ++holders;
      assert(inside.fetch_add(1) == 0);
      --inside;
      --holders;
      line[(me + 1) % kStations] = 1;
    }
  });
}
