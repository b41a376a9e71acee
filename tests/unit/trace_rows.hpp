// Exact numbers of Mazurkiewicz traces of well-known programs: in total, and of those with an execution of at most
// 0..4 preemptions.
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
};

inline void PrintTo(const TraceRow& row, std::ostream* out) { *out << row.name; }

inline std::vector<TraceRow> trace_rows() {
  return {
      {"indep 2x2", independent(2, 2), 1, {1, 1, 1, 1, 1}, 0},
      {"indep 3x2", independent(3, 2), 1, {1, 1, 1, 1, 1}, 0},
      {"samewrite 2x2", same_write(2, 2), 6, {2, 4, 6, 6, 6}, 0},
      {"samewrite 2x3", same_write(2, 3), 20, {2, 6, 14, 18, 20}, 0},
      {"samewrite 3x2", same_write(3, 2), 90, {6, 24, 60, 90, 90}, 0},
      {"x=1;y=1||x=2;y=2", crossed_stores(), 4, {2, 4, 4, 4, 4}, 0},
      {"SB", store_buffering(), 3, {2, 3, 3, 3, 3}, 0},
      {"MP", message_passing(), 3, {2, 3, 3, 3, 3}, 0},
      {"IRIW", iriw(), 15, {14, 15, 15, 15, 15}, 0},
      {"w||rw-race", write_and_read_race(), 8, {6, 8, 8, 8, 8}, 0},
      {"load+store inc 2", increment(2), 4, {2, 4, 4, 4, 4}, 0},
      {"load+store inc 3", increment(3), 36, {6, 24, 36, 36, 36}, 0},
      {"load+store inc 2 x2", increment_twice(2), 34, {2, 8, 22, 32, 34}, 0},
      {"faa 2x2", fetch_add(2, 2), 6, {2, 4, 6, 6, 6}, 0},
      {"faa 3x1", fetch_add(3, 1), 6, {6, 6, 6, 6, 6}, 0},
      {"faa 3x2", fetch_add(3, 2), 90, {6, 24, 60, 90, 90}, 0},
      {"CAS race", cas_race(), 3, {3, 3, 3, 3, 3}, 0},
      {"readers(2)", readers(2), 4, {4, 4, 4, 4, 4}, 0},
      {"readers(3)", readers(3), 8, {8, 8, 8, 8, 8}, 0},
      {"readers(4)", readers(4), 16, {16, 16, 16, 16, 16}, 0},
      {"readers(6)", readers(6), 64, {64, 64, 64, 64, 64}, 0},
      {"lastzero(2)", last_zero(2), 5, {5, 5, 5, 5, 5}, 0},
      {"lastzero(3)", last_zero(3), 12, {12, 12, 12, 12, 12}, 0},
      {"lastzero(4)", last_zero(4), 28, {28, 28, 28, 28, 28}, 2},
      {"lock/unlock only 2x1", mutex_only(2, 1), 2, {2, 2, 2, 2, 2}, 0},
      {"lock/unlock only 3x1", mutex_only(3, 1), 6, {6, 6, 6, 6, 6}, 0},
      {"lock/unlock only 2x2", mutex_only(2, 2), 6, {2, 4, 6, 6, 6}, 0},
      {"lock/unlock only 2x3", mutex_only(2, 3), 20, {2, 6, 14, 18, 20}, 0},
      {"lock/unlock only 3x2", mutex_only(3, 2), 90, {6, 24, 60, 90, 90}, 0},
      {"mutex counter 2x1", mutex_counter(2, 1), 2, {2, 2, 2, 2, 2}, 0},
      {"mutex counter 3x1", mutex_counter(3, 1), 6, {6, 6, 6, 6, 6}, 0},
      {"mutex counter 2x2", mutex_counter(2, 2), 6, {2, 4, 6, 6, 6}, 0},
      {"ABBA deadlock", abba(), 3, {2, 3, 3, 3, 3}, 0},
      {"philosophers 3", philosophers(3), 7, {6, 7, 7, 7, 7}, 0},
      {"SplitSync", split_sync(), 6, {2, 4, 6, 6, 6}, 0},
      {"t1=a;t2=a || a++", two_reads_one_increment(), 3, {2, 3, 3, 3, 3}, 0},
      {"t1=a;t2=a || a=1;a=0", two_reads_two_writes(), 6, {2, 4, 6, 6, 6}, 0},
      {"trylock vs lock", try_lock_vs_lock(), 3, {2, 3, 3, 3, 3}, 0},
      {"indexer(n=2,size=4,max=1)", indexer(2, 4, 1), 1, {1, 1, 1, 1, 1}, 0},
      {"indexer(n=2,size=4,max=2)", indexer(2, 4, 2), 3, {2, 3, 3, 3, 3}, 0},
      {"indexer(n=3,size=4,max=1)", indexer(3, 4, 1), 1, {1, 1, 1, 1, 1}, 0},
      {"filesystem(n=2,inodes=2,blocks=2)", filesystem(2, 2, 2), 2, {2, 2, 2, 2, 2}, 0},
      {"filesystem(n=2,inodes=1,blocks=2)", filesystem(2, 1, 2), 2, {2, 2, 2, 2, 2}, 0},
      {"filesystem(n=3,inodes=2,blocks=2)", filesystem(3, 2, 2), 4, {4, 4, 4, 4, 4}, 0},
      {"filesystem(n=3,inodes=3,blocks=3)", filesystem(3, 3, 3), 1, {1, 1, 1, 1, 1}, 0},
      {"semaphore(1) mutual exclusion 2", semaphore_exclusion(2), 2, {2, 2, 2, 2, 2}, 0},
      {"semaphore(1) mutual exclusion 3", semaphore_exclusion(3), 6, {6, 6, 6, 6, 6}, 0},
      {"condvar flag, 1 waiters, signal", condition_flag(1, false), 2, {2, 2, 2, 2, 2}, 0},
      {"condvar flag, 1 waiters, broadcast", condition_flag(1, true), 2, {2, 2, 2, 2, 2}, 0},
      {"condvar flag, 2 waiters, signal", condition_flag(2, false), 10, {10, 10, 10, 10, 10}, 0},
      {"condvar flag, 2 waiters, broadcast", condition_flag(2, true), 10, {10, 10, 10, 10, 10}, 0},
      {"condvar without predicate (lost wakeup)", lost_wakeup(), 2, {2, 2, 2, 2, 2}, 0},
      {"choice(3) || store", choice_and_store(), 6, {6, 6, 6, 6, 6}, 0},
  };
}

}  // namespace lockstep::fake
