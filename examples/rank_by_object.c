/* A rank for best-first search: switches right before an operation on the object that the execution used most go first.

     cc -shared -fPIC rank_by_object.c -o rank_by_object.so
     lockstep run --strategy best-first --rank ./rank_by_object.so,pb ./test */
#include <lockstep/rank.h>

uint64_t lockstep_rank(const struct lockstep_step* steps, uint32_t count,
                       const struct lockstep_alternative* alternative) {
  uint64_t best = 0, here = 0;
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t uses = 0;
    for (uint32_t k = 0; k < count; ++k) uses += steps[i].object && steps[k].object == steps[i].object;
    if (uses > best) best = uses;
    if (i == alternative->step) here = uses;
  }
  return best - here;
}
