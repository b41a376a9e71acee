// Userspace RCU: a correct use and a wrong one.
#include <urcu.h>

#include "library.hpp"

struct Config {
  volatile int value;
};
static Config* current;

static void run(bool wait_for_readers) {
  current = new Config{1};
  together(
      [] {
        rcu_register_thread();
        rcu_read_lock();
        Config* seen = rcu_dereference(current);
        std::this_thread::yield();
        const int value = seen->value;
        rcu_read_unlock();
        rcu_unregister_thread();
        assert(value == 1 || value == 2);
      },
      [wait_for_readers] {
        rcu_register_thread();
        Config* old = current;
        rcu_assign_pointer(current, new Config{2});
        if (wait_for_readers) synchronize_rcu();
        old->value = -1;
        delete old;
        rcu_unregister_thread();
      });
}

void correct() { run(true); }
void misused() { run(false); }
