// A cache hands out a counted object: the count is raised after the pointer was read, when it may be gone.
#include "harness.hpp"
int main() {
  struct Object {
    std::atomic<int> references = 1;
    std::atomic<bool> alive = true;
  } object;
  std::atomic<Object*> cached = &object;
  auto drop = [](Object* o) {
    if (--o->references == 0) o->alive = false;
  };
  together(
      [&] {
        if (Object* o = cached) {
          ++o->references;
          assert(o->alive);
          drop(o);
        }
      },
      [&] {
        if (Object* o = cached.exchange(nullptr)) drop(o);
      },
      [&] {
        if (Object* o = cached) (void)o->references.load();
      });
}
