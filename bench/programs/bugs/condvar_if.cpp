// Two consumers test with `if`: the second one woken finds the box empty.
#include <pthread.h>
#include "harness.hpp"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int box[8], in, out;
static void* consume(void*) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&lock);
    if (in == out) pthread_cond_wait(&filled, &lock);
    assert(in > out);
    ++out;
    pthread_mutex_unlock(&lock);
  }
  return nullptr;
}
static void* produce(void*) {
  for (int i = 0; i < 4; ++i) {
    pthread_mutex_lock(&lock);
    box[in % 8] = i;
    ++in;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
  }
  return nullptr;
}
int main() {
  pthread_t t[3];
  pthread_create(&t[0], nullptr, consume, nullptr);
  pthread_create(&t[1], nullptr, consume, nullptr);
  pthread_create(&t[2], nullptr, produce, nullptr);
  for (pthread_t x : t) pthread_join(x, nullptr);
}
