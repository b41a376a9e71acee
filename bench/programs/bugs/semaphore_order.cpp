// The lock is taken before the wait for room; only with several producers ahead does the buffer fill up.
#include <pthread.h>
#include <semaphore.h>
#include "harness.hpp"
static sem_t room, items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* produce(void*) {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_lock(&lock);
    sem_wait(&room);
    pthread_mutex_unlock(&lock);
    sem_post(&items);
  }
  return nullptr;
}
static void* consume(void*) {
  for (int i = 0; i < 2; ++i) {
    sem_wait(&items);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    sem_post(&room);
  }
  return nullptr;
}
int main() {
  sem_init(&room, 0, 3);
  sem_init(&items, 0, 0);
  pthread_t t[6];
  for (int i = 0; i < 6; ++i) pthread_create(&t[i], nullptr, i < 3 ? consume : produce, nullptr);
  for (pthread_t x : t) pthread_join(x, nullptr);
}
