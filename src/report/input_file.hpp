// Reads files that a user names. A FIFO or a device is rejected at once, without waiting for it.
#pragma once
#include <cstdint>
#include <string>

#include "model/result.hpp"

namespace lockstep {

Result<std::string> read_input_file(const std::string& path, uint64_t most_bytes);

}  // namespace lockstep
