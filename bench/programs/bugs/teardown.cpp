// The queue is freed when the last block has been taken, not when the consumers have left.
#include <pthread.h>
#include "harness.hpp"
struct Queue {
  pthread_mutex_t lock;
  pthread_cond_t more;
  int blocks, done;
};
static Queue* queue;
static std::atomic<int> left{4};
static void* consumer(void*) {
  while (left > 0) {
    Queue* q = queue;
    pthread_mutex_lock(&q->lock);
    while (q->blocks == 0 && !q->done) pthread_cond_wait(&q->more, &q->lock);
    if (q->blocks > 0) {
      --q->blocks;
      --left;
    }
    pthread_mutex_unlock(&q->lock);
  }
  return nullptr;
}
int main() {
  queue = new Queue{};
  pthread_mutex_init(&queue->lock, nullptr);
  pthread_cond_init(&queue->more, nullptr);
  pthread_t t[2];
  for (pthread_t& x : t) pthread_create(&x, nullptr, consumer, nullptr);
  for (int i = 0; i < 4; ++i) {
    pthread_mutex_lock(&queue->lock);
    ++queue->blocks;
    if (i == 3) queue->done = 1;
    pthread_cond_broadcast(&queue->more);
    pthread_mutex_unlock(&queue->lock);
  }
  while (left > 0) sched_yield();
  Queue* q = queue;
  pthread_mutex_lock(&q->lock);
  pthread_mutex_unlock(&q->lock);
  delete q;  // a consumer may have seen left > 0 and not yet locked
  for (pthread_t x : t) pthread_join(x, nullptr);
}
