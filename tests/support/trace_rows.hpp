// Exact numbers for well-known programs: Mazurkiewicz traces, in total and those with an execution of at most 0..4
// preemptions; executions with at most 0..4 delays.
#pragma once
#include <ostream>

#include "zoo.hpp"

namespace lockstep::fake {

struct TraceRow {
  const char* name;
  Program program;
  uint64_t traces;
  uint64_t within[5];
  uint64_t blocked_by_source_sets;  // executions source-DPOR begins in vain
  uint64_t delayed[5];
};

inline void PrintTo(const TraceRow& row, std::ostream* out) { *out << row.name; }

inline std::vector<TraceRow> trace_rows() {
  return {
      {"indep 2x2", independent(2, 2), 1, {1, 1, 1, 1, 1}, 0, {1, 3, 5, 6, 6}},
      {"indep 3x2", independent(3, 2), 1, {1, 1, 1, 1, 1}, 0, {1, 5, 15, 30, 49}},
      {"samewrite 2x2", same_write(2, 2), 6, {2, 4, 6, 6, 6}, 0, {1, 3, 5, 6, 6}},
      {"samewrite 2x3", same_write(2, 3), 20, {2, 6, 14, 18, 20}, 0, {1, 4, 10, 16, 19}},
      {"samewrite 3x2", same_write(3, 2), 90, {6, 24, 60, 90, 90}, 0, {1, 5, 15, 30, 49}},
      {"x=1;y=1||x=2;y=2", crossed_stores(), 4, {2, 4, 4, 4, 4}, 0, {1, 3, 5, 6, 6}},
      {"SB", store_buffering(), 3, {2, 3, 3, 3, 3}, 0, {1, 3, 5, 6, 6}},
      {"MP", message_passing(), 3, {2, 3, 3, 3, 3}, 0, {1, 3, 5, 6, 6}},
      {"IRIW", iriw(), 15, {14, 15, 15, 15, 15}, 0, {1, 5, 16, 33, 60}},
      {"w||rw-race", write_and_read_race(), 8, {6, 8, 8, 8, 8}, 0, {1, 4, 10, 16, 23}},
      {"load+store inc 2", increment(2), 4, {2, 4, 4, 4, 4}, 0, {1, 3, 5, 6, 6}},
      {"load+store inc 3", increment(3), 36, {6, 24, 36, 36, 36}, 0, {1, 5, 15, 30, 49}},
      {"load+store inc 2 x2", increment_twice(2), 34, {2, 8, 22, 32, 34}, 0, {1, 5, 17, 35, 53}},
      {"faa 2x2", fetch_add(2, 2), 6, {2, 4, 6, 6, 6}, 0, {1, 3, 5, 6, 6}},
      {"faa 3x1", fetch_add(3, 1), 6, {6, 6, 6, 6, 6}, 0, {1, 3, 5, 6, 6}},
      {"faa 3x2", fetch_add(3, 2), 90, {6, 24, 60, 90, 90}, 0, {1, 5, 15, 30, 49}},
      {"CAS race", cas_race(), 3, {3, 3, 3, 3, 3}, 0, {1, 3, 5, 6, 6}},
      {"readers(2)", readers(2), 4, {4, 4, 4, 4, 4}, 0, {1, 3, 5, 6, 6}},
      {"readers(3)", readers(3), 8, {8, 8, 8, 8, 8}, 0, {1, 4, 9, 15, 20}},
      {"readers(4)", readers(4), 16, {16, 16, 16, 16, 16}, 0, {1, 5, 14, 29, 49}},
      {"readers(6)", readers(6), 64, {64, 64, 64, 64, 64}, 0, {1, 7, 27, 76, 174}},
      {"lastzero(2)", last_zero(2), 5, {5, 5, 5, 5, 5}, 0, {1, 4, 10, 18, 26}},
      {"lastzero(3)", last_zero(3), 12, {12, 12, 12, 12, 12}, 0, {1, 6, 22, 59, 122}},
      {"lastzero(4)", last_zero(4), 28, {28, 28, 28, 28, 28}, 2, {1, 8, 38, 133, 356}},
      {"lock/unlock only 2x1", mutex_only(2, 1), 2, {2, 2, 2, 2, 2}, 0, {1, 2, 2, 2, 2}},
      {"lock/unlock only 3x1", mutex_only(3, 1), 6, {6, 6, 6, 6, 6}, 0, {1, 3, 5, 6, 6}},
      {"lock/unlock only 2x2", mutex_only(2, 2), 6, {2, 4, 6, 6, 6}, 0, {1, 3, 5, 6, 6}},
      {"lock/unlock only 2x3", mutex_only(2, 3), 20, {2, 6, 14, 18, 20}, 0, {1, 4, 10, 16, 19}},
      {"lock/unlock only 3x2", mutex_only(3, 2), 90, {6, 24, 60, 90, 90}, 0, {1, 5, 15, 30, 49}},
      {"mutex counter 2x1", mutex_counter(2, 1), 2, {2, 2, 2, 2, 2}, 0, {1, 2, 2, 2, 2}},
      {"mutex counter 3x1", mutex_counter(3, 1), 6, {6, 6, 6, 6, 6}, 0, {1, 3, 5, 6, 6}},
      {"mutex counter 2x2", mutex_counter(2, 2), 6, {2, 4, 6, 6, 6}, 0, {1, 3, 5, 6, 6}},
      {"ABBA deadlock", abba(), 3, {2, 3, 3, 3, 3}, 0, {1, 4, 6, 6, 6}},
      {"philosophers 3", philosophers(3), 7, {6, 7, 7, 7, 7}, 0, {1, 8, 32, 69, 112}},
      {"SplitSync", split_sync(), 6, {2, 4, 6, 6, 6}, 0, {1, 3, 5, 6, 6}},
      {"t1=a;t2=a || a++", two_reads_one_increment(), 3, {2, 3, 3, 3, 3}, 0, {1, 3, 3, 3, 3}},
      {"t1=a;t2=a || a=1;a=0", two_reads_two_writes(), 6, {2, 4, 6, 6, 6}, 0, {1, 3, 5, 6, 6}},
      {"trylock vs lock", try_lock_vs_lock(), 3, {2, 3, 3, 3, 3}, 0, {1, 4, 4, 4, 4}},
      {"indexer(n=2,size=4,max=1)", indexer(2, 4, 1), 1, {1, 1, 1, 1, 1}, 0, {1, 2, 2, 2, 2}},
      {"indexer(n=2,size=4,max=2)", indexer(2, 4, 2), 3, {2, 3, 3, 3, 3}, 0, {1, 3, 6, 7, 8}},
      {"indexer(n=3,size=4,max=1)", indexer(3, 4, 1), 1, {1, 1, 1, 1, 1}, 0, {1, 3, 5, 6, 6}},
      {"filesystem(n=2,inodes=2,blocks=2)", filesystem(2, 2, 2), 2, {2, 2, 2, 2, 2}, 0, {1, 9, 44, 149, 345}},
      {"filesystem(n=2,inodes=1,blocks=2)", filesystem(2, 1, 2), 2, {2, 2, 2, 2, 2}, 0, {1, 2, 2, 2, 2}},
      {"filesystem(n=3,inodes=2,blocks=2)", filesystem(3, 2, 2), 4, {4, 4, 4, 4, 4}, 0, {1, 20, 115, 563, 1839}},
      {"filesystem(n=3,inodes=3,blocks=3)", filesystem(3, 3, 3), 1, {1, 1, 1, 1, 1}, 0, {1, 17, 201, 1413, 8245}},
      {"semaphore(1) mutual exclusion 2", semaphore_exclusion(2), 2, {2, 2, 2, 2, 2}, 0, {1, 2, 2, 2, 2}},
      {"semaphore(1) mutual exclusion 3", semaphore_exclusion(3), 6, {6, 6, 6, 6, 6}, 0, {1, 3, 5, 6, 6}},
      {"condvar flag, 1 waiters, signal", condition_flag(1, false), 2, {2, 2, 2, 2, 2}, 0, {1, 2, 2, 2, 2}},
      {"condvar flag, 1 waiters, broadcast", condition_flag(1, true), 2, {2, 2, 2, 2, 2}, 0, {1, 2, 2, 2, 2}},
      {"condvar flag, 2 waiters, signal", condition_flag(2, false), 10, {10, 10, 10, 10, 10}, 0, {2, 4, 9, 10, 10}},
      {"condvar flag, 2 waiters, broadcast", condition_flag(2, true), 10, {10, 10, 10, 10, 10}, 0, {1, 4, 8, 10, 10}},
      {"condvar without predicate (lost wakeup)", lost_wakeup(), 2, {2, 2, 2, 2, 2}, 0, {1, 2, 2, 2, 2}},
      {"choice(3) || store", choice_and_store(), 6, {6, 6, 6, 6, 6}, 0, {3, 9, 9, 9, 9}},
  };
}

}  // namespace lockstep::fake
