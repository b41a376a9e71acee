// Concurrency Kit, which is C: a correct use and, with an argument, a wrong one. Its loads and stores are volatile
// accesses, so nothing it does is free of data races in the sense of the language, and the test does not ask for that.
#undef NDEBUG
#include <assert.h>
#include <ck_ring.h>
#include <ck_spinlock.h>
#include <ck_stack.h>
#include <pthread.h>
#include <sched.h>

static ck_spinlock_ticket_t ticket = CK_SPINLOCK_TICKET_INITIALIZER;
static int counter;

static void* count(void* locked) {
  if (locked) ck_spinlock_ticket_lock(&ticket);
  const int seen = counter;
  sched_yield();
  counter = seen + 1;
  if (locked) ck_spinlock_ticket_unlock(&ticket);
  return NULL;
}

static ck_ring_t ring;
static ck_ring_buffer_t buffer[4];
static int values[2] = {1, 2}, sum;

static void* produce(void* unused) {
  for (int i = 0; i < 2; ++i) assert(ck_ring_enqueue_spsc(&ring, buffer, &values[i]));
  return unused;
}
static void* consume(void* unused) {
  for (int n = 0; n < 2;) {
    void* value;
    if (ck_ring_dequeue_spsc(&ring, buffer, &value))
      sum += *(int*)value, ++n;
    else
      sched_yield();
  }
  return unused;
}

static ck_stack_t stack = CK_STACK_INITIALIZER;
static unsigned popped;

static void* push_and_pop(void* entry) {
  ck_stack_push_upmc(&stack, entry);
  if (ck_stack_pop_upmc(&stack)) ck_pr_inc_uint(&popped);
  return NULL;
}

static void together(void* (*first)(void*), void* one, void* (*second)(void*), void* other) {
  pthread_t x, y;
  assert(pthread_create(&x, NULL, first, one) == 0 && pthread_create(&y, NULL, second, other) == 0);
  pthread_join(x, NULL);
  pthread_join(y, NULL);
}

int main(int argc, char** argv) {
  (void)argv;
  together(count, "locked", count, argc == 1 ? "locked" : NULL);
  assert(counter == 2);
  ck_ring_init(&ring, 4);
  together(produce, NULL, consume, NULL);
  assert(sum == 3);
  static ck_stack_entry_t entries[2];
  together(push_and_pop, &entries[0], push_and_pop, &entries[1]);
  assert(popped == 2);
  return 0;
}
