// Receives traces from a worker. A trace may consist of the suffix that differs from the previous trace.
#pragma once
#include <vector>

#include "model/trace.hpp"

namespace lockstep {

class ReceivedTrace {
 public:
  // Reads the trace of a message and sets `*size` to the size of the message. Messages must be read in order and once
  // each. Valid until the next call.
  TraceView read(const char* message, size_t* size);

 private:
  std::vector<uint64_t> bytes_;  // the last trace that was kept
  std::vector<uint64_t> sets_;   // its sets of threads; in bytes_ they follow the records
  uint32_t kept_ = 0;            // the number of that trace
};

}  // namespace lockstep
