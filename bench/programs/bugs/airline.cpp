// Seats are sold by several offices; each asks whether there are any left, then sells.
#include "harness.hpp"
int main(int argc, char** argv) {
  const int offices = number(argc, argv, 5);
  const int seats = offices - 1;
  std::mutex m;
  int sold = 0;
  together_n(offices, [&](int) {
    m.lock();
    const bool left = sold < seats;
    m.unlock();
    if (!left) return;
    m.lock();
    ++sold;
    m.unlock();
  });
  assert(sold <= seats);
}
