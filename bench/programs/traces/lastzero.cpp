// `lastzero N`: a search for the last zero while N others write (Abdulla et al. 2014). Traces: 2^(N-2) (N+3).
#include "side_by_side.hpp"

static std::atomic<int> cells[kMostThreads];
static int last;

int main(int argc, char** argv) {
  last = argument(argc, argv, 1, 8);
  side_by_side(last + 1, [](int i) -> Body {
    if (i > 0) return [](int cell) { cells[cell].store(cells[cell - 1].load() + 1); };
    return [](int) {
      int at = last;
      while (cells[at].load() != 0) --at;
    };
  });
}
