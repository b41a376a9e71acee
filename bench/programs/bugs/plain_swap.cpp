// Two buffers are swapped by plain pointers while two threads fill and one drains.
#include <pthread.h>
#include "harness.hpp"
static int buffers[2][8], used[2], active, drained;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* fill(void*) {
  for (int i = 0; i < 2; ++i) {
    const int b = active;
    pthread_mutex_lock(&lock);
    buffers[b][used[b]++] = 1;
    pthread_mutex_unlock(&lock);
  }
  return nullptr;
}
static void* drain(void*) {
  for (int i = 0; i < 2; ++i) {
    const int b = active;
    active = 1 - b;
    pthread_mutex_lock(&lock);
    const int n = used[b];
    pthread_mutex_unlock(&lock);
    for (int k = 0; k < n; ++k) {
      drained += buffers[b][k];
      buffers[b][k] = 0;
    }
    pthread_mutex_lock(&lock);
    used[b] = 0;
    pthread_mutex_unlock(&lock);
  }
  return nullptr;
}
int main() {
  pthread_t t[3];
  pthread_create(&t[0], nullptr, fill, nullptr);
  pthread_create(&t[1], nullptr, fill, nullptr);
  pthread_create(&t[2], nullptr, drain, nullptr);
  for (pthread_t x : t) pthread_join(x, nullptr);
  assert(drained + used[0] + used[1] == 4);
}
