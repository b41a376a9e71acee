// Five threads lock three of five accounts in an order of their own; three of them can close a cycle.
#include <pthread.h>
#include "harness.hpp"
static pthread_mutex_t account[5];
static const int order[5][2] = {{0, 3}, {3, 4}, {1, 2}, {4, 0}, {1, 4}};
static void* transfer(void* p) {
  const int* o = static_cast<const int*>(p);
  pthread_mutex_lock(&account[o[0]]);
  pthread_mutex_lock(&account[o[1]]);
  pthread_mutex_unlock(&account[o[1]]);
  pthread_mutex_unlock(&account[o[0]]);
  return nullptr;
}
int main() {
  for (auto& a : account) pthread_mutex_init(&a, nullptr);
  pthread_t t[5];
  for (int i = 0; i < 5; ++i) pthread_create(&t[i], nullptr, transfer, const_cast<int*>(order[i]));
  for (pthread_t x : t) pthread_join(x, nullptr);
}
