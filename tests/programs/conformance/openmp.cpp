// Regions of OpenMP: who does what depends on the schedule, what comes of it does not.
#include <omp.h>

#include "conformance.hpp"

CASE(openmp_region) {
  int each = 0, once = 0, alone = 0, named = 0, late = 0, numbers = 0, inside = 0;
  long double large = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    each++;
#pragma omp critical(other)
    named++;
#pragma omp single
    once++;
#pragma omp barrier
#pragma omp single nowait
    late = each;
#pragma omp atomic
    large += 1;
#pragma omp atomic
    numbers += 1 << omp_get_thread_num();
#pragma omp master
    {
      alone = omp_get_num_threads();
      inside = omp_in_parallel();
    }
  }
  SHOW(each);
  SHOW(named);
  SHOW(once);
  SHOW(late);
  SHOW(large);
  SHOW(numbers);
  SHOW(alone);
  SHOW(inside);
}

CASE(openmp_number_of_threads) {
  omp_set_num_threads(3);
  SHOW(omp_get_max_threads());
  int count = 0;
#pragma omp parallel reduction(+ : count)
  count++;
  SHOW(count);
}

static int marks[8];
static void show_marks() {
  int sum = 0;
  for (int& mark : marks) sum = sum * 2 + mark, mark = 0;
  SHOW(sum);
}
CASE(openmp_loops) {
#pragma omp parallel for schedule(dynamic, 3) num_threads(2)
  for (int i = 0; i < 8; ++i) marks[i]++;
  show_marks();
#pragma omp parallel for schedule(guided) num_threads(2)
  for (int i = 7; i >= 0; --i) marks[i]++;
  show_marks();
#pragma omp parallel for schedule(monotonic : dynamic) num_threads(2)
  for (int i = 0; i < 8; ++i) marks[i]++;
  show_marks();
#pragma omp parallel for schedule(monotonic : guided, 2) num_threads(2)
  for (int i = 0; i < 8; i += 2) marks[i]++;
  show_marks();
}
CASE(openmp_loops_inside) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 4; ++i) marks[i]++;
#pragma omp for schedule(guided)
    for (int i = 4; i < 8; ++i) marks[i]++;
#pragma omp for schedule(monotonic : dynamic)
    for (int i = 0; i < 2; ++i) marks[i]--;
#pragma omp for schedule(monotonic : guided)
    for (int i = 0; i < 2; ++i) marks[i]++;
  }
  show_marks();
}

CASE(openmp_sections) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    marks[1]++;
#pragma omp section
    marks[3]++;
  }
  show_marks();
#pragma omp parallel num_threads(2)
  {
#pragma omp sections
    {
#pragma omp section
      marks[2]++;
#pragma omp section
      marks[4]++;
#pragma omp section
      marks[6]++;
    }
#pragma omp sections nowait
    {
#pragma omp section
      marks[5]++;
    }
  }
  show_marks();
}

CASE(openmp_locks) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  int total = 0;
#pragma omp parallel num_threads(2)
  {
    omp_set_lock(&lock);
    total++;
    omp_unset_lock(&lock);
  }
  SHOW(total);
  SHOW(omp_test_lock(&lock));
  SHOW(omp_test_lock(&lock));
  omp_unset_lock(&lock);
  omp_destroy_lock(&lock);
}

CASE(refuse_GOMP_task) {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
  marks[0]++;
}
