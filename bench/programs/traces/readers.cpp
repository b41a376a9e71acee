// `readers N`: one writer, N readers (Abdulla et al. 2014). Traces: 2^N.
#include "side_by_side.hpp"

static std::atomic<int> shared;

int main(int argc, char** argv) {
  const int readers = argument(argc, argv, 1, 8);
  side_by_side(readers + 1, [](int i) -> Body {
    if (i == 0) return [](int) { shared.store(1); };
    return [](int) { (void)shared.load(); };
  });
}
