// What a worker process is started with.
#pragma once
#include <string>
#include <vector>

#include "target/target.hpp"
#include "target/worker_process.hpp"

namespace lockstep {

// The names of threads, which all workers share; those known from an exploration that is gone on with come first.
Result<SharedMemory> make_thread_table(const std::vector<ThreadTable::Entry>& threads);
LaunchOptions launch_options(const TargetOptions& options, const std::string& path, int table_fd, int capture_fd,
                             const cpu_set_t& cpus);

}  // namespace lockstep
