// A withdrawal that is not atomic: the balance is read under the lock and written under it again.
#include "harness.hpp"
int main() {
  std::mutex m;
  std::atomic<int> balance = 100;
  auto change = [&](int by) {
    m.lock();
    const int seen = balance;
    m.unlock();
    m.lock();
    balance = seen + by;
    m.unlock();
  };
  together([&] { change(50); }, [&] { change(-30); },
           [&] {
             m.lock();
             m.unlock();
           });
  assert(balance == 120);
}
