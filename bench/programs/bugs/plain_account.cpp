// Deposits without a lock. Plain accesses: for runs that do not take the race itself for the bug.
#include "harness.hpp"
int balance = 0;
int main() {
  together_n(3, [](int) { balance = balance + 10; });
  assert(balance == 30);
}
