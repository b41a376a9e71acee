// What the commands need from outside: files, the runtime library, the program. Tests bring their own.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "model/result.hpp"
#include "target/target.hpp"
#include "target/test_list.hpp"

namespace lockstep {

struct World {
  std::function<Result<std::string>(const std::string& name)> find_program;
  std::function<Result<std::string>()> find_runtime;
  std::function<Result<std::unique_ptr<Target>>(TargetOptions)> start;
  std::function<Result<int>(const TargetOptions&, const Plan&, const std::vector<std::string>& debugger)> debug = {};
  // Empty: programs are never taken apart into test cases.
  std::function<std::optional<TestList>(const std::string& path, const std::vector<std::string>& command,
                                        const std::string& runtime)>
      list_tests = {};
};

// The runtime next to the executable (installed, or in the build tree), unless $LOCKSTEP_RUNTIME names one.
Result<std::string> find_runtime_library();

// "lockstep-out/prog" for "./a/b/prog".
std::string default_out(const std::string& program);

// Whether files can be created in `folder`, which may not exist yet. Leaves nothing behind.
std::optional<Error> check_writable_folder(const std::string& folder);

// Whether `file` can be written. Leaves nothing behind.
std::optional<Error> check_writable_file(const std::string& file);

}  // namespace lockstep
