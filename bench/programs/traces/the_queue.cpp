// `the_queue S`: the work-stealing queue of Cilk-5, S steals (Frigo, Leiserson & Randall 1998). Traces for S = 1, 2:
// 23, 193.
#include "side_by_side.hpp"

static constexpr int kEmpty = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static std::atomic<int> head, tail, items[8];
static int got[2][4], count[2], steals;

static void push(int value) {
  const int at = tail.load();
  items[at].store(value);
  tail.store(at + 1);
}

static int pop() {
  const int at = tail.load() - 1;
  tail.store(at);
  if (head.load() <= at) return items[at].load();
  tail.store(at + 1);
  pthread_mutex_lock(&lock);
  tail.store(at);
  const bool empty = head.load() > at;
  if (empty) tail.store(at + 1);
  pthread_mutex_unlock(&lock);
  return empty ? kEmpty : items[at].load();
}

static int steal() {
  pthread_mutex_lock(&lock);
  const int at = head.load();
  head.store(at + 1);
  int value = kEmpty;
  if (at + 1 > tail.load())
    head.store(at);
  else
    value = items[at].load();
  pthread_mutex_unlock(&lock);
  return value;
}

static void keep(int who, int value) {
  if (value != kEmpty) got[who][count[who]++] = value;
}

int main(int argc, char** argv) {
  steals = argument(argc, argv, 1, 1);
  side_by_side(2, [](int thread) -> Body {
    if (thread == 1)
      return [](int) {
        for (int i = 0; i < steals; ++i) keep(1, steal());
      };
    return [](int) {
      push(1);
      push(2);
      keep(0, pop());
      push(3);
      keep(0, pop());
      keep(0, pop());
    };
  });
  int times[4] = {};
  for (int who = 0; who < 2; ++who)
    for (int k = 0; k < count[who]; ++k) ++times[got[who][k]];
  for (int k = head.load(); k < tail.load(); ++k) ++times[items[k].load()];
  for (int value = 1; value <= 3; ++value) assert(times[value] == 1);
}
