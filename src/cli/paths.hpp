// Paths that commands use: the runtime library, where output goes.
#pragma once
#include <optional>
#include <string>

#include "model/result.hpp"

namespace lockstep {

// The runtime next to the executable (installed, or in the build tree), unless $LOCKSTEP_RUNTIME names one.
Result<std::string> find_runtime_library();

// The folder of the package lockstep_gdb, in share/lockstep next to the executable's folder.
Result<std::string> find_gdb_scripts();

// "lockstep-out/prog" for "./a/b/prog".
std::string default_out(const std::string& program);

// Whether files can be created in `folder`, which may not exist yet. Leaves nothing behind.
std::optional<Error> check_writable_folder(const std::string& folder);

// Whether `file` can be written. Leaves nothing behind.
std::optional<Error> check_writable_file(const std::string& file);

}  // namespace lockstep
