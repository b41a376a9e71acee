// TBB's reader-writer spin lock. Seeded: an upgrade does not wait for the other readers to leave.
#include <oneapi/tbb/spin_rw_mutex.h>

#include "../../programs/bugs/harness.hpp"
int main() {
  tbb::spin_rw_mutex mutex;
  std::atomic<int> low = 0, high = 0;
  together(
      [&] {
        tbb::spin_rw_mutex::scoped_lock lock(mutex, false);
        lock.upgrade_to_writer();
        ++low;
        ++high;
      },
      [&] {
        tbb::spin_rw_mutex::scoped_lock lock(mutex, false);
        const int before = low;
        assert(before == high);
      });
}
