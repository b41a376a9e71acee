// Small programs whose traces are known: more than half of the counts, in all and by how many preemptions they need, are
// from a brute force over models of these programs that shares nothing with this tool, the others from depth-first search,
// which also confirms each.
#include "reduced.hpp"

namespace lockstep {
namespace {

struct Row {
  const char* file;
  const char* program;
  size_t traces;
  size_t within[3];  // 0, 1, 2 preemptions
};
constexpr Row kRows[] = {
    {"counted_atomics", "cas_loop_2", 4, {2, 4, 4}},
    {"counted_atomics", "cas_loop_3", 48, {6, 24, 42}},
    {"counted_atomics", "cas_loop_twice", 10, {2, 6, 9}},
    {"counted_atomics", "cas_strong_chain", 12, {6, 12, 12}},
    {"counted_atomics", "exchange_wins", 6, {6, 6, 6}},
    {"counted_atomics", "fetch_mix", 12, {6, 12, 12}},
    {"counted_atomics", "flag_tested", 18, {6, 18, 18}},
    {"counted_atomics", "store_buffer_fenced", 3, {2, 3, 3}},
    {"counted_atomics", "message_chain", 3, {3, 3, 3}},
    {"counted_atomics", "peterson_once", 14, {2, 8, 14}},
    {"counted_atomics", "seqlock", 14, {2, 6, 12}},
    {"counted_atomics", "last_writer_read_by_main", 8, {7, 8, 8}},
    {"counted_atomics", "stack_pushes", 4, {2, 4, 4}},
    {"counted_atomics", "stack_push_pop", 2, {2, 2, 2}},
    {"counted_atomics", "spin_lock", 8, {2, 4, 8}},
    {"counted_atomics", "ticket_lock", 8, {2, 4, 8}},
    {"counted_atomics", "thread_in_thread", 8, {3, 8, 8}},
    {"counted_atomics", "chain_of_threads", 6, {6, 6, 6}},
    {"counted_atomics", "join_reversed", 12, {9, 12, 12}},
    {"counted_atomics", "born_late", 2, {2, 2, 2}},
    {"counted_atomics", "detached_and_waited_for", 8, {2, 6, 8}},
    {"counted_atomics", "detached_and_left", 7, {2, 5, 7}},
    {"counted_atomics", "early_exit", 6, {2, 5, 6}},
    {"counted_atomics", "quick_exit_of_main", 36, {6, 18, 28}},
    {"counted_atomics", "thread_locals", 6, {2, 4, 6}},
    {"counted_atomics", "key_destructor", 4, {2, 4, 4}},
    {"counted_atomics", "pthread_exits", 2, {2, 2, 2}},
    {"counted_atomics", "tryjoin", 4, {4, 4, 4}},
    {"counted_atomics", "chosen_stores", 8, {8, 8, 8}},
    {"counted_atomics", "chosen_paths", 12, {10, 12, 12}},
    {"counted_atomics", "chosen_from_what_was_read", 8, {8, 8, 8}},
    {"counted_atomics", "shared_pointers", 8, {3, 8, 8}},
    {"counted_sync", "same_order", 2, {2, 2, 2}},
    {"counted_sync", "overlapping", 4, {4, 4, 4}},
    {"counted_sync", "hand_over_hand", 2, {2, 2, 2}},
    {"counted_sync", "philosophers", 7, {6, 7, 7}},
    {"counted_sync", "recursion", 6, {6, 6, 6}},
    {"counted_sync", "try_twice", 4, {2, 3, 4}},
    {"counted_sync", "try_until", 8, {2, 4, 8}},
    {"counted_sync", "timed_lock", 4, {2, 4, 4}},
    {"counted_sync", "lock_and_look", 12, {6, 12, 12}},
    {"counted_sync", "double_checked", 4, {2, 4, 4}},
    {"counted_sync", "spin_locks", 6, {6, 6, 6}},
    {"counted_sync", "two_readers_one_writer", 4, {4, 4, 4}},
    {"counted_sync", "posix_readers", 11, {4, 10, 11}},
    {"counted_sync", "writers_and_reader", 6, {6, 6, 6}},
    {"counted_sync", "one_waiter", 2, {2, 2, 2}},
    {"counted_sync", "two_waiters_one_notified", 10, {10, 10, 10}},
    {"counted_sync", "two_waiters_all_notified", 10, {10, 10, 10}},
    {"counted_sync", "lost_wakeup", 2, {2, 2, 2}},
    {"counted_sync", "one_slot", 8, {2, 6, 8}},
    {"counted_sync", "ping_pong", 2, {2, 2, 2}},
    {"counted_sync", "timed_wait", 6, {2, 5, 6}},
    {"counted_sync", "c11_condition", 2, {2, 2, 2}},
    {"counted_sync", "stop_requested", 8, {2, 6, 8}},
    {"counted_sync", "semaphore_as_lock", 920, {2, 10, 60}},
    {"counted_sync", "posix_semaphore_as_lock", 6, {6, 6, 6}},
    {"counted_sync", "produced_and_consumed", 4, {2, 4, 4}},
    {"counted_sync", "semaphore_tried", 4, {2, 4, 4}},
    {"counted_sync", "try_acquire", 322, {2, 8, 48}},
    {"counted_sync", "too_few_posts", 2, {2, 2, 2}},
    {"counted_sync", "posix_barrier", 8, {2, 6, 8}},
    {"counted_sync", "once", 4, {2, 4, 4}},
    {"counted_sync", "once_after_a_throw", 2, {2, 2, 2}},
    {"counted_sync", "abba", 3, {2, 3, 3}},
    {"counted_sync", "abba_beside_work", 9, {4, 8, 9}},
    {"counted_sync", "chosen_after_a_join", 8, {8, 8, 8}},
    {"counted_sync", "mutex_kept", 2, {2, 2, 2}},
    {"counted_sync", "robust_owner_dies", 2, {2, 2, 2}},
};

class Counted : public testing::TestWithParam<Row> {};

TEST_P(Counted, HasTheTracesItShouldHave) {
  const Row& row = GetParam();
  TargetOptions options = options_for(std::string(row.file) + "-gcc-O1 " + row.program);
  options.max_steps = 2000;
  auto target = start(options);
  ASSERT_TRUE(target);
  const Explored all = compare_with_depth_first_search(*target, true);
  EXPECT_EQ(all.traces.cost.size(), row.traces);
  for (const uint32_t bound : {0u, 1u, 2u}) EXPECT_EQ(all.traces.within(bound).size(), row.within[bound]) << bound;
}

INSTANTIATE_TEST_SUITE_P(Programs, Counted, testing::ValuesIn(kRows),
                         [](const auto& info) { return std::string(info.param.program); });

}  // namespace
}  // namespace lockstep
