// An atomic variable does not make an update atomic.
//
// Both threads add one by a load and a store. There is no data race, so no race detector objects; but a thread that
// is preempted between the two writes back a value that has become stale, and an update is lost.
#undef NDEBUG
#include <atomic>
#include <cassert>
#include <thread>

std::atomic<int> visits{0};

void visit() { visits.store(visits.load() + 1); }  // visits.fetch_add(1) would be right

int main() {
  std::thread first(visit);
  std::thread second(visit);
  first.join();
  second.join();
  assert(visits.load() == 2);
}
