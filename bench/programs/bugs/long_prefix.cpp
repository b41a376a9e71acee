// Two hundred locked steps each before the one place that forgets the lock.
#include <pthread.h>
#include "harness.hpp"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static std::atomic<int> balance{0}, limit{1};
static int work;
static void* run(void*) {
  for (int i = 0; i < 100; ++i) {
    pthread_mutex_lock(&lock);
    ++work;
    pthread_mutex_unlock(&lock);
  }
  if (balance < limit) {
    ++balance;
    assert(balance <= limit);
  }
  return nullptr;
}
int main() {
  pthread_t t[3];
  for (pthread_t& x : t) pthread_create(&x, nullptr, run, nullptr);
  for (pthread_t x : t) pthread_join(x, nullptr);
}
