// The machine-readable result of `run` and `replay`, schema 1. Every key is always present; unknown values are null.
#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/bug_story.hpp"
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
  std::string isolation;             // the isolation that was used: "reset"
  std::vector<std::string> warnings;
  std::vector<TestResult> tests = {};            // for a program that was explored test by test
  std::map<std::string, BugStory> stories = {};  // by fingerprint; only failures that have a story
  std::string version = {};                      // of Lockstep
  std::string folder = {};                       // the working directory
};

const char* name_of(Verdict verdict);

nlohmann::ordered_json bug_json(const Finding& bug);
// The result of one exploration: of the whole program, or of one of its tests.
nlohmann::ordered_json result_json(const JsonReport& report, const Exploration& result,
                                   const std::vector<std::string>& warnings);
std::string to_json(const JsonReport& report, const Exploration& result);

}  // namespace lockstep
