// A cache with a lock per bucket and one for the list of ages: three paths lock them in three orders.
#include <pthread.h>
#include "harness.hpp"
static pthread_mutex_t bucket[3], ages;
static int hits[3], evicted;
static void* lookup(void* p) {
  const long b = reinterpret_cast<long>(p);
  pthread_mutex_lock(&bucket[b]);
  ++hits[b];
  if (b == 2) {
    pthread_mutex_lock(&ages);
    pthread_mutex_unlock(&ages);
  }
  pthread_mutex_unlock(&bucket[b]);
  return nullptr;
}
static void* evict(void*) {
  pthread_mutex_lock(&ages);
  const bool worth = ++evicted == 2;
  if (worth) {
    pthread_mutex_lock(&bucket[0]);
    pthread_mutex_unlock(&bucket[0]);
  }
  pthread_mutex_unlock(&ages);
  return nullptr;
}
static void* resize(void*) {
  for (int b = 0; b < 2; ++b) pthread_mutex_lock(&bucket[b]);
  pthread_mutex_lock(&bucket[2]);
  for (int b = 0; b < 3; ++b) pthread_mutex_unlock(&bucket[b]);
  return nullptr;
}
int main() {
  for (auto& b : bucket) pthread_mutex_init(&b, nullptr);
  pthread_mutex_init(&ages, nullptr);
  pthread_t t[6];
  for (long i = 0; i < 3; ++i) pthread_create(&t[i], nullptr, lookup, reinterpret_cast<void*>(i));
  pthread_create(&t[3], nullptr, evict, nullptr);
  pthread_create(&t[4], nullptr, evict, nullptr);
  pthread_create(&t[5], nullptr, resize, nullptr);
  for (pthread_t x : t) pthread_join(x, nullptr);
}
