// One condition variable for both sides and signal instead of broadcast: the wrong side is woken.
#include <pthread.h>
#include "harness.hpp"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int count;
enum { kCapacity = 2, kEach = 3 };
static void* put(void*) {
  for (int i = 0; i < kEach; ++i) {
    pthread_mutex_lock(&lock);
    while (count == kCapacity) pthread_cond_wait(&changed, &lock);
    ++count;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
  }
  return nullptr;
}
static void* get(void*) {
  for (int i = 0; i < kEach; ++i) {
    pthread_mutex_lock(&lock);
    while (count == 0) pthread_cond_wait(&changed, &lock);
    --count;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
  }
  return nullptr;
}
int main() {
  pthread_t t[6];
  for (int i = 0; i < 6; ++i) pthread_create(&t[i], nullptr, i % 2 ? put : get, nullptr);
  for (pthread_t x : t) pthread_join(x, nullptr);
}
