/* A rank of your own for best-first search: which schedules shall run first.

     cc -shared -fPIC mine.c -o mine.so
     lockstep run --strategy best-first --rank ./mine.so,pb ./test

   After every execution the function is called for each alternative: another thread (or another value of
   lockstep::choose) at one decision of that execution. Lockstep then runs the alternatives with the lowest rank first.
   A rank changes the order of a search, never what it covers. It runs in a process of its own: if it crashes or does
   not return, Lockstep says so and goes on without it. */
#ifndef LOCKSTEP_RANK_H
#define LOCKSTEP_RANK_H
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct lockstep_step {
  uint64_t object;       /* address of the lock, atomic or variable; 0: none */
  const char* operation; /* "lock", "load", "store", "cond-wait", ... */
  uint16_t thread;       /* 0 is main; others by creation */
  uint16_t is_decision;  /* 1: another thread or value could have been chosen here */
};

struct lockstep_alternative {
  uint32_t step;        /* the decision: steps[step] is what was done there */
  uint32_t preemptions; /* of the new schedule up to there, this switch included */
  uint16_t thread;      /* who runs instead; the value, if is_choice */
  uint16_t is_choice;   /* 1: a value of lockstep::choose, or which waiter is woken */
};

/* Lower runs first. Values above 65535 count as 65535. */
uint64_t lockstep_rank(const struct lockstep_step* steps, uint32_t count,
                       const struct lockstep_alternative* alternative);

#ifdef __cplusplus
}
#endif
#endif
