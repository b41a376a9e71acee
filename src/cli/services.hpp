// Functions through which commands reach the program and the runtime library. Tests supply their own.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "model/result.hpp"
#include "target/target.hpp"
#include "target/test_list.hpp"

namespace lockstep {

struct Services {
  std::function<Result<std::string>(const std::string& name)> find_program;
  std::function<Result<std::string>()> find_runtime;
  StartTarget start;
  std::function<Result<int>(const TargetOptions&, const Plan&, const std::vector<std::string>& debugger)> debug = {};
  // Empty: every program counts as built for Lockstep.
  std::function<bool(const std::string& path)> is_built_for_lockstep = {};
  // Empty: programs are never divided into test cases.
  std::function<std::optional<TestList>(const TestProgram&)> list_tests = {};
};

}  // namespace lockstep
