// `lockstep work`: serves the explorations of a queue with a number of worker processes, as long as nobody stops it.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "model/result.hpp"
#include "target/target.hpp"
#include "work/queue_address.hpp"

namespace lockstep {

// What the service reports, each once per exploration.
class WorkListener {
 public:
  virtual ~WorkListener() = default;
  virtual void joined(const std::string& job, const std::string& command, const std::string& machine) = 0;
  virtual void left(const std::string& job, uint64_t executions, double seconds) = 0;
  virtual void refused(const std::string& job, const std::string& why) = 0;
  virtual void lost_redis(const std::string& problem) = 0;
  virtual void found_redis() = 0;
  virtual bool interrupted() const = 0;
};

struct WorkOptions {
  QueueAddress address;
  unsigned workers = 1;
  StartTarget start;  // the program, with one process
};

// Returns when it is interrupted. An error: Redis cannot be reached, or refuses us, at the start.
std::optional<Error> serve_queue(const WorkOptions& options, WorkListener& listener);

}  // namespace lockstep
