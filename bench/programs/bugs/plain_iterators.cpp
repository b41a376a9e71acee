// After a collection that is copied while it changes: size read, elements copied, size read again only sometimes.
#include "harness.hpp"
int size = 0, element[16];
std::mutex writer;
int main() {
  auto add = [](int from) {
    for (int i = 0; i < 4; ++i) {
      std::scoped_lock g(writer);
      element[size] = from + i;
      ++size;
    }
  };
  together([&] { add(10); }, [&] { add(20); },
           [] {
             const int n = size;
             int copy[16] = {};
             for (int i = 0; i < n; ++i) copy[i] = element[i];
             {
               std::scoped_lock g(writer);
               if (size > 2) {
                 --size;
                 element[size] = 0;
               }
             }
             const int k = size;
             for (int i = 0; i < k && i < n; ++i) assert(element[i] == copy[i]);
           });
}
