// Lock coupling that lets go of a node before it has the next one.
#include <pthread.h>
#include "harness.hpp"
struct Node {
  int key;
  Node* next;
  pthread_mutex_t lock;
};
static Node node[5];
static void remove_key(int key) {
  pthread_mutex_lock(&node[0].lock);
  Node* p = &node[0];
  Node* q = p->next;
  while (q) {
    pthread_mutex_lock(&q->lock);
    if (q->key == key) {
      p->next = q->next;
      pthread_mutex_unlock(&q->lock);
      break;
    }
    pthread_mutex_unlock(&p->lock);
    pthread_mutex_unlock(&q->lock);  // for a moment nothing is held
    pthread_mutex_lock(&q->lock);
    p = q;
    q = q->next;
  }
  pthread_mutex_unlock(&p->lock);
}
static void* one(void*) { return remove_key(2), nullptr; }
static void* two(void*) { return remove_key(3), nullptr; }
int main() {
  for (int i = 0; i < 5; ++i) {
    node[i].key = i;
    node[i].next = i < 4 ? &node[i + 1] : nullptr;
    pthread_mutex_init(&node[i].lock, nullptr);
  }
  pthread_t t[2];
  pthread_create(&t[0], nullptr, one, nullptr);
  pthread_create(&t[1], nullptr, two, nullptr);
  for (pthread_t x : t) pthread_join(x, nullptr);
  int left = 0;
  for (Node* n = node[0].next; n; n = n->next) ++left;
  assert(left == 2);
}
