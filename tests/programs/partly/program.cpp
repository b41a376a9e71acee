// Instrumented, and uses what library.cpp has.
#undef NDEBUG
#include <cassert>
#include <string>
#include <thread>

void add(int n);
int sum();
#ifdef ATOMICS
void publish();
bool published();
#endif
int value;

template <class A, class B>
static void together(A first, B second) {
  std::thread a(first), b(second);
  a.join();
  b.join();
}

int main(int, char** argv) {
  const std::string wanted = argv[1];
  if (wanted == "locked") {
    together([] { add(1); }, [] { add(2); });
    assert(sum() == 3);
  }
  if (wanted == "racy") together([] { value = 1; }, [] { value = 2; });
#ifdef ATOMICS
  if (wanted == "published")
    together(
        [] {
          value = 1;
          publish();
        },
        [] {
          if (published()) value = 2;
        });
#endif
}
