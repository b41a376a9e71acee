#include "target/launch.hpp"

#include <new>

#include "target/same_core.hpp"

namespace lockstep {

Result<SharedMemory> make_thread_table(const std::vector<ThreadTable::Entry>& threads) {
  auto table = SharedMemory::create("lockstep-threads", sizeof(ThreadTable));
  if (!table) return table.error();
  auto* names = new (table->data()) ThreadTable{};
  names->entry[0] = {0, 0};
  names->count.store(1);
  for (size_t i = 1; i < threads.size() && i < kMaxThreads; ++i) {
    names->entry[i] = threads[i];
    names->count.store(static_cast<uint32_t>(i) + 1);
  }
  return table;
}

LaunchOptions launch_options(const TargetOptions& options, const std::string& path, int table_fd, int capture_fd,
                             const cpu_set_t& cpus) {
  return {path,
          options.command,
          options.runtime_library,
          options.isolation,
          options.backend,
          options.points,
          options.timeouts,
          options.spin_rounds,
          options.spurious,
          options.prime,
          options.detect_races,
          options.check_locks,
          options.find_leaks,
          options.checkpoints,
          options.promoted,
          {},
          {},
          {},
          {},
          options.max_steps,
          table_fd,
          capture_fd,
          options.input ? options.input->fd() : -1,
          cpus,
          options.workers <= 1,
          options.explore_call,
          options.body,
          file_time()};
}

Result<int> debug_target(const TargetOptions& options, const Plan& plan, const std::vector<std::string>& debugger) {
  auto path = find_program(options.command.at(0));
  if (!path) return path.error();
  auto table = make_thread_table(options.threads);
  if (!table) return table.error();
  const LaunchOptions launch = launch_options(options, *path, table->fd(), -1, SameCore().everywhere());
  return WorkerProcess(launch).debug(plan, debugger);
}

}  // namespace lockstep
