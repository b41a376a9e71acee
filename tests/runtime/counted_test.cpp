// Small programs whose traces are known. Of counted_atomics and counted_sync more than half of the counts, in all and
// by how many preemptions they need, are from a brute force over models of these programs that shares nothing with this
// tool; of the others those of litmus tests and of lastzero are well known. Depth-first search confirms each.
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
    {"counted_locks", "peterson", 32, {2, 8, 26}},
    {"counted_locks", "lamport_fast_once", 16, {2, 10, 16}},
    {"counted_locks", "burns", 33, {2, 8, 21}},
    {"counted_locks", "test_and_set", 8, {2, 4, 8}},
    {"counted_locks", "test_and_test_and_set", 16, {2, 6, 12}},
    {"counted_locks", "mcs_lock", 34, {2, 6, 20}},
    {"counted_locks", "clh_lock", 8, {2, 4, 8}},
    {"counted_locks", "readers_and_writer_by_counter", 13, {2, 5, 10}},
    {"counted_locks", "sense_reversing_barrier", 8, {2, 8, 8}},
    {"counted_locks", "sequence_lock_until_read", 25, {2, 6, 12}},
    {"counted_locks", "asked_before_waiting", 8, {4, 8, 8}},
    {"counted_classic", "treiber_pops", 4, {2, 4, 4}},
    {"counted_classic", "treiber_mixed", 4, {2, 4, 4}},
    {"counted_classic", "michael_scott_enqueues", 16, {2, 8, 12}},
    {"counted_classic", "michael_scott_mixed", 4, {2, 4, 4}},
    {"counted_classic", "ring_of_one", 64, {2, 16, 46}},
    {"counted_classic", "stolen_from", 4, {2, 4, 4}},
    {"counted_classic", "hazard_pointer", 16, {2, 6, 13}},
    {"counted_classic", "casrot_3", 5, {5, 5, 5}},
    {"counted_classic", "casrot_4", 14, {14, 14, 14}},
    {"counted_classic", "float_read", 4, {4, 4, 4}},
    {"counted_classic", "last_zero", 12, {12, 12, 12}},
    {"counted_classic", "indexer", 7, {4, 7, 7}},
    {"counted_classic", "filesystem", 2, {2, 2, 2}},
    {"counted_classic", "account", 6, {6, 6, 6}},
    {"counted_classic", "account_read_and_written_apart", 6, {2, 4, 6}},
    {"counted_classic", "fibonacci", 3, {2, 3, 3}},
    {"counted_classic", "fibonacci_locked", 6, {2, 4, 6}},
    {"counted_classic", "philosophers_that_try", 7, {2, 6, 7}},
    {"counted_classic", "philosophers_of_three", 6, {6, 6, 6}},
    {"counted_classic", "forked_and_joined", 6, {6, 6, 6}},
    {"counted_classic", "message_passing", 3, {2, 3, 3}},
    {"counted_classic", "load_buffering", 3, {2, 3, 3}},
    {"counted_classic", "two_and_two_writes", 3, {2, 3, 3}},
    {"counted_classic", "independent_reads", 15, {14, 15, 15}},
    {"counted_classic", "write_to_read", 7, {6, 7, 7}},
    {"counted_classic", "read_read_coherence", 12, {6, 12, 12}},
    {"counted_classic", "read_by_three", 8, {8, 8, 8}},
    {"counted_classic", "ring_of_three", 7, {6, 7, 7}},
    {"counted_classic", "written_by_three_read_by_one", 24, {24, 24, 24}},
    {"counted_library", "buffer_of_one", 2, {2, 2, 2}},
    {"counted_library", "buffer_two_puts", 8, {2, 6, 8}},
    {"counted_library", "buffer_two_takers", 32, {16, 32, 32}},
    {"counted_library", "waits_for_a_predicate", 8, {8, 8, 8}},
    {"counted_library", "notified_outside", 2, {2, 2, 2}},
    {"counted_library", "waits_for_a_while", 4, {2, 4, 4}},
    {"counted_library", "condition_of_any_lock", 2, {2, 2, 2}},
    {"counted_library", "posix_timed_condition", 4, {2, 4, 4}},
    {"counted_library", "readers_preferred", 2, {2, 2, 2}},
    {"counted_library", "barber", 6, {6, 6, 6}},
    {"counted_library", "several_tried", 3, {2, 3, 3}},
    {"counted_library", "upgraded", 4, {2, 4, 4}},
    {"counted_library", "shared_tried", 16, {6, 16, 16}},
    {"counted_library", "shared_for_a_while", 3, {2, 3, 3}},
    {"counted_library", "recursive_for_a_while", 4, {2, 4, 4}},
    {"counted_library", "error_checking", 2, {2, 2, 2}},
    {"counted_library", "c11_locks", 3, {2, 3, 3}},
    {"counted_meetings", "latch_arrived_at", 580, {2, 46, 240}},
    {"counted_meetings", "latch_tried", 2, {2, 2, 2}},
    {"counted_meetings", "posix_barrier_twice", 16, {2, 8, 14}},
    {"counted_meetings", "two_of_three", 126, {6, 42, 108}},
    {"counted_meetings", "semaphore_for_a_while", 3, {2, 3, 3}},
    {"counted_meetings", "semaphore_looked_at", 2, {2, 2, 2}},
    {"counted_meetings", "once_by_three", 3, {3, 3, 3}},
    {"counted_meetings", "static_of_a_function", 12, {2, 8, 12}},
    {"counted_meetings", "posix_once", 2, {2, 2, 2}},
    {"counted_meetings", "waited_and_notified", 54, {2, 20, 53}},
    {"counted_meetings", "never_notified", 18, {2, 18, 18}},
    {"counted_meetings", "flag_waited_for", 40, {2, 22, 40}},
    {"counted_meetings", "referred_to", 6, {6, 6, 6}},
    {"counted_meetings", "promised", 6, {2, 4, 5}},
    {"counted_meetings", "waited_for_a_while", 12, {2, 7, 10}},
    {"counted_meetings", "deferred", 2, {2, 2, 2}},
    {"counted_meetings", "stopped", 8, {2, 6, 8}},
    {"counted_meetings", "slept", 2, {2, 2, 2}},
    {"counted_meetings", "said_in_the_end", 2, {2, 2, 2}},
    {"counted_meetings", "chosen_and_locked", 4, {4, 4, 4}},
    {"counted_meetings", "chosen_by_both", 6, {6, 6, 6}},
    {"counted_meetings", "chosen_by_main", 5, {5, 5, 5}},
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

// Too many schedules for depth-first search; these searches have little in common but the order of a trace.
constexpr Row kLarger[] = {
    {"counted_locks", "dekker", 93, {2, 8, 29}},
    {"counted_locks", "bakery", 127, {2, 14, 67}},
    {"counted_locks", "tickets_of_three", 384, {6, 36, 156}},
    {"counted_classic", "sigma", 36, {6, 24, 36}},
    {"counted_meetings", "futex_lock", 3966, {2, 4, 42}},
    {"counted_meetings", "latch_of_two", 3110, {6, 112, 1170}},
    {"counted_meetings", "binary_semaphores", 3249, {2, 56, 419}},
};
class CountedLarger : public testing::TestWithParam<Row> {};

TEST_P(CountedLarger, HasTheTracesItShouldHave) {
  const Row& row = GetParam();
  auto target = start(options_for(std::string(row.file) + "-gcc-O1 " + row.program));
  ASSERT_TRUE(target);
  for (const char* strategy : {"source-dpor", "optimal-dpor", "chess"}) {
    const Explored e = explore(*target, strategy, {}, 50'000);
    EXPECT_TRUE(e.result.complete()) << strategy << ": " << int(e.result.ending);
    EXPECT_EQ(e.result.traces, row.traces) << strategy;
    if (strategy == std::string("optimal-dpor")) {
      EXPECT_EQ(e.result.executions, row.traces);
    }
  }
  for (const uint32_t bound : {0u, 1u, 2u})
    for (const char* strategy : {"source-dpor", "optimal-dpor", "chess"})
      EXPECT_EQ(explore(*target, strategy, bound, 50'000).result.traces, row.within[bound]) << strategy << bound;
}

constexpr auto kName = [](const auto& info) { return std::string(info.param.program); };
INSTANTIATE_TEST_SUITE_P(Programs, CountedLarger, testing::ValuesIn(kLarger), kName);
INSTANTIATE_TEST_SUITE_P(Programs, Counted, testing::ValuesIn(kRows), kName);

}  // namespace
}  // namespace lockstep
