// Traces as they come from a worker, some of them told only from where they differ from the one before.
#pragma once
#include <vector>

#include "model/trace.hpp"

namespace lockstep {

class ReceivedTrace {
 public:
  // The trace of a message of `*size` bytes. Messages must be read in order and once each; valid until the next.
  TraceView read(const char* message, size_t* size);

 private:
  std::vector<uint64_t> bytes_;  // of the last one that was kept
  std::vector<uint64_t> sets_;   // of the same: in the bytes they lie behind the records
  uint32_t kept_ = 0;            // its number
};

}  // namespace lockstep
