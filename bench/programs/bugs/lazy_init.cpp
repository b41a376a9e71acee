// Double-checked initialisation that publishes the object before it is filled in.
#include "harness.hpp"
struct Thing {
  std::atomic<int> value = 0;
};
int main(int argc, char** argv) {
  std::mutex m;
  Thing storage;
  std::atomic<Thing*> instance = nullptr;
  together_n(number(argc, argv, 3), [&](int) {
    if (!instance) {
      std::scoped_lock guard(m);
      if (!instance) {
        instance = &storage;
        storage.value = 42;
      }
    }
    assert(instance.load()->value == 42);
  });
}
