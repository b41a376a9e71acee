// Paths that commands use: the runtime library, gdb scripts and output folders.
#pragma once
#include <optional>
#include <string>

#include "model/result.hpp"

namespace lockstep {

// The runtime next to the executable (installed, or in the build tree), or the one that $LOCKSTEP_RUNTIME names.
Result<std::string> find_runtime_library();

// The folder of the package lockstep_gdb, in share/lockstep next to the executable's folder.
Result<std::string> find_gdb_scripts();

// "lockstep-out/prog" for "./a/b/prog".
std::string default_out(const std::string& program);

// Checks whether files can be created in `folder`, which need not exist yet. Leaves nothing behind.
std::optional<Error> check_writable_folder(const std::string& folder);

// Checks whether `file` can be written. Leaves nothing behind.
std::optional<Error> check_writable_file(const std::string& file);

}  // namespace lockstep
