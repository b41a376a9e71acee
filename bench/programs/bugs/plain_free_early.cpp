// An object is freed by whoever finishes last, told by a plain count.
#include <pthread.h>
#include "harness.hpp"
struct Job {
  int users = 3, data = 5;
};
static Job* job;
static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void* run(void*) {
  Job* mine = job;
  if (!mine) return nullptr;
  pthread_mutex_lock(&lock);
  sum += mine->data;
  const bool last = --mine->users == 0;
  pthread_mutex_unlock(&lock);
  if (last) {
    job = nullptr;
    delete mine;
  } else if (job) {
    sum += job->data;  // may be gone
  }
  return nullptr;
}
int main() {
  job = new Job;
  pthread_t t[3];
  for (pthread_t& x : t) pthread_create(&x, nullptr, run, nullptr);
  for (pthread_t x : t) pthread_join(x, nullptr);
}
