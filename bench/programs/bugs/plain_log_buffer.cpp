// After Apache's buffered log: the length is read, the text copied, the length added; two writers overlap.
#include "harness.hpp"
char text[64];
int length = 0;
std::mutex m;
int main() {
  auto log = [](char c) {
    for (int i = 0; i < 3; ++i) {
      int at;
      {
        std::scoped_lock g(m);
        at = length;
        if (at + 4 > 40) length = at = 0;
      }
      for (int k = 0; k < 4; ++k) text[at + k] = c;
      {
        std::scoped_lock g(m);
        length += 4;
      }
    }
  };
  together([&] { log('a'); }, [&] { log('b'); });
  int a = 0, b = 0;
  for (char c : text) a += c == 'a', b += c == 'b';
  assert(a == 12 && b == 12);
}
