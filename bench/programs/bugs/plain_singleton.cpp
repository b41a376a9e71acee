// One thread makes the string, the others write a letter into it; the letter of one is overwritten.
#include "harness.hpp"
char* v;
int main() {
  together(
      [] {
        v = static_cast<char*>(std::malloc(1));
        *v = 'A';
      },
      [] {
        if (v) *v = 'X';
      },
      [] {
        if (v) *v = 'X';
      },
      [] {
        if (v) *v = 'Y';
      },
      [] {
        if (v) *v = 'X';
      });
  assert(v && *v != 'Y');
}
