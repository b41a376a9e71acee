// Pages that need nothing but a browser: one file each, built from src/report/page.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/finding.hpp"

namespace lockstep {

// A page with `data`, whose key `page` says which one it is. Nothing in the data can leave its place in the page.
std::string html_page(const nlohmann::ordered_json& data);

// The story of a failure. `finding` must be complete: see complete_finding(). `program`: with its arguments.
std::string html_story(const Finding& finding, Symbols& symbols, const std::vector<std::string>& program);

}  // namespace lockstep
