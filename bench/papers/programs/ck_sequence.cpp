// Concurrency Kit's sequence lock. Seeded: a reader never reads again.
#define CK_USE_CC_BUILTINS 1
#include <ck_sequence.h>

#include "../../programs/bugs/harness.hpp"
int main() {
  ck_sequence_t sequence = CK_SEQUENCE_INITIALIZER;
  std::atomic<int> low = 0, high = 0;
  together(
      [&] {
        for (int i = 0; i < 2; ++i) {
          ck_sequence_write_begin(&sequence);
          ++low;
          ++high;
          ck_sequence_write_end(&sequence);
        }
      },
      [&] {
        unsigned version = 0;
        int a, b;
        do {
          version = ck_sequence_read_begin(&sequence);
          a = low, b = high;
        } while (ck_sequence_read_retry(&sequence, version));
        assert(a == b);
      });
}
