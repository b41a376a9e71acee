// The analyses by name. To add one: one file in this folder and one line in analysis_registry.cpp.
#pragma once
#include <memory>
#include <span>

#include "analysis/analysis.hpp"

namespace lockstep {

struct AnalysisInfo {
  const char* name;
  const char* summary;  // one line for `lockstep list analyses`
  std::unique_ptr<Analysis> (*make)();
};

std::span<const AnalysisInfo> analyses();

}  // namespace lockstep
