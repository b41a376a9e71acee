// The machine-readable result of `run` and `replay`, schema 1. Every key is always there; what is unknown is null.
#pragma once
#include <string>
#include <vector>

#include "search/exploration/explorer.hpp"

namespace lockstep {

struct TestResult {
  std::string name;
  Exploration result;
  std::vector<std::string> warnings;
};

struct JsonReport {
  std::vector<std::string> program;  // with its arguments
  std::string strategy;              // by name, without its settings
  std::string isolation;             // what was used: "reset"
  std::vector<std::string> warnings;
  std::vector<TestResult> tests = {};  // of a program that was explored test by test
};

const char* name_of(Verdict verdict);

std::string to_json(const JsonReport& report, const Exploration& result);

}  // namespace lockstep
