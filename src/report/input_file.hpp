// Files that a user names. They may be anything: a FIFO or a device is refused at once, never waited for.
#pragma once
#include <cstdint>
#include <string>

#include "model/result.hpp"

namespace lockstep {

Result<std::string> read_input_file(const std::string& path, uint64_t most_bytes);

}  // namespace lockstep
