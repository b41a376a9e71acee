// Reclamation by epochs: the second epoch is not waited for, so a reader two behind loses its object.
#include "harness.hpp"
int main() {
  std::atomic<int> epoch = 0, local[2] = {-1, -1}, alive[3] = {1, 1, 1}, current = 0;
  auto reader = [&](int me) {
    for (int i = 0; i < 2; ++i) {
      local[me] = epoch.load();
      const int x = current;
      assert(alive[x] == 1);
      local[me] = -1;
    }
  };
  together([&] { reader(0); }, [&] { reader(1); },
           [&] {
             for (int i = 0; i < 2; ++i) {
               const int old = current;
               current = old + 1;
               const int e = epoch;
               bool quiet = true;
               for (auto& l : local) quiet &= l == -1 || l == e;
               if (quiet) {
                 epoch = e + 1;
                 for (auto& l : local) quiet &= l == -1 || l >= e;  // one too few
                 if (quiet) alive[old] = 0;
               }
             }
           });
}
