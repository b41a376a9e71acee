// Readers, writers and a turnstile: the last reader lets the wrong one in.
#include <pthread.h>
#include <semaphore.h>
#include "harness.hpp"
static sem_t turnstile, room, count_lock;
static int inside;
static void* reader(void*) {
  sem_wait(&turnstile);
  sem_wait(&count_lock);
  if (++inside == 1) sem_wait(&room);
  sem_post(&count_lock);
  sem_post(&turnstile);
  sem_wait(&count_lock);
  if (--inside == 0) sem_post(&room);
  sem_post(&count_lock);
  return nullptr;
}
static void* writer(void*) {
  sem_wait(&room);
  sem_wait(&turnstile);  // the other way round than it should be
  sem_post(&turnstile);
  sem_post(&room);
  return nullptr;
}
int main() {
  sem_init(&turnstile, 0, 1);
  sem_init(&room, 0, 1);
  sem_init(&count_lock, 0, 1);
  pthread_t t[3];
  pthread_create(&t[0], nullptr, reader, nullptr);
  pthread_create(&t[1], nullptr, reader, nullptr);
  pthread_create(&t[2], nullptr, writer, nullptr);
  for (pthread_t x : t) pthread_join(x, nullptr);
}
