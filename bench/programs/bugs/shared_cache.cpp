// Looked up under a shared lock, inserted under an exclusive one without looking again; the count then is wrong.
#include <shared_mutex>
#include "harness.hpp"
int main() {
  std::shared_mutex lock;
  int entries[8], used = 0;
  auto get = [&](int key) {
    {
      std::shared_lock g(lock);
      for (int i = 0; i < used; ++i)
        if (entries[i] == key) return;
    }
    std::unique_lock g(lock);
    entries[used++] = key;
  };
  together([&] { get(1), get(2); }, [&] { get(2), get(3); }, [&] { get(3), get(4); }, [&] { get(5); });
  assert(used <= 6);
}
