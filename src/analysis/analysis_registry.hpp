// The analyses by name. A new one is one file here and one line in registry.cpp.
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
