// liburcu's lock-free stack. Seeded: a push compares and then stores, in two steps.
#define _LGPL_SOURCE
#include <pthread.h>
#include <urcu/lfstack.h>
#undef NDEBUG
#include <assert.h>

static struct __cds_lfs_stack stack;
static struct cds_lfs_node nodes[3];

static void* push(void* node) {
  cds_lfs_push(&stack, node);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  __cds_lfs_init(&stack);
  for (int i = 0; i < 3; ++i) {
    cds_lfs_node_init(&nodes[i]);
    pthread_create(&threads[i], NULL, push, &nodes[i]);
  }
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  int found = 0;
  struct cds_lfs_head* all = __cds_lfs_pop_all(&stack);
  for (struct cds_lfs_node* at = all ? &all->node : NULL; at; at = at->next) ++found;
  assert(found == 3);
}
