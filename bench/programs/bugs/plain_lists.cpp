// Two lists with a lock each; an element is moved under both, one after the other, and somebody counts in between.
#include <pthread.h>
#include "harness.hpp"
static pthread_mutex_t la = PTHREAD_MUTEX_INITIALIZER, lb = PTHREAD_MUTEX_INITIALIZER;
static int a = 3, b = 0, checks;
static void* move(void*) {
  for (int k = 0; k < 3; ++k) {
    pthread_mutex_lock(&la);
    --a;
    pthread_mutex_unlock(&la);
    pthread_mutex_lock(&lb);
    ++b;
    pthread_mutex_unlock(&lb);
  }
  return nullptr;
}
static void* count(void*) {
  pthread_mutex_lock(&lb);
  const int y = b;
  pthread_mutex_unlock(&lb);
  pthread_mutex_lock(&la);
  const int x = a;
  pthread_mutex_unlock(&la);
  ++checks;
  assert(x + y > 1);
  return nullptr;
}
int main() {
  pthread_t t[3];
  pthread_create(&t[0], nullptr, move, nullptr);
  pthread_create(&t[1], nullptr, count, nullptr);
  pthread_create(&t[2], nullptr, count, nullptr);
  for (pthread_t x : t) pthread_join(x, nullptr);
}
